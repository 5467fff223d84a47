"""The automatic steps: the constant one (below), and the final size of a growing one (`final_step`).

With q_i = weight_i |x_i|^2 the constant step is

    eta = 0.5 / R^2 ,   R^2 = sum q^2 / sum q ,      rounded down to the next eighth of an octave,

where R^2 is at most 256 times the median of q, and a row with eta q_i > 1 has its step clipped to 1 / |x_i|^2.

R^2 is the mean squared norm with rows weighted by their squared norm, as in the gradient, and 0.5 / R^2 is the largest
step that the theory of the averages covers. For heavy tails R^2 is between the mean and the maximum of q, which are
both bad choices. One row can be a thousand times the mean, so 1 / max wastes a pass: over eight real sets the best
average has 1.089 times the test error of ridge after one pass (1.005 after ten), with this rule 1.035 (0.996). And 1 /
mean or 1 / a quantile clips so many rows that the result is no longer ridge: 1.08 on california_housing, for any number
of passes. Without clipping the same step overflows on several of the sets.

A clipped row counts as a row of smaller weight, so clipping moves the result away from ridge. Here it is rare: no rows
of equal norm, 1.4% of Gaussian rows in four dimensions, none in a hundred dimensions. Factors of 0.8 to 1 gain another
1% in one pass but clip every tenth Gaussian row in four dimensions.

The median decides if a few huge rows make up nearly all of R^2: with one row at 10,000 standard deviations, a pass over
diamonds has 1.2 times ridge's error instead of 5.9 times.

Rounding makes the step a coarse function of R^2, so a sample of the rows nearly always gives the same step (`guess`).
The run itself reads all rows and confirms it, without another reading of the data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, Float, readonly, require_finite_rows
from ridgeway.rows.exponent import far_exponent, scaled
from ridgeway.storage.state import State, Stored
from ridgeway.trajectory.trajectory import squared_scale
from ridgeway.validation.scalars import real_number

STEP_FRACTION = 0.5
CLIPPING_LIMIT = 1.0
MAX_NORM_MEDIANS = 256  # R^2 is at most this many medians of q
STEPS_PER_OCTAVE = 8
SAMPLE_STRIDE = 32  # one row in this many is sampled, in at most SAMPLED_STRIPES stripes
GUESS_STRIDE = 64  # as above, for a guess that the run itself confirms
SAMPLED_STRIPES = 128
STRIPE_ROWS = 64  # neighbouring rows of a stripe, which are read together
MIN_MEAN_SQUARED_NORM, MAX_MEAN_SQUARED_NORM = 1e-280, 1e280  # mean squared norms for which there is a step


@dataclass(frozen=True)
class LimitedStep:
    """A step eta whose updates are clipped: at most eta * weight * |x|^2 = limit.

    Clipped rows count as rows of smaller weight: with a large eta this is a robust estimator rather than ridge.

    Parameters
    ----------
    size : float
        The step eta.
    limit : float
        With 1, the update of an outlying row fits its target exactly; above 2 a step can overshoot; inf clips nothing.
    """

    size: float
    limit: float = CLIPPING_LIMIT

    def __post_init__(self) -> None:
        size = real_number("step", self.size, "expected 'auto' or a positive, finite number")
        if size <= 0:
            raise ValueError(f"step={size}: expected a positive number; step='auto' finds a safe one from the rows.")
        if isinstance(self.limit, bool) or not isinstance(self.limit, Real) or not self.limit > 0:
            raise ValueError(f"limit={self.limit!r}: expected a positive number; 1 is usual, inf clips nothing.")
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "limit", float(self.limit))

    def state(self) -> State:
        """Return step and limit; None for an infinite limit."""
        return {"size": self.size, "limit": self.limit if math.isfinite(self.limit) else None}

    @classmethod
    def from_state(cls, stored: Stored) -> LimitedStep:
        """Return the step of a state; None stands for an infinite limit."""
        return cls(stored.positive("size"), stored.positive("limit") if "limit" in stored else math.inf)


def check_step(step: Any) -> LimitedStep | None:
    """Return an explicit step; a plain number clips nothing. None for "auto"."""
    if isinstance(step, LimitedStep):
        return step
    if isinstance(step, str):
        if step == "auto":
            return None
        raise ValueError(f"step={step!r}: expected 'auto' or a positive number.")
    return LimitedStep(step, math.inf)


def step_for(r2: float) -> float:
    """0.5 / R^2, rounded down to a multiple of 2^(1/8); 1 when all rows are 0."""
    if r2 <= 0:
        return 1.0
    if not MIN_MEAN_SQUARED_NORM <= r2 <= MAX_MEAN_SQUARED_NORM:
        raise ValueError(
            f"the mean squared norm of the rows is {r2:g}: expected {MIN_MEAN_SQUARED_NORM:g} to "
            f"{MAX_MEAN_SQUARED_NORM:g}, for which there are steps and strengths in float64; scale the "
            f"columns {'up' if r2 < 1 else 'down'}."
        )
    eighths = STEPS_PER_OCTAVE * (math.log2(STEP_FRACTION) - math.log2(r2))
    return float(2.0 ** (math.floor(eighths) / STEPS_PER_OCTAVE))


def final_step(q: NDArray[np.float64]) -> float:
    """0.5 over the mean of q = weight * |x|^2, rounded down to a multiple of 2^(1/8): the last size of growing steps.

    Rows up to twice the mean are not split; larger ones are. There are at most 1.5 times as many steps as rows.
    """
    return step_for(float(q.mean())) if len(q) else 1.0


def auto_step(batch: Batch) -> LimitedStep:
    """Return the step from all rows."""
    norms = batch.rows.squared_norms()
    require_finite_rows(batch.rows, norms, batch.numbers)
    if not norms.any() and batch.rows.largest_entry() > 0:
        raise ValueError(
            f"the squared norms of X are all 0 in {batch.rows.dtype} (largest entry {batch.rows.largest_entry():g}): "
            "scale the columns up."
        )
    return step_from(norms, batch.weight)


def guess(batch: Batch) -> LimitedStep | None:
    """Return the step from a sample of the rows, or None if the sample is not reliable (`sampled_step`).

    If `step_for` of the R^2 of all rows gives the same step, it is the one of `auto_step`.
    """
    sample = sample_of(len(batch), GUESS_STRIDE)
    return None if sample is None else sampled_step(batch.rows.squared_norms_of(sample), batch.weight[sample])


@lru_cache(maxsize=16)
def sample_of(n_rows: int, one_in: int = SAMPLE_STRIDE) -> NDArray[np.intp] | None:
    """Return the numbers of sampled rows, in stripes of neighbours; None if there are too few rows to sample."""
    n_stripes = min(SAMPLED_STRIPES, n_rows // (one_in * STRIPE_ROWS))
    if n_stripes < 2:
        return None
    starts = np.arange(n_stripes) * (n_rows - STRIPE_ROWS) // (n_stripes - 1)
    sample: NDArray[np.intp] = readonly((starts[:, None] + np.arange(STRIPE_ROWS)).reshape(-1))
    return sample


def sampled_step(norms: Float, weight: Float) -> LimitedStep | None:
    """Return the step from the squared norms of sampled rows, or None if the sample is not reliable.

    A sample is not reliable if its two halves give different steps, or if the limit by the median nearly applies.
    """
    with np.errstate(over="ignore"):  # checked below
        q = norms.astype(np.float64) * weight
        first = np.arange(len(q)) // STRIPE_ROWS % 2 == 0  # every other stripe
        sums = np.array([[half.sum(), (half * half).sum()] for half in (q[first], q[~first])])
    if not np.isfinite(sums).all():
        return None
    r2 = squared_scale(*sums.sum(axis=0).tolist())
    step = step_for(r2)
    agree = all(math.isclose(step_for(squared_scale(*half)), step, rel_tol=0.1) for half in sums.tolist())
    ordinary = 2 * np.count_nonzero(q > r2 / (MAX_NORM_MEDIANS / 4)) > np.count_nonzero(q)  # r2 < 64 medians
    return LimitedStep(step) if agree and ordinary else None


def step_from(norms: Float, weight: Float) -> LimitedStep:
    """Return the step from the squared norms of all rows, which are finite."""
    with np.errstate(over="ignore"):
        q = norms.astype(np.float64) * weight
    if not np.isfinite(q.max(initial=0.0)):
        raise ValueError("weight * |x|^2 of a row exceeds float64: scale the columns or the weights down.")
    r2 = _mean_norm(q)
    ordinary = 2 * np.count_nonzero(q > r2 / MAX_NORM_MEDIANS) > np.count_nonzero(q)  # r2 < 256 medians
    return LimitedStep(step_for(r2 if ordinary else min(r2, MAX_NORM_MEDIANS * _median(q))))


def _mean_norm(q: NDArray[np.float64]) -> float:
    exponent = far_exponent(q)
    near = scaled(q, exponent)
    return math.ldexp(squared_scale(float(near.sum()), float((near * near).sum())), exponent)


def _median(q: NDArray[np.float64]) -> float:
    """Median over the rows that are not 0; 0 if there is none."""
    positive = q[q > 0]
    return float(np.median(positive)) if len(positive) else 0.0
