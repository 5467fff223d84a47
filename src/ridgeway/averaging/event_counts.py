"""Counts of random events in the steps of a run, as sums of negative binomial counts of its stairs.

Events come at rate alpha in a time that is exponential with mean eta_j in step j. The number of events in n steps of
size eta is negative binomial, P(K = k) = C(n - 1 + k, k) p^k (1 - p)^n with p = eta alpha / (1 + eta alpha), and counts
of different stairs are independent. So laws of longer stretches follow by convolution, for k up to the order m only:

    P(K + K' = k)  = sum_{i <= k} P(K = i) P(K' = k - i)
    P(K + K' >= k) = sum_{i < k} P(K = i) P(K' >= k - i) + P(K >= k)

All terms are positive, so nothing cancels. Everything is a logarithm of a probability divided by alpha^k: nothing
underflows, and alpha = 0 is the limit, in which both become the complete homogeneous polynomial h_k of the steps.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging.incomplete_beta import log_lower_tail
from ridgeway.averaging.staircase import Staircase
from ridgeway.compiled import compiled

Array = NDArray[np.float64]

# A term of a sum of up to a thousand is lost in rounding where its logarithm is this far below that of the largest.
NEGLIGIBLE = -50.0


@dataclass(frozen=True, eq=False)
class EventCounts:
    """The law of the step G in which event number `order` comes, with steps 1..T+1 as the whole.

    The stairs are cut at T + 1. Time and memory grow with order^2 times the number of stairs, and each place of
    `log_between` takes time order^2.

    Attributes
    ----------
    order : m.
    log_alpha : logarithm of alpha.
    starts, ends : (S,), number of steps before and at the end of each stair; the last has no end.
    odds, log_rates, growths : (S,), of each stair x = eta alpha, log(eta / (1 + x)) and log(1 + x).
    n_within : number of stairs up to T + 1.
    before : (n_within + 1, m), log masses of the counts before each stair, and before T + 1.
    left, left_tails : (n_within + 1, m) and (n_within + 1, m + 1), of the counts from each stair to T + 1.
    past, past_tails : (S - n_within, m) and (.., m + 1), of the counts from T + 1 to each of the stairs beyond.
    """

    order: int
    log_alpha: float
    starts: Array
    ends: Array
    odds: Array
    log_rates: Array
    growths: Array
    n_within: int
    before: Array
    left: Array
    left_tails: Array
    past: Array
    past_tails: Array

    @classmethod
    def of(cls, alpha: float, order: int, steps: Staircase, n_steps: int) -> Self:
        """Return the counts of a run of n_steps steps."""
        length = n_steps + 1.0
        edges = np.unique(np.append(np.array(steps.edges, np.float64), length))
        starts, ends = np.append(0.0, edges), np.append(edges, np.inf)
        sizes = np.array(steps.sizes)[steps.stairs_of(np.append(edges, np.inf))]
        with np.errstate(over="ignore"):
            odds = np.minimum(sizes * alpha, sys.float_info.max)
        growths = np.log1p(odds)
        log_rates = np.log(sizes) - growths
        log_alpha = math.log(alpha) if alpha > 0 else -math.inf
        n_within = int(np.searchsorted(edges, length)) + 1
        lengths = np.diff(starts)
        tops = log_lower_tail(lengths, order, odds[:-1]) + order * log_rates[:-1]
        beyond = len(starts) - n_within
        before = np.full((n_within + 1, order), -np.inf)
        left, left_tails = np.full((n_within + 1, order), -np.inf), np.full((n_within + 1, order + 1), -np.inf)
        past, past_tails = np.full((beyond, order), -np.inf), np.full((beyond, order + 1), -np.inf)
        _fill_laws(lengths, tops, log_rates, growths, log_alpha, n_within, before, left, left_tails, past, past_tails)
        return cls(
            order, log_alpha, starts, ends, odds, log_rates, growths, n_within,
            before, left, left_tails, past, past_tails,
        )  # fmt: skip

    @property
    def log_total(self) -> float:
        """Log P(G <= T) / alpha^m."""
        return float(self.left_tails[0, self.order])

    def log_between(self, j: Array) -> Array:
        """Return log P(j <= G <= T) / alpha^m at real j, (J,), from 0 to T + 1."""
        stair = np.searchsorted(self.ends[: self.n_within], j)
        done, to_do = j - self.starts[stair], self.ends[stair] - j
        values = np.empty_like(j)
        _fill_between(
            stair, done, to_do, self._log_top(to_do, stair), self.log_rates, self.growths, self.log_alpha,
            self.before, self.left_tails, values,
        )  # fmt: skip
        return values

    def log_beyond(self, j: Array) -> Array:
        """Return log P(T < G < j) / alpha^m at real j, (J,), above T + 1."""
        stair = np.searchsorted(self.ends, j)
        done = j - self.starts[stair]
        values = np.empty_like(j)
        _fill_beyond(
            stair, done, self._log_top(done, stair), self.log_rates, self.growths, self.log_alpha,
            self.before[self.n_within], self.n_within, self.past, self.past_tails, values,
        )  # fmt: skip
        return values

    def log_masses(self, t: Array) -> Array:
        """Return log P(G = t) / alpha^m at whole t, (J,), from 0 to T.

        P(G = t) = eta_{t+1} alpha P(K = m - 1), K the count of steps 1..t+1.
        """
        stair = np.searchsorted(self.ends[: self.n_within], t + 1)
        done, rate = t + 1 - self.starts[stair], self.log_rates[stair]
        log_term = -self.growths[stair] * done
        total = log_term + self.before[stair, self.order - 1]
        for k in range(1, self.order):
            log_term += np.log((done - 1 + k) / k) + rate
            total = np.logaddexp(total, log_term + self.before[stair, self.order - 1 - k])
        masses: Array = total + rate + self.growths[stair]
        return masses

    def _log_top(self, n: Array, stair: NDArray[np.intp]) -> Array:
        """Return log P(K >= m) / alpha^m of n steps on a stair."""
        return log_lower_tail(n, self.order, self.odds[stair]) + self.order * self.log_rates[stair]


@lru_cache(maxsize=8)
def event_counts(alpha: float, order: int, steps: Staircase, n_steps: int) -> EventCounts:
    """Return `EventCounts.of`, kept for the calls that ask for the same run one after the other."""
    return EventCounts.of(alpha, order, steps, n_steps)


@compiled
def _log_plus(a: float, b: float) -> float:
    """Return log(exp a + exp b)."""
    high, low = max(a, b), min(a, b)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@compiled
def _log_convolved(x: Array, y: Array, stop: int, k: int) -> float:
    """Return the logarithm of the sum over i = 0..stop-1 of exp(x_i + y_{k-i})."""
    high = -math.inf
    for i in range(stop):
        high = max(high, x[i] + y[k - i])
    if high == -math.inf:
        return high
    total = 0.0
    for i in range(stop):
        below = x[i] + y[k - i] - high
        if below > NEGLIGIBLE:
            total += math.exp(below)
    return high + math.log(total)


@compiled
def _fill_masses(n: float, log_rate: float, growth: float, masses: Array) -> None:
    """Fill masses (m,) with those of the count of n steps on one stair."""
    masses[0] = -growth * n
    for k in range(1, len(masses)):
        ratio = (n - 1 + k) / k
        masses[k] = masses[k - 1] + (math.log(ratio) if ratio > 0 else -math.inf) + log_rate  # 0 without steps


@compiled
def _fill_tails(masses: Array, top: float, log_alpha: float, tails: Array) -> None:
    """Fill tails (m + 1,) downwards from the one at m, by P(K >= k) = P(K = k) + P(K >= k + 1)."""
    m = len(masses)
    tails[m] = top
    for k in range(m - 1, 0, -1):
        tails[k] = _log_plus(masses[k], log_alpha + tails[k + 1])
    tails[0] = 0.0


@compiled
def _join(x: Array, x_tails: Array, y: Array, y_tails: Array, out: Array, out_tails: Array) -> None:
    """Fill out (m,) and out_tails (m + 1,) with the law of the sum of two counts."""
    m = len(x)
    for k in range(m):
        out[k] = _log_convolved(x, y, k + 1, k)
    out_tails[0] = 0.0
    for k in range(1, m + 1):
        out_tails[k] = _log_plus(_log_convolved(x, y_tails, k, k), x_tails[k])


@compiled
def _fill_laws(
    lengths: Array,
    tops: Array,
    log_rates: Array,
    growths: Array,
    log_alpha: float,
    n_within: int,
    before: Array,
    left: Array,
    left_tails: Array,
    past: Array,
    past_tails: Array,
) -> None:
    """Fill the laws of `EventCounts`, given the lengths (S - 1,) of the stairs and their tails at m."""
    m = before.shape[1]
    masses, tails = np.empty(m), np.empty(m + 1)
    before[0, 0], left[n_within, 0], left_tails[n_within, 0], past[0, 0], past_tails[0, 0] = 0.0, 0.0, 0.0, 0.0, 0.0
    for s in range(n_within):
        _fill_masses(lengths[s], log_rates[s], growths[s], masses)
        for k in range(m):
            before[s + 1, k] = _log_convolved(before[s], masses, k + 1, k)
    for s in range(n_within - 1, -1, -1):
        _fill_masses(lengths[s], log_rates[s], growths[s], masses)
        _fill_tails(masses, tops[s], log_alpha, tails)
        _join(masses, tails, left[s + 1], left_tails[s + 1], left[s], left_tails[s])
    for s in range(n_within, len(lengths)):
        i = s - n_within
        _fill_masses(lengths[s], log_rates[s], growths[s], masses)
        _fill_tails(masses, tops[s], log_alpha, tails)
        _join(past[i], past_tails[i], masses, tails, past[i + 1], past_tails[i + 1])


@compiled
def _fill_between(
    stair: NDArray[np.intp],
    done: Array,
    to_do: Array,
    tops: Array,
    log_rates: Array,
    growths: Array,
    log_alpha: float,
    before: Array,
    left_tails: Array,
    values: Array,
) -> None:
    """Fill values (J,): i < m events up to a place, and m - i or more from there to T + 1."""
    m = before.shape[1]
    masses, tails, so_far, still = np.empty(m), np.empty(m + 1), np.empty(m), np.empty(m + 1)
    for p in range(len(values)):
        s = stair[p]
        _fill_masses(done[p], log_rates[s], growths[s], masses)
        for k in range(m):
            so_far[k] = _log_convolved(before[s], masses, k + 1, k)
        _fill_masses(to_do[p], log_rates[s], growths[s], masses)
        _fill_tails(masses, tops[p], log_alpha, tails)
        for k in range(1, m + 1):
            still[k] = _log_plus(_log_convolved(masses, left_tails[s + 1], k, k), tails[k])
        values[p] = _log_convolved(so_far, still, m, m)


@compiled
def _fill_beyond(
    stair: NDArray[np.intp],
    done: Array,
    tops: Array,
    log_rates: Array,
    growths: Array,
    log_alpha: float,
    so_far: Array,
    n_within: int,
    past: Array,
    past_tails: Array,
    values: Array,
) -> None:
    """Fill values (J,): i < m events up to T + 1, and m - i or more from there to a place."""
    m = len(so_far)
    masses, tails, since = np.empty(m), np.empty(m + 1), np.empty(m + 1)
    for p in range(len(values)):
        s, i = stair[p], stair[p] - n_within
        _fill_masses(done[p], log_rates[s], growths[s], masses)
        _fill_tails(masses, tops[p], log_alpha, tails)
        for k in range(1, m + 1):
            since[k] = _log_plus(_log_convolved(past[i], tails, k, k), past_tails[i, k])
        values[p] = _log_convolved(so_far, since, m, m)
