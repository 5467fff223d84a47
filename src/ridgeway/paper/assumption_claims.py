"""Items 16 and 17: the assumptions on fourth moments and on the residual, and laws that satisfy them."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, printed, support
from ridgeway.paper.population import Array, Population, product_population, random_population
from ridgeway.theory import fourth_moment_r2

# Nodes and weights whose moments up to the fourth are those of the law: sums over them are exact.
_HERMITE, _LEGENDRE = np.polynomial.hermite_e.hermegauss(3), np.polynomial.legendre.leggauss(3)
LAWS = {
    "Gaussian": (3.0, _HERMITE[0], _HERMITE[1] / _HERMITE[1].sum()),
    "uniform": (1.8, np.sqrt(3.0) * _LEGENDRE[0], _LEGENDRE[1] / 2),
    "Rademacher": (1.0, np.array([-1.0, 1.0]), np.array([0.5, 0.5])),
    "heavy-tailed, kurtosis 10": (10.0, np.sqrt([10.0, 0.0, 10.0]) * [-1, 0, 1], np.array([0.05, 0.9, 0.05])),
}


def assumed_r2(eigenvalues: Array, kurtosis: float) -> float:
    """Return tr Sigma + (kappa - 1) s_max, as the library computes it."""
    return fourth_moment_r2(eigenvalues, kurtosis)


def violation(law: Population, matrix: Array, constant: float) -> float:
    """Return the violation of `matrix` <= constant * Sigma: the largest eigenvalue of the difference, relative."""
    gap = np.linalg.eigvalsh(matrix - constant * law.covariance)
    return float(gap[-1] / np.trace(law.covariance) / constant)


def check_fourth_moment(context: Context) -> Evidence:
    """Compute E|x|^2 x x' exactly for four laws of independent coordinates, and for bounded rows of any law."""
    rng = context.rng()
    met = attained = trace = bounded = 0.0
    numbers = {}
    for name, (kurtosis, nodes, weights) in LAWS.items():
        for _ in range(context.pick(20, 5)):
            s = np.exp(rng.normal(0, 1, 3))
            law = product_population(s, nodes, weights, np.zeros(3), 1.0)
            r2 = assumed_r2(s, kurtosis)
            fourth = law.mean_outer((law.x**2).sum(axis=1))
            met, attained = max(met, violation(law, fourth, r2)), max(attained, abs(law.r2 / r2 - 1))
        law = product_population(np.ones(3), nodes, weights, np.zeros(3), 1.0)
        numbers[f"R² / tr Σ for Σ = I in three dimensions, {name}"] = law.r2 / 3
    for _ in range(context.pick(300, 60)):
        law = random_population(rng, int(rng.integers(1, 5)), int(rng.integers(2, 9)))
        trace = max(trace, float(np.trace(law.covariance)) / law.r2)
        fourth = law.mean_outer((law.x**2).sum(axis=1))
        bounded = max(bounded, violation(law, fourth, law.largest))
    return Evidence(
        (
            printed("E|x|²xx' ≤ R²Σ with R² = tr Σ + (κ-1)s_max: largest violation, relative", met, 1e-9),
            printed("the same with R² = max|x|², random laws", bounded, 1e-9),
            printed("tr Σ over the least R², random laws, worst", trace, ONE_UP_TO_ROUNDING),
            support("the least R² against tr Σ + (κ-1)s_max, relative difference", attained, 1e-9),
        ),
        numbers,
    )


def check_residual(context: Context) -> Evidence:
    """Check residuals of laws that no linear model fits, and of well-specified ones."""
    rng = context.rng()
    uncorrelated = bounded = specified = 0.0
    dependent = np.inf
    for _ in range(context.pick(300, 60)):
        law = random_population(rng, 3, 8)
        size = float(np.sqrt(np.trace(law.covariance)) * np.abs(law.residual).max())
        uncorrelated = max(uncorrelated, float(np.abs(law.x.T @ (law.p * law.residual)).max()) / size)
        dependent = min(dependent, float(np.abs(law.residual).max()))  # each x has one y: E[eps | x] = eps
        squares = law.mean_outer(law.residual**2)
        bounded = max(bounded, violation(law, squares, float((law.residual**2).max())))
        noise = float(rng.uniform(0.5, 2.0))
        fitting = product_population(np.exp(rng.normal(0, 1, 2)), *LAWS["uniform"][1:], rng.standard_normal(2), noise)
        specified = max(specified, abs(fitting.noise / noise**2 - 1))
    return Evidence(
        (
            printed("E[εx] over the size of its terms, largest", uncorrelated, 1e-10),
            printed("E ε²xx' ≤ max(ε²) Σ: largest violation, relative", bounded, 1e-9),
            printed("noise independent of x: least σ² against its variance, relative", specified, 1e-9),
            support("largest |E[ε|x]| of a law, least over laws: it need not be 0", dependent, 1e-3, at_least=True),
        )
    )


FOURTH_MOMENT = Claim(
    16,
    Kind.ASSUMPTION,
    "The assumption on fourth moments",
    "For some R, E|x|²xx' ≤ R²Σ. It holds where |x| ≤ R, and it implies tr Σ ≤ R².",
    "For x = Σ^½z with independent coordinates of kurtosis κ the least such R² is tr Σ + (κ-1)s_max: Gaussian κ = 3, "
    "uniform 9/5, Rademacher 1.",
    check_fourth_moment,
)
RESIDUAL = Claim(
    17,
    Kind.ASSUMPTION,
    "The assumption on the residual",
    "E[εx] = 0 always, though E[ε|x] need not vanish; for some σ, E ε²xx' ≤ σ²Σ, which bounded rows and labels meet, "
    "and noise that is independent of x meets with its variance.",
    "",
    check_residual,
)
