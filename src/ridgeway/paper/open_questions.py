"""Item 27: other settings. What the library does today, what can be shown, and what stays open."""

from __future__ import annotations

import numpy as np

from ridgeway.averaging import Geometric, NegativeBinomial, Poisson
from ridgeway.paper.brute import difference, geometric_average
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.figures import new_figure
from ridgeway.paper.least_squares import ridge
from ridgeway.paper.population import Array, Population
from ridgeway.sgd import run_sgd
from ridgeway.theory import residual_filter


def heavy_ball(law: Population, step: float, momentum: float, n: int) -> Array:
    """Return the iterates of gradient descent with momentum on the law's risk, from 0."""
    before = w = np.zeros(law.x.shape[1])
    iterates = [w]
    for _ in range(n):
        before, w = w, w - step * (law.covariance @ w - law.moment) + momentum * (w - before)
        iterates.append(w)
    return np.array(iterates)


def momentum_strength(alpha: float, step: float, momentum: float) -> float:
    """Return the strength of the ridge solution that the geometric average of heavy-ball iterates has: alpha (1 - beta rho)."""
    return alpha * (1 - momentum / (1 + step * alpha))


def temporal_difference(rng: np.random.Generator, n_states: int) -> tuple[Array, Array]:
    """Return A and b of TD(0) with random features on a random Markov chain: w moves by step (b - A w), A not symmetric."""
    transition = rng.dirichlet(np.ones(n_states), size=n_states)
    values, vectors = np.linalg.eig(transition.T)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    stationary /= stationary.sum()
    features, rewards = rng.standard_normal((n_states, 3)), rng.standard_normal(n_states)
    weighted = features.T * stationary
    return np.asarray(weighted @ (features - 0.9 * transition @ features)), np.asarray(weighted @ rewards)


def check_settings(context: Context) -> Evidence:
    """Try averaging where the paper asks what it does: several passes, mini-batches, momentum, TD learning."""
    rng = context.rng()
    n, alpha = 50, 0.3
    X = rng.standard_normal((n, 4)) * [1.0, 0.7, 0.4, 0.2]
    y = X @ [1.0, -1.0, 2.0, 1.0] + rng.standard_normal(n)
    data = Population(X, y, np.full(n, 1 / n))
    exact = ridge(data, alpha)

    largest = 0.5 / float((X**2).sum(axis=1).max())
    off = []
    for share in (1.0, 0.5, 0.25, 0.125):
        passes = int(np.ceil(14 / (share * largest * alpha * n)))
        runs = [
            run_sgd(X, y, step=share * largest, passes=passes, shuffle=True, random_state=int(seed))
            for seed in rng.integers(2**31, size=context.pick(300, 40))
        ]
        off.append(difference(np.mean([run.coef(Geometric(alpha)) for run in runs], axis=0), exact))
    batches = [
        run_sgd(X, y, step=largest, passes=250, batch_size=10, shuffle=True, random_state=int(seed)).coef(Geometric(alpha))
        for seed in rng.integers(2**31, size=context.pick(40, 10))
    ]

    momentum = heavy = shifted = 0.0
    for beta in (0.3, 0.6, 0.9):
        iterates = heavy_ball(data, 0.2, beta, 4000)
        average = geometric_average(iterates, 1 / (1 + 0.2 * alpha))
        momentum = max(momentum, difference(average, ridge(data, momentum_strength(alpha, 0.2, beta))))
        shifted = max(shifted, difference(average, exact))
    A, b = temporal_difference(rng, 8)
    w, iterates = np.zeros(3), [np.zeros(3)]
    for _ in range(4000):
        w = w + 0.1 * (b - A @ w)
        iterates.append(w)
    heavy = difference(geometric_average(np.array(iterates), 1 / (1 + 0.1 * alpha)), np.linalg.solve(A + alpha * np.eye(3), b))

    s, step = np.geomspace(1e-2, 1e2, 120), 0.009
    iterated = residual_filter(NegativeBinomial(1.0, 3), s, step, 10**7) - (1 / (s + 1)) ** 3
    flow = residual_filter(Poisson(100.0), s, 1e-3, 10**6) - np.exp(-0.1 * s)
    figure, (ax,) = new_figure()
    ax.loglog(np.array([1.0, 0.5, 0.25, 0.125]) * largest, off, "o-", label="mean of shuffled runs against ridge")
    ax.loglog(np.array([1.0, 0.125]) * largest, np.array([1.0, 0.125]) * off[0], "--", color="0.5", label="proportional to η")
    ax.set(xlabel="step η", ylabel="relative difference", title="Many passes, fresh order each: n = 50, λ = 0.3")
    ax.legend(frameon=False)
    return Evidence(
        (
            support("shuffled passes over 50 rows against ridge at the largest step", off[0], 0.2),
            support("the same at an eighth of the step, over the former", off[-1] / off[0], 0.5),
            support("passes over shuffled mini-batches of 10 against ridge", difference(np.mean(batches, axis=0), exact), 0.1),
            support("NegativeBinomial(1, 3) against iterated Tikhonov (1/(s+1))³", float(np.abs(iterated).max()), 1e-3),
            support("Poisson against gradient flow e^(-mean·ηs)", float(np.abs(flow).max()), 1e-2),
            support("heavy-ball momentum β: average against ridge at λ(1-βρ)", momentum, 1e-9),
            support("TD(0), mean recursion: average against (A+λ)⁻¹b", heavy, 1e-9),
        ),
        {f"shuffled passes, difference at step {share:g} of the largest": d for share, d in zip((1.0, 0.5, 0.25, 0.125), off, strict=True)}
        | {"momentum: difference to ridge at λ itself": shifted},
        figure,
        "Passes without replacement leave a difference to ridge that vanishes with the step.",
    )


SETTINGS = Claim(
    27,
    Kind.QUESTION,
    "Other settings",
    "Does geometric averaging regularise accelerated or variance-reduced SGD, general linear stochastic approximation, and "
    "temporal-difference learning?",
    "In expectation, yes, wherever the mean recursion is linear: it takes b - Aw to (A+λ)⁻¹b for any A, symmetric or not (TD(0) here), "
    "and heavy-ball momentum β to ridge at λ(1-βρ). The library runs mini-batches, several passes and other stopping laws today. "
    "Open: finite-sample bounds for these, and losses other than squared error.",
    check_settings,
)
