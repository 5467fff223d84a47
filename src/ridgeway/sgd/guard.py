"""What a kernel watches while it runs: unsafe rows, their limit, and the signs of an explosion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Scalar
from ridgeway.sgd.task import Task

# How a kernel ended.
FINISHED = 0
NOT_FINITE = 1  # a row of X has an entry that is not finite, or a squared norm that overflows
EXPLODED = 2  # a residual has grown beyond everything the targets explain

# Places in the tally of a run, where q = weight * |x|^2 and r a residual.
LIMITED = 0  # rows whose step was limited
SUM_Q = 1
SUM_Q2 = 2
LARGEST_Q = 3
RECENT_R2 = 4  # r^2, averaged over about the last 256 rows
TALLY_SIZE = 5
MEMORY = 1 / 256

# A step with step * q <= 2 cannot take w further from any solution, so a run of such steps never explodes, however
# large a residual an outlying row may have. After the first larger one, residuals are held against the targets: a
# single one against the largest, as it happens, and the recent ones against the mean square at the end of a batch.
SAFE = 2.0
EXPLOSION = 1e3
RECENT_EXPLOSION = 10.0


@compiled
def admit(task: Task, weight: Scalar, norm: Scalar, tally: NDArray[np.float64]) -> Scalar:
    """Return the row's own step, step * weight or less, so that it times |x|^2 is at most the limit; record the row."""
    q = np.float64(weight) * np.float64(norm)
    tally[SUM_Q] += q
    tally[SUM_Q2] += q * q
    tally[LARGEST_Q] = max(tally[LARGEST_Q], q)
    if task.step * q > task.limit:
        tally[LIMITED] += 1
        return task.limit / np.float64(norm)
    return task.step * np.float64(weight)


@compiled
def acceptable(task: Task, residual: Scalar, tally: NDArray[np.float64]) -> bool:
    """Record a residual; False if it shows an explosion: not finite, or beyond the cap after an unsafe step."""
    tally[RECENT_R2] += MEMORY * (np.float64(residual) * np.float64(residual) - tally[RECENT_R2])
    unsafe = min(task.step * tally[LARGEST_Q], task.limit) > SAFE
    return bool(abs(residual) <= np.float64(task.cap if unsafe else 1e300))
