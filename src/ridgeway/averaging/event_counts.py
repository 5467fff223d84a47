"""Numbers of random events in the steps of a run, as sums of negative binomial counts of its stairs.

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

from ridgeway import _core
from ridgeway.averaging.incomplete_beta import log_lower_tail
from ridgeway.averaging.staircase import Staircase

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EventCounts:
    """The law of the step G in which event number `order` happens, for steps 1..T+1.

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
        counts = cls(
            order, log_alpha, starts, ends, odds, log_rates, growths, n_within,
            before, left, left_tails, past, past_tails,
        )  # fmt: skip
        _core.fill_event_laws(counts._stairs, lengths=lengths, tops=tops, laws=counts._laws)
        return counts

    @property
    def log_total(self) -> float:
        """Log P(G <= T) / alpha^m."""
        return float(self.left_tails[0, self.order])

    def log_between(self, j: Array) -> Array:
        """Return log P(j <= G <= T) / alpha^m at real j, (J,), from 0 to T + 1."""
        stair = np.searchsorted(self.ends[: self.n_within], j)
        done, to_do = j - self.starts[stair], self.ends[stair] - j
        values = np.empty_like(j)
        tops = self._log_top(to_do, stair)
        _core.log_events_between(
            self._stairs, self._laws, stair=stair, done=done, to_do=to_do, tops=tops, values=values
        )
        return values

    def log_beyond(self, j: Array) -> Array:
        """Return log P(T < G < j) / alpha^m at real j, (J,), above T + 1."""
        stair = np.searchsorted(self.ends, j)
        done = j - self.starts[stair]
        values = np.empty_like(j)
        tops = self._log_top(done, stair)
        _core.log_events_beyond(self._stairs, self._laws, stair=stair, done=done, tops=tops, values=values)
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

    @property
    def _stairs(self) -> _core.EventStairs:
        return _core.EventStairs(log_rates=self.log_rates, growths=self.growths, log_alpha=self.log_alpha)

    @property
    def _laws(self) -> _core.EventLaws:
        return _core.EventLaws(
            before=self.before, left=self.left, left_tails=self.left_tails, past=self.past, past_tails=self.past_tails
        )

    def _log_top(self, n: Array, stair: NDArray[np.intp]) -> Array:
        """Return log P(K >= m) / alpha^m of n steps on a stair."""
        return log_lower_tail(n, self.order, self.odds[stair]) + self.order * self.log_rates[stair]


@lru_cache(maxsize=8)
def event_counts(alpha: float, order: int, steps: Staircase, n_steps: int) -> EventCounts:
    """Return `EventCounts.of`, cached for repeated calls with the same run."""
    return EventCounts.of(alpha, order, steps, n_steps)
