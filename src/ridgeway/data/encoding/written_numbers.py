"""Numbers written as text with commas, such as 3,14, 1,234 or 1.234,5: whether a column of strings holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pc
from ridgeway.data.remedy import kind_remedy, null_remedy

MIN_WRITTEN_NUMBER_SHARE = 0.95  # of the values, from which strings are taken for numbers
MIN_MIXED_NUMBER_SHARE = 0.9  # of the values, from which a text among them is probably a mistake
MAX_TEXT_CHARACTERS = 40  # of a text in a message
MIN_DISTINCT_WITH_COMMAS = 3  # fewer may be codes
# 1.234,5 and 1.234.567: points separate thousands.
WITH_POINTS = r"^\s*[-+]?\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})\s*$"
WITH_COMMAS = r"^\s*[-+]?(\d+(,\d+)+(\.\d+)?|\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,}))\s*$"
WRITTEN_NUMBER = r"^\s*[-+]?(\d+(,\d+)*(\.\d+)?|\.\d+|\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,}))\s*$"


class WrittenNumbers:
    """Count strings that are numbers if commas are read as decimal signs or as separators of thousands.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        self._values = self._numbers = 0
        self._distinct: frozenset[str] = frozenset()  # a few numbers with commas
        self._with_points: frozenset[str] = frozenset()  # a few with points between thousands
        self._first_text: str | None = None  # the first that is no number

    def learn(self, levels: Any, counts: NDArray[np.int64]) -> None:
        """Count more strings: `levels`, each of which comes `counts` times."""
        self._values += int(counts.sum())
        numbers = pc.match_substring_regex(levels, WRITTEN_NUMBER).to_numpy(zero_copy_only=False)
        self._numbers += int(counts[numbers].sum())
        if self._first_text is None and (texts := ~numbers & (counts > 0)).any():
            self._first_text = levels[int(np.argmax(texts))].as_py()
        if len(self._distinct) < MIN_DISTINCT_WITH_COMMAS and numbers.any():
            with_commas = pc.match_substring_regex(levels, WITH_COMMAS).to_numpy(zero_copy_only=False) & (counts > 0)
            new = levels.filter(with_commas).slice(0, MIN_DISTINCT_WITH_COMMAS).to_pylist()
            self._distinct = self._distinct.union(new)
        if len(self._with_points) == 0 and numbers.any():
            with_points = pc.match_substring_regex(levels, WITH_POINTS).to_numpy(zero_copy_only=False) & (counts > 0)
            self._with_points = frozenset(levels.filter(with_points).slice(0, 2).to_pylist())

    @property
    def doubt(self) -> str | None:
        """The warning that numbers are read as text; None if the strings are no such numbers."""
        if len(self._distinct) < MIN_DISTINCT_WITH_COMMAS or self._numbers < MIN_WRITTEN_NUMBER_SHARE * self._values:
            return self._mixed
        examples = ", ".join(map(repr, [*sorted(self._with_points), *sorted(self._distinct - self._with_points)][:2]))
        return (
            f"column {self.column!r}: values such as {examples} look like numbers written with commas, and are read as "
            "text: expected decimal points and no separators of thousands; write 3.14 and 1234 (pandas reads them by "
            "read_csv(..., decimal=',') or thousands=','), or confirm the text with "
            f"{kind_remedy(self.column, 'category')}."
        )

    @property
    def _mixed(self) -> str | None:
        """The warning that a few texts are among numbers; None if there are more of them, or none."""
        if self._first_text is None or self._numbers < MIN_MIXED_NUMBER_SHARE * self._values:
            return None
        text = self._first_text[:MAX_TEXT_CHARACTERS]
        return (
            f"column {self.column!r}: {self._numbers:,} of {self._values:,} values are numbers, but {text!r} is not, "
            "so all are read as text: expected numbers or text; correct the value, or in CSV files treat it as missing "
            f"with {null_remedy([text])}, or confirm the text with {kind_remedy(self.column, 'category')}."
        )
