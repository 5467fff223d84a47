"""The residual filter of a run whose step changes: sum_t p_t (1 - eta_1 s) .. (1 - eta_t s).

Geometric, uniform and tail averages weigh iterates by the time they last, and their sums telescope. Where every
eta_j s is below 1, a negative binomial or Poisson stopping time of steps eta_j with these products as factors is again
one, of the steps eta_j / (1 - eta_j s). All others are summed.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging.event_counts import EventCounts
from ridgeway.averaging.exponential import Exponential
from ridgeway.averaging.geometric import MIN_LOG_GROWTH, Geometric, log_growths
from ridgeway.averaging.last import Last
from ridgeway.averaging.negative_binomial import NegativeBinomial
from ridgeway.averaging.poisson import Poisson
from ridgeway.averaging.powers import log_size, one_minus, power, power_quotient
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase
from ridgeway.averaging.tail import Tail
from ridgeway.averaging.uniform import Uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MAX_SUMMED_STEPS = 10**7  # steps of a run whose weights are summed one by one
BLOCK_LENGTH = 4096  # weights, or stairs, at a time


@singledispatch
def filter_on_stairs(scheme: Scheme, s: Array, steps: Staircase, n_steps: int) -> Array:
    """Return q at the eigenvalues s, (k,), 0 or more. This default sums the weights of any scheme."""
    if n_steps > MAX_SUMMED_STEPS:
        raise ValueError(
            f"n_steps={n_steps} is too many to sum {scheme!r} step by step: expected at most {MAX_SUMMED_STEPS}; take "
            "a shorter run, step * eigenvalue at most 1, or a Geometric or Tail average, which have closed forms."
        )
    weights = scheme.weights(n_steps, steps)
    reached, total = np.ones_like(s), np.zeros_like(s)  # the product up to an iterate, and the sum before it
    # Iterate t lasts for step t + 1, so iterates are on stairs as the steps after them are.
    for size, first, last in steps.parts(0, n_steps + 1):
        a = 1.0 - size * s
        total += reached * _weighted_powers(a, weights[first:last])
        reached *= a ** float(last - first)
    return total


def _weighted_powers(a: Array, weights: Array) -> Array:
    """Return sum_t weights_t a^t, (k,), block by block."""
    length = min(BLOCK_LENGTH, len(weights))
    blocks = np.zeros((-(-len(weights) // length), length))
    blocks.ravel()[: len(weights)] = weights
    within = (a[:, None] ** np.arange(length)) @ blocks.T  # (k, blocks)
    starts = length * np.arange(len(blocks), dtype=np.float64)
    total: Array = (within * a[:, None] ** starts).sum(axis=1)
    return total


@filter_on_stairs.register(Geometric)
def _geometric(scheme: Geometric, s: Array, steps: Staircase, n_steps: int) -> Array:
    q: Array = geometric_filters(np.array([scheme.alpha]), s, steps, n_steps)[0]
    return q


def geometric_filters(alphas: Array, s: Array, steps: Staircase, n_steps: int) -> Array:
    """Return q of geometric averages for every strength, (L,), at the eigenvalues s, (k,): (L, k).

    ::

        q(s) = alpha / (s + alpha) (1 - P(s)) / (1 - P(0)),   P(s) = prod_{j=1..T+1} (1 - eta_j s) / (1 + eta_j alpha)
    """
    growth = steps.sums(log_growths(alphas, steps), np.array([n_steps + 1.0]))  # (L, 1), minus log P(0)
    flat = growth[:, 0] < MIN_LOG_GROWTH
    q = np.empty((len(alphas), len(s)))
    if flat.any():
        q[flat] = _mean_over_time(s, steps, 0, n_steps + 1)
    log_product, negative = _log_product(s, steps, 0, n_steps + 1)
    strengths, total = alphas[~flat, None], growth[~flat]
    q[~flat] = strengths / (s + strengths) * one_minus(log_product - total, negative) / -np.expm1(-total)
    return q


@filter_on_stairs.register(Uniform)
def _uniform(scheme: Uniform, s: Array, steps: Staircase, n_steps: int) -> Array:
    return _mean_over_time(s, steps, 0, n_steps + 1)


@filter_on_stairs.register(Tail)
def _tail(scheme: Tail, s: Array, steps: Staircase, n_steps: int) -> Array:
    first = scheme.first(n_steps, steps)
    return _product(s, steps, 0, first) * _mean_over_time(s, steps, first, n_steps + 1)


@filter_on_stairs.register(Last)
def _last(scheme: Last, s: Array, steps: Staircase, n_steps: int) -> Array:
    return _product(s, steps, 0, n_steps)


@filter_on_stairs.register(Exponential)
def _exponential(scheme: Exponential, s: Array, steps: Staircase, n_steps: int) -> Array:
    # Over n steps of one size, avg -> d^n avg + (1 - d) a (d^n - a^n) / (d - a) w  and  w -> a^n w.
    if scheme.decay == 0:
        return _product(s, steps, 0, n_steps)
    average, reached = np.ones_like(s), np.ones_like(s)
    for size, first, last in steps.parts(0, n_steps):
        u, n = size * s, last - first
        gained = (1 - scheme.decay) * (1.0 - u) * power_quotient(u, scheme.decay, n) * reached
        average = math.exp(n * math.log(scheme.decay)) * average + gained
        reached = power(log_size(u), u > 1, n) * reached
    return average


@filter_on_stairs.register(NegativeBinomial)
def _negative_binomial(scheme: NegativeBinomial, s: Array, steps: Staircase, n_steps: int) -> Array:
    values, below = _split(scheme, s, steps, n_steps)
    log_total = EventCounts.of(scheme.alpha, scheme.order, steps, n_steps).log_total
    for i in np.flatnonzero(below):
        # Events at rate alpha + s; their probability divided by (alpha + s)^order is the sum divided by alpha^order.
        other = EventCounts.of(scheme.alpha + float(s[i]), scheme.order, _stretched(steps, s[i], n_steps), n_steps)
        values[i] = math.exp(other.log_total - log_total)
    return values


@filter_on_stairs.register(Poisson)
def _poisson(scheme: Poisson, s: Array, steps: Staircase, n_steps: int) -> Array:
    if scheme.mean == 0:
        return np.ones_like(s)
    values, below = _split(scheme, s, steps, n_steps)
    log_total, time = scheme.log_total(n_steps, steps), scheme.mean * steps.last
    for i in np.flatnonzero(below):
        stretched = _stretched(steps, s[i], n_steps)
        other = Poisson(time / stretched.last)
        values[i] = math.exp(other.log_total(n_steps, stretched) - log_total - time * s[i])
    return values


def _split(scheme: Scheme, s: Array, steps: Staircase, n_steps: int) -> tuple[Array, NDArray[np.bool_]]:
    """Return a mask of the eigenvalues with every eta_j s below 1, and an array with q of all others, by summing."""
    below = steps.largest_of(n_steps + 1) * s < 1
    values = np.empty_like(s)
    if not below.all():
        values[~below] = filter_on_stairs.dispatch(Scheme)(scheme, s[~below], steps, n_steps)
    return values, below


def _stretched(steps: Staircase, s: float, n_steps: int) -> Staircase:
    """Return the steps eta / (1 - eta s) of a run, up to step T + 1."""
    parts = steps.parts(0, n_steps + 1)
    return Staircase(
        tuple(size / (1 - size * float(s)) for size, _, _ in parts), tuple(end for _, _, end in parts[:-1])
    )


def _log_product(s: Array, steps: Staircase, first: int, last: int) -> tuple[Array, NDArray[np.bool_]]:
    """Return log |prod_{j=first+1..last} (1 - eta_j s)|, and a mask of the places where the product is negative."""
    total, sign_changes = np.zeros_like(s), np.zeros_like(s)
    parts = steps.parts(first, last)
    for start in range(0, len(parts), BLOCK_LENGTH):
        sizes, begins, ends = np.array(parts[start : start + BLOCK_LENGTH]).T
        u, n = np.multiply.outer(s, sizes), ends - begins  # (k, stairs)
        total += (n * log_size(u)).sum(axis=1)
        sign_changes += ((u > 1) * (n % 2)).sum(axis=1)
    return total, sign_changes % 2 == 1


def _product(s: Array, steps: Staircase, first: int, last: int) -> Array:
    log_product, negative = _log_product(s, steps, first, last)
    size = np.exp(log_product)
    return np.where(negative, -size, size)


def _mean_over_time(s: Array, steps: Staircase, first: int, last: int) -> Array:
    """Return sum_{t=first..last-1} eta_{t+1} prod_{j=first+1..t} (1 - eta_j s), divided by the sum of eta_{t+1}.

    The sum telescopes to (1 - prod_{j=first+1..last} (1 - eta_j s)) / s.
    """
    time = float(steps.sums_left(np.array([steps.sizes]), np.array([float(first)]), last)[0, 0])
    learned = one_minus(*_log_product(s, steps, first, last))
    return np.where(s == 0, 1.0, learned / np.where(s == 0, 1.0, time * s))
