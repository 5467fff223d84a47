from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special, stats

from ridgeway import _core

Array = NDArray[np.float64]
LAWS = (stats.gamma.logcdf, stats.gamma.logsf, stats.gamma.logpdf)  # by kind
N_TERMS = 400


def reference(n: Array, sizes: Array, time: float, kind: int) -> float:
    """Return the value as a mixture of Gamma laws of the smallest size: all terms are positive (Moschopoulos)."""
    least = sizes.min()
    k = np.arange(1, N_TERMS)
    increments = (n[:, None] * (1 - least / sizes[:, None]) ** k).sum(axis=0)
    shares = np.ones(N_TERMS)
    for i in range(1, N_TERMS):
        shares[i] = increments[:i] @ shares[:i][::-1] / i
    log_shares = np.log(np.maximum(shares, 1e-300)) + (n * np.log(least / sizes)).sum()
    return float(special.logsumexp(log_shares + LAWS[kind](time, n.sum() + np.arange(N_TERMS), scale=least)))


def values_of(stair: NDArray[np.int64], done: Array, lengths: Array, sizes: Array, time: float, kind: int) -> Array:
    before = np.append(0.0, np.cumsum(lengths * sizes)[:-1])
    ahead = time - before[stair] - done * sizes[stair]
    values = np.empty(len(stair))
    for array in (stair, done, lengths, sizes, ahead):
        array.flags.writeable = False
    _core.log_waiting_probabilities(
        lengths=lengths, sizes=sizes, stair=stair, done=done, ahead=ahead, time=time, kind=kind, floor=-800.0,
        values=values,
    )  # fmt: skip
    return values


# Law: the integral is the law of a sum of Gamma times, in both tails and as a density, at fractions of steps, too.
@given(
    st.lists(st.tuples(st.floats(0.5, 1.5), st.integers(1, 12).map(float)), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.floats(0.3, 8)), max_size=4),
    st.floats(0.3, 40),
    st.sampled_from([0, 1, 2]),
)
def test_probabilities(
    stairs: list[tuple[float, float]], places: list[tuple[int, float]], time: float, kind: int
) -> None:
    sizes, lengths = np.array([s for s, _ in stairs]), np.array([n for _, n in stairs])
    stair = np.array([min(s, len(stairs) - 1) for s, _ in places], np.int64)
    done = np.array([n for _, n in places])
    values = values_of(stair, done, lengths, sizes, time, kind)
    for value, s, n in zip(values, stair, done, strict=True):
        expected = reference(np.append(lengths[:s], n), sizes[: s + 1], time, kind)
        assert value == pytest.approx(expected, rel=1e-10, abs=1e-10)


# Law: a value whose logarithm is surely below the floor is 0.
def test_floor() -> None:
    one = np.ones(1)
    assert values_of(np.zeros(1, np.int64), np.array([5.0]), one, one, 1e4, kind=1)[0] == -np.inf
