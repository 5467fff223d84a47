"""Items 1 and 15: the risk, its minimiser, and ridge regression as the minimiser of a penalised risk."""

from __future__ import annotations

import numpy as np

from ridgeway.exact import ExactRidgePath
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, printed, support
from ridgeway.paper.population import Array, Population, random_population

ROUNDING = 1e-10


def minimiser(law: Population) -> Array:
    """Return w* = Sigma^+ E[xy]."""
    return np.asarray(np.linalg.pinv(law.covariance, hermitian=True) @ law.moment)


def excess_risk(law: Population, w: Array) -> float:
    """Return |Sigma^{1/2} (w - w*)|^2."""
    error = w - minimiser(law)
    return float(error @ law.covariance @ error)


def ridge(law: Population, alpha: float) -> Array:
    """Return (Sigma + alpha I)^{-1} E[xy]."""
    return np.asarray(np.linalg.solve(law.covariance + alpha * np.eye(law.d), law.moment))


def penalised_risk(law: Population, w: Array, alpha: float) -> float:
    """Return E(y - <w, x>)^2 + alpha |w|^2."""
    return law.risk(w) + alpha * float(w @ w)


def check_risk(context: Context) -> Evidence:
    """Compare the risk of random laws, as a sum over points, with its closed forms; half of the Sigma are singular."""
    rng = context.rng()
    identity, lower, singular = 0.0, 0.0, 0
    for k in range(context.pick(300, 60)):
        law = random_population(rng, d=4, points=9 if k % 2 else 3)
        singular += int(np.linalg.matrix_rank(law.covariance) < law.d)
        best = law.risk(minimiser(law))
        for _ in range(5):
            w = minimiser(law) + rng.standard_normal(4)
            identity = max(identity, abs(law.risk(w) - best - excess_risk(law, w)) / law.risk(w))
            lower = max(lower, (best - law.risk(w)) / law.risk(w))
    return Evidence(
        (
            printed("|R(w) - R(w*) - |Σ^½(w - w*)|²| / R(w), largest", identity, ROUNDING),
            printed("(R(w*) - R(w)) / R(w), largest: is anything better than w*?", lower, ROUNDING),
        ),
        {"laws with singular Σ": singular},
    )


def check_ridge(context: Context) -> Evidence:
    """Compare the penalised risk at and around the ridge solution, and the library's exact ridge path with it."""
    rng = context.rng()
    identity, lower, library = 0.0, 0.0, 0.0
    for _ in range(context.pick(200, 40)):
        law = random_population(rng, d=4, points=int(rng.integers(2, 10)))
        alpha = float(10 ** rng.uniform(-4, 2))
        solution = ridge(law, alpha)
        least = penalised_risk(law, solution, alpha)
        for _ in range(5):
            away = rng.standard_normal(4) * 10 ** rng.uniform(-3, 0)
            more = penalised_risk(law, solution + away, alpha) - least
            curved = float(away @ (law.covariance + alpha * np.eye(4)) @ away)
            identity = max(identity, abs(more - curved) / least)
            lower = max(lower, -more / least)
        exact = ExactRidgePath(scale=False, fit_intercept=False).fit(law.x, law.y, sample_weight=law.p)
        difference = exact.path([alpha]).coefs[0] - solution
        library = max(library, float(np.abs(difference).max() / np.abs(solution).max()))
    return Evidence(
        (
            printed("penalised risk above its value at ridge, against <u, (Σ+λ)u>: largest difference", identity, 1e-9),
            printed("fall of the penalised risk away from ridge, largest", lower, ROUNDING),
            support("ExactRidgePath against (Σ+λ)⁻¹E[xy], largest relative difference", library, 1e-8),
        )
    )


RISK = Claim(
    1,
    Kind.CONSTRUCTION,
    "The risk, its minimiser and the excess risk",
    "R(w) = E(⟨w,x⟩ - y)² is smallest at w* = Σ⁻¹E[xy] (a pseudo-inverse if Σ is singular), and the excess risk of "
    "a vector w is |Σ^½(w - w*)|².",
    "",
    check_risk,
)
RIDGE = Claim(
    15,
    Kind.EXPECTATION,
    "Ridge regression minimises the penalised risk",
    "(Σ + λI)⁻¹E[xy] is the minimiser of E(y - ⟨w,x⟩)² + λ|w|².",
    "",
    check_ridge,
)
