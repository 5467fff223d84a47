"""Item 40: the exact variance of averages of linear stochastic approximation."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.linear_approximation_claims import random_system
from ridgeway.paper.moment_recursion import average_moments
from ridgeway.paper.population import Array
from ridgeway.paper.reward_process import random_walk
from ridgeway.paper.svg_figures import COLORS, new_figure
from ridgeway.theory import LinearApproximation


def step_maps(system: LinearApproximation, step: float) -> Array:
    """Return the matrix that maps (1, w_{t-1}) to (1, w_t), for each value of (A_t, b_t), (k, d + 1, d + 1)."""
    k, d = system.vectors.shape
    maps = np.tile(np.eye(d + 1), (k, 1, 1))
    maps[:, 1:, 1:] -= step * system.matrices
    maps[:, 1:, 0] = step * system.vectors
    return maps


def mean_square_growth(system: LinearApproximation, step: float) -> float:
    """Return the growth factor per step of the root mean square of the iterates in the long run, at least 1."""
    maps = step_maps(system, step)
    pairs = sum(p * np.kron(M, M) for p, M in zip(system.probability, maps, strict=True))
    return float(np.abs(np.linalg.eigvals(pairs)).max() ** 0.5)


def recursion_covariance(system: LinearApproximation, alpha: float, step: float, n: int, w0: Array) -> Array:
    """Return the covariance of the average by a recursion of moments, which shares no code with the formula."""
    rho = 1 / (1 + step * alpha)
    weights = (1 - rho) * rho ** np.arange(n + 1.0)
    read = np.eye(len(w0) + 1)[1:]
    maps = step_maps(system, step)
    _, covariance = average_moments(maps, system.probability, np.append(1.0, w0), read, weights[None])
    return np.asarray(covariance[0])


def noise_at(system: LinearApproximation, alpha: float, w: Array) -> Array:
    """Return (A + alpha)^{-1} Cov(b_1 - A_1 w) (A + alpha)^{-T}: the variance of a solution from one draw."""
    updates = system.vectors - system.matrices @ w
    centred = updates - system.probability @ updates
    inverse = np.linalg.inv(system.mean_matrix + alpha * np.eye(len(w)))
    return np.asarray(inverse @ (centred.T * system.probability) @ centred @ inverse.T)


def effective_sample(alpha: float, step: float) -> float:
    """Return 1 + 2 / (eta alpha), the effective number of independent draws in the average."""
    return 1 + 2 / (step * alpha)


def check_variance(context: Context) -> Evidence:
    """Compare the exact covariance of averages with the recursion of their moments."""
    rng = context.rng()
    formula = constant = 0.0
    divergent = 0
    for i in range(context.pick(40, 8)):
        system, w0 = random_system(rng, 3, 4, (0.2, -0.5)[i % 2]), rng.standard_normal(3)
        step, margin = float(rng.uniform(0.02, 0.2)), float(rng.uniform(1.05, 1.5))
        alpha = (mean_square_growth(system, step) * margin - 1) / step
        divergent += system.least_alpha(step) > 0
        n = int(np.ceil(np.log(1e16) / np.log(margin)))
        covariance = recursion_covariance(system, alpha, step, n, w0)
        formula = max(formula, difference(system.covariance(alpha, step, w0), covariance))
        fixed = LinearApproximation(np.repeat(system.mean_matrix[None], 4, axis=0), system.vectors, system.probability)
        worth = noise_at(fixed, alpha, w0) / effective_sample(alpha, step)
        constant = max(constant, difference(fixed.covariance(alpha, step, w0), worth))
    process, step = random_walk(11, 0.9), 0.2
    walk, last = LinearApproximation(*process.drawn()), process.features[-1]
    alphas, fine = np.geomspace(0.02, 20, 7), np.geomspace(0.02, 20, 50)
    values = np.array([last @ walk.limit(alpha) for alpha in fine])
    exact = [(last @ walk.covariance(alpha, step) @ last) ** 0.5 for alpha in fine]
    rough = [
        (last @ noise_at(walk, alpha, walk.limit(alpha)) @ last / effective_sample(alpha, step)) ** 0.5
        for alpha in fine
    ]
    at = np.array([(last @ walk.covariance(alpha, step) @ last) ** 0.5 for alpha in alphas])
    found = np.array(
        [
            (last @ recursion_covariance(walk, alpha, step, int(40 / np.log1p(step * alpha)) + 1, np.zeros(3)) @ last)
            ** 0.5
            for alpha in alphas.tolist()
        ]
    )
    figure, (ax,) = new_figure()
    ax.loglog(fine, exact / values, label="formula")
    ax.loglog(
        alphas,
        found / [last @ walk.limit(alpha) for alpha in alphas],
        "o",
        color=COLORS[1],
        label="recursion of the moments",
    )
    ax.loglog(fine, rough / values, "--", color="0.5", label="noise at the limit / (1 + 2/(ηλ))")
    ax.set(xlabel="λ", ylabel="standard deviation / value", title="TD(0), random walk, state 11, η = 0.2")
    ax.legend(frameon=False)
    return Evidence(
        (
            support("random systems: covariance by the formula against the recursion, relative", formula, 1e-8),
            support("TD(0) on a random walk: the same, standard deviations", difference(at, found), 1e-8),
            support("A_t constant: against C/(1+2/(ηλ)) between the inverses, relative", constant, 1e-9),
        ),
        {"systems": context.pick(40, 8), "of them with diverging iterates": divergent},
        figure,
        "Noise of the average of temporal differences. With a constant step a stronger λ rests on fewer transitions: "
        "the average is worth about 1 + 2/(ηλ) of them.",
    )


VARIANCE = Claim(
    40,
    Kind.QUESTION,
    "The exact variance of the average",
    "How noisy is the average of a linear stochastic approximation?",
    "With C(w) = Cov(b_1 - A_1 w) its covariance is (1-ρ)²(A+λ)⁻¹[Σ_j ρ^{2j} E C(w_j)](A+λ)^{-T}, an identity for "
    "every law of independent (A_t, b_t) for which the sum is finite; the second moments solve one linear system. "
    "Where C hardly changes, the average is worth 1 + 2/(ηλ) values.",
    check_variance,
)
