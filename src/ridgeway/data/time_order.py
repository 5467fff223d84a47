"""Times as values that sort in the order of time, also if they are written as text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.encoding.date_order import DateOrder
from ridgeway.data.encoding.seconds import seconds_of
from ridgeway.data.encoding.strings import as_levels
from ridgeway.data.encoding.written_dates import ORDERS
from ridgeway.data.schema import is_string
from ridgeway.messages.user_warning import warn_user

YEAR_AND_PART = r"^\d{4}[-/. ]?[QqWwMm]?\d{1,2}$"


def times_in_order(column: Any, name: str, source_name: str, kind: str | None = None) -> Any:
    """Return a column as an Arrow array whose values sort in the order of time.

    Texts are read as dates such as 31/12/2006 or 31-Dec-2006, or as numbers; texts such as 2006-12 or 2006Q4 sort as
    they are. Others are an error.

    Parameters
    ----------
    column : dates, instants, numbers or texts.
    name : name of the column, for messages.
    source_name : name of the table in messages.
    kind : the declared kind of the column; "day-first", "month-first" and "year-first" tell how dates are written.

    Examples
    --------
    >>> import pyarrow as pa
    >>> days = times_in_order(pa.array(["31/01/2013", None, "01/02/2013"]), "day", "sales.csv")
    >>> days[0].as_py() < days[2].as_py(), days.null_count
    (True, 1)
    """
    texts = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not is_string(texts):
        return column
    if isinstance(column, pa.ChunkedArray):
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        column = coded.unify_dictionaries().combine_chunks()
    levels, rows = as_levels(column)
    order = kind if kind in ORDERS else _written_order(levels, rows, name, source_name)
    if order is not None:
        seconds, missing = seconds_of(column, name, None, True, source_name, order)
        return pa.array(seconds, mask=missing)
    present = pa.array(rows, mask=rows < 0)
    try:
        return levels.cast(pa.float64()).take(present)
    except pa.ArrowInvalid:
        if not _sorts_as_text(levels):
            raise DataError(
                f"{source_name}: column {name!r} holds texts such as {levels[0].as_py()!r}, which are not read as "
                "times: expected dates, times or numbers, as the alphabet is not the order of time; write dates such "
                "as 2013-01-31, or months such as 2013-01."
            ) from None
    return levels.take(present)


def time_ranks(column: Any, name: str, source_name: str, kind: str | None = None) -> NDArray[np.int64]:
    """Return the place of each value among the distinct values of a column of times, 0 for the earliest, -1 for none.

    Parameters
    ----------
    column, name, source_name, kind : as in `times_in_order`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> time_ranks(pa.chunked_array([["01/02/2013", None], ["31/01/2013", "01/02/2013"]]), "day", "sales.csv")
    array([ 1, -1,  0,  1])
    """
    column = times_in_order(column, name, source_name, kind)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    _, codes = np.unique(np.asarray(column.drop_null()), return_inverse=True)
    ranks = np.full(len(column), -1)
    ranks[~np.asarray(column.is_null())] = codes
    return ranks


def _sorts_as_text(levels: Any) -> bool:
    """Return whether texts are months, quarters or weeks of a year, such as 2013-01 or 2013Q1, of one length."""
    alike = pc.all(pc.match_substring_regex(levels, YEAR_AND_PART)).as_py()
    return bool(alike) and len(pc.utf8_length(levels).unique()) == 1


def _written_order(levels: Any, rows: Any, name: str, source_name: str) -> str | None:
    """Return the order of day, month and year in dates written as text; None if they are no dates."""
    found = DateOrder(name)
    found.learn(levels, rows)
    if found.doubt is not None:
        if found.order is None:
            raise DataError(
                f"{source_name}: column {name!r} holds dates such as {levels[0].as_py()!r} in several orders: expected "
                "the day, the month or the year first in all of them; write them in one order."
            )
        warn_user(found.doubt)
    return found.order
