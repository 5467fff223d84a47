"""Item 39: linear stochastic approximation with a matrix that is not symmetric, as in TD learning."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.population import Array
from ridgeway.paper.reward_process import random_process, random_walk, two_states
from ridgeway.paper.svg_figures import COLORS, new_figure
from ridgeway.theory import LinearApproximation

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def random_system(rng: np.random.Generator, d: int, k: int, least: float) -> LinearApproximation:
    """Return a law on k random matrices; the eigenvalues of their mean have real parts from `least` on."""
    matrices = rng.standard_normal((k, d, d))
    p = rng.dirichlet(np.full(k, 3.0))
    mean = np.tensordot(p, matrices, 1)
    matrices += (least - np.linalg.eigvals(mean).real.min()) * np.eye(d)
    return LinearApproximation(matrices, rng.standard_normal((k, d)), p)


def mean_iterates(system: LinearApproximation, step: float, n: int, w0: Array) -> Array:
    """Return E[w_t] for t = 0 .. n, (n + 1, d), by its recursion."""
    A, b = np.tensordot(system.probability, system.matrices, 1), system.probability @ system.vectors
    means = [w0]
    for _ in range(n):
        means.append(means[-1] + step * (b - A @ means[-1]))
    return np.array(means)


def geometric_averages(means: Array, discount: float) -> Array:
    """Return the geometric averages of w_0 .. w_t for every t."""
    weights = discount ** np.arange(len(means), dtype=float)
    return np.asarray(np.cumsum(weights[:, None] * means, axis=0) / np.cumsum(weights)[:, None])


def solution(system: LinearApproximation, alpha: float, w0: Array) -> Array:
    """Return (A + alpha)^{-1} (b + alpha w_0), computed by the library."""
    return system.limit(alpha, w0)


def identity(system: LinearApproximation, alpha: float, step: float, n: int, w0: Array) -> tuple[Array, Array]:
    """Return both sides of (1 - rho^{n+1}) E[average] + rho^{n+1} E[w_n] = E[hat-w_n], over all sequences of draws."""
    rho = 1 / (1 + step * alpha)
    weights = rho ** np.arange(n + 1.0)
    left = right = np.zeros_like(w0)
    for draw in product(range(len(system.probability)), repeat=n):
        chance = float(np.prod(system.probability[list(draw)]))
        w, hat, total = w0, w0, weights[0] * w0
        for t, i in enumerate(draw, start=1):
            A, b = system.matrices[i], system.vectors[i]
            w = w + step * (b - A @ w)
            hat = hat + step * rho * (b - A @ hat - alpha * (hat - w0))
            total = total + weights[t] * w
        average = total / weights.sum()
        left = left + chance * ((1 - rho ** (n + 1)) * average + rho ** (n + 1) * w)
        right = right + chance * hat
    return left, right


def follow(rng: np.random.Generator, least: float) -> dict[str, float]:
    """Return the errors of the statements for a random system whose mean matrix has real parts from `least` on."""
    w0, step = rng.standard_normal(3), float(rng.uniform(0.1, 0.3))
    system = random_system(rng, 3, 4, least)
    radius = float(np.abs(np.linalg.eigvals(np.eye(3) - step * system.mean_matrix)).max())
    alpha = (max(radius, 1.0) / 0.9 - 1) / step  # rho * radius is at most 0.9
    means = mean_iterates(system, step, 500, w0)
    averages = geometric_averages(means, 1 / (1 + step * alpha))
    left, right = identity(system, alpha, step, 4, w0)
    found = {
        "limit": difference(averages[-1], solution(system, alpha, w0)),
        "library": difference(system.expected_average(alpha, step, 77, w0), averages[77]),
        "identity": difference(left, right),
        "real part": abs(system.least_alpha(1e-6) - max(0.0, -least)),
    }
    if radius > 1:
        weak = (radius / (1 + radius) * 2 - 1) / step  # rho * radius is half-way between 1 and the radius
        partial = geometric_averages(means, 1 / (1 + step * weak))
        off = np.linalg.norm(partial - solution(system, weak, w0), axis=1)
        found["too weak"] = float(off[-1] / off[0])
        found["iterates"] = float(np.linalg.norm(means[-1]) / np.linalg.norm(means[0]))
    return found


def check_limit(context: Context) -> Evidence:
    """Compute limits of expected averages, for random systems and for temporal differences."""
    rng = context.rng()
    found = [follow(rng, least) for _ in range(context.pick(30, 5)) for least in (0.2, -0.5)]
    worst = {name: max(errors[name] for errors in found) for name in ("limit", "library", "identity", "real part")}
    beyond = {name: [errors[name] for errors in found if name in errors] for name in ("too weak", "iterates")}
    td = LinearApproximation(*random_process(rng, 8, 3).drawn())
    alpha, step = 0.3, 0.1
    averages = geometric_averages(mean_iterates(td, step, 4000, np.zeros(3)), 1 / (1 + step * alpha))
    learned = difference(averages[-1], np.linalg.solve(td.mean_matrix + alpha * np.eye(3), td.mean_vector))
    return Evidence(
        (
            support("random systems, many divergent: E[average] against (A+λ)⁻¹(b+λw_0)", worst["limit"], 1e-9),
            support("TD(0) on a random chain of 8 states: the same from w_0 = 0", learned, 1e-9),
            support("E[average of 77 steps] by the library against the recursion", worst["library"], 1e-9),
            support("(1-ρ^{t+1})E[average] + ρ^{t+1}E[w_t] against E[ŵ_t], every draw", worst["identity"], 1e-9),
            support("E[w_{500}] over w_0 where radius(I-ηA) > 1, least", min(beyond["iterates"]), 10.0, at_least=True),
            support(
                "the same, ρ · radius above 1: growth of the distance, least",
                min(beyond["too weak"]),
                10.0,
                at_least=True,
            ),
            support("least λ for convergence at η = 10⁻⁶ against -min Re eig(A)", worst["real part"], 1e-3),
        ),
        {"systems": len(found), "of them with diverging iterates": len(beyond["iterates"])},
        limit_figure(),
        "Left: averages of TD(0) over 10,000 steps, in expectation (dots), are the regularised solutions (lines). "
        "Right: TD(0) that visits one of two states only diverges; its averages converge for λ > 0.8.",
    )


def limit_figure() -> Figure:
    """Draw the values of a random walk by averages of TD(0), and a divergent case whose averages converge."""
    figure, (left, right) = new_figure(2, size=(9.2, 4.0))
    walk = random_walk(11, 0.9)
    system, states = LinearApproximation(*walk.drawn()), np.arange(1, 12)
    left.plot(states, walk.values, color="0.2", lw=4, alpha=0.3, label="values")
    for color, alpha in zip(COLORS, (0.0, 0.02, 0.2), strict=False):
        left.plot(states, walk.features @ system.limit(alpha), color=color, label=f"λ = {alpha:g}")
        average = system.expected_average(alpha, 0.5, 10_000)
        left.plot(states, walk.features @ average, "o", ms=4, color=color)
    left.set(xlabel="state", ylabel="value", title="Random walk, reward at state 11")
    left.legend(frameon=False)
    system = LinearApproximation(*two_states()[0].drawn(two_states()[1]))
    means = mean_iterates(system, 0.1, 120, np.zeros(1))
    right.semilogy(np.abs(means[1:, 0]), color="0.2", label="|E[w_t]|")
    for alpha in (0.9, 1.2, 2.0):
        averages = geometric_averages(means, 1 / (1 + 0.1 * alpha))
        right.semilogy(
            np.abs(averages[1:, 0] / system.limit(alpha)[0] - 1), label=f"E[average], λ = {alpha:g}: distance"
        )
    right.set(xlabel="step t", ylabel="relative to the solution", title="Only the first of two states visited")
    right.legend(frameon=False, fontsize=9)
    return figure


LIMIT = Claim(
    39,
    Kind.QUESTION,
    "Linear stochastic approximation with a matrix that is not symmetric",
    "Does geometric averaging regularise w_t = w_{t-1} + η(b_t - A_t w_{t-1}) for any A = E[A_t], and so "
    "temporal-difference learning?",
    "Yes. The expected average tends to (A+λ)⁻¹(b+λw_0) exactly if ρ times the spectral radius of I-ηA is below 1: "
    "also where the iterates diverge, for small steps as soon as λ > -min Re eig(A). At finite t the identity of item "
    "14 holds unchanged: (1-ρ^{t+1})E[average] + ρ^{t+1}E[w_t] = E[ŵ_t], ŵ the iteration with A_t + λ and step ηρ.",
    check_limit,
)
