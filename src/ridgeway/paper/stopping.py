"""Items 11 and 26: the average as a random stopping time, its mean, and the ridge solution in expectation."""

from __future__ import annotations

import numpy as np

from ridgeway.averaging import Geometric
from ridgeway.paper.brute import sample
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, corrected, printed, support
from ridgeway.paper.svg_figures import new_figure
from ridgeway.sgd import run_sgd
from ridgeway.theory import residual_filter


def printed_law(discount: float, k: np.ndarray) -> np.ndarray:
    """Return P(G = k) as printed: geometric weights on k = 1, 2, ..."""
    return np.where(k >= 1, (1 - discount) * discount**k, 0.0)


def right_law(discount: float, k: np.ndarray) -> np.ndarray:
    """Return P(G = k) on k = 0, 1, 2, ..."""
    return (1 - discount) * discount**k


def printed_mean(step: float, alpha: float) -> float:
    """Return E[G] as printed, 1/(gamma lambda)."""
    return (1 + step * alpha) / (step * alpha)


def right_mean(step: float, alpha: float) -> float:
    """Return E[G]."""
    return 1 / (step * alpha)


def check_random_stopping(context: Context) -> Evidence:
    """Draw stopping times by the library, and compare the mean of the stopped iterates with the average."""
    rng = context.rng()
    draws = context.pick(200_000, 40_000)
    worst_z = worst_frequency = exact = 0.0
    for alpha in (0.05, 0.5, 5.0):
        X, y, step = sample(rng, 120, 3)
        run, scheme = run_sgd(X, y, step=step), Geometric(alpha / step / 20)
        iterates = np.array([run.iterate(k) for k in range(len(y) + 1)])
        weights, average = scheme.weights(len(y), step), run.coef(scheme)
        exact = max(exact, float(np.abs(weights @ iterates - average).max() / np.abs(average).max()))
        times = scheme.sample(len(y), step, rng, draws)
        stopped = iterates[times]
        z = (stopped.mean(axis=0) - average) / (stopped.std(axis=0) / draws**0.5)
        worst_z = max(worst_z, float(np.abs(z).max()))
        counts = np.bincount(times, minlength=len(y) + 1)
        z = (counts - draws * weights) / np.sqrt(np.maximum(draws * weights * (1 - weights), 5.0))
        worst_frequency = max(worst_frequency, float(np.abs(z).max()))
    return Evidence(
        (
            printed("Σ P(G=t) w_t against the average, relative", exact, 1e-11),
            printed(f"mean of {draws:,} stopped iterates against the average, standard errors", worst_z, 4.5),
            printed("frequencies of the 121 stopping times against P(G=t), standard errors", worst_frequency, 5.5),
        )
    )


def check_mean_time(context: Context) -> Evidence:
    """Sum the law of G, draw from it, and compute the share of each direction that a run stopped at G has learned."""
    rng = context.rng()
    mass = wrong = right = recovered = stopped_mean = 0.0
    where = ""
    draws = context.pick(400_000, 80_000)
    for _ in range(context.pick(12, 5)):
        step = float(rng.uniform(0.05, 0.9))
        alpha = float(rng.uniform(0.05, 0.9) / step)
        discount = 1 / (1 + step * alpha)
        n = int(np.ceil(np.log(1e-19) / np.log(discount)))
        k = np.arange(n + 1)
        law = right_law(discount, k)
        mean = float(law @ k)
        mass = max(mass, abs(printed_law(discount, k).sum() - 1))
        off = abs(printed_mean(step, alpha) / mean - 1)
        if off > wrong:
            wrong, where = off, f"ηλ = {step * alpha:.3g}: E G = {mean:.4g}, 1/(γλ) = {printed_mean(step, alpha):.4g}"
        right = max(right, abs(right_mean(step, alpha) / mean - 1))
        eigenvalues = np.array([0.01, 0.1, 0.5, 1.0])
        learned = law @ (1 - (1 - step * eigenvalues) ** k[:, None])  # E over G of what w_G has of w*
        recovered = max(recovered, float(np.abs(learned - eigenvalues / (eigenvalues + alpha)).max()))
        times = Geometric(alpha).sample(n, step, rng, draws)
        stopped_mean = max(stopped_mean, abs(times.mean() - mean) / (times.std() / draws**0.5))
    step, alpha = 0.01, 1.0
    places = np.geomspace(1e-2, 1e2, 200)
    ridge = places / (places + alpha)
    at_mean = 1 - (1 - step * places) ** round(1 / (step * alpha))
    random = 1 - residual_filter(Geometric(alpha), places, step, 10**5)
    figure, (ax,) = new_figure()
    ax.semilogx(places, ridge, color="0.2", lw=4, alpha=0.3, label="ridge, s/(s+λ)")
    ax.semilogx(places, random, label="stopped at a geometric time G")
    ax.semilogx(places, at_mean, "--", label="stopped at the fixed time 1/(ηλ)")
    ax.set(xlabel="eigenvalue s of Σ", ylabel="share of the solution learned, in expectation", title="λ = 1, η = 0.01")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed("P(G = k) on k ≥ 1: distance of the total from 1", mass, 1e-9),
            printed("E G against 1/(γλ), relative", wrong, 1e-9, where),
            corrected("E G on k ≥ 0 against 1/(ηλ), relative", right, 1e-9),
            corrected("E w_G against ridge, largest difference in a direction", recovered, 1e-12),
            support(f"mean of {draws:,} times drawn by the library, standard errors", stopped_mean, 4.5),
            support(
                "stopping at the fixed time 1/(ηλ) misses ridge by", np.abs(at_mean - ridge).max(), 0.05, at_least=True
            ),
        ),
        figure=figure,
        caption="Random stopping is ridge exactly; stopping at the fixed time of the same mean is only like it.",
    )


RANDOM_STOPPING = Claim(
    11,
    Kind.CONSTRUCTION,
    "Probabilistic early stopping",
    "Stop the run at a geometrically distributed time G; the geometric average is the expectation over G of the "
    "iterate.",
    "",
    check_random_stopping,
)
MEAN_TIME = Claim(
    26,
    Kind.DISCUSSION,
    "The stopping time 1/(ηλ), and exact recovery of ridge",
    "A run stopped at a geometric time on k = 1, 2, … of mean 1/(γλ) has exactly the ridge solution as its "
    "expectation.",
    "The time lives on k = 0, 1, 2, … and its mean is 1/(ηλ); the weights printed for k ≥ 1 sum to 1-γλ. With these "
    "the expectation is ridge exactly.",
    check_mean_time,
)
