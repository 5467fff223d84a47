"""Linear stochastic approximation: means and covariances against runs over every sequence of draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ridgeway.averaging import Geometric
from ridgeway.theory import FiniteLaw, LinearApproximation, expected_average


def random_system(seed: int, shift: float = 2.0) -> tuple[LinearApproximation, np.ndarray]:
    rng = np.random.default_rng(seed)
    system = LinearApproximation(
        rng.standard_normal((3, 2, 2)) + shift * np.eye(2), rng.standard_normal((3, 2)), rng.random(3)
    )
    return system, rng.standard_normal(2)


def every_average(
    system: LinearApproximation, weights: np.ndarray, step: float, w0: np.ndarray
) -> tuple[np.ndarray, ...]:
    """The probability and the weighted sum of the iterates, for every sequence of draws."""
    chances, sums = [], []
    for draw in product(range(3), repeat=len(weights) - 1):
        w, total = w0, weights[0] * w0
        for i, weight in zip(draw, weights[1:], strict=True):
            w = w + step * (system.vectors[i] - system.matrices[i] @ w)
            total = total + weight * w
        chances.append(np.prod(system.probability[list(draw)]))
        sums.append(total)
    return np.array(chances), np.array(sums)


# Law: the expected average of a finite run is the mean over every sequence of draws.
@pytest.mark.parametrize("alpha", [0.0, 0.7, 40.0])
def test_expected_average(alpha: float) -> None:
    system, w0 = random_system(0)
    weights = (1 / (1 + 0.2 * alpha)) ** np.arange(7.0)
    chances, sums = every_average(system, weights / weights.sum(), 0.2, w0)
    np.testing.assert_allclose(system.expected_average(alpha, 0.2, 6, w0), chances @ sums, rtol=1e-12)


# Law: the covariance of an endless run is that over every sequence of draws, where the weights have died out by then.
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shift", [2.0, -0.5])
def test_covariance(seed: int, shift: float) -> None:
    system, w0 = random_system(seed, shift)
    step, alpha = 0.2, 150.0  # rho = 1 / 31
    rho = 1 / (1 + step * alpha)
    chances, sums = every_average(system, (1 - rho) * rho ** np.arange(9.0), step, w0)
    mean = chances @ sums
    np.testing.assert_allclose(system.limit(alpha, w0), mean, rtol=1e-9)
    expected = ((sums - mean).T * chances) @ (sums - mean)
    np.testing.assert_allclose(system.covariance(alpha, step, w0), expected, rtol=1e-7, atol=1e-12)


# Law: the expected average tends to the limit exactly for strengths above the least one, also where iterates diverge.
@pytest.mark.parametrize("shift", [1.5, -1.0])
def test_condition(shift: float) -> None:
    system, w0 = random_system(5, shift)
    least = system.least_alpha(0.2)
    assert (least > 0) == (shift < 0)
    for alpha in (least + 0.5, least + 5):
        np.testing.assert_allclose(system.expected_average(alpha, 0.2, 2000, w0), system.limit(alpha, w0), rtol=1e-9)
    if least > 0:
        off = [np.abs(system.expected_average(0.7 * least, 0.2, n, w0)).max() for n in (100, 200, 400)]
        assert off[0] < off[1] < off[2]
        with pytest.raises(ValueError, match=r"alpha=.* is too weak for step=0\.2"):
            system.covariance(0.7 * least, 0.2)
        with pytest.raises(ValueError, match=r"overflows within 100000 steps.*take a stronger alpha or fewer steps"):
            system.expected_average(0.5 * least, 0.2, 100_000)
    assert LinearApproximation(-np.eye(2)[None] * 0.7, [[1.0, 1.0]]).least_alpha(1e-3) == pytest.approx(0.7)


# Law: least squares is the case A_t = x x', b_t = x y.
def test_least_squares() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((5, 3)), rng.standard_normal(5)
    system, law = LinearApproximation(x[:, :, None] * x[:, None, :], x * y[:, None]), FiniteLaw(x, y)
    ridge = np.linalg.solve(law.covariance + 0.3 * np.eye(3), x.T @ y / 5)
    np.testing.assert_allclose(system.limit(0.3), ridge, rtol=1e-12)
    values, basis = np.linalg.eigh(law.covariance)
    average = basis @ expected_average(Geometric(0.3), values, basis.T @ law.optimum, 0.1, 50)
    np.testing.assert_allclose(system.expected_average(0.3, 0.1, 50), average, rtol=1e-11)
    risk = law.excess_risk(Geometric(0.3), step=0.1, n_steps=2000)
    total = np.trace(law.covariance @ system.covariance(0.3, 0.1)) + (ridge - law.optimum) @ law.covariance @ (
        ridge - law.optimum
    )
    assert total == pytest.approx(risk.total, rel=1e-9)


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"matrices has shape \(2, 2\): expected \(k, d, d\)"):
        LinearApproximation(np.eye(2), [1.0, 1.0])
    with pytest.raises(ValueError, match=r"vectors has shape \(1, 3\): expected \(1, 2\)"):
        LinearApproximation(np.eye(2)[None], [[1.0, 1.0, 1.0]])
    with pytest.raises(ValueError, match=r"probability ranges from -1 to 1"):
        LinearApproximation(np.tile(np.eye(2), (2, 1, 1)), np.ones((2, 2)), [1.0, -1.0])
    system = LinearApproximation(np.eye(2)[None], [[1.0, 1.0]])
    with pytest.raises(ValueError, match=r"start has shape \(3,\): expected \(2,\)"):
        system.limit(1.0, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"alpha=0\.0 is not positive.*0 needs a finite run"):
        system.covariance(0.0, 0.1)
    with pytest.raises(ValueError, match=r"A \+ alpha is singular at alpha=1"):
        LinearApproximation(-np.eye(2)[None], [[1.0, 1.0]]).limit(1.0)
    with pytest.raises(ValueError, match="read-only"):
        system.matrices[0, 0, 0] = 5.0
