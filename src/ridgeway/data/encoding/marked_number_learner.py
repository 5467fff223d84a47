"""MarkedNumberLearner: whether all strings of a column are numbers with one currency or percent sign."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa
from ridgeway.data.encoding.encoding import Encoding, Options
from ridgeway.data.encoding.marked_numbers import MARKS, parse_marked
from ridgeway.data.encoding.number import NumberLearner


class MarkedNumberLearner:
    """Whether all strings of a column are numbers with one sign; learns them while they are.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self._learner = NumberLearner(column)
        self._mark: str | None = None  # the sign of all strings so far; "?" if they are no such numbers

    def copy(self) -> Self:
        """Return an independent copy."""
        other = copy(self)
        other._learner = self._learner.copy()
        return other

    def learn(self, levels: Any, rows: NDArray[np.int64]) -> None:
        """Learn from distinct strings, and from the rows by their number among them, -1 if missing."""
        used = np.unique(rows[rows >= 0])
        if self._mark == "?" or len(used) == 0:
            return
        for some in (used[:1], used):  # the first string decides for most columns
            values, marks = parse_marked(levels.take(pa.array(some)))
            mark = str(marks[0]) if self._mark is None else self._mark
            if mark not in MARKS or (marks != mark).any():
                self._mark = "?"
                return
        self._mark = mark
        present = rows[rows >= 0]
        self._learner.learn(pa.array(values[np.searchsorted(used, present)]), self._learner.column)

    @property
    def found(self) -> bool:
        """Whether all strings so far are such numbers, and there are some."""
        return self._mark in MARKS

    @property
    def needs_double(self) -> bool:
        """Whether float32 loses too many digits."""
        return self.found and self._learner.needs_double

    def encoding(self, options: Options, rows: int, missing: int) -> Encoding | None:
        """Return the encoding of the numbers among this many rows; None if they are not such numbers."""
        if not self.found:
            return None
        learner = self._learner.copy()
        learner.rows, learner.missing, learner.mark = rows, missing, str(self._mark)
        return learner.encoding(options)
