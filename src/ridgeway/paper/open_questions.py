"""Item 27: other settings: what the library does, what can be shown, and what is open; continued in items 36 to 42."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from ridgeway.averaging import Geometric, NegativeBinomial, Poisson
from ridgeway.paper.brute import brute_iterates, difference, geometric_average
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.least_squares import ridge
from ridgeway.paper.population import Array, Population
from ridgeway.paper.spectra import slope
from ridgeway.paper.svg_figures import new_figure
from ridgeway.sgd import run_sgd
from ridgeway.theory import residual_filter


def saga_average(X: Array, y: Array, draws: Array, step: float, alpha: float) -> Array:
    """Return the geometric average of SAGA from 0 over these draws of rows, with a table of past gradients."""
    n, d = X.shape
    table = -y[:, None] * X  # gradients at 0
    w, iterates = np.zeros(d), [np.zeros(d)]
    for i in draws:
        fresh = (X[i] @ w - y[i]) * X[i]
        w = w - step * (fresh - table[i] + table.mean(axis=0))
        table = np.where(np.arange(n)[:, None] == i, fresh, table)
        iterates.append(w)
    return geometric_average(np.array(iterates), 1 / (1 + step * alpha))


def reduced_variance(data: Population, step: float, alpha: float, length: int) -> tuple[float, float]:
    """Return |E[SAGA average] - full-batch average| over all sequences of draws, and its spread relative to SGD."""
    descent = [np.zeros(data.d)]
    for _ in range(length):
        descent.append(descent[-1] - step * (data.covariance @ descent[-1] - data.moment))
    full = geometric_average(np.array(descent), 1 / (1 + step * alpha))
    draws = [np.array(draw) for draw in product(range(len(data.y)), repeat=length)]
    saga = np.array([saga_average(data.x, data.y, draw, step, alpha) for draw in draws])
    sgd = np.array(
        [geometric_average(brute_iterates(data.x[draw], data.y[draw], step), 1 / (1 + step * alpha)) for draw in draws]
    )
    return difference(saga.mean(axis=0), full), float((saga.var(axis=0).sum() / sgd.var(axis=0).sum()) ** 0.5)


def shuffled_expectation(X: Array, y: Array, step: float, alpha: float) -> Array:
    """Return the limit of E[geometric average] over passes in new random orders, computed over all orders."""
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
    """Check averages in other settings: several passes, mini-batches, other stopping laws, variance reduction."""
    rng = context.rng()
    alpha = 0.3
    steps, off, z, batches = check_passes(rng, alpha, context.pick(400, 40))
    data = small_data(rng)
    expected, spread = reduced_variance(data, 0.5 / data.largest, alpha, 4)
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
            support("SAGA, four steps, every sequence of draws: E[average] against gradient descent", expected, 1e-9),
        ),
        {
            "shuffled passes: difference to ridge at the largest step": float(off[0]),
            "spread of the average of SAGA over that of SGD, four steps": spread,
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
    "In expectation, yes, wherever the mean recursion is linear. Items 36 to 42 take the questions one by one: other "
    "steps, momentum, matrices that are not symmetric, Markov chains, other losses. Variance-reduced gradients (SAGA "
    "here) are unbiased given the past, so their average has the same expectation, ridge, and less noise. The library "
    "runs mini-batches, several passes and other stopping laws. Wu, Braverman and Yang, Obtaining adjustable "
    "regularization for free via iterate averaging (ICML 2020, arXiv 2008.06736), treat strongly convex smooth losses "
    "and accelerated and preconditioned methods. Open: bounds in the style of Theorem 1 for these.",
    check_settings,
)
