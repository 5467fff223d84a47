"""Sums over rows that tell how many targets lie within their prediction intervals, and how wide these are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class CoverageSums:
    """Weighted sums of rows within their intervals, and of the widths of these.

    Parameters
    ----------
    n_targets : number of targets.

    Examples
    --------
    >>> import numpy as np
    >>> sums = CoverageSums(1)
    >>> sums.add(np.array([[1.0], [3.0]]), np.array([[[0.0, 2.0]], [[0.0, 2.0]]]), np.ones(2)).tolist()
    [[True], [False]]
    >>> sums.covered, sums.width
    (array([0.5]), array([2.]))
    """

    def __init__(self, n_targets: int) -> None:
        self._covered, self._width = np.zeros((2, n_targets))
        self._weight = 0.0

    def add(self, actual: Array, ends: Array, weight: Array) -> NDArray[np.bool_]:
        """Take in rows, (n, targets), (n, targets, 2) and (n,), and return whether intervals hold targets."""
        covered: NDArray[np.bool_] = (ends[..., 0] <= actual) & (actual <= ends[..., 1])
        self._covered = self._covered + weight @ covered
        self._width = self._width + weight @ (ends[..., 1] - ends[..., 0])
        self._weight += float(weight.sum())
        return covered

    @property
    def covered(self) -> Array:
        """Share of the weight of rows within their intervals, (targets,)."""
        return self._covered / self._weight

    @property
    def width(self) -> Array:
        """Mean width, (targets,)."""
        return self._width / self._weight
