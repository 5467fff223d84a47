"""The error of predicting the last value: for each row the target of the row before it in time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.evaluation.error_sums import ErrorSums

Array = NDArray[np.float64]


class LastValueErrors:
    """Times, targets and weights of all rows, in any order.

    Parameters
    ----------
    n_targets : number of targets.

    Examples
    --------
    >>> import numpy as np
    >>> last = LastValueErrors(1)
    >>> last.add(np.array([2, 0, 1]), np.array([[5.0], [1.0], [2.0]]), np.ones(3))
    >>> last.rmse()  # the root of (1^2 + 3^2) / 2
    array([2.23606798])
    """

    def __init__(self, n_targets: int) -> None:
        self._n_targets = n_targets
        self._parts: list[tuple[NDArray[Any], Array, Array]] = []

    def add(self, times: NDArray[Any], actual: Array, weight: Array) -> None:
        """Take in rows: (n,), (n, targets) and (n,)."""
        self._parts.append((times, actual, weight))

    def rmse(self) -> Array | None:
        """Return the typical error of each target; None of fewer than two rows. Rows of one time keep their order."""
        if sum(len(times) for times, _, _ in self._parts) < 2:
            return None
        times, actual, weight = (np.concatenate(columns) for columns in zip(*self._parts, strict=True))
        order = np.argsort(times, kind="stable")
        actual, weight = actual[order], weight[order]
        sums = ErrorSums(self._n_targets)
        sums.add(actual[1:], actual[:-1], weight[1:])
        return sums.metrics().rmse if sums.n_rows else None
