"""Variances of held-out targets: what the errors of predictions are compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch


def variance_of_rows(batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the weighted variances of the targets of some rows, (targets,); exactly 0 of equal targets."""
    y, weight = batch.y[rows].astype(np.float64), batch.weight[rows].astype(np.float64)
    share, about = weight / weight.sum(), y - y[0]  # a large offset would cost digits
    variance: NDArray[np.float64] = share @ (about - share @ about) ** 2
    return variance


def variance_of_sums(squares: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    """Return the variances of targets, (targets,), from sums of weight times their squared distances to the mean."""
    variance: NDArray[np.float64] = squares / weight
    return variance


def variance_of_moments(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variances of targets, (targets,), at least 0, from moments about a number near their mean.

    Parameters
    ----------
    moments : (targets, 2, 2), sums of weight times [1, y]' [1, y].
    """
    weight = moments[:, 0, 0]
    variance: NDArray[np.float64] = np.maximum(moments[:, 1, 1] / weight - (moments[:, 0, 1] / weight) ** 2, 0.0)
    return variance
