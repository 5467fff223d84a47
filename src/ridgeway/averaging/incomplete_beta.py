"""The lower tail of a negative binomial law, in logarithms, for runs of any length.

With x > 0, p = x / (1 + x), q = 1 / (1 + x) and G the number of failures before success number `order`,

    P(G < d) = I_p(order, d) = sum_{k >= order} C(d - 1 + k, k) p^k q^d .

scipy's `betainc` has a relative error of 1e-8 at d = 1e9 and underflows for small p; p^order is therefore
taken out, and the rest is computed from sums of positive terms.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Above this value of P(G >= d) the complement has lost digits and the series takes over.
COMPLEMENT_LIMIT = 0.9
# Above this p the series is slow; only small d are left there, on which betaincc is accurate.
SERIES_LIMIT = 0.9


def log_success(x: float) -> float:
    """Return log p, minus infinity at x = 0."""
    return math.log(x) - math.log1p(x) if x > 0 else -math.inf


def log_binomial(d: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return log C(d - 1 + k, k) at real d >= 0: minus infinity at d = 0, unless k = 0."""
    total = np.zeros_like(d)
    with np.errstate(divide="ignore"):  # log 0 at d = 0 is the right limit
        for i in range(k):
            total += np.log((d + i) / (i + 1))
    return total


def log_lower_tail(d: NDArray[np.float64], order: int, x: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(P(G < d) / p^order) at real d >= 0; at x = 0 its limit log C(d - 1 + order, order).

    x is one number, or one for each d.
    """
    odds = np.broadcast_to(np.asarray(x, dtype=np.float64), d.shape)
    with np.errstate(divide="ignore"):  # log 0 is the right limit, of p at x = 0 and of a term at d = 0
        log_p, growth = np.log(odds) - np.log1p(odds), np.log1p(odds)
        # P(G >= d) = sum_{k < order} C(d - 1 + k, k) p^k q^d: the term k in `log_term`, the sum in `log_upper`.
        log_term = -growth * d
        log_upper = log_term.copy()
        for k in range(1, order):
            log_term += np.log((d - 1 + k) / k) + log_p
            log_upper = np.logaddexp(log_upper, log_term)
    values = np.empty_like(d)
    by_complement = log_upper < math.log(COMPLEMENT_LIMIT)
    values[by_complement] = np.log1p(-np.exp(log_upper[by_complement])) - order * log_p[by_complement]
    slow = ~by_complement & (odds > SERIES_LIMIT * (1 + odds))
    values[slow] = _log_tail_by_beta(d[slow], order, odds[slow]) - order * log_p[slow]
    rest = ~by_complement & ~slow
    values[rest] = _log_tail_by_series(d[rest], order, odds[rest])
    return values


def _log_tail_by_beta(d: NDArray[np.float64], order: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log P(G < d) by scipy's incomplete beta function."""
    with np.errstate(divide="ignore"):
        inside = np.log(special.betaincc(np.where(d > 0, d, 1.0), order, 1 / (1 + x)))
    return np.where(d > 0, inside, -np.inf)


def _log_tail_by_series(d: NDArray[np.float64], order: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what `log_lower_tail` does where P(G < d) is small and p is not near 1."""
    p = x / (1 + x)
    term, total, k = np.ones_like(d), np.ones_like(d), order
    while np.any(term > total * sys.float_info.epsilon / 16):
        term *= p * (d + k) / (k + 1)
        total += term
        k += 1
    return log_binomial(d, order) - np.log1p(x) * d + np.log(total)
