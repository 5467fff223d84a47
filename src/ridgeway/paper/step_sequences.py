"""Item 36: arbitrary sequences of steps, and one run whose averages are ridge for every lambda."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, support
from ridgeway.paper.least_squares import ridge
from ridgeway.paper.moment_recursion import average_moments, distances
from ridgeway.paper.population import Array, Population, random_population
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import averaging_weights, expected_path

STRENGTHS = np.geomspace(0.01, 1000.0, 11)  # alpha over the largest eigenvalue


def sequences(rng: np.random.Generator, n: int) -> dict[str, Array]:
    """Return n steps of several kinds, as multiples of 1/s_max."""
    k = np.arange(1, n + 1)
    return {
        "growing": np.geomspace(1e-4, 1.0, n),
        "staircase": 2.0 ** (np.minimum(k * 16 // n, 11) - 11),
        "falling": k**-0.5,
        "arbitrary": np.minimum(np.exp(rng.normal(-2, 1.5, n)), 1.9),
        "arbitrary, some diverging": np.where(rng.random(n) < 0.1, 2.6, rng.uniform(0.01, 1.0, n)),
    }


def mean_iterates(law: Population, steps: Array, w0: Array) -> Array:
    """Return E[w_t] for t = 0 .. T, (T + 1, d), by its recursion."""
    means = [w0]
    for step in steps:
        means.append(means[-1] - step * (law.covariance @ means[-1] - law.moment))
    return np.array(means)


def mean_regularised(law: Population, alpha: float, steps: Array, w0: Array) -> Array:
    """Return the expected last iterate of SGD on the ridge objective centred at w_0, steps eta/(1 + eta alpha)."""
    mean = w0
    for step in steps / (1 + steps * alpha):
        mean = mean - step * (law.covariance @ mean - law.moment + alpha * (mean - w0))
    return mean


def average_of_draws(X: Array, y: Array, steps: Array, weights: Array) -> Array:
    """Return the weighted average of the iterates over these rows."""
    w, total = np.zeros(X.shape[1]), weights[0] * np.zeros(X.shape[1])
    for row, label, step, weight in zip(X, y, steps, weights[1:], strict=True):
        w = w - step * (row @ w - label) * row
        total = total + weight * w
    return np.asarray(total)


def in_eigenbasis(law: Population, w0: Array, alphas: Array, steps: Array) -> Array:
    """Return the library's expected path in the coordinates of the law."""
    values, basis = np.linalg.eigh(law.covariance)
    path = expected_path(alphas, np.maximum(values, 0), basis.T @ law.optimum, steps[:-1], steps[-1], basis.T @ w0)
    return np.asarray(path @ basis.T)


def step_maps(law: Population, steps: Array) -> Array:
    """Return the matrices that map (1, w_{t-1}) to (1, w_t), for each step and point, (T, k, d + 1, d + 1)."""
    k, d = law.x.shape
    moves = np.zeros((k, d + 1, d + 1))
    moves[:, 1:, 0] = law.x * law.y[:, None]
    moves[:, 1:, 1:] = -law.x[:, :, None] * law.x[:, None, :]
    return np.asarray(np.eye(d + 1) + steps[:, None, None, None] * moves)


def run_distances(law: Population, alphas: Array, steps: Array) -> Array:
    """Return the exact root mean square distance to ridge of the average of one run, (L,)."""
    weights = np.array([averaging_weights(alpha, steps[:-1], steps[-1]) for alpha in alphas])
    read = np.eye(law.d + 1)[1:]
    mean, covariance = average_moments(step_maps(law, steps[:-1]), law.p, np.eye(law.d + 1)[0], read, weights)
    return distances(mean, covariance, np.array([ridge(law, alpha) for alpha in alphas]))


def check_expectations(context: Context) -> tuple[float, float, float, float, float]:
    """Return the worst errors: closed form, limit (all kinds but two), its rate, identity with regularised SGD."""
    rng, n = context.rng(), 6000
    closed = limit = rate = identity = started = 0.0
    for _ in range(context.pick(10, 3)):
        law, w0 = random_population(rng, 3, 6), rng.standard_normal(3)
        largest = float(np.linalg.eigvalsh(law.covariance)[-1])
        alphas = STRENGTHS * largest
        for name, multiples in sequences(rng, n + 1).items():
            steps = multiples / largest
            means, from_w0 = mean_iterates(law, steps[:-1], np.zeros(3)), mean_iterates(law, steps[:-1], w0)
            path, path_w0 = in_eigenbasis(law, np.zeros(3), alphas, steps), in_eigenbasis(law, w0, alphas, steps)
            for i, alpha in enumerate(alphas):
                p = averaging_weights(alpha, steps[:-1], steps[-1])
                left = float(np.exp(-np.log1p(steps * alpha).sum()))  # Pi_{T+1}
                exact, average = ridge(law, alpha), p @ means
                closed = max(closed, difference(path[i], average))
                started = max(started, difference(path_w0[i], p @ from_w0))
                if left < 1e-13:
                    limit = max(limit, difference(average, exact))
                if "diverging" not in name:
                    off = np.linalg.norm(average - exact) / np.linalg.norm(exact - law.optimum)
                    rate = max(rate, float(off / (2 * left / (1 - left) + 1e-11)))
                hat = mean_regularised(law, alpha, steps[:60], w0)
                share = float(np.exp(-np.log1p(steps[:61] * alpha).sum()))
                p = averaging_weights(alpha, steps[:60], steps[60])
                identity = max(identity, difference((1 - share) * p @ from_w0[:61] + share * from_w0[60], hat))
    return closed, limit, rate, identity, started


def check_draws(context: Context) -> float:
    """Return the difference of the mean over all sequences of draws from the closed form, for five steps."""
    rng, worst = context.rng(), 0.0
    for _ in range(context.pick(6, 2)):
        law = random_population(rng, 2, 3)
        steps = np.exp(rng.normal(-1, 1, 6)) / law.largest
        for alpha in law.largest * np.array([0.01, 1.0, 100.0]):
            p = averaging_weights(alpha, steps[:-1], steps[-1])
            mean = sum(chance * average_of_draws(X, y, steps[:-1], p) for chance, X, y in law.sequences(5))
            worst = max(
                worst, difference(in_eigenbasis(law, np.zeros(2), np.array([alpha]), steps)[0], np.asarray(mean))
            )
    return worst


def check_steps(context: Context) -> Evidence:
    """Average runs with steps of all kinds, in expectation and with their noise."""
    closed, limit, rate, identity, started = check_expectations(context)
    draws = check_draws(context)
    law = random_population(context.rng(), 2, 5)
    largest = float(np.linalg.eigvalsh(law.covariance)[-1])
    finite = 1 / np.arange(1.0, 20_002) ** 2 / largest  # steps with a finite sum
    short = difference(in_eigenbasis(law, np.zeros(2), np.array([largest / 10]), finite)[0], ridge(law, largest / 10))
    n, top = context.pick(8000, 4000), 0.5 / law.r2
    climb = n // 4
    growing = np.append(top * 2.0 ** np.floor(np.linspace(-10, 0, climb)), np.full(n + 1 - climb, top))
    kinds = {"constant": np.full(n + 1, top), "growing by stairs": growing}
    alphas = np.geomspace(1e-2, 1e2, 17) * largest
    found = {name: run_distances(law, alphas, steps) for name, steps in kinds.items()}
    figure, (left_ax, ax) = new_figure(2, size=(9.2, 4.0))
    for name, steps in kinds.items():
        left_ax.semilogy(steps * largest, label=name)
        ax.loglog(alphas / largest, 100 * found[name], "o-", ms=3, label=name)
    left_ax.set(xlabel="step t", ylabel="η_t · s_max", title="Two step sequences")
    left_ax.legend(frameon=False)
    ax.set(xlabel="λ / s_max", ylabel="distance to ridge, % (exact)", title="One run of each, every λ")
    ax.set_ylim(bottom=1)
    ax.legend(frameon=False)
    ratio = found["constant"] / found["growing by stairs"]
    return Evidence(
        (
            support("Σ p_k E[w_k] against its closed form, growing, falling, arbitrary steps, relative", closed, 1e-9),
            support("the same from a start other than 0", started, 1e-9),
            support("the closed form against the mean over every sequence of draws, relative", draws, 1e-9),
            support("Σ p_k E[w_k] against ridge where Π_{T+1} < 1e-13, relative", limit, 1e-9),
            support(
                "distance to ridge over its bound 2Π_{T+1}/(1-Π_{T+1}), steps up to 2/s_max, worst",
                rate,
                ONE_UP_TO_ROUNDING,
            ),
            support("(1-Π_{t+1}) E[average] + Π_{t+1} E[w_t] against regularised SGD, relative", identity, 1e-9),
            support("steps 1/t², whose sum is finite: distance to ridge", short, 0.05, at_least=True),
            support(
                "noise of one run at λ = 100 s_max: constant over growing steps", float(ratio[-1]), 5.0, at_least=True
            ),
        ),
        {
            "distance to ridge at λ = 100 s_max, constant step": float(found["constant"][-1]),
            "distance to ridge at λ = 100 s_max, growing steps": float(found["growing by stairs"][-1]),
            "distance to ridge at λ = 0.01 s_max, constant step": float(found["constant"][0]),
            "distance to ridge at λ = 0.01 s_max, growing steps": float(found["growing by stairs"][0]),
        },
        figure,
        "Both runs are ridge in expectation at every λ. With a constant step, averages of strong λ depend on "
        "the first few noisy steps; with a growing step every average depends on many steps.",
    )


STEPS = Claim(
    36,
    Kind.QUESTION,
    "Any sequence of steps, every λ at once",
    "The paper's steps are constant. Is the average still ridge when they change, and one run enough for all λ?",
    "Yes. With ρ_j = 1/(1+η_jλ), Π_k = ρ_1⋯ρ_k and weights p_k = (1-ρ_{k+1})Π_k the expected average is "
    "(Σ+λ)⁻¹(E[xy]+λw_0) for every λ, whatever the steps, provided that they add up without limit. After T steps, with "
    "weights divided by 1-Π_{T+1}, a direction s misses λ/(s+λ) · (1-P(s))/(1-P(0)), where P(s) = "
    "Π_{T+1} ∏(1-η_j s). Steps that grow bring the noise of one run down at strong λ.",
    check_steps,
)
