from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core

Array = NDArray[np.float64]


class Problem(NamedTuple):
    weights: Array
    s: Array
    fall: Array
    share: float
    excess_kurtosis: float


class Carried(NamedTuple):
    g: Array
    u: Array
    gains: Array
    discounted_gains: Array


def reference(problem: Problem, state: Carried) -> tuple[float, Carried]:
    weights, s, fall, share, excess_kurtosis = problem
    (g, u, gains, discounted), variance = state, 0.0
    for weight in weights[::-1]:
        g = g + weight
        z = s * g * g + u
        gain = share * (s * (s @ z) + excess_kurtosis * s**2 * z)
        variance += share * (s @ z)
        gains, discounted = gains + gain, (1 - fall) * discounted + gain
        u, g = (1 - fall) ** 2 * u + gain, (1 - fall) * g
    return variance, Carried(g, u, gains, discounted)


def problem_of(n_steps: int, d: int, seed: int) -> tuple[Problem, Carried]:
    rng = np.random.default_rng(seed)
    s, step = rng.uniform(0.1, 1, d), rng.uniform(0.01, 0.5)
    problem = Problem(rng.uniform(0, 1, n_steps), s, step * s, step**2 / (d + 1), rng.uniform(-1, 1))
    for array in problem[:3]:
        array.flags.writeable = False
    return problem, Carried(*rng.uniform(0, 1, (4, d)))


problems = st.builds(problem_of, st.integers(0, 20), st.integers(0, 19), st.integers(0, 2**32))


# Law: the core carries g, u, the gains and the variance back as the recursion says.
@given(problems)
def test_risk_backwards(example: tuple[Problem, Carried]) -> None:
    problem, start = example
    state = Carried(*(array.copy() for array in start))
    variance = _core.risk_backwards(**problem._asdict(), state=_core.RiskState(*state))
    expected, carried = reference(problem, start)
    assert variance == pytest.approx(expected, rel=1e-12)
    for got, wanted in zip(state, carried, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


# Law: without sums of the gains all else has the same bits.
@given(problems)
def test_without_gains(example: tuple[Problem, Carried]) -> None:
    problem, start = example
    full, short = (Carried(*(array.copy() for array in start)) for _ in range(2))
    variance = _core.risk_backwards(**problem._asdict(), state=_core.RiskState(*full))
    assert _core.risk_backwards(**problem._asdict(), state=_core.RiskState(g=short.g, u=short.u)) == variance
    np.testing.assert_array_equal(short.g, full.g)
    np.testing.assert_array_equal(short.u, full.u)
    np.testing.assert_array_equal(short.gains, start.gains)


# Law: steps in two calls are steps in one.
@given(problems, st.integers(0, 20))
def test_two_calls(example: tuple[Problem, Carried], cut: int) -> None:
    problem, start = example
    whole, parts = (Carried(*(array.copy() for array in start)) for _ in range(2))
    variance = _core.risk_backwards(**problem._asdict(), state=_core.RiskState(*whole))
    twice = [
        _core.risk_backwards(**problem._replace(weights=part)._asdict(), state=_core.RiskState(*parts))
        for part in (problem.weights[cut:], problem.weights[:cut])
    ]
    assert sum(twice) == pytest.approx(variance, rel=1e-13)
    for got, wanted in zip(parts, whole, strict=True):
        np.testing.assert_array_equal(got, wanted)


# Law: the sums are share times the squares of g over the steps.
@given(problems)
def test_squared_gains(example: tuple[Problem, Carried]) -> None:
    problem, start = example
    g, sums = start.g.copy(), start.u.copy()
    _core.add_squared_gains(weights=problem.weights, fall=problem.fall, share=problem.share, g=g, sums=sums)
    now, expected = start.g, start.u
    for weight in problem.weights[::-1]:
        now = now + weight
        expected = expected + problem.share * now**2
        now = (1 - problem.fall) * now
    np.testing.assert_allclose(g, now, rtol=1e-12)
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
