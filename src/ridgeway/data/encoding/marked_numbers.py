"""Numbers written with a currency or percent sign, such as $1,234.50 or 12.5%: all with the same sign."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.encoding.strings import as_levels
from ridgeway.data.remedy import kind_remedy
from ridgeway.data.schema import is_string

PERCENT = "%"
MARKS = ("$", "€", "£", "¥", PERCENT)
# Commas separate thousands: a sign and groups of three digits leave no doubt.
MARKED_SHAPE = (
    r"^\s*(?P<minus>-?)\s*(?P<before>[$€£¥]?)\s*"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(?P<after>[$€£¥%]?)\s*$"
)


def marked_numbers(column: Any, mark: str, name: str, source_name: str) -> NDArray[np.float64]:
    """Return numbers that are written with this sign as float64, NaN where missing; 12.5% is 12.5.

    Amounts may lack the sign of their currency, but numbers without a percent sign may as well be shares.

    Parameters
    ----------
    column : texts, or numbers.
    mark : the sign of the rows of the fit.
    name, source_name : of the column and the table, for messages.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    texts = column if is_string(column.type) else column.cast(pa.string())
    levels, rows = as_levels(texts)
    values, marks = parse_marked(levels)
    wrong = ~np.isin(marks, [mark] if mark == PERCENT else [mark, ""])
    bad = rows[(rows >= 0) & wrong[np.maximum(rows, 0)]] if len(levels) else rows[:0]
    if len(bad):
        raise DataError(
            f"{source_name}: column {name!r} holds {levels[int(bad[0])].as_py()!r}: expected numbers written with "
            f"{mark!r}, as in the rows of the fit; correct the value, or fit with {kind_remedy(name, 'category')}."
        )
    return np.append(values, np.nan)[rows]


def parse_marked(levels: Any) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return the numbers of some texts and their signs; a text that is no such number has the sign "?"."""
    found = pc.extract_regex(levels, MARKED_SHAPE)
    parts = {name: pc.struct_field(found, name) for name in ("minus", "before", "number", "after")}
    digits = pc.replace_substring(pc.binary_join_element_wise(parts["minus"], parts["number"], ""), ",", "")
    values: NDArray[np.float64] = digits.cast(pa.float64()).to_numpy(zero_copy_only=False)
    marks = pc.binary_join_element_wise(parts["before"], parts["after"], "").fill_null("?")
    commas = pc.match_substring(parts["number"], ",").fill_null(False)
    unclear = pc.and_(commas, pc.equal(marks, ""))  # 1,234 without a sign may have a decimal comma
    marks = pc.if_else(pc.or_(unclear, pc.greater(pc.utf8_length(marks), 1)), "?", marks)
    return values, np.asarray(marks.to_pylist(), dtype=np.str_)
