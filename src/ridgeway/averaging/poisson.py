"""The Poisson average: gradient flow from the iterates of SGD."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.incomplete_gamma import log_poisson_mass, poisson_lower, poisson_upper
from ridgeway.averaging.scheme import Scheme
from ridgeway.number import real_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

# S at the last so many steps is a sum of weights: a difference of two tails would cancel there.
SUMMED_STEPS = 4096


@final
@dataclass(frozen=True)
class Poisson(Scheme):
    """Weights of a Poisson stopping time, conditioned on the length of the run: gradient flow.

    ::

        p_t = (mean^t / t!) / sum_{u=0..T} mean^u / u!
        S(j) = 1 - gammaincc(j, mean) / gammaincc(T + 1, mean),   j = 1..T

    In a run much longer than `mean`, and for step * s well below 1, the residual filter at an eigenvalue s is
    exp(-mean * step * s): gradient flow stopped at time mean * step. It assumes `mean` below n_steps: a
    larger one piles the weight on the last iterates, and is refused where P(G <= n_steps) underflows.

    Parameters
    ----------
    mean : float
        Mean of the stopping time before conditioning, in steps, 0 or more.

    Examples
    --------
    >>> from ridgeway.averaging import Poisson
    >>> Poisson(mean=2.0).weights(n_steps=3, step=0.1)
    array([0.15789474, 0.31578947, 0.31578947, 0.21052632])
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

    def _survival(self, j: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        if self.mean == 0:
            return np.where(j > 0, 0.0, 1.0)
        total, length = self._total(n_steps), np.array([n_steps + 1.0])
        flat = j.ravel()
        # The difference of whichever tails are small.
        upper = poisson_upper(flat, self.mean) - poisson_upper(length, self.mean)
        lower = total - poisson_lower(flat, self.mean)
        values = np.where(flat > self.mean, upper, lower) / total
        last = n_steps - np.arange(min(SUMMED_STEPS, n_steps + 1.0))
        sums = np.cumsum(self._weights(last, n_steps, step))
        left = n_steps - flat
        summed = (values < 0.5) & (left >= 0) & (left < sums.size) & (left == np.floor(left))
        values[summed] = sums[left[summed].astype(np.int64)]
        return values.reshape(j.shape)

    def _weights(self, t: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        if self.mean == 0:
            return np.where(t > 0, 0.0, 1.0)
        # In logarithms: a mass may underflow where its share of a small total does not.
        return np.exp(log_poisson_mass(t, self.mean) - math.log(self._total(n_steps)))

    def _total(self, n_steps: int) -> float:
        """Return P(G <= n_steps), refusing where it underflows."""
        total = float(poisson_lower(np.array([n_steps + 1.0]), self.mean)[0])
        if total < sys.float_info.min:
            raise ValueError(
                f"mean={self.mean!r} is too large for n_steps={n_steps}: the probability of stopping within "
                "the run must not underflow; take a mean below n_steps, or Last(), its limit."
            )
        return total
