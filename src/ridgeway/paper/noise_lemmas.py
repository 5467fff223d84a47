"""Items 31 and 32: the effect of label noise on an iterate, and the recurrence behind its bound."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, corrected, printed, support
from ridgeway.paper.population import Array, Population, random_population, round_population, second_moments
from ridgeway.paper.risk_lemmas import weighting
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import effective_dimension


def noise_left(law: Population, alpha: float, step: float, t: int) -> Array:
    """Return E|Sigma^{1/2} (Sigma + alpha)^{-1/2} sum_j M_{j,k} eps_j x_j|^2 for k = 0..t, exactly."""
    moments = second_moments(law, np.zeros(law.d), step, t) / step**2
    return np.asarray(np.einsum("ij,tij->t", weighting(law, alpha, -0.5), moments))


def printed_noise_bound(law: Population, alpha: float, step: float) -> float:
    """Return eta sigma^2 d2 / (2 - eta R^2)."""
    d2 = effective_dimension(np.linalg.eigvalsh(law.covariance), alpha).d2
    return step * law.noise * d2 / (2 - step * law.r2)


def right_noise_bound(law: Population, alpha: float, step: float) -> float:
    """Return sigma^2 d1 / (eta (2 - eta R^2))."""
    d1 = effective_dimension(np.linalg.eigvalsh(law.covariance), alpha).d1
    return law.noise * d1 / (step * (2 - step * law.r2))


def check_noise(context: Context) -> Evidence:
    """Compare both bounds with the exact value for random laws, and for rows of constant length."""
    rng = context.rng()
    broken = worst = round_worst = 0.0
    where = ""
    for k in range(context.pick(200, 40)):
        round_rows = k % 2 == 1
        law = (round_population if round_rows else random_population)(rng, 3, 7)
        step = float(rng.uniform(0.2, 1.0) * 0.5 / law.r2)
        alpha = float(np.trace(law.covariance) * 10 ** rng.uniform(-2, 1))
        left = noise_left(law, alpha, step, context.pick(1500, 1000))
        by_print = printed_noise_bound(law, alpha, step)
        if left[-1] / by_print > broken:
            broken, where = left[-1] / by_print, f"{left[-1]:.4g} > {by_print:.4g}, ηR² = {step * law.r2:.2g}"
        ratio = float(left.max()) / right_noise_bound(law, alpha, step)
        worst, round_worst = max(worst, ratio), max(round_worst, ratio if round_rows else 0.0)
    law = round_population(context.rng(), 3, 7)
    step, alpha = 0.5 / law.r2, 0.3
    figure, (ax,) = new_figure()
    ax.semilogy(np.arange(1, 121), noise_left(law, alpha, step, 120)[1:], label="exact")
    ax.axhline(right_noise_bound(law, alpha, step), color="#009E73", ls="--", label="corrected bound")
    ax.axhline(printed_noise_bound(law, alpha, step), color="#D55E00", ls=":", label="bound as printed")
    ax.set(xlabel="step t", ylabel="noise left in the iterate", title="rows of length 1, η = 1/(2R²), λ = 0.3")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed("exact over ησ²d₂/(2-ηR²), worst", broken, ONE_UP_TO_ROUNDING, where),
            corrected("exact over σ²d₁/(η(2-ηR²)), worst", worst, ONE_UP_TO_ROUNDING),
            support(
                "the same for rows of constant length, after many steps: attained", round_worst, 0.99, at_least=True
            ),
        ),
        figure=figure,
        caption="The effect of label noise on an iterate: the corrected bound is attained, the printed one is far "
        "exceeded.",
    )


def gap(law: Population, matrix: Array, step: float, steps: int) -> float:
    """Return the least eigenvalue of the recurrence's right side minus its left, relative to the left.

    E[M B M'] over k + 1..t is the step map applied t - k - 1 times to B.
    """
    fall = (matrix - law.step_map(matrix, step)) / (step * (2 - step * law.r2))
    left = law.covariance
    for _ in range(steps):
        fall, left = law.step_map(fall, step), law.step_map(left, step)
    return float(np.linalg.eigvalsh(fall - left)[0] / np.linalg.eigvalsh(left)[-1])


def check_recurrence(context: Context) -> Evidence:
    """Search for negative eigenvalues of the difference of the two sides."""
    rng = context.rng()
    by_print, right = 0.0, np.inf
    where = ""
    for _ in range(context.pick(300, 60)):
        law = random_population(rng, 3, 7)
        step = float(rng.uniform(0.1, 1.0) * 0.5 / law.r2)
        alpha = float(np.trace(law.covariance) * 10 ** rng.uniform(-2, 1))
        for steps in (0, 1, 10):
            least = gap(law, weighting(law, alpha, -0.5), step, steps)
            if least < by_print:
                by_print, where = least, f"λ/tr Σ = {alpha / np.trace(law.covariance):.2g}, t-k-1 = {steps}"
            right = min(right, gap(law, np.eye(3), step, steps))
    return Evidence(
        (
            printed("with Σ(Σ+λ)⁻¹: least eigenvalue of right minus left", by_print, -1e-9, where, at_least=True),
            corrected("with I: least eigenvalue of right minus left", right, -1e-9, at_least=True),
        )
    )


NOISE = Claim(
    31,
    Kind.LEMMA,
    "The noise in an iterate",
    "E|Σ^½(Σ+λ)^-½ Σ_j M_{j,t}ε_j x_j|² ≤ ησ² tr[Σ²(Σ+λ)⁻²] / (2-ηR²), for every t.",
    "The bound is σ² tr[Σ(Σ+λ)⁻¹] / (η(2-ηR²)), and rows of constant length attain it.",
    check_noise,
)
RECURRENCE = Claim(
    32,
    Kind.LEMMA,
    "The recurrence behind the noise lemma",
    "E[M_{k+1,t} Σ M'_{k+1,t}] ≤ (E[M_{k+1,t} B M'_{k+1,t}] - E[M_{k,t} B M'_{k,t}]) / (η(2-ηR²)) with B = Σ(Σ+λ)⁻¹.",
    "False with this B, for which Σ ≤ Σ²(Σ+λ)⁻¹ would be needed; true with B = I.",
    check_recurrence,
)
