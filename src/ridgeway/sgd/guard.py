"""What a kernel watches while it runs: unsafe rows, their limit, and the signs of an explosion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Scalar

# How a kernel ended.
FINISHED = 0
NOT_FINITE = 1  # a row of X has an entry that is not finite, or a squared norm that overflows
EXPLODED = 2  # a residual has grown beyond everything the targets explain

# Places in the tally of a run.
LIMITED = 0  # rows whose step was limited
SUM_NORM = 1  # sum of q = weight * |x|^2
SUM_NORM2 = 2  # sum of q^2
LARGEST = 3  # largest step * q that was taken
TALLY_SIZE = 4

# A step with step * weight * |x|^2 <= 2 cannot take w further from any solution, so a run of such steps never explodes,
# however large a residual an outlying row may have. After the first larger one, residuals are held against the targets.
SAFE = 2.0
EXPLOSION = 1e3


@compiled
def admit(step: Scalar, weight: Scalar, norm: Scalar, limit: Scalar, tally: NDArray[np.float64]) -> Scalar:
    """Return the row's own step, step * weight or less, so that it times |x|^2 is at most limit; record the row."""
    rate = step * weight
    if rate * norm > limit:
        rate = limit / norm
        tally[LIMITED] += 1
    q = np.float64(weight) * norm
    tally[SUM_NORM] += q
    tally[SUM_NORM2] += q * q
    tally[LARGEST] = max(tally[LARGEST], np.float64(rate * norm))
    return rate


@compiled
def residual_cap(cap: float, tally: NDArray[np.float64]) -> float:
    """Largest residual that is not an explosion: `cap` after an unsafe step, anything finite before."""
    return np.float64(cap if tally[LARGEST] > SAFE else 1e300)
