"""Items 37 and 38: heavy ball and Nesterov's method, each with the discount that makes its average ridge."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ridgeway.paper.brute import difference, geometric_average
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, support
from ridgeway.paper.expectations import right_limit
from ridgeway.paper.least_squares import ridge
from ridgeway.paper.moment_recursion import average_moments, distances
from ridgeway.paper.population import Array, Population, random_population
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import heavy_ball_discount, nesterov_discount

MOMENTA = (0.0, 0.5, 0.9, 0.99)


def heavy_ball(law: Population, step: float, momentum: float, n: int, w0: Array) -> Array:
    """Return the iterates of gradient descent with heavy-ball momentum on the law's risk, (n + 1, d)."""
    before = w = w0
    iterates = [w]
    for _ in range(n):
        before, w = w, w - step * (law.covariance @ w - law.moment) + momentum * (w - before)
        iterates.append(w)
    return np.array(iterates)


def nesterov(law: Population, step: float, momentum: float, n: int, w0: Array) -> tuple[Array, Array]:
    """Return the iterates of Nesterov's method and its extrapolated points, (n + 1, d) each."""
    before = w = w0
    iterates, points = [], []
    for _ in range(n + 1):
        point = w + momentum * (w - before)
        iterates.append(w)
        points.append(point)
        before, w = w, point - step * (law.covariance @ point - law.moment)
    return np.array(iterates), np.array(points)


def momentum_strength(alpha: float, step: float, momentum: float) -> float:
    """Return alpha (1 - beta rho), the ridge strength of the heavy-ball average with the plain discount rho."""
    return alpha * (1 - momentum / (1 + step * alpha))


def shrinkage(discount: float, momentum: float) -> float:
    """Return 1 / (1 + beta (1 - zeta)), the average of Nesterov's iterates from 0 divided by ridge."""
    return 1 / (1 + momentum * (1 - discount))


def steps_to_forget(discount: float) -> int:
    """Return the number of steps after which the remaining weights sum to 1e-17."""
    return int(np.ceil(np.log(1e-17) / np.log(discount)))


def single_row_maps(law: Population, step: float, momentum: float, extrapolate: bool) -> Array:
    """Return the matrices by which one row changes the state (1, w_t, w_{t-1}), one per point, (k, 2d + 1, 2d + 1).

    With `extrapolate` the gradient is taken at the extrapolated point (Nesterov), otherwise at w_t (heavy ball).
    """
    k, d = law.x.shape
    one = np.eye(d)
    at = np.hstack([np.zeros((d, 1)), one, np.zeros((d, d))])  # reads w_t
    moved = at + momentum * np.hstack([np.zeros((d, 1)), one, -one])  # reads w_t + beta (w_t - w_{t-1})
    where = moved if extrapolate else at
    maps = np.zeros((k, 2 * d + 1, 2 * d + 1))
    maps[:, 0, 0] = 1
    maps[:, 1 : d + 1] = moved - step * law.x[:, :, None] * (law.x @ where)[:, None, :]
    maps[:, 1 : d + 1, 0] += step * law.x * law.y[:, None]
    maps[:, d + 1 :, 1 : d + 1] = one
    return maps


def single_row_distances(
    law: Population, alphas: Array, step: float, momentum: float, n: int, extrapolate: bool = False
) -> Array:
    """Return the exact root mean square distance to ridge of averages of n steps of one row each, (L,)."""
    d, discount = law.d, nesterov_discount if extrapolate else heavy_ball_discount
    weights = np.array([discount(alpha, step, momentum) ** np.arange(n + 1.0) for alpha in alphas])
    weights /= weights.sum(axis=1, keepdims=True)
    read = np.hstack([np.zeros((d, 1)), np.eye(d), np.zeros((d, d))])
    if extrapolate:
        read = read + momentum * np.hstack([np.zeros((d, 1)), np.eye(d), -np.eye(d)])
    maps = single_row_maps(law, step, momentum, extrapolate)
    mean, covariance = average_moments(maps, law.p, np.eye(2 * d + 1)[0], read, weights)
    return distances(mean, covariance, np.array([ridge(law, alpha) for alpha in alphas]))


def best_distances(law: Population, alphas: Array, momentum: float, n: int, extrapolate: bool = False) -> Array:
    """Return the least distance to ridge over a grid of steps, for each alpha."""
    steps = (1 - momentum) * 0.5 / law.r2 / 2.0 ** np.arange(-1, 15, 0.5)
    found = [single_row_distances(law, alphas, float(step), momentum, n, extrapolate) for step in steps]
    return np.asarray(np.min(found, axis=0))


def full_gradient_cases(context: Context) -> Iterator[tuple[Population, Array, float, float, float]]:
    """Yield random laws with a start, a momentum, a step up to 1 / s_max and a strength."""
    rng = context.rng()
    for _ in range(context.pick(12, 3)):
        law, w0 = random_population(rng, 3, 6), rng.standard_normal(3)
        largest = float(np.linalg.eigvalsh(law.covariance)[-1])
        for beta in MOMENTA:
            step = float(rng.uniform(0.1, 1.0) / largest)
            for alpha in largest * np.array([0.03, 0.3, 3.0]):
                yield law, w0, beta, step, float(alpha)


def check_heavy_ball(context: Context) -> Evidence:
    """Average heavy-ball iterates with full gradients, then with one row per step."""
    exact = plain = missed = centred = 0.0
    for law, w0, beta, step, alpha in full_gradient_cases(context):
        zeta, rho = heavy_ball_discount(alpha, step, beta), 1 / (1 + step * alpha)
        n = max(steps_to_forget(zeta), steps_to_forget(rho))
        iterates, solution = heavy_ball(law, step, beta, n, np.zeros(3)), ridge(law, alpha)
        exact = max(exact, difference(geometric_average(iterates, zeta), solution))
        wrong = geometric_average(iterates, rho)
        weaker = ridge(law, momentum_strength(alpha, step, beta))
        plain, missed = max(plain, difference(wrong, weaker)), max(missed, difference(wrong, solution))
        from_w0 = geometric_average(heavy_ball(law, step, beta, n, w0), zeta)
        centred = max(centred, difference(from_w0, right_limit(law, alpha, w0)))
    law, n = random_population(context.rng(), 2, 4), context.pick(1000, 200)
    alphas = np.geomspace(1e-2, 1e2, context.pick(13, 5)) * float(np.linalg.eigvalsh(law.covariance)[-1])
    best = {beta: best_distances(law, alphas, beta, n) for beta in (0.0, 0.5, 0.9)}
    figure, (ax,) = new_figure()
    for (beta, values), style in zip(best.items(), ("o-", "s--", "^:"), strict=True):
        ax.semilogx(alphas, 100 * values, style, ms=4, label=f"β = {beta:g}" if beta else "no momentum")
    ax.set(xlabel="λ", ylabel="distance to ridge, % (exact)", title=f"{n:,} steps of one row, best step for each λ")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    gain = max(float((best[0.0] / best[beta]).max()) for beta in (0.5, 0.9))
    return Evidence(
        (
            support("full gradients, β up to 0.99: average with discount ζ against ridge, relative", exact, 1e-9),
            support("from w_0 ≠ 0: against (Σ+λ)⁻¹(E[xy]+λw_0)", centred, 1e-9),
            support("with the plain discount ρ: against ridge at λ(1-βρ)", plain, 1e-9),
            support("and against ridge at λ itself, worst", missed, 0.03, at_least=True),
            support("one row a step, best step: distance without momentum over that with it, largest", gain, 1.05),
        ),
        {f"least distance to ridge over all λ, β = {beta:g}": float(values.min()) for beta, values in best.items()},
        figure,
        "With one row per step, the average with momentum is no closer to ridge than that of plain SGD at its best "
        "step.",
    )


def check_nesterov(context: Context) -> Evidence:
    """Average Nesterov's extrapolated points and iterates with full gradients, then with one row per step."""
    exact = centred = shrunk = 0.0
    costs: list[float] = []
    for law, w0, beta, step, alpha in full_gradient_cases(context):
        zeta, solution = nesterov_discount(alpha, step, beta), ridge(law, alpha)
        n = steps_to_forget(zeta)
        iterates, points = nesterov(law, step, beta, n, np.zeros(3))
        exact = max(exact, difference(geometric_average(points, zeta), solution))
        average = geometric_average(iterates, zeta)
        shrunk = max(shrunk, difference(average, shrinkage(zeta, beta) * solution))
        if beta > 0:
            costs.append(difference(average, solution))
        _, points = nesterov(law, step, beta, n, w0)
        centred = max(centred, difference(geometric_average(points, zeta), right_limit(law, alpha, w0)))
    law, n = random_population(context.rng(), 2, 4), context.pick(1000, 200)
    alphas = np.geomspace(1e-2, 1e2, 5) * float(np.linalg.eigvalsh(law.covariance)[-1])
    without = best_distances(law, alphas, 0.0, n)
    gain = max(float((without / best_distances(law, alphas, beta, n, True)).max()) for beta in (0.5, 0.9))
    products = np.geomspace(1e-3, 10, 100)
    figure, (ax,) = new_figure()
    for beta in MOMENTA[1:]:
        ax.loglog(
            products,
            [100 * (1 - shrinkage(nesterov_discount(x, 1.0, beta), beta)) for x in products],
            label=f"β = {beta:g}",
        )
    ax.set(xlabel="ηλ", ylabel="distance to ridge, %", title="Averaging w_t in place of the extrapolated points")
    ax.legend(frameon=False)
    return Evidence(
        (
            support("full gradients, β up to 0.99: average of the extrapolated points, relative", exact, 1e-9),
            support("from w_0 ≠ 0: against (Σ+λ)⁻¹(E[xy]+λw_0)", centred, 1e-9),
            support("average of the iterates w_t against ridge/(1+β(1-ζ))", shrunk, 1e-9),
            support("average of the iterates w_t against ridge, worst", max(costs), 0.03, at_least=True),
            support("one row a step, best step: distance without momentum over that with it, largest", gain, 1.05),
        ),
        {"average of the iterates w_t against ridge, least": min(costs)},
        figure,
        "If the iterates are averaged instead, the result is too small by the share β(1-ζ)/(1+β(1-ζ)) of ridge.",
    )


HEAVY_BALL = Claim(
    37,
    Kind.QUESTION,
    "Heavy ball with its own discount",
    "Does geometric averaging regularise accelerated methods? Heavy ball: w_{t+1} = w_t - ηg_t + β(w_t - w_{t-1}).",
    "Yes, exactly: a geometric average is a generating function of the iterates, so a linear recursion with fixed "
    "coefficients gives a resolvent. From a start without velocity, weights ζ^t with (1-ζ)(1-βζ) = ηλζ give ridge at "
    "λ; the plain ρ = 1/(1+ηλ) gives ridge at λ(1-βρ). With one row a step momentum brings no accuracy: at the best "
    "step for each λ the average is as far from ridge as without it. Wu, Braverman and Yang (ICML 2020) average "
    "accelerated methods, too.",
    check_heavy_ball,
)
NESTEROV = Claim(
    38,
    Kind.QUESTION,
    "Nesterov's method: average the extrapolated points",
    "Does geometric averaging regularise accelerated methods? Nesterov: y_t = w_t + β(w_t - w_{t-1}), "
    "w_{t+1} = y_t - ηg(y_t).",
    "Yes: the y_t with weights ζ^t, where (1+β)ζ - βζ² = 1/(1+ηλ), average to ridge at λ. The w_t do not: from 0 "
    "they average to ridge/(1+β(1-ζ)). With one row a step there is no gain in accuracy over plain SGD.",
    check_nesterov,
)
