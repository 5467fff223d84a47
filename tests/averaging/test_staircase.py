"""Staircases: the time that elapses on them, and averages by time. Every scheme's laws are in `test_contract`."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.averaging import Geometric, Staircase, Tail, Uniform
from ridgeway.storage.state import Stored

seeded = settings(derandomize=True, deadline=None, max_examples=60)
sequences = st.lists(st.floats(1e-6, 2.0), min_size=1, max_size=40)


def sizes_of(steps: Staircase, n_steps: int) -> np.ndarray:
    return np.array([steps.size_after(t) for t in range(n_steps + 1)])  # eta_1 .. eta_{T+1}


# Law: the time elapsed is the sum of the steps, forwards and backwards.
@seeded
@given(sequences)
def test_elapsed(sequence: list[float]) -> None:
    steps, n = Staircase.of_sequence(sequence), len(sequence)
    np.testing.assert_array_equal(sizes_of(steps, n - 1), sequence)
    np.testing.assert_allclose(steps.elapsed(np.arange(n + 1)), np.cumsum([0.0, *sequence]), rtol=1e-12)
    left = steps.sums_left(np.array([steps.sizes]), np.arange(n + 1.0), n)[0]
    np.testing.assert_allclose(left, np.cumsum([0.0, *sequence[::-1]])[::-1], rtol=1e-12)
    beyond = steps.sums_left(np.array([steps.sizes]), np.array([n + 3.0]), 1)[0, 0]
    assert beyond == pytest.approx(-(sum(sequence[1:]) + 3 * sequence[-1]), rel=1e-12)
    for share in (0.0, 0.3, 0.9):
        time = share * sum(sequence)
        assert float(steps.elapsed(steps.steps_until(time))) == pytest.approx(time, rel=1e-9, abs=1e-15)


# Law: geometric weights are p_k = (1 - rho_{k+1}) rho_1 .. rho_k, divided by their sum; at alpha = 0 eta_{k+1}.
@seeded
@given(sequences, st.floats(-9, 9))
def test_geometric_weights(sequence: list[float], log_alpha: float) -> None:
    steps, n, alpha = Staircase.of_sequence(sequence), len(sequence), 10.0**log_alpha
    sizes = sizes_of(steps, n)
    rho = 1 / (1 + sizes * alpha)
    expected = sizes * alpha * rho * np.cumprod([1.0, *rho[:-1]])
    np.testing.assert_allclose(Geometric(alpha).weights(n, steps), expected / expected.sum(), rtol=1e-10)
    np.testing.assert_allclose(Uniform().weights(n, steps), sizes / sizes.sum(), rtol=1e-12)


# Law: S(j) = (Pi_j - Pi_{T+1}) / (1 - Pi_{T+1}) to twelve digits, for alpha from 1e-12 to 1e12 and up to 1e12 steps.
@pytest.mark.parametrize("alpha", [0.0, 1e-12, 1e-6, 1e-2, 1.0, 1e3, 1e12])
@pytest.mark.parametrize("n_steps", [1, 10, 999, 1000, 10**6, 10**12])
def test_high_precision(alpha: float, n_steps: int) -> None:
    steps = Staircase((1e-5, 1e-3, 0.25, 0.01), (4, 1000, 10**9))
    j = np.unique(np.clip([1, 2, 4, 5, 900, 1001, 10**6, 10**9, 10**9 + 7, n_steps], 1, n_steps))
    bounds = [(1e-5, 0, 4), (1e-3, 4, 1000), (0.25, 1000, 10**9), (0.01, 10**9, 10**30)]
    with mp.workdps(60):

        def time(k: int) -> mp.mpf:
            return sum((mp.mpf(size) * max(0, min(k, stop) - start) for size, start, stop in bounds), mp.mpf(0))

        def power(k: int) -> mp.mpf:
            logs = (mp.log1p(mp.mpf(size) * alpha) * max(0, min(k, stop) - start) for size, start, stop in bounds)
            return mp.exp(-sum(logs, mp.mpf(0)))

        last = power(n_steps + 1)
        for k, got in zip(j.tolist(), Geometric(alpha).survival(j, n_steps, steps).tolist(), strict=True):
            if alpha == 0:
                expected = (time(n_steps + 1) - time(k)) / time(n_steps + 1)
            else:
                expected = (power(k) - last) / (1 - last)
            error = abs(got - expected)
            assert error <= 1e-12 * expected or error < mp.mpf(10) ** -300 or expected < mp.mpf(10) ** -290


# Law: a tail starts at the iterate nearest to its share of the elapsed time.
def test_tail_starts_by_time() -> None:
    steps = Staircase((0.01, 1.0), (100,))  # 1 unit of time, then 1 per step
    assert Tail(0.5).first(101, steps) == 100
    assert Tail(0.25).first(101, steps) == 50
    assert Tail(7).first(101, steps) == 7
    assert Tail(0.5).snapped([0, 60, 101], 101, steps) == Tail(101)


def test_stored() -> None:
    steps = Staircase((0.1, 0.2), (4,))
    assert Staircase.from_state(Stored(steps.state())) == steps
    assert hash(steps) == hash(Staircase((0.1, 0.2), (4,)))


@pytest.mark.parametrize(
    ("sizes", "edges", "message"),
    [
        ((0.0,), (), "not positive"),
        ((0.1, 0.2), (), "one edge fewer"),
        ((0.1, 0.2, 0.3), (5, 5), "increasing"),
        ((0.1, 0.2), (0,), "increasing"),
        ((float("nan"),), (), "not finite"),
    ],
)
def test_refused(sizes: tuple[float, ...], edges: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Staircase(sizes, edges)
