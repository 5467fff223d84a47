"""The residual filter of a scheme: how much of each eigen-direction is still missing from the average."""

from __future__ import annotations

import math
import sys
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Exponential, Geometric, Last, NegativeBinomial, Poisson, Scheme, Tail, Uniform
from ridgeway.averaging.geometric import FLAT, log_growth
from ridgeway.averaging.incomplete_beta import log_binomial, log_lower_tail
from ridgeway.averaging.incomplete_gamma import poisson_lower
from ridgeway.averaging.scheme import checked_n_steps
from ridgeway.number import real_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

MOST_SUMMED = 10**7  # steps of a run whose weights are summed one by one
AMPLE = 10  # times its mean: far beyond where a Poisson law ends
BLOCK = 4096  # weights at a time


def residual_filter(scheme: Scheme, eigenvalues: ArrayLike, step: float, n_steps: int) -> Array:
    """Return the share of each eigen-direction of the solution that the expected average has not learned.

    ::

        q(s) = sum_{t=0..T} p_t (1 - eta s)^t,   E[average] - w* = q(Sigma) (w_0 - w*)

    for the weights p_t of the scheme, T = `n_steps`, eta = `step` and an eigenvalue s of Sigma = E[x x']. The learned
    share 1 - q(s) is s / (s + alpha), ridge regression, for a geometric average of a long run. It assumes least
    squares, rows drawn independently and eta s at most 2: beyond, the iterates diverge.

    Closed forms serve every scheme of the package, also at 1e12 steps; a scheme without one, and `Poisson` where
    eta s > 1 and the run is less than ten times its mean, is summed step by step up to 1e7 steps.

    Parameters
    ----------
    scheme : Scheme
        The average.
    eigenvalues : array_like of float
        Places s on the spectrum, 0 or more, of any shape.
    step : float
        Step size of the run, eta.
    n_steps : int
        Number of steps of the run, T.

    Returns
    -------
    ndarray of float64
        q at the eigenvalues, in their shape: 1 at s = 0, never beyond [-1, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.averaging import Geometric, Last
    >>> from ridgeway.theory import residual_filter
    >>> eigenvalues = np.array([0.0, 0.1, 1.0])
    >>> residual_filter(Geometric(alpha=0.1), eigenvalues, step=0.01, n_steps=10**12)  # alpha / (s + alpha)
    array([1.        , 0.5       , 0.09090909])
    >>> residual_filter(Last(), eigenvalues, step=0.01, n_steps=100)
    array([1.        , 0.90479215, 0.36603234])
    """
    expected = "the step size must be a finite number above 0"
    eta = real_number("step", step, expected)
    if eta <= 0:
        raise ValueError(f"step={eta!r} is not positive: {expected}; a safe choice is 1 / max |x|^2.")
    places = np.asarray(eigenvalues, dtype=np.float64)
    if places.size and not (np.isfinite(places).all() and places.min() >= 0):
        raise ValueError(
            f"eigenvalues range from {places.min()} to {places.max()}: expected finite numbers, 0 or more; where "
            "rounding made one negative, take numpy.maximum(eigenvalues, 0)."
        )
    with np.errstate(over="ignore", under="ignore"):
        decrease = eta * places
        if places.size and decrease.max() > 2:
            raise ValueError(
                f"step * eigenvalue is up to {decrease.max():g}: expected at most 2, beyond which iterates diverge; "
                f"take a step of at most {2 / places.max():g}."
            )
        return filter_at(scheme, decrease.ravel(), eta, checked_n_steps(n_steps)).reshape(places.shape)


def filter_at(scheme: Scheme, decrease: Array, step: float, n_steps: int) -> Array:
    """Return q where eta s is `decrease`, (k,), which may lie beyond 2: there q may grow out of all bounds."""
    return _filter(scheme, decrease, step, n_steps)


@singledispatch
def _filter(scheme: Scheme, u: Array, step: float, n_steps: int) -> Array:
    """Return q where eta s is u, (k,) with entries of 0 or more; here, for any scheme, by summing its weights."""
    if n_steps > MOST_SUMMED:
        raise ValueError(
            f"n_steps={n_steps} is too many to sum {scheme!r} step by step: expected at most {MOST_SUMMED}; take a "
            "shorter run, step * eigenvalue at most 1, or a Geometric or Tail average, which have closed forms."
        )
    weights = scheme.weights(n_steps, step)
    length = min(BLOCK, len(weights))
    blocks = np.zeros((-(-len(weights) // length), length))
    blocks.ravel()[: len(weights)] = weights
    a = (1.0 - u)[:, None]
    within = (a ** np.arange(length)) @ blocks.T  # (k, blocks)
    starts = length * np.arange(len(blocks), dtype=np.float64)
    total: Array = (within * a**starts).sum(axis=1)
    return total


@_filter.register(Geometric)
def _geometric(scheme: Geometric, u: Array, step: float, n_steps: int) -> Array:
    # (1 - rho) / (1 - rho a) = x / (x + u) with x = eta alpha: neither difference is left to cancel.
    growth, length = log_growth(scheme.alpha, step), n_steps + 1
    if growth * length < FLAT:
        return _mean_power(u, length)
    x = min(step * scheme.alpha, sys.float_info.max)
    left = _one_minus_power(_log_size(u) - growth, u > 1, length) / -math.expm1(-growth * length)
    return x / (x + u) * left


@_filter.register(Uniform)
def _uniform(scheme: Uniform, u: Array, step: float, n_steps: int) -> Array:
    return _mean_power(u, n_steps + 1)


@_filter.register(Tail)
def _tail(scheme: Tail, u: Array, step: float, n_steps: int) -> Array:
    first = scheme.first(n_steps)
    return _power(_log_size(u), u > 1, first) * _mean_power(u, n_steps + 1 - first)


@_filter.register(Last)
def _last(scheme: Last, u: Array, step: float, n_steps: int) -> Array:
    return _power(_log_size(u), u > 1, n_steps)


@_filter.register(Exponential)
def _exponential(scheme: Exponential, u: Array, step: float, n_steps: int) -> Array:
    # q = d^T + (1 - d) a (d^T - a^T) / (d - a), the quotient of differences written for the larger of the two powers.
    d, a = scheme.decay, 1.0 - u
    if n_steps == 0 or d == 0:
        return _power(_log_size(u), u > 1, n_steps)
    log_a, log_d = _log_size(u), math.log(d)
    gap = u - (1 - d)  # d - a, from numbers that are exact
    swapped = np.abs(a) > d
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the branches not taken
        log_ratio = np.where(
            a > 0,
            np.where(swapped, np.log1p(gap / a), np.log1p(-gap / d)),
            np.where(swapped, log_d - log_a, log_a - log_d),
        )
        share = _one_minus_power(log_ratio, a < 0, n_steps)  # 1 - (smaller / larger)^T
        top = np.where(swapped, _power(log_a, a < 0, n_steps), _power(np.full_like(u, log_d), False, n_steps))
        sign = np.where(swapped, -1.0, 1.0)
        # As the gap closes, (1 - r^T) / gap tends to T / d.
        quotient = np.where(gap == 0, n_steps / d, sign * share / np.where(gap == 0, 1.0, gap))
    return math.exp(n_steps * log_d) + (1 - d) * a * top * quotient


@_filter.register(NegativeBinomial)
def _negative_binomial(scheme: NegativeBinomial, u: Array, step: float, n_steps: int) -> Array:
    # With z = a / (1 + x), x = eta alpha, the sum is that of another negative binomial law, 1 - z its probability of
    # success and (x + u) / (1 - u) its odds. For a < 0 there is no such law, but its finite sum holds for any z:
    # sum_{t<N} C(t + m - 1, t) z^t = (1 - z)^-m (1 - z^N sum_{k<m} C(N - 1 + k, k) (1 - z)^k).
    m, x, length = scheme.order, min(step * scheme.alpha, sys.float_info.max), np.array([n_steps + 1.0])
    log_total = log_lower_tail(length, m, x)[0]
    log_sizes = _log_size(u) - math.log1p(x)  # of z
    log_success = np.log1p(np.maximum(u - 1, 0) / (1 + x))  # of 1 - z, used where u >= 1
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
    length, log_total = np.array([n_steps + 1.0]), math.log(scheme._total(n_steps))
    values = np.empty_like(u)
    below = u < 1
    for i in np.flatnonzero(below):
        within = poisson_lower(length, scheme.mean * (1 - u[i]))[0]
        values[i] = np.exp(np.log(within) - log_total - scheme.mean * u[i])
    if not below.all() and n_steps > AMPLE * scheme.mean + AMPLE**2:  # what is cut off is below e^-100 of the whole
        values[~below] = np.exp(-scheme.mean * u[~below] - log_total)
    elif not below.all():
        summed = _filter.dispatch(Scheme)
        values[~below] = summed(scheme, u[~below], step, n_steps)
    return values


def _log_size(u: Array) -> Array:
    """Return log |1 - u|, exact to rounding also near u = 0 and u = 2."""
    with np.errstate(divide="ignore"):  # minus infinity at u = 1
        size: Array = np.log1p(np.where(u > 1, u - 2, -u))
    return size


def _power(log_size: Array, negative: Mask | bool, n: int) -> Array:
    """Return the power n of numbers known by the logarithm of their size and their sign."""
    if n == 0:
        return np.ones_like(log_size)
    values = np.exp(n * log_size)
    return np.where(negative, -values, values) if n % 2 else values


def _one_minus_power(log_size: Array, negative: Mask, n: int) -> Array:
    """Return 1 minus the power n >= 1 of numbers known by the logarithm of their size and their sign."""
    exponent = n * log_size
    values = -np.expm1(exponent)
    return np.where(negative, 1 + np.exp(exponent), values) if n % 2 else values


def _mean_power(u: Array, n: int) -> Array:
    """Return the mean of (1 - u)^t over t = 0..n-1."""
    values = _one_minus_power(_log_size(u), u > 1, n)
    return np.where(u == 0, 1.0, values / np.where(u == 0, 1.0, n * u))
