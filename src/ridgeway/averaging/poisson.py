"""The Poisson average: gradient flow from the iterates of SGD."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.incomplete_gamma import log_poisson_mass, poisson_lower, poisson_upper
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase
from ridgeway.averaging.waiting_time import DENSITY, LOWER, UPPER, log_probabilities
from ridgeway.validation.scalars import real_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

# S at the last so many steps is a sum of weights: a difference of two tails would cancel there.
SUMMED_STEPS = 4096
NEGLIGIBLE_LOG_PROBABILITY = -40.0  # logarithm of a probability that is lost when subtracted from 1
UNDERFLOW_LOG_PROBABILITY = -746.0  # the exponential of it is 0


@final
@dataclass(frozen=True)
class Poisson(Scheme):
    """Weights of a Poisson stopping time, conditioned on the length of the run: gradient flow.

    ::

        G = number of steps completed in the time mean * eta, step j taking an exponential time of mean eta_j
        X_j = eta_1 E_1 + .. + eta_j E_j,   E_j standard exponential,   eta the last size of the staircase
        p_t = P(X_t <= mean eta < X_{t+1}) / P(X_{T+1} > mean eta)
        S(j) = P(X_j <= mean eta < X_{T+1}) / P(X_{T+1} > mean eta),   j = 1..T

    With a constant step p_t is (mean^t / t!) / sum_{u=0..T} mean^u / u! and S(j) = 1 - gammaincc(j, mean) /
    gammaincc(T + 1, mean). In a run that lasts much longer, the residual filter at an eigenvalue s is
    exp(-mean * eta * s), whatever the steps are: gradient flow stopped at time mean * eta. It assumes that time to be
    shorter than the run: a longer one piles the weight on the last iterates, and is refused where the probability of
    stopping within the run underflows.

    With a constant step S and weights are accurate relative to their own size. On a staircase of several stairs weights
    are too, and S is to 1e-12 absolute (1e-10 at 1e12 steps); the cost grows with the number of stairs.

    Parameters
    ----------
    mean : float
        Mean of the stopping time before conditioning, 0 or more: in steps, those of a staircase of its last size.

    Examples
    --------
    >>> from ridgeway.averaging import Poisson
    >>> Poisson(mean=2.0).weights(n_steps=3, step=0.1)
    array([0.15789474, 0.31578947, 0.31578947, 0.21052632])
    >>> from ridgeway.averaging import Staircase
    >>> Poisson(mean=2.0).weights(n_steps=3, step=Staircase((0.05, 0.1), (2,)))
    array([0.02593615, 0.1037446 , 0.45534086, 0.41497839])
    """

    mean: float

    def __post_init__(self) -> None:
        expected = "the mean stopping time must be a finite number, 0 or more"
        mean = real_number("mean", self.mean, expected)
        if mean < 0:
            raise ValueError(f"mean={mean!r} is negative: {expected}; mean=0 stops at the start.")
        object.__setattr__(self, "mean", mean)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return a stop at the start, an early and a late one."""
        return cls(0.0), cls(3.5), cls(100.0)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        if self.mean == 0:
            return np.where(j > 0, 0.0, 1.0)
        flat = j.ravel()
        if not steps.constant:
            return self._survival_on_stairs(flat, n_steps, steps).reshape(j.shape)
        total, length = self._total(n_steps), np.array([n_steps + 1.0])
        # The difference of whichever tails are small.
        upper = poisson_upper(flat, self.mean) - poisson_upper(length, self.mean)
        lower = total - poisson_lower(flat, self.mean)
        values = np.where(flat > self.mean, upper, lower) / total
        last = n_steps - np.arange(min(SUMMED_STEPS, n_steps + 1.0))
        sums = np.cumsum(self._weights(last, n_steps, steps))
        left = n_steps - flat
        summed = (values < 0.5) & (left >= 0) & (left < sums.size) & (left == np.floor(left))
        values[summed] = sums[left[summed].astype(np.int64)]
        return values.reshape(j.shape)

    def _survival_on_stairs(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        log_total, beyond = self._log_totals(n_steps, steps)
        early = steps.elapsed(j) <= self.mean * steps.last
        values = np.ones_like(j)
        chosen = early & (j > 0)
        log_upper = self._log_probability(UPPER, j[chosen], steps, log_total + NEGLIGIBLE_LOG_PROBABILITY)
        values[chosen] -= np.exp(log_upper - log_total)
        log_lower = self._log_probability(LOWER, j[~early], steps, log_total + UNDERFLOW_LOG_PROBABILITY)
        values[~early] = (np.exp(log_lower) - beyond) / math.exp(log_total)
        return np.where(j <= n_steps + 1, np.clip(values, 0.0, 1.0), values)

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        if self.mean == 0:
            return np.where(t > 0, 0.0, 1.0)
        if not steps.constant:
            log_total, _ = self._log_totals(n_steps, steps)
            log_density = self._log_probability(DENSITY, t + 1, steps, log_total + UNDERFLOW_LOG_PROBABILITY)
            sizes = np.array(steps.sizes)[steps.stairs_of(t + 1)] / steps.last
            return np.exp(log_density - log_total) * sizes
        # In logarithms: a mass may underflow where its share of a small total does not.
        return np.exp(log_poisson_mass(t, self.mean) - math.log(self._total(n_steps)))

    def _log_probability(
        self, kind: int, j: NDArray[np.float64], steps: Staircase, floor: float
    ) -> NDArray[np.float64]:
        """Return the logarithm of a probability or density of X_j at the stopping time, the last size being 1."""
        stair, edges = steps.stairs_of(j), np.array([0.0, *steps.edges])
        lengths, sizes = np.append(np.diff(edges), 0.0), np.array(steps.sizes) / steps.last
        return log_probabilities(stair, j - edges[stair], lengths, sizes, self.mean, kind, floor)

    def log_total(self, n_steps: int, steps: Staircase) -> float:
        """Return log P(G <= n_steps) before conditioning, refusing where it underflows; for a mean above 0."""
        return math.log(self._total(n_steps)) if steps.constant else self._log_totals(n_steps, steps)[0]

    def _total(self, n_steps: int) -> float:
        """Return P(G <= n_steps) of a constant step, refusing where it underflows."""
        total = float(poisson_lower(np.array([n_steps + 1.0]), self.mean)[0])
        if total < sys.float_info.min:
            raise self._beyond(n_steps, "n_steps")
        return total

    def _log_totals(self, n_steps: int, steps: Staircase) -> tuple[float, float]:
        """Return log P(G <= n_steps), refusing where it underflows, and P(G > n_steps)."""
        length = np.array([n_steps + 1.0])
        if float(steps.elapsed(n_steps + 1)) > self.mean * steps.last:
            beyond = math.exp(self._log_probability(LOWER, length, steps, UNDERFLOW_LOG_PROBABILITY)[0])
            return math.log1p(-beyond), beyond
        log_total = float(self._log_probability(UPPER, length, steps, -math.inf)[0])
        if log_total < math.log(sys.float_info.min):
            most = float(steps.elapsed(n_steps)) / steps.last
            raise self._beyond(n_steps, f"{most:g}, the time of the run in steps of the last size")
        return log_total, -math.expm1(log_total)

    def _beyond(self, n_steps: int, most: str) -> ValueError:
        return ValueError(
            f"mean={self.mean!r} is too large for n_steps={n_steps}: the probability of stopping within the run must "
            f"not underflow; take a mean below {most}, or Last(), its limit."
        )
