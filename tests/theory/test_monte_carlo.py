"""The exact risk against simulated runs: three laws of the rows, several spectra, schemes and mini-batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ridgeway as rw
from ridgeway.averaging import Exponential, Geometric, Last, NegativeBinomial, Poisson, Scheme, Tail, Uniform
from ridgeway.theory import excess_risk, fourth_moment_r2

Array = NDArray[np.float64]
KURTOSIS = {"gaussian": 3.0, "uniform": 1.8, "rademacher": 1.0}
SPECTRA: dict[str, Array] = {
    "flat": np.ones(3),
    "harmonic": 1 / np.arange(1, 7.0),
    "steep": np.array([1.0, 0.1, 0.01, 0.001]),
}
RUNS, STEPS = 4000, 40
# The seed was fixed before the first run; 36 z-scores of a correct formula exceed 3 anywhere with probability 9%.
SEED = 20180704


def standardized(law: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    if law == "gaussian":
        return rng.standard_normal(shape)
    if law == "uniform":
        return rng.uniform(-(3**0.5), 3**0.5, shape).astype(np.float64)
    return rng.choice(np.array([-1.0, 1.0]), shape)


def simulated(scheme: Scheme, law: str, s: Array, v: Array, sigma: float, eta: float, b: int, seed: int) -> Array:
    """Excess risks of independent runs, (RUNS,), by plain numpy."""
    rng = np.random.default_rng(seed)
    p = scheme.weights(STEPS, eta)
    w = np.tile(v, (RUNS, 1))  # w - w*
    average = p[0] * w
    for t in range(1, STEPS + 1):
        gradient = np.zeros_like(w)
        for _ in range(b):
            x = np.sqrt(s) * standardized(law, rng, (RUNS, len(s)))
            noise = sigma * standardized("uniform", rng, (RUNS,))
            gradient += (noise - (x * w).sum(axis=1))[:, None] * x / b
        w = w + eta * gradient
        average += p[t] * w
    risks: Array = (s * average**2).sum(axis=1)
    return risks


def configurations() -> list[tuple[str, str, Scheme, int]]:
    schemes: list[Scheme] = [
        Geometric(0.1), Geometric(1.0), Uniform(), Tail(0.5), Last(), NegativeBinomial(0.3, 2), Poisson(8.0),
        Exponential(0.9), Tail(5), Geometric(0.01), Last(), Uniform(),
    ]  # fmt: skip
    return [
        (law, list(SPECTRA)[(k + shift) % 3], scheme, 1 + 2 * (k % 2))
        for shift, law in enumerate(KURTOSIS)
        for k, scheme in enumerate(schemes)
    ]


# Law: the mean of simulated excess risks is the exact risk in every one of 36 configurations, and the z-scores together
# scatter as those of a correct formula do.
def test_36_configurations() -> None:
    scores = []
    for k, (law, spectrum, scheme, b) in enumerate(configurations()):
        s = SPECTRA[spectrum]
        v, sigma = np.linspace(1, -1.5, len(s)), 0.5
        eta = (0.3 + 0.1 * (k % 3)) / fourth_moment_r2(s, KURTOSIS[law])
        risks = simulated(scheme, law, s, v, sigma, eta, b, SEED + k)
        exact = excess_risk(scheme, s, v, sigma**2, eta, STEPS, KURTOSIS[law], b)
        scores.append((risks.mean() - exact.total) / (risks.std(ddof=1) / np.sqrt(RUNS)))
    assert len(scores) == 36
    assert np.abs(scores).max() < 3, scores
    assert abs(np.mean(scores)) < 3 / 6
    assert 36 - 3 * np.sqrt(72) < np.square(scores).sum() < 36 + 3 * np.sqrt(72)


# Law: `run_sgd` itself has the exact risk, also with mini-batches and from a start that is not 0.
@pytest.mark.parametrize(("scheme", "batch_size"), [(Geometric(0.2), 1), (Tail(0.5), 2), (Last(), 1), (Uniform(), 5)])
def test_run_sgd(scheme: Scheme, batch_size: int) -> None:
    rng = np.random.default_rng(SEED + batch_size)
    s, w_star, w0 = SPECTRA["harmonic"], np.linspace(-1, 1, 6), np.full(6, 0.3)
    eta, n = 0.5 / fourth_moment_r2(s), 30
    risks = []
    for _ in range(300):
        X = np.sqrt(s) * rng.standard_normal((n * batch_size, 6))
        y = X @ w_star + 0.7 * rng.standard_normal(n * batch_size)
        run: Any = rw.run_sgd(X, y, step=eta, batch_size=batch_size, w0=w0)
        risks.append(float((s * (run.coef(scheme) - w_star) ** 2).sum()))
    exact = excess_risk(scheme, s, w0 - w_star, 0.49, eta, n, batch_size=batch_size)
    assert abs(np.mean(risks) - exact.total) < 3 * np.std(risks) / np.sqrt(300)
