"""Coefficients of rows, averaged by any scheme."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ridgeway as rw
from ridgeway.averaging import Staircase
from ridgeway.kernel.coordinates import Coordinates
from ridgeway.storage.state import StateError, Stored
from ridgeway.trajectory import RunFacts

SCHEMES: list[rw.Scheme] = [
    rw.Geometric(0.0),
    rw.Geometric(1e-4),
    rw.Geometric(0.3),
    rw.Geometric(1e3),
    rw.Tail(0.37),
    rw.Exponential(0.9),
    rw.Poisson(30.0),
    rw.Uniform(),
]


def coordinates(passes: int = 6, n: int = 200, targets: int = 2, step: float = 0.1) -> Coordinates:
    rng = np.random.default_rng(0)
    orders = [rng.permutation(n) for _ in range(passes)]
    gains = rng.standard_normal((passes * n, targets))
    facts = RunFacts(Staircase((step,)), passes * n, passes * n, 0, 1.0, 1.0)
    return Coordinates(facts, orders, gains, n, single_target=False)


# Law: an average is the sum of the gains, each times the survival of its step.
def test_averages() -> None:
    run = coordinates()
    order = np.concatenate(run._orders)
    averages = run.average(SCHEMES)
    for average, scheme in zip(averages, SCHEMES, strict=True):
        survival = scheme.survival(np.arange(1, run.n_steps + 1), run.n_steps, run.step)
        for target in range(2):
            expected = np.bincount(order, survival * run._gains[:, target], 200)
            np.testing.assert_allclose(average[target], expected, rtol=1e-10, atol=1e-12)


# Law: it makes no difference how many schemes are asked for at once.
@settings(derandomize=True, deadline=None, max_examples=20)
@given(exponents=st.lists(st.floats(-8, 3), min_size=1, max_size=20), passes=st.integers(1, 4))
def test_together_is_one_by_one(exponents: list[float], passes: int) -> None:
    run = coordinates(passes, 70)
    alphas = [10**exponent for exponent in exponents]
    path = run.path(alphas)
    for alpha, together in zip(alphas, path, strict=True):
        np.testing.assert_allclose(run.coef(rw.Geometric(alpha)), together, rtol=1e-9, atol=1e-11)


def test_state() -> None:
    run = coordinates()
    again = Coordinates.from_state(Stored(run.state()))
    np.testing.assert_array_equal(again.average(SCHEMES), run.average(SCHEMES))


# Law: a state that no run can have is refused.
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_rows", 100, "rows of gains are out of range"),
        ("pass_sizes", np.array([200, 1000]), "twice"),
        ("pass_sizes", np.array([1, 2]), "rows in all"),
        ("rows_per_step", np.ones(1200, np.int64) * 2, "do not make"),
    ],
)
def test_damaged_state(name: str, value: Any, message: str) -> None:
    state = coordinates().state()
    state[name] = value
    with pytest.raises(StateError, match=message):
        Coordinates.from_state(Stored(state))
