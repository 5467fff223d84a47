"""The negative binomial average: iterated Tikhonov regularisation from the iterates of SGD."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.event_counts import event_counts
from ridgeway.averaging.incomplete_beta import log_binomial, log_lower_tail, log_success
from ridgeway.averaging.powers import MAX_EXPONENT
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase
from ridgeway.validation.scalars import ridge_strength, whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class NegativeBinomial(Scheme):
    """Weights of a sum of `order` geometric stopping times: iterated Tikhonov regularisation.

    ::

        G = number of steps before event number m = order; step j has an exponential time of mean eta_j for events that
            come at rate alpha
        p_t = eta_{t+1} alpha P(K_{t+1} = m - 1) / P(K_{T+1} >= m),   K_j = number of events in steps 1..j
        S(j) = P(K_j < m <= K_{T+1}) / P(K_{T+1} >= m),   j = 1..T

    The count of n steps of size eta is negative binomial with p = eta alpha / (1 + eta alpha), so with a constant step
    S(j) = 1 - I_p(m, j) / I_p(m, T + 1), I_p the regularised incomplete beta function. At alpha = 0 it is
    1 - h_m(eta_1..eta_j) / h_m(eta_1..eta_{T+1}), h_m the complete homogeneous symmetric polynomial; with a constant
    step 1 - C(j - 1 + m, m) / C(T + m, m).

    In a long run of least-squares SGD the residual filter at an eigenvalue s tends to (alpha / (s + alpha))^order,
    whatever the steps are: less bias on large eigenvalues than ridge. It assumes alpha * (eta_1 + .. + eta_T) well
    above `order`: the mean stopping time is order / alpha in units of elapsed time, and a shorter run is conditioned on
    its length, which regularises as well. On a staircase of several stairs the cost grows with order^2.

    Parameters
    ----------
    alpha : float
        Ridge strength of each of the rounds, 0 or more.
    order : int
        Number of rounds, 1 or more; 1 is `Geometric`. With a constant step the cost grows in proportion.

    Examples
    --------
    >>> from ridgeway.averaging import NegativeBinomial
    >>> NegativeBinomial(alpha=10.0, order=2).weights(n_steps=3, step=0.1)
    array([0.30769231, 0.30769231, 0.23076923, 0.15384615])
    >>> from ridgeway.averaging import Staircase
    >>> NegativeBinomial(alpha=10.0, order=2).weights(n_steps=3, step=Staircase((0.05, 0.2), (2,)))
    array([0.13043478, 0.17391304, 0.46376812, 0.23188406])
    """

    alpha: float
    order: int

    def __post_init__(self) -> None:
        expected = "the order must be an int, 1 or more"
        order = whole_number("order", self.order, expected)
        if order < 1:
            raise ValueError(f"order={order} is below 1: {expected}; order=1 is the geometric average.")
        object.__setattr__(self, "alpha", ridge_strength(self.alpha))
        object.__setattr__(self, "order", order)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return the geometric average, two orders above it, and a run that only its length regularises."""
        return cls(0.5, 1), cls(0.1, 2), cls(10.0, 5), cls(0.0, 3)

    def _ratio(self, steps: Staircase) -> float:
        return min(steps.last * self.alpha, sys.float_info.max)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        flat = j.ravel()
        if not steps.constant:
            return self._survival_on_stairs(flat, n_steps, steps).reshape(j.shape)
        x, length = self._ratio(steps), n_steps + 1.0
        log_total = log_lower_tail(np.array([length]), self.order, x)[0]
        values: NDArray[np.float64] = -np.expm1(log_lower_tail(flat, self.order, x) - log_total)
        cancelled = (flat <= length) & (values < 0.5)
        late = flat[cancelled]
        values[cancelled] = np.exp(self._log_between(late, length - late, x) - log_total)
        return values.reshape(j.shape)

    def _survival_on_stairs(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        counts = event_counts(self.alpha, self.order, steps, n_steps)
        values, beyond = np.empty_like(j), j > n_steps + 1
        values[~beyond] = np.minimum(np.exp(counts.log_between(j[~beyond]) - counts.log_total), 1.0)
        values[beyond] = -np.exp(np.minimum(counts.log_beyond(j[beyond]) - counts.log_total, MAX_EXPONENT))
        return values

    def _log_between(self, j: NDArray[np.float64], left: NDArray[np.float64], x: float) -> NDArray[np.float64]:
        """Return log(P(j <= G < j + left) / p^order) as a sum of positive terms.

        By the number i of successes before failure number j,
        P(j <= G < j + left) = sum_{i < order} C(j - 1 + i, i) p^i q^j P(G' < left), where G' has order - i.
        """
        log_p, growth = log_success(x), math.log1p(x)
        log_tail = log_lower_tail(left, self.order, x)
        log_mass = log_binomial(left, self.order) - growth * left  # of `order` successes before failure `left`
        log_past = -growth * j
        total = log_past + log_tail
        with np.errstate(divide="ignore"):  # log 0 at left = 0 is the right limit
            for i in range(1, self.order):
                k = self.order - i
                log_mass -= np.log((left + k) / (k + 1))
                log_tail = np.logaddexp(log_p + log_tail, log_mass)
                log_past += np.log((j - 1 + i) / i)
                total = np.logaddexp(total, log_past + log_tail)
        return total

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        if not steps.constant:
            counts = event_counts(self.alpha, self.order, steps, n_steps)
            return np.exp(counts.log_masses(t) - counts.log_total)
        x = self._ratio(steps)
        log_total = log_lower_tail(np.array([n_steps + 1.0]), self.order, x)[0]
        values: NDArray[np.float64] = np.exp(log_binomial(t + 1, self.order - 1) - math.log1p(x) * t - log_total)
        return values
