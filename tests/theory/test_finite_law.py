"""Laws of finite support against sums over all ways a run can go."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway.averaging import Exponential, Geometric, Last, NegativeBinomial, Poisson, Scheme, Staircase, Tail, Uniform
from ridgeway.theory import FiniteLaw, bound, excess_risk, fourth_moment_r2

Array = NDArray[np.float64]
SCHEMES: list[Scheme] = [
    Geometric(0.5), Uniform(), Tail(2), Last(), NegativeBinomial(0.5, 2), Poisson(2.0), Exponential(0.6)
]  # fmt: skip


def over_all_runs(
    law: FiniteLaw, scheme: Scheme, step: float | Staircase, n: int, w0: Array, b: int = 1
) -> tuple[Array, float]:
    """E[average] and E[excess risk] by going through every sequence of draws."""
    p, sizes = scheme.weights(n, step), [Staircase.of(step).size_after(t) for t in range(n)]
    mean, risk = np.zeros(len(w0)), 0.0
    for draws in itertools.product(range(len(law.y)), repeat=n * b):
        chance = float(np.prod(law.probability[list(draws)]))
        w, average = w0.copy(), p[0] * w0
        for t in range(n):
            rows = list(draws[t * b : (t + 1) * b])
            w = w + sizes[t] * (law.y[rows] - law.x[rows] @ w) @ law.x[rows] / b
            average = average + p[t + 1] * w
        mean += chance * average
        risk += chance * float(np.sum(law.probability * (law.x @ (average - law.optimum)) ** 2))
    return mean, risk


# Law: the exact risk is the sum over all runs, whatever the law, the scheme and the size of the mini-batches; noise
# that depends on x is no exception.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize(("n_steps", "batch_size"), [(6, 1), (3, 2)])
@pytest.mark.parametrize("step", [0.2, Staircase((0.05, 0.1, 0.3), (1, 3)), Staircase((0.3, 0.02), (2,))])
def test_is_the_sum_over_all_runs(scheme: Scheme, n_steps: int, batch_size: int, step: float | Staircase) -> None:
    rng = np.random.default_rng(3)
    law = FiniteLaw(rng.standard_normal((3, 2)), rng.standard_normal(3), [0.5, 0.2, 0.3])
    w0 = np.array([0.5, -1.0])
    mean, risk = over_all_runs(law, scheme, step, n_steps, w0, batch_size)
    got = law.excess_risk(scheme, step, n_steps, w0, batch_size)
    assert got.total == pytest.approx(risk, rel=1e-12)
    assert got.interaction != 0
    if batch_size == 1:
        np.testing.assert_allclose(law.expected_average(scheme, step, n_steps, w0), mean, rtol=1e-12)


def product_law(kurtosis: float, s: Array, w: Array, sigma: float) -> FiniteLaw:
    """Independent coordinates that are 0 or +-sqrt(kurtosis), of variance s, and independent noise +-sigma."""
    z, chance = np.array([-1.0, 0.0, 1.0]) * np.sqrt(kurtosis), np.array([0.5, 0.0, 0.5]) / kurtosis
    chance[1] = 1 - 1 / kurtosis
    values = [list(itertools.product(part, repeat=len(s))) for part in (z, chance)]
    x, probability = np.array(values[0]) * np.sqrt(s), np.array(values[1]).prod(axis=1)
    y = x @ w
    return FiniteLaw(np.vstack([x, x]), np.append(y - sigma, y + sigma), np.append(probability, probability))


# Law: for independent coordinates it is `excess_risk`, part by part, to 1e-10.
@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    kurtosis=st.sampled_from([1.0, 1.8, 3.0, 7.0]),
    scheme=st.sampled_from([*SCHEMES, Geometric(0.01), Tail(0.5)]),
    n_steps=st.integers(2, 60),
    batch_size=st.sampled_from([1, 1, 3]),
    share=st.floats(0.05, 1.0),
)
def test_independent_coordinates(kurtosis: float, scheme: Scheme, n_steps: int, batch_size: int, share: float) -> None:
    s, w, sigma = np.array([1.0, 0.4, 0.1]), np.array([1.0, -2.0, 3.0]), 0.6
    law = product_law(kurtosis, s, w, sigma)
    step = share / fourth_moment_r2(s, kurtosis)
    got = law.excess_risk(scheme, step, n_steps, batch_size=batch_size)
    expected = excess_risk(scheme, s, -w, sigma**2, step, n_steps, kurtosis, batch_size)
    assert got.total == pytest.approx(expected.total, rel=1e-10)
    assert got.deterministic_bias == pytest.approx(expected.deterministic_bias, rel=1e-10)
    assert got.multiplicative_bias == pytest.approx(expected.multiplicative_bias, rel=1e-10, abs=1e-12)
    assert got.variance == pytest.approx(expected.variance, rel=1e-10)
    assert got.interaction == pytest.approx(0, abs=1e-12)


# Law: so it is on staircases.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("kurtosis", [1.0, 3.0])
def test_independent_coordinates_on_stairs(kurtosis: float, scheme: Scheme) -> None:
    s, w, sigma = np.array([1.0, 0.4, 0.1]), np.array([1.0, -2.0, 3.0]), 0.6
    steps = Staircase((0.1, 0.3, 1.0, 0.5), (5, 12, 30)).scaled(1 / fourth_moment_r2(s, kurtosis))
    got = product_law(kurtosis, s, w, sigma).excess_risk(scheme, steps, 40)
    expected = excess_risk(scheme, s, -w, sigma**2, steps, 40, kurtosis)
    assert got.total == pytest.approx(expected.total, rel=1e-10)
    assert got.multiplicative_bias == pytest.approx(expected.multiplicative_bias, rel=1e-10, abs=1e-12)
    assert got.variance == pytest.approx(expected.variance, rel=1e-10)


# Law: R^2 and the variance of the noise are those of the law.
def test_moments() -> None:
    s = np.array([1.0, 0.4, 0.1])
    law = product_law(3.0, s, np.ones(3), 0.6)
    np.testing.assert_allclose(law.eigenvalues, s, rtol=1e-12)
    np.testing.assert_allclose(law.optimum, 1, rtol=1e-12)
    assert law.r2 == pytest.approx(fourth_moment_r2(s), rel=1e-12)
    assert law.noise_variance == pytest.approx(0.36)
    assert law.residual_bound == pytest.approx(0.36)


# Law: several passes over a data set, rows drawn with replacement, also where columns outnumber rows: the excess over
# the least error on these rows agrees with simulation, and the theorem holds for it.
@pytest.mark.parametrize(("n", "d"), [(30, 4), (6, 10)])
def test_passes_over_a_data_set(n: int, d: int) -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d))
    law = FiniteLaw.of_rows(X, X[:, 0] + rng.standard_normal(n))
    step, steps, scheme = 0.5 / law.r2, 100, Geometric(0.2)
    p, risks = scheme.weights(steps, step), []
    draws = rng.integers(0, n, (3000, steps))
    w = np.zeros((3000, d))
    average = p[0] * w
    for t in range(steps):
        x, y = law.x[draws[:, t]], law.y[draws[:, t]]
        w = w + step * (y - (x * w).sum(axis=1))[:, None] * x
        average += p[t + 1] * w
    risks = ((average @ law.x.T - law.x @ law.optimum) ** 2).mean(axis=1)
    exact = law.excess_risk(scheme, step, steps)
    assert abs(risks.mean() - exact.total) < 3 * risks.std() / np.sqrt(3000)
    v = -law.basis.T @ law.optimum
    assert exact.total <= bound(scheme, law.eigenvalues, v, law.residual_bound, step, steps, law.r2).total


# Law: rows drawn from the law follow it.
def test_sample() -> None:
    law = FiniteLaw([[1.0], [2.0]], [3.0, 4.0], [1.0, 3.0])
    X, y = law.sample(4000, np.random.default_rng(0))
    assert X.shape == (4000, 1)
    assert abs((y == 4.0).mean() - 0.75) < 3 * np.sqrt(0.75 * 0.25 / 4000)
    np.testing.assert_array_equal(X[:, 0] == 2.0, y == 4.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0], [np.nan]], [1.0, 2.0]), r"x\[1, 0\] is nan: expected finite numbers"),
        (([[1.0], [2.0]], [1.0]), r"y has shape \(1,\): expected \(2,\), one number for each row of x"),
        (([1.0, 2.0], [1.0, 2.0]), r"x has shape \(2,\): expected a matrix"),
        (([[1.0], [2.0]], [1.0, 2.0], [-1.0, 2.0]), "probability ranges from -1 to 2"),
        (([[0.0], [0.0]], [1.0, 2.0]), "x is 0 with probability 1"),
    ],
)
def test_refused_laws(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FiniteLaw(*arguments)


def test_refused_runs() -> None:
    law = FiniteLaw([[1.0, 0.0], [0.0, 3.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"step=1: expected at most 2 / s_max = 0\.444"):
        law.excess_risk(Last(), 1.0, 5)
    with pytest.raises(ValueError, match=r"step=0\.4 is unstable under this law: .* = 0\.111111 is safe"):
        law.excess_risk(Last(), 0.4, 3000)
    with pytest.raises(ValueError, match=r"w0 has shape \(1,\): expected \(2,\)"):
        law.excess_risk(Last(), 0.1, 5, w0=[1.0])
    with pytest.raises(ValueError, match="n_steps=0"):
        law.excess_risk(Last(), 0.1, 0)
