"""What a kernel watches while it runs: unsafe rows, their limit, and the signs of an explosion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Scalar
from ridgeway.sgd.task import Task

# How a kernel ended.
FINISHED = 0
NOT_FINITE = 1  # a row of X has an entry that is not finite, or a squared norm that overflows
EXPLODED = 2  # a residual has grown beyond everything the targets explain

# Places in the tally of a run, where q = weight * |x|^2, r is a residual and t^2 = y^2 + |w_0|^2 |x|^2 the size of what
# has to be explained at a row.
LIMITED = 0  # rows whose step was limited
SUM_Q = 1
SUM_Q2 = 2
LARGEST_Q = 3
LARGEST_T2 = 4
RECENT_R2 = 5  # averaged over about the last 256 residuals
RECENT_T2 = 6  # likewise
LARGEST_RECENT_T2 = 7
TALLY_SIZE = 8
MEMORY = 1 / 256

# A step with step * q <= 2 cannot take w further from any solution, so a run of such steps never explodes, however
# large a residual an outlying row may have. After the first larger one, residuals are held against what the rows so far
# had to explain: one residual against the largest, and the recent ones against the largest recent mean.
SAFE = 2.0
EXPLOSION = 1e3
RECENT_EXPLOSION = 10.0
LARGEST = np.float64(1e300)  # that a residual may be before its square overflows


class Met(NamedTuple):
    """What the rows so far say about their size; see the places in the tally."""

    sum_q: float
    sum_q2: float
    largest_q: float


@compiled
def met_before(tally: NDArray[np.float64]) -> Met:
    """Return what a run has met. A kernel keeps it in registers, and puts it back at its end."""
    return Met(tally[SUM_Q], tally[SUM_Q2], tally[LARGEST_Q])


@compiled
def meet(met: Met, weight: Scalar, norm: Scalar) -> Met:
    """Add a row."""
    q = np.float64(weight) * np.float64(norm)
    return Met(met.sum_q + q, met.sum_q2 + q * q, max(met.largest_q, q))


@compiled
def put_back(met: Met, tally: NDArray[np.float64]) -> None:
    """Record what a run has met."""
    tally[SUM_Q], tally[SUM_Q2], tally[LARGEST_Q] = met.sum_q, met.sum_q2, met.largest_q


@compiled
def admit(task: Task, weight: Scalar, norm: Scalar, tally: NDArray[np.float64]) -> Scalar:
    """Record a row and return its own step, step * weight or less, so that it times |x|^2 is at most the limit."""
    put_back(meet(met_before(tally), weight, norm), tally)
    rate = task.step * np.float64(weight)
    if rate * np.float64(norm) > task.limit:
        tally[LIMITED] += 1
        return task.limit / np.float64(norm)
    return rate


@compiled
def acceptable(task: Task, residual: Scalar, y: Scalar, norm: Scalar, tally: NDArray[np.float64]) -> bool:
    """Tell whether a residual is finite and, after an unsafe step, shows no explosion; record it where it could."""
    if task.limit <= SAFE:  # no step of the run is unsafe
        return bool(abs(residual) <= LARGEST)
    r2 = np.float64(residual) * np.float64(residual)
    t2 = np.float64(y) * np.float64(y) + task.start * np.float64(norm)
    tally[LARGEST_T2] = max(tally[LARGEST_T2], t2)
    tally[RECENT_R2] += MEMORY * (r2 - tally[RECENT_R2])
    tally[RECENT_T2] += MEMORY * (t2 - tally[RECENT_T2])
    tally[LARGEST_RECENT_T2] = max(tally[LARGEST_RECENT_T2], tally[RECENT_T2])
    if min(task.step * tally[LARGEST_Q], task.limit) > SAFE:
        alone = r2 <= EXPLOSION**2 * tally[LARGEST_T2]
        recent = tally[RECENT_R2] <= RECENT_EXPLOSION**2 * tally[LARGEST_RECENT_T2]
        return bool(alone and recent)
    return bool(abs(residual) <= LARGEST)
