"""Item 27: other settings. What the library does today, what can be shown, and what stays open."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ridgeway.averaging import Geometric, NegativeBinomial, Poisson
from ridgeway.paper.brute import difference, geometric_average
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.figures import new_figure
from ridgeway.paper.least_squares import ridge
from ridgeway.paper.population import Array, Population
from ridgeway.paper.spectra import slope
from ridgeway.sgd import run_sgd
from ridgeway.theory import residual_filter


def heavy_ball(law: Population, step: float, momentum: float, n: int) -> Array:
    """Return the iterates of gradient descent with momentum on the law's risk, from 0."""
    before = w = np.zeros(law.d)
    iterates = [w]
    for _ in range(n):
        before, w = w, w - step * (law.covariance @ w - law.moment) + momentum * (w - before)
        iterates.append(w)
    return np.array(iterates)


def momentum_strength(alpha: float, step: float, momentum: float) -> float:
    """Return alpha (1 - beta rho): the geometric average of heavy-ball iterates is ridge of this strength."""
    return alpha * (1 - momentum / (1 + step * alpha))


def temporal_difference(rng: np.random.Generator, n_states: int) -> tuple[Array, Array]:
    """Return A and b of TD(0) with random features on a random chain: w moves by step (b - A w), A not symmetric."""
    transition = rng.dirichlet(np.ones(n_states), size=n_states)
    values, vectors = np.linalg.eig(transition.T)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    stationary /= stationary.sum()
    features, rewards = rng.standard_normal((n_states, 3)), rng.standard_normal(n_states)
    weighted = features.T * stationary
    return np.asarray(weighted @ (features - 0.9 * transition @ features)), np.asarray(weighted @ rewards)


def shuffled_expectation(X: Array, y: Array, step: float, alpha: float) -> Array:
    """Return the limit of E[geometric average] over passes in fresh random orders, by going through every order."""
    n, d = X.shape
    matrices, shifts = np.zeros((n + 1, d, d)), np.zeros((n + 1, d))  # after k steps of a pass: w -> M_k w + c_k
    orders = list(permutations(range(n)))
    for order in orders:
        M, c = np.eye(d), np.zeros(d)
        for k, i in enumerate((*order, order[0])):
            matrices[k], shifts[k] = matrices[k] + M / len(orders), shifts[k] + c / len(orders)
            M, c = M - step * np.outer(X[i], X[i] @ M), c + step * (y[i] - X[i] @ c) * X[i]
    discount = 1 / (1 + step * alpha)
    mean, total, weight = np.zeros(d), np.zeros(d), 1 - discount
    while weight > 1e-18:
        for k in range(n):
            total = total + weight * (matrices[k] @ mean + shifts[k])
            weight *= discount
        mean = matrices[n] @ mean + shifts[n]
    return total


def small_data(rng: np.random.Generator) -> Population:
    """Return five rows with equal probabilities."""
    X = rng.standard_normal((5, 2)) * [1.0, 0.5]
    return Population(X, X @ [1.0, -1.0] + rng.standard_normal(5), np.full(5, 0.2))


def check_passes(rng: np.random.Generator, alpha: float, runs: int) -> tuple[Array, Array, float, float]:
    """Return steps, differences to ridge of shuffled passes, z-score of the library's runs, error of full batches."""
    data = small_data(rng)
    exact = ridge(data, alpha)
    steps = np.array([0.5 / data.largest / 2**k for k in range(5)])
    off = np.array([difference(shuffled_expectation(data.x, data.y, step, alpha), exact) for step in steps])
    step, expected = float(steps[0]), shuffled_expectation(data.x, data.y, float(steps[0]), alpha)
    passes = int(np.ceil(30 / (step * alpha * 5)))
    seeds = rng.integers(2**31, size=runs).tolist()
    found = np.array(
        [
            run_sgd(data.x, data.y, step, passes, shuffle=True, store="sketch", random_state=seed).coef(
                Geometric(alpha)
            )
            for seed in seeds
        ]
    )
    z = (found.mean(axis=0) - expected) / (found.std(axis=0) / runs**0.5)
    whole = run_sgd(data.x, data.y, step, 5 * passes, batch_size=5).coef(Geometric(alpha))
    return steps, off, float(np.abs(z).max()), difference(whole, exact)


def check_settings(context: Context) -> Evidence:
    """Try averaging where the paper asks what it does: several passes, mini-batches, momentum, TD learning."""
    rng = context.rng()
    alpha = 0.3
    steps, off, z, batches = check_passes(rng, alpha, context.pick(400, 40))
    data = small_data(rng)
    momentum = shifted = 0.0
    for beta in (0.3, 0.6, 0.9):
        average = geometric_average(heavy_ball(data, 0.2, beta, 4000), 1 / (1 + 0.2 * alpha))
        momentum = max(momentum, difference(average, ridge(data, momentum_strength(alpha, 0.2, beta))))
        shifted = max(shifted, difference(average, ridge(data, alpha)))
    A, b = temporal_difference(rng, 8)
    iterates = [np.zeros(3)]
    for _ in range(4000):
        iterates.append(iterates[-1] + 0.1 * (b - A @ iterates[-1]))
    average = geometric_average(np.array(iterates), 1 / (1 + 0.1 * alpha))
    td = difference(average, np.linalg.solve(A + alpha * np.eye(3), b))
    s = np.geomspace(1e-2, 1e2, 120)
    iterated = residual_filter(NegativeBinomial(1.0, 3), s, 0.009, 10**7) - (1 / (s + 1)) ** 3
    flow = residual_filter(Poisson(100.0), s, 1e-3, 10**6) - np.exp(-0.1 * s)
    figure, (ax,) = new_figure()
    ax.loglog(steps, off, "o-", label="passes in fresh random orders, exact expectation")
    ax.loglog(steps, off[-1] * steps / steps[-1], "--", color="0.5", label="proportional to η")
    ax.set(xlabel="step η", ylabel="relative difference to ridge", title="Five rows, many passes, λ = 0.3")
    ax.legend(frameon=False)
    return Evidence(
        (
            support(
                "shuffled passes: slope of the difference to ridge against the step",
                slope(steps, off),
                0.8,
                at_least=True,
            ),
            support("mean of shuffled runs of the library against their exact expectation, standard errors", z, 4.5),
            support("full-batch runs of the library against ridge", batches, 1e-9),
            support("NegativeBinomial(1, 3) against iterated Tikhonov (1/(s+1))³", float(np.abs(iterated).max()), 1e-3),
            support("Poisson against gradient flow e^(-mean·ηs)", float(np.abs(flow).max()), 1e-2),
            support("heavy-ball momentum β: average against ridge at λ(1-βρ)", momentum, 1e-9),
            support("TD(0), mean recursion: average against (A+λ)⁻¹b", td, 1e-9),
        ),
        {
            "shuffled passes: difference to ridge at the largest step": float(off[0]),
            "momentum: difference to ridge at λ itself": shifted,
        },
        figure,
        "Passes without replacement leave a difference to ridge that vanishes with the step.",
    )


SETTINGS = Claim(
    27,
    Kind.QUESTION,
    "Other settings",
    "Does geometric averaging regularise accelerated or variance-reduced SGD, general linear stochastic "
    "approximation, and temporal-difference learning?",
    "In expectation, yes, wherever the mean recursion is linear: it takes b - Aw to (A+λ)⁻¹b for any A, symmetric or "
    "not (TD(0) here), and heavy-ball momentum β to ridge at λ(1-βρ). The library runs mini-batches, several passes "
    "and other stopping laws today. Open: finite-sample bounds for these, and losses other than squared error.",
    check_settings,
)
