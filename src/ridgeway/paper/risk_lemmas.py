"""Items 29 and 30: the decomposition of the error, and the first bound on the risk of the average."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, corrected, printed
from ridgeway.paper.population import Array, Population, average_excess, random_population, second_moments
from ridgeway.sgd import run_sgd

PRINTED_EXPONENT = 0.5
RIGHT_EXPONENT = -0.5


def weighting(law: Population, alpha: float, exponent: float) -> Array:
    """Return Sigma (Sigma + alpha)^{2 exponent}, the matrix of |Sigma^{1/2} (Sigma + alpha)^exponent u|^2."""
    values, vectors = np.linalg.eigh(law.covariance)
    return np.asarray((vectors * (values * (values + alpha) ** (2 * exponent))) @ vectors.T)


def product_of_steps(X: Array, step: float) -> Array:
    """Return M_{i,j}: the factors I - step x x' of the rows in X, later ones to the left."""
    matrix = np.eye(X.shape[1])
    for row in X:
        matrix = matrix - step * np.outer(row, row @ matrix)
    return matrix


def decomposed(X: Array, residual: Array, v: Array, step: float) -> Array:
    """Return M_{0,t} v + step sum_j M_{j,t} eps_j x_j."""
    noise = [product_of_steps(X[j + 1 :], step) @ (residual[j] * X[j]) for j in range(len(X))]
    return np.asarray(product_of_steps(X, step) @ v + step * np.sum(noise, axis=0))


def first_risk_bound(
    law: Population, moments: Array, weights: Array, gamma: float, alpha: float, exponent: float
) -> float:
    """Return (2/gamma) sum_t p_t^2 E|Sigma^{1/2} (Sigma + alpha)^exponent (w_t - w*)|^2."""
    matrix = weighting(law, alpha, exponent)
    return float(2 / gamma * (weights**2 @ np.einsum("ij,tij->t", matrix, moments)))


def random_setting(rng: np.random.Generator, law: Population) -> tuple[float, float, int, Array, float]:
    """Return step, alpha, n, the weights p_t and gamma, within the conditions of the theorem."""
    step = float(rng.uniform(0.1, 1.0) * 0.5 / law.r2)
    alpha = float(rng.choice([0.0, 10 ** rng.uniform(-4, -0.01)]) / step)
    n = int(10 ** rng.uniform(0, 2.3))
    weights = (1 + step * alpha) ** -np.arange(n + 1.0)
    return step, alpha, n, weights / weights.sum(), step / (1 + step * alpha)


def check_decomposition(context: Context) -> Evidence:
    """Decompose the errors of runs, and compare the decomposition of the risk with its exact value."""
    rng = context.rng()
    worst = split = 0.0
    for _ in range(context.pick(60, 15)):
        law = random_population(rng, 3, 7)
        step, alpha, n, weights, _ = random_setting(rng, law)
        drawn = rng.choice(7, p=law.p, size=min(n, 40))
        w0 = rng.standard_normal(3)
        run = run_sgd(law.x[drawn], law.y[drawn], step=step, w0=w0)
        error = run.iterate(len(drawn)) - law.optimum
        worst = max(worst, difference(decomposed(law.x[drawn], law.residual[drawn], w0 - law.optimum, step), error))
        v = rng.standard_normal(3)
        matrix = weighting(law, alpha, RIGHT_EXPONENT)
        both, start, noise = (
            float(weights**2 @ np.einsum("ij,tij->t", matrix, moments))
            for moments in (
                second_moments(law, v, step, n),
                second_moments(law, v, step, n, noisy=False),
                second_moments(law, np.zeros(3), step, n),
            )
        )
        split = max(split, both / (2 * start + 2 * noise))
    return Evidence(
        (
            printed("w_t - w* of run_sgd against M_{0,t}(w₀-w*) + ηΣ M_{j,t}ε_j x_j, relative", worst, 1e-10),
            printed("the weighted sum of squares over twice its two parts, worst", split, ONE_UP_TO_ROUNDING),
        )
    )


def check_first_bound(context: Context) -> Evidence:
    """Compare the lemma, with either exponent, with the exact risk under random laws."""
    rng = context.rng()
    broken = worst = 0.0
    where = ""
    for _ in range(context.pick(400, 80)):
        law = random_population(rng, int(rng.integers(1, 4)), 7, noise=float(10 ** rng.uniform(-2, 1)))
        step, alpha, n, weights, gamma = random_setting(rng, law)
        moments = second_moments(law, rng.standard_normal((law.d,)), step, n)
        exact = average_excess(law, moments, weights, step)
        by_print = first_risk_bound(law, moments, weights, gamma, alpha, PRINTED_EXPONENT)
        if exact / by_print > broken:
            broken = exact / by_print
            where = f"E excess = {exact:.4g} > {by_print:.4g}: d = {law.d}, n = {n}, ηλ = {step * alpha:.2g}"
        worst = max(worst, exact / first_risk_bound(law, moments, weights, gamma, alpha, RIGHT_EXPONENT))
    return Evidence(
        (
            printed("exact risk over the bound with exponent +1/2, worst", broken, ONE_UP_TO_ROUNDING, where),
            corrected("exact risk over the bound with exponent -1/2, worst", worst, ONE_UP_TO_ROUNDING),
        )
    )


DECOMPOSITION = Claim(
    29,
    Kind.LEMMA,
    "The decomposition of the error",
    "With M_{i,j} the product of I-ηx_kx_k' over k = i+1..j, w_t - w* = M_{0,t}(w₀-w*) + ηΣ_j M_{j,t}ε_j x_j; the "
    "weighted squares of the sum are at most twice those of the two parts.",
    "",
    check_decomposition,
)
FIRST_BOUND = Claim(
    30,
    Kind.LEMMA,
    "The first bound on the risk",
    "E excess ≤ (2c_n²/γ) Σ_t ρ^{2t} E|Σ^½(Σ+λ)^½(w_t-w*)|².",
    "The exponent is -½: Σ^½(Σ+λ)^-½. The printed form is violated.",
    check_first_bound,
)
