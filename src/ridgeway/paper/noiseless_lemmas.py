"""Items 33 and 34: the noiseless process, and the operator T that describes it."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.brute import difference
from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, printed, support
from ridgeway.paper.population import Array, Population, random_population, round_population, second_moments
from ridgeway.paper.risk_lemmas import product_of_steps, weighting

PRINTED_CONSTANT = 1 / 4
SHARP_CONSTANT = 1 / 6


def noiseless_sum(law: Population, v: Array, alpha: float, step: float, n: int) -> float:
    """Return Delta_1 = sum_t rho^{2t} E|Sigma^{1/2} (Sigma + alpha)^{-1/2} M_{0,t} v|^2, t = 0..n."""
    moments = second_moments(law, v, step, n, noisy=False)
    discounts = (1 + step * alpha) ** (-2.0 * np.arange(n + 1))
    return float(discounts @ np.einsum("ij,tij->t", weighting(law, alpha, -0.5), moments))


def noiseless_bound(law: Population, v: Array, alpha: float, step: float, constant: float) -> float:
    """Return tr[Sigma (Sigma+a)^{-1} (Sigma+a/2)^{-1} vv'] / (2 gamma) + constant d1 v'(Sigma+a/2)^{-1}v / gamma."""
    values, vectors = np.linalg.eigh(law.covariance)
    v2 = (vectors.T @ v) ** 2
    first = float((values / (values + alpha) / (values + alpha / 2) * v2).sum())
    second = float((values / (values + alpha)).sum() * (v2 / (values + alpha / 2)).sum())
    return (first / 2 + constant * second) * (1 + step * alpha) / step


def check_noiseless(context: Context) -> Evidence:
    """Compare the sum with its bound for random laws, and for the single direction that nearly attains it."""
    rng = context.rng()
    worst = {PRINTED_CONSTANT: 0.0, SHARP_CONSTANT: 0.0}
    where = ""
    for k in range(context.pick(300, 60)):
        law = (round_population if k % 2 else random_population)(rng, 1 + k % 4 // 2 * 2, 6)
        share = 1.0 if k % 3 else float(rng.uniform(0.1, 1.0))
        step = share * 0.5 / law.r2
        alpha = float(np.trace(law.covariance) * 10 ** rng.uniform(-4, 1))
        v = rng.standard_normal((law.d,))
        exact = noiseless_sum(law, v, alpha, step, context.pick(2000, 600))
        for constant in (PRINTED_CONSTANT, SHARP_CONSTANT):
            ratio = exact / noiseless_bound(law, v, alpha, step, constant)
            if ratio > worst[constant]:
                worst[constant] = ratio
                where = f"d = {len(v)}, λ/tr Σ = {alpha / np.trace(law.covariance):.2g}, ηR² = {step * law.r2:.2g}"
    return Evidence(
        (
            printed("Δ₁ over its bound with 1/4, worst", worst[PRINTED_CONSTANT], ONE_UP_TO_ROUNDING),
            support("Δ₁ over its bound with 1/6, worst", worst[SHARP_CONSTANT], ONE_UP_TO_ROUNDING, where),
            support("the same: 1/6 is nearly sharp", worst[SHARP_CONSTANT], 0.99, where, at_least=True),
        )
    )


def operator(law: Population, step: float) -> Array:
    """Return T A = Sigma A + A Sigma - eta E[<x, A x> x x'] as a matrix on symmetric A, in an orthonormal basis."""
    basis = symmetric_basis(law.d)
    images = [law.covariance @ A + A @ law.covariance - step * law.sandwich(A) for A in basis]
    return np.array([[float(np.sum(A * image)) for image in images] for A in basis])


def symmetric_basis(d: int) -> list[Array]:
    """Return an orthonormal basis of symmetric d x d matrices."""
    basis = []
    for i in range(d):
        for j in range(i + 1):
            matrix = np.zeros((d, d))
            matrix[i, j] = matrix[j, i] = 1.0 if i == j else 0.5**0.5
            basis.append(matrix)
    return basis


def check_operator(context: Context) -> Evidence:
    """Compare powers of I - eta T with means over all sequences of draws, and compute its eigenvalues."""
    rng = context.rng()
    semigroup = symmetry = 0.0
    least, radius, threshold = np.inf, 0.0, np.inf
    for _ in range(context.pick(40, 8)):
        law = random_population(rng, 2, 3)
        step = float(rng.uniform(0.2, 1.0) * 0.5 / law.r2)
        T, basis = operator(law, step), symmetric_basis(2)
        symmetry = max(symmetry, float(np.abs(T - T.T).max() / np.abs(T).max()))
        values = np.linalg.eigvalsh((T + T.T) / 2)
        least, radius = min(least, values[0] / values[-1]), max(radius, float(np.abs(1 - step * values).max()))
        A = rng.standard_normal((2, 2))
        A = A + A.T
        coordinates = np.array([np.sum(A * E) for E in basis])
        for t in (1, 2, 5):
            moved = np.linalg.matrix_power(np.eye(len(T)) - step * T, t) @ coordinates
            image = np.tensordot(moved, np.array(basis), axes=1)
            brute = sum(p * (M := product_of_steps(X, step)).T @ A @ M for p, X, _ in law.sequences(t))
            semigroup = max(semigroup, difference(image, np.asarray(brute)))
        beyond = operator(law, 1.9 / law.r2)
        threshold = min(threshold, float(np.linalg.eigvalsh(beyond)[0] / np.abs(beyond).max()))
    return Evidence(
        (
            printed("(I-ηT)^t A against E[M'_{0,t} A M_{0,t}] over all sequences, relative", semigroup, 1e-10),
            printed("T against its transpose, relative", symmetry, 1e-10),
            printed("least eigenvalue of T over its largest, least", least, 0.0, at_least=True),
            printed("norm of I-ηT, largest", radius, ONE_UP_TO_ROUNDING),
            support(
                "least eigenvalue of T at η = 1.9/R², relative: positive up to η = 2/R²", threshold, 0.0, at_least=True
            ),
        )
    )


NOISELESS = Claim(
    33,
    Kind.LEMMA,
    "The noiseless process",
    "Δ₁ ≤ tr[Σ(Σ+λ)⁻¹(Σ+λ/2)⁻¹E₀]/(2γ) + tr[Σ(Σ+λ)⁻¹] tr[(Σ+λ/2)⁻¹E₀]/(4γ), where Δ₁ sums ρ^{2t} E|Σ^½(Σ+λ)^-½ "
    "M_{0,t}v|² and E₀ = vv'.",
    "It holds, and the constant 1/4 may be 1/6 (in general ηR²/(2(2-ηR²))), which a single direction attains as λ → 0.",
    check_noiseless,
)
OPERATOR = Claim(
    34,
    Kind.LEMMA,
    "The operator T and its powers",
    "TA = ΣA + AΣ - ηE[⟨x,Ax⟩xx'] is Hermitian and positive for the steps allowed, E[M'_{0,t} A M_{0,t}] = (I-ηT)^t "
    "A, and the norm of I-ηT is below 1.",
    "",
    check_operator,
)
