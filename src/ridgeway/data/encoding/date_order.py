"""DateOrder: whether all strings of a column are dates, and the order of day, month and year."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.encoding.encoding import Encoding, Options
from ridgeway.data.encoding.time import TimeLearner
from ridgeway.data.encoding.written_dates import ORDERS, date_parts_of
from ridgeway.data.remedy import kind_remedy


class DateOrder:
    """Track the orders that fit all strings so far.

    A day above 12 determines the order; without one, the month is assumed to come first.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        self._fitting = {order: TimeLearner(column, order) for order in ORDERS}
        self._shaped = True  # whether all strings look like dates
        self._example = ""

    def copy(self) -> Self:
        """Return an independent copy."""
        other = copy(self)
        other._fitting = {order: learner.copy() for order, learner in self._fitting.items()}
        return other

    def learn(self, levels: Any, rows: NDArray[np.int64]) -> None:
        """Learn from distinct strings, and from the rows by their number among them, -1 if missing."""
        used = np.unique(rows[rows >= 0])
        if not self._shaped:
            return
        for some in (used[:1], used):  # the first string decides for most columns
            parts = date_parts_of(levels.take(some))
            if (parts.numbers < 0).any() or (parts.seconds < 0).any():
                self._shaped = False
                self._fitting.clear()
                return
        if len(used):
            self._example = self._example or levels[int(used[0])].as_py()
        places = np.searchsorted(used, rows)
        for order, learner in list(self._fitting.items()):
            seconds, bad = parts.in_order(order)
            if bad.any():
                del self._fitting[order]
            else:
                learner.add(np.append(seconds, 0)[np.where(rows < 0, len(used), places)], rows < 0)

    @property
    def order(self) -> str | None:
        """The order that fits, with the month first if several do; None if none fits, or without strings."""
        return next(iter(self._fitting), None) if self._example else None

    @property
    def doubt(self) -> str | None:
        """The warning if the strings do not determine the order."""
        if not self._shaped or not self._example:
            return None
        told = f"column {self.column!r}: values such as {self._example!r}"
        if not self._fitting:
            return (
                f"{told} look like dates, but neither day first nor month first fits all of them: they are read as "
                "text; write all dates in one order."
            )
        if len(self._fitting) == 1:
            return None
        return (
            f"{told} may be dates with the day or the month first, because no day is above 12: they are read "
            "month-first; "
            f"{kind_remedy(self.column, 'day-first')} reads them "
            "day-first."
        )

    def encoding(self, options: Options, rows: int, missing: int) -> Encoding | None:
        """Return the encoding of the dates among this many rows; None if they are not dates."""
        if self.order is None:
            return None
        learner = self._fitting[self.order].copy()
        learner.rows, learner.missing = rows, missing
        return learner.encoding(options)
