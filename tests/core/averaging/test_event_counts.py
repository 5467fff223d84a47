from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core

Array = NDArray[np.float64]


def masses(alpha: float, eta: float, n: float, order: int) -> Array:
    """P(K = k) / alpha^k of the negative binomial count of n steps on a stair, k < order."""
    rate, k = eta / (1 + eta * alpha), np.arange(order)
    ways = np.cumprod(np.append(1.0, (n - 1 + k[1:]) / k[1:]))
    terms: Array = ways * rate**k * (1 + eta * alpha) ** -n
    return terms


def tails(law: Array, alpha: float) -> Array:
    """P(K >= k) / alpha^k, 1 <= k <= order, as 1 minus what is below."""
    k = np.arange(1, len(law) + 1)
    values: Array = (1 - np.cumsum(law * alpha ** (k - 1.0))) / alpha**k
    return values


def convolved(laws: list[Array]) -> Array:
    """P(K = k) / alpha^k of a sum of counts."""
    order = len(laws[0])
    total: Array = np.eye(1, order)[0]
    for law in laws:
        total = np.convolve(total, law)[:order]
    return total


class Run:
    """A run of some stairs, cut after the first n_within of them; the last stair has no end."""

    def __init__(self, alpha: float, order: int, sizes: list[float], lengths: list[float], n_within: int) -> None:
        self.alpha, self.order, self.sizes, self.lengths, self.n_within = alpha, order, sizes, lengths, n_within
        odds = np.array(sizes) * alpha
        tops = np.array([self.log_top(s, n) for s, n in enumerate(lengths)])
        self.stairs = _core.EventStairs(np.log(sizes) - np.log1p(odds), np.log1p(odds), math.log(alpha))
        rows = (n_within + 1, n_within + 1, n_within + 1, len(sizes) - n_within, len(sizes) - n_within)
        columns = (order, order, order + 1, order, order + 1)
        self.arrays = [np.full(shape, -np.inf) for shape in zip(rows, columns, strict=True)]
        self.laws = _core.EventLaws(*self.arrays)
        _core.fill_event_laws(self.stairs, lengths=np.array(lengths), tops=tops, laws=self.laws)

    def log_top(self, stair: int, n: float) -> float:
        return float(np.log(tails(masses(self.alpha, self.sizes[stair], n, self.order), self.alpha)[-1]))

    def law(self, parts: list[tuple[int, float]]) -> Array:
        return convolved(
            [np.eye(1, self.order)[0], *(masses(self.alpha, self.sizes[s], n, self.order) for s, n in parts)]
        )


runs = st.builds(
    lambda alpha, order, stairs, within: Run(
        alpha, order, [s[0] for s in stairs], [s[1] for s in stairs[:-1]], min(within, len(stairs) - 1)
    ),
    st.floats(0.5, 2),
    st.integers(1, 6),
    st.lists(st.tuples(st.floats(0.1, 0.5), st.integers(3, 9).map(float)), min_size=2, max_size=6),
    st.integers(1, 5),
)


# Law: counts of a stretch of stairs are the convolution of the counts of its stairs.
@given(runs)
def test_laws(run: Run) -> None:
    before, left, left_tails, past, past_tails = map(np.exp, run.arrays)
    whole = list(enumerate(run.lengths))
    for s in range(run.n_within + 1):
        np.testing.assert_allclose(before[s], run.law(whole[:s]), rtol=1e-12)
        rest = run.law(whole[s : run.n_within])
        np.testing.assert_allclose(left[s], rest, rtol=1e-12)
        np.testing.assert_allclose(left_tails[s, 1:], tails(rest, run.alpha), rtol=1e-7, atol=1e-12)
    for i in range(len(run.sizes) - run.n_within):
        beyond = run.law(whole[run.n_within : run.n_within + i])
        np.testing.assert_allclose(past[i], beyond, rtol=1e-12)
        np.testing.assert_allclose(past_tails[i, 1:], tails(beyond, run.alpha), rtol=1e-7, atol=1e-12)


# Law: event m comes between a place and T + 1 where fewer than m came before the place, and m or more before T + 1.
@given(runs, st.lists(st.tuples(st.integers(0, 4), st.floats(0.1, 0.9)), max_size=5))
def test_between(run: Run, chosen: list[tuple[int, float]]) -> None:
    stair = np.array([min(s, run.n_within - 1) for s, _ in chosen], np.int64)
    done = np.array([share * run.lengths[s] for (_, share), s in zip(chosen, stair, strict=True)])
    to_do = np.array([run.lengths[s] for s in stair]) - done
    tops = np.array([run.log_top(s, n) for s, n in zip(stair, to_do, strict=True)])
    values = np.empty(len(chosen))
    for array in (stair, done, to_do, tops):
        array.flags.writeable = False
    _core.log_events_between(run.stairs, run.laws, stair=stair, done=done, to_do=to_do, tops=tops, values=values)
    until_end = tails(run.law(list(enumerate(run.lengths))[: run.n_within]), run.alpha)[-1]
    for p, s in enumerate(stair):
        until_place = run.law([*list(enumerate(run.lengths))[:s], (int(s), done[p])])
        expected = until_end - tails(until_place, run.alpha)[-1]
        assert math.exp(values[p]) == pytest.approx(expected, rel=1e-6, abs=1e-11)


# Law: event m comes between T + 1 and a place beyond where fewer than m came before T + 1, m or more before the place.
@given(runs, st.lists(st.tuples(st.integers(0, 4), st.floats(0.1, 0.9)), max_size=5))
def test_beyond(run: Run, chosen: list[tuple[int, float]]) -> None:
    lengths = [*run.lengths, 10.0]
    stair = np.array([min(run.n_within + s, len(run.sizes) - 1) for s, _ in chosen], np.int64)
    done = np.array([share * lengths[s] for (_, share), s in zip(chosen, stair, strict=True)])
    tops = np.array([run.log_top(s, n) for s, n in zip(stair, done, strict=True)])
    values = np.empty(len(chosen))
    _core.log_events_beyond(run.stairs, run.laws, stair=stair, done=done, tops=tops, values=values)
    until_end = tails(run.law(list(enumerate(lengths))[: run.n_within]), run.alpha)[-1]
    for p, s in enumerate(stair):
        until_place = run.law([*list(enumerate(lengths))[:s], (int(s), done[p])])
        expected = tails(until_place, run.alpha)[-1] - until_end
        assert math.exp(values[p]) == pytest.approx(expected, rel=1e-6, abs=1e-11)
