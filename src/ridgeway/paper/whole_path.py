"""Items 8, 9, 10: results from one stored run: every tail, every lambda, and averages computed in parallel."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ridgeway.averaging import Geometric, Tail
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.exact import ExactRidgePath
from ridgeway.paper.brute import brute_iterates, difference, geometric_average, sample
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, printed, support
from ridgeway.paper.population import Array
from ridgeway.paper.svg_figures import new_figure
from ridgeway.rows import Float
from ridgeway.sgd import run_sgd
from ridgeway.trajectory import merge

ROUNDING = 1e-10


def tail_average(iterates: Array, tau: int) -> Array:
    """Return the mean of w_tau .. w_n."""
    return np.asarray(iterates[tau:].mean(axis=0))


def squared_errors(X: Array, y: Array, coefs: Float) -> Array:
    """Return the mean squared error of each row of `coefs`."""
    return np.asarray(((y[:, None] - X @ coefs.T) ** 2).mean(axis=0))


def combine(parts: list[Array], discount: float, starts: list[int], n_iterates: int) -> Array:
    """Return the average of all iterates from sums over batches, each discounted from its own start."""
    weights = discount ** np.array(starts)
    return np.asarray(weights @ np.array(parts) / (discount ** np.arange(n_iterates)).sum())


def check_tail(context: Context) -> Evidence:
    """Compare all tails of one stored run with means of iterates, and the tau that validation chooses."""
    rng = context.rng()
    worst = wrong_choice = 0.0
    for _ in range(context.pick(20, 5)):
        X, y, step = sample(rng, 300, 5)
        X, held, y, labels = X[:200], X[200:], y[:200], y[200:]
        taus = range(0, 200, 5)
        got = run_sgd(X, y, step=step).average([Tail(tau) for tau in taus])
        iterates = brute_iterates(X, y, step)
        expected = np.array([tail_average(iterates, tau) for tau in taus])
        worst = max(worst, difference(got, expected))
        chosen, best = (int(np.argmin(squared_errors(held, labels, coefs))) for coefs in (got, expected))
        wrong_choice += chosen != best
    return Evidence(
        (
            printed("40 tails of each stored run against means of iterates, largest relative difference", worst, 1e-10),
            printed("runs in which validation chose another τ than from scratch", wrong_choice, 0),
        )
    )


def check_path(context: Context) -> Evidence:
    """Form a path of 60 strengths from one pass by the estimator, and validate each."""
    rng = context.rng()
    n = context.pick(20_000, 4_000)
    X, y, _ = sample(rng, n + 2_000, 40)
    X /= X.std(axis=0) * (1 + np.arange(40)) ** 0.5
    y = X @ rng.standard_normal(40) * 0.3 + rng.standard_normal(len(y))
    X, held, y, labels = X[:n], X[n:], y[:n], y[n:]
    step = float(0.5 / (X**2).sum(axis=1).mean())
    alphas = np.geomspace(1e-4, 10, 60)
    fit = AveragedSGDRegressor(
        averaging="geometric", alpha=1.0, passes=1, step=step, shuffle=False, scale=False, fit_intercept=False
    ).fit(X, y)
    iterates = brute_iterates(X, y, step)
    expected = np.array([geometric_average(iterates, 1 / (1 + step * alpha)) for alpha in alphas])
    worst = difference(fit.path(alphas).coefs, expected)
    errors = ((labels[:, None] - fit.predict_path(held, alphas)) ** 2).mean(axis=0)
    brute = squared_errors(held, labels, expected)
    exact = ExactRidgePath(scale=False, fit_intercept=False).fit(X, y)
    ridge = ((labels[:, None] - exact.predict_path(held, alphas)) ** 2).mean(axis=0)
    figure, (ax,) = new_figure()
    ax.semilogx(alphas, ridge, color="0.2", lw=4, alpha=0.3, label="exact ridge")
    ax.semilogx(alphas, errors, ".-", label="geometric averages of one pass")
    ax.set(xlabel="λ", ylabel="mean squared error on rows held back", title=f"{n:,} rows, 40 columns")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed("60 averages from one pass against averages of stored iterates", worst, 1e-6),
            printed("their validation errors, largest relative difference", difference(errors, brute), 1e-6),
            printed("places on the grid between the two chosen λ", abs(int(errors.argmin()) - int(brute.argmin())), 0),
            support("best validated error over that of exact ridge", errors.min() / ridge.min(), 1.05),
        ),
        {
            "rows read by one pass": float(n),
            "rows read by regularised SGD, one run per λ": float(n * len(alphas)),
            "chosen λ": float(alphas[errors.argmin()]),
            "λ chosen by exact ridge": float(alphas[ridge.argmin()]),
        },
        figure,
        "Validation error of every λ from a single pass. At large λ the average depends on the first 1/(ηλ) rows only.",
    )


def check_parallel(context: Context) -> Evidence:
    """Divide stored iterates into batches, discount each from its own start, and combine the averages."""
    rng = context.rng()
    worst = rows = apart = 0.0
    for _ in range(context.pick(40, 10)):
        X, y, step = sample(rng, 4 * int(rng.integers(5, 50)), 3)
        alpha = float(10 ** rng.uniform(-2, 2))
        run = run_sgd(X, y, step=step)
        iterates = np.array([run.iterate(k) for k in range(len(y) + 1)])
        discount = 1 / (1 + step * alpha)
        cuts = np.sort(rng.choice(np.arange(1, len(y)), size=int(rng.integers(1, 7)), replace=False))
        edges = [0, *cuts.tolist(), len(y) + 1]
        parts = [discount ** np.arange(b - a) @ iterates[a:b] for a, b in pairwise(edges)]
        average = run.coef(Geometric(alpha))
        worst = max(worst, difference(combine(parts, discount, edges[:-1], len(y) + 1), average))
        # The survival form cuts the rows themselves: each worker needs its rows and their scalars only.
        gains = step * (y - np.einsum("ij,ij->i", X, iterates[:-1]))
        survival = Geometric(alpha).survival(np.arange(1, len(y) + 1), len(y), step)
        by_rows = [X[part].T @ (gains[part] * survival[part]) for part in np.array_split(np.arange(len(y)), 4)]
        rows = max(rows, difference(np.sum(by_rows, axis=0), average))
        # Runs of their own on four machines, whose sketches are merged: so all rows count also at a large lambda.
        sketches = [
            run_sgd(*part, step=step, store="sketch") for part in zip(np.split(X, 4), np.split(y, 4), strict=True)
        ]
        chains = run_sgd(X, y, step=step, chains=4).coef(Geometric(alpha))
        apart = max(apart, difference(merge(sketches).coef(Geometric(alpha)), chains))
    return Evidence(
        (
            printed("local averages combined with weights ρ^(first index) against the average", worst, ROUNDING),
            support("sums of S(j)Δ_j over four parts of the rows against the average", rows, ROUNDING),
            support("sketches of four runs apart, merged, against chains=4 of one call", apart, 1e-6),
        )
    )


TAIL = Claim(
    8,
    Kind.CONSTRUCTION,
    "Tail averages, and the choice of τ, from the same run",
    "The mean of the last n-τ iterates can be computed for every τ from one stored run, and τ chosen by validation.",
    "",
    check_tail,
)
PATH = Claim(
    9,
    Kind.CONSTRUCTION,
    "The whole path from one pass",
    "One pass of plain SGD is stored; every λ is then an average of the same iterates and can be validated, while "
    "regularised SGD runs again for each λ.",
    "",
    check_path,
)
PARALLEL = Claim(
    10,
    Kind.CONSTRUCTION,
    "Averaging in parallel",
    "The stored iterates are cut into K contiguous batches, each averaged with the same discount from its own first "
    "index a_k, and combined with suitable weights, which are ρ^(a_k).",
    "",
    check_parallel,
)
