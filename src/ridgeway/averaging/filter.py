"""Residual filters of schemes: how much of each eigen-direction is still missing from an average.

A scheme with weights p_t filters direction s of the solution by q(s) = sum_t p_t (1 - eta_1 s) .. (1 - eta_t s).
"""

from __future__ import annotations

import math
import sys
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging.exponential import Exponential
from ridgeway.averaging.geometric import MIN_LOG_GROWTH, Geometric, log_growth
from ridgeway.averaging.incomplete_beta import log_binomial, log_lower_tail
from ridgeway.averaging.incomplete_gamma import poisson_lower
from ridgeway.averaging.last import Last
from ridgeway.averaging.negative_binomial import NegativeBinomial
from ridgeway.averaging.poisson import Poisson
from ridgeway.averaging.powers import log_size, mean_power, one_minus_power, power, power_quotient
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.stair_filter import filter_on_stairs
from ridgeway.averaging.staircase import Staircase
from ridgeway.averaging.tail import Tail
from ridgeway.averaging.uniform import Uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

POISSON_REACH_MEANS = 10  # a Poisson law ends far below this many times its mean


def filter_at(scheme: Scheme, eigenvalues: Array, steps: Staircase, n_steps: int) -> Array:
    """Return q at eigenvalues (k,), also for eta s above 2, where q is unbounded."""
    if steps.constant:
        return _filter(scheme, steps.last * eigenvalues, steps.last, n_steps)
    return filter_on_stairs(scheme, eigenvalues, steps, n_steps)


@singledispatch
def _filter(scheme: Scheme, u: Array, step: float, n_steps: int) -> Array:
    """Return q for eta s = u, (k,) with entries of 0 or more. This default sums the weights of any scheme."""
    return filter_on_stairs.dispatch(Scheme)(scheme, u / step, Staircase((step,)), n_steps)


@_filter.register(Geometric)
def _geometric(scheme: Geometric, u: Array, step: float, n_steps: int) -> Array:
    # (1 - rho) / (1 - rho a) = x / (x + u) with x = eta alpha: neither difference is left to cancel.
    growth, length = log_growth(scheme.alpha, step), n_steps + 1
    if growth * length < MIN_LOG_GROWTH:
        return mean_power(u, length)
    x = min(step * scheme.alpha, sys.float_info.max)
    left = one_minus_power(log_size(u) - growth, u > 1, length) / -math.expm1(-growth * length)
    return x / (x + u) * left


@_filter.register(Uniform)
def _uniform(scheme: Uniform, u: Array, step: float, n_steps: int) -> Array:
    return mean_power(u, n_steps + 1)


@_filter.register(Tail)
def _tail(scheme: Tail, u: Array, step: float, n_steps: int) -> Array:
    first = scheme.first(n_steps)
    return power(log_size(u), u > 1, first) * mean_power(u, n_steps + 1 - first)


@_filter.register(Last)
def _last(scheme: Last, u: Array, step: float, n_steps: int) -> Array:
    return power(log_size(u), u > 1, n_steps)


@_filter.register(Exponential)
def _exponential(scheme: Exponential, u: Array, step: float, n_steps: int) -> Array:
    # q = d^T + (1 - d) a (d^T - a^T) / (d - a)
    d = scheme.decay
    if n_steps == 0 or d == 0:
        return power(log_size(u), u > 1, n_steps)
    return math.exp(n_steps * math.log(d)) + (1 - d) * (1.0 - u) * power_quotient(u, d, n_steps)


@_filter.register(NegativeBinomial)
def _negative_binomial(scheme: NegativeBinomial, u: Array, step: float, n_steps: int) -> Array:
    # With z = a / (1 + x), x = eta alpha, the sum is that of another negative binomial law, 1 - z its probability of
    # success and (x + u) / (1 - u) its odds. For a < 0 there is no such law, but its finite sum holds for any z:
    # sum_{t<N} C(t + m - 1, t) z^t = (1 - z)^-m (1 - z^N sum_{k<m} C(N - 1 + k, k) (1 - z)^k).
    m, x, length = scheme.order, min(step * scheme.alpha, sys.float_info.max), np.array([n_steps + 1.0])
    log_total = log_lower_tail(length, m, x)[0]
    log_sizes = log_size(u) - math.log1p(x)  # log |z|
    log_success = np.log1p(np.maximum(u - 1, 0) / (1 + x))  # log(1 - z), used if u >= 1
    values = np.empty_like(u)
    for i, decrease in enumerate(u):
        if decrease < 1:
            odds = min((x + decrease) / (1 - decrease), sys.float_info.max)
            values[i] = np.exp(log_lower_tail(length, m, odds)[0] - log_total)
        else:
            log_rest = [log_binomial(length, k)[0] + (k - m) * log_success[i] for k in range(m)]
            rest = np.exp(length[0] * log_sizes[i] + np.logaddexp.reduce(log_rest) - log_total)
            values[i] = np.exp(-m * log_success[i] - log_total) - (rest if n_steps % 2 else -rest)
    return values


@_filter.register(Poisson)
def _poisson(scheme: Poisson, u: Array, step: float, n_steps: int) -> Array:
    # The terms (mean a)^t / t! are those of another Poisson law as long as a > 0.
    if scheme.mean == 0:
        return np.ones_like(u)
    length, log_total = np.array([n_steps + 1.0]), scheme.log_total(n_steps, Staircase((step,)))
    values = np.empty_like(u)
    below = u < 1
    for i in np.flatnonzero(below):
        within = poisson_lower(length, scheme.mean * (1 - u[i]))[0]
        values[i] = np.exp(np.log(within) - log_total - scheme.mean * u[i])
    reach = POISSON_REACH_MEANS * scheme.mean + POISSON_REACH_MEANS**2  # what lies beyond is below e^-100 of the whole
    if not below.all() and n_steps > reach:
        values[~below] = np.exp(-scheme.mean * u[~below] - log_total)
    elif not below.all():
        summed = _filter.dispatch(Scheme)
        values[~below] = summed(scheme, u[~below], step, n_steps)
    return values
