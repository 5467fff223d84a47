"""DateOrder: whether all strings of a column are dates, and in which order day, month and year stand."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.encoding.encoding import Encoding, Options
from ridgeway.data.encoding.time import TimeLearner
from ridgeway.data.encoding.written_dates import ORDERS, date_parts_of


class DateOrder:
    """Follows every order that fits all strings seen so far, until none is left.

    A day above 12 settles the order; where no day is, the month is taken to come first.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        self._fitting = {order: TimeLearner(column, order) for order in ORDERS}
        self._shaped = True  # whether all strings look like dates
        self._example = ""

    def look(self, levels: Any, rows: NDArray[np.int64]) -> None:
        """Look at distinct strings, and at the rows by their number among them, -1 where missing."""
        used = np.unique(rows[rows >= 0])
        if not self._shaped:
            return
        for some in (used[:1], used):  # the first string tells most columns apart
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
        """The order that fits, the month first among several; None if there is none, or no string yet."""
        return next(iter(self._fitting), None) if self._example else None

    @property
    def doubt(self) -> str | None:
        """What to tell the user where the strings do not settle the matter."""
        if not self._shaped or not self._example:
            return None
        told = f"column {self.column!r}: values such as {self._example!r}"
        if not self._fitting:
            return (
                f"{told} look like dates, but neither day first nor month first fits all of them: they are taken for "
                "text; write all dates in one way."
            )
        if len(self._fitting) == 1:
            return None
        return (
            f"{told} may be dates with the day or the month first, as no day is above 12: they are read month-first; "
            f"--kind {shlex.quote(self.column + '=day-first')} (kinds={{{self.column!r}: 'day-first'}}) reads them "
            "day-first."
        )

    def encoding(self, options: Options, rows: int, missing: int) -> Encoding | None:
        """Return the encoding of the dates among so many rows, None if they are no dates."""
        if self.order is None:
            return None
        learner = self._fitting[self.order]
        learner.rows, learner.missing = rows, missing
        return learner.encoding(options)
