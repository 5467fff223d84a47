"""DistinctIntegers: whether a column of numbers holds identifiers, such as shuffled row numbers or long ids."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_IDENTIFIED_ROWS = 100
MIN_LONG_IDENTIFIER = 1e14  # numbers of 15 digits or more measure nothing
FIRST_CHECKED_VALUES = 256  # most columns of measurements repeat a value among these
IDENTIFIER_NAME = re.compile(r"(^|.*[ _.-])(id|uid|key|no|nr|num|number)|.*[a-z0-9](Id|ID|Key|No|Nr)", re.DOTALL)


class DistinctIntegers:
    """Whether all values of a column are different whole numbers that identify its rows.

    Measurements of a few rows may all differ as well. So one of three must be true beside that: the column is named
    like an identifier, its numbers have 15 digits or more, or they are the numbers of the rows in another order.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self._named = IDENTIFIER_NAME.fullmatch(column.strip()) is not None or column.strip().casefold() == "id"
        self._values: tuple[NDArray[np.float64], ...] | None = ()  # None once a value was missing, broken or twice

    def learn(self, present: NDArray[np.float64], n_rows: int) -> None:
        """Learn from the values of a batch of so many rows."""
        if self._values is None or len(present) == 0:
            return
        first = present[:FIRST_CHECKED_VALUES]
        if len(present) < n_rows or len(np.unique(first)) < len(first) or (present != np.trunc(present)).any():
            self._values = None
        else:
            self._values = (*self._values, present)

    @property
    def found(self) -> str | None:
        """What the numbers are, in words; None if they do not seem to be identifiers."""
        if not self._values:
            return None
        values: Any = np.concatenate(self._values)
        if len(values) < MIN_IDENTIFIED_ROWS or len(np.unique(values)) < len(values):
            return None
        steps = np.diff(values)
        if self._named or np.abs(values).min() >= MIN_LONG_IDENTIFIER:
            return "identify the rows"
        shuffled = not (steps > 0).all() and not (steps < 0).all()
        return "number the rows" if shuffled and np.ptp(values) == len(values) - 1 else None
