"""The negative binomial average: iterated Tikhonov regularisation from the iterates of SGD."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.incomplete_beta import log_binomial, log_lower_tail, log_success
from ridgeway.averaging.scheme import Scheme
from ridgeway.number import ridge_strength, whole_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class NegativeBinomial(Scheme):
    """Weights of a sum of `order` geometric stopping times: iterated Tikhonov regularisation.

    ::

        p_t = C(t + m - 1, t) p^m q^t / I_p(m, T + 1),   m = order
        S(j) = 1 - I_p(m, j) / I_p(m, T + 1),   j = 1..T;   at alpha = 0:  1 - C(j - 1 + m, m) / C(T + m, m)
        p = 1 - q = step * alpha / (1 + step * alpha),   I_p the regularised incomplete beta function

    In a long run of least-squares SGD the residual filter at an eigenvalue s tends to
    (alpha / (s + alpha))^order: less bias on large eigenvalues than ridge. It assumes step * alpha * n_steps
    well above `order`: the mean stopping time is order / (step * alpha), and a shorter run is conditioned on
    its length, which regularises as well.

    Parameters
    ----------
    alpha : float
        Ridge strength of each of the rounds, 0 or more.
    order : int
        Number of rounds, 1 or more; 1 is `Geometric`. The cost grows in proportion.

    Examples
    --------
    >>> from ridgeway.averaging import NegativeBinomial
    >>> NegativeBinomial(alpha=10.0, order=2).weights(n_steps=3, step=0.1)
    array([0.30769231, 0.30769231, 0.23076923, 0.15384615])
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

    def _ratio(self, step: float) -> float:
        return min(step * self.alpha, sys.float_info.max)

    def _survival(self, j: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        x, length = self._ratio(step), n_steps + 1.0
        log_total = log_lower_tail(np.array([length]), self.order, x)[0]
        flat = j.ravel()
        values: NDArray[np.float64] = -np.expm1(log_lower_tail(flat, self.order, x) - log_total)
        cancelled = (flat <= length) & (values < 0.5)
        late = flat[cancelled]
        values[cancelled] = np.exp(self._log_between(late, length - late, x) - log_total)
        return values.reshape(j.shape)

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

    def _weights(self, t: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        x = self._ratio(step)
        log_total = log_lower_tail(np.array([n_steps + 1.0]), self.order, x)[0]
        values: NDArray[np.float64] = np.exp(log_binomial(t + 1, self.order - 1) - math.log1p(x) * t - log_total)
        return values
