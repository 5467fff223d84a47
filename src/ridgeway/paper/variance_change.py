"""Item 24: when some lambda > 0 lowers the variance."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.claim import Claim, Context, Evidence, Kind, corrected, printed, support
from ridgeway.paper.population import Array
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import fourth_moment_r2, variance_reduction


def variance_bound(alpha: complex, s: Array, gamma: float, n: int) -> complex:
    """Return f(lambda) = (gamma lambda / 2 + 1/n) tr Sigma^2 (Sigma + lambda)^{-2}."""
    return complex((gamma * alpha / 2 + 1 / n) * (s**2 / (s + alpha) ** 2).sum())


def slope_at_zero(s: Array, gamma: float, n: int) -> float:
    """Return f'(0) by a complex step, which avoids cancellation."""
    tiny = 1e-20 * float(s.min())
    return variance_bound(1j * tiny, s, gamma, n).imag / tiny


def printed_threshold(gamma: float, d: int, n: int) -> float:
    """Return gamma d n / 2, the printed threshold of tr Sigma^{-1}."""
    return gamma * d * n / 2


def right_threshold(gamma: float, d: int, n: int) -> float:
    """Return gamma d n / 4, the correct threshold."""
    return gamma * d * n / 4


def check_proposition(context: Context) -> Evidence:
    """Compute the derivative of f at 0 for random spectra, and compare it with the exact variance."""
    rng = context.rng()
    meeting = rising = missed = wrong = disagree = exists = 0
    falling = 0
    total = context.pick(2000, 400)
    exactly = context.pick(60, 12)
    for k in range(total):
        d = int(rng.integers(1, 20))
        s = np.exp(rng.normal(0, rng.uniform(0.1, 3), d))
        n, gamma = int(10 ** rng.uniform(0, 5)), float(rng.uniform(0.05, 0.5) / s.sum())
        trace, fall = float((1 / s).sum()), slope_at_zero(s, gamma, n)
        if trace > printed_threshold(gamma, d, n):
            meeting += 1
            rising += fall > 0  # as the printed proof concludes
        elif fall < 0:
            missed += 1  # a case that the printed threshold does not see
        wrong += (fall < 0) != (trace > right_threshold(gamma, d, n))
        exists += variance_bound(1e9 * s.max(), s, gamma, n).real < d / n
        if k < exactly:
            step, length = 0.5 / fourth_moment_r2(s), min(n, 2000)
            found = variance_reduction(s, step, length, alphas=[1e-3 / (step * length)])
            falling += found.lowers_exact
            disagree += found.lowers_bound != (slope_at_zero(s, step, length) < 0)
    s = np.array([1.0, 0.3, 0.01])
    step, n = 0.5 / fourth_moment_r2(s), 300
    found = variance_reduction(s, step, n, alphas=np.geomspace(1e-4, 10, 80))
    figure, (ax,) = new_figure()
    ax.semilogx(found.alphas[1:], found.exact[1:] / found.exact[0], label="exact variance")
    ax.semilogx(found.alphas[1:], found.bound[1:] / found.bound[0], "--", label="f(λ), the bound's form")
    ax.axhline(1.0, color="0.5", lw=1, ls=":")
    ax.set(xlabel="λ", ylabel="over its value at λ = 0", title="s = 1, 0.3, 0.01, n = 300, η = 1/(2R²)")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed(
                "share of settings beyond the threshold with f'(0) > 0, as the proof has it",
                rising / meeting,
                1.0,
                at_least=True,
            ),
            corrected("settings where f'(0) < 0 and tr Σ⁻¹ > γdn/4 disagree", wrong, 0),
            support("settings where variance_reduction disagrees with the derivative", disagree, 0),
            support(
                "share of settings with f(λ) < d/n for some λ: as worded it always exists",
                exists / total,
                1.0,
                at_least=True,
            ),
        ),
        {
            "settings": total,
            "settings with tr Σ⁻¹ > γdn/2": meeting,
            "settings with f'(0) < 0 that γdn/2 leaves out": missed,
            "share of settings where the exact variance falls at λ = 0": falling / exactly,
        },
        figure,
        "A small λ lowers f and, a little, the exact variance. A larger λ raises both, until hardly anything is "
        "learned.",
    )


PROPOSITION = Claim(
    24,
    Kind.DISCUSSION,
    "Proposition 3: when a λ > 0 lowers the variance",
    "If tr Σ⁻¹ > γdn/2 there is a λ* > 0 with (γλ*/2 + 1/n) tr[Σ²(Σ+λ*)⁻²] < d/n, because then f'(0) > 0.",
    "f'(0) < 0, which is what lowers f, holds exactly when tr Σ⁻¹ > γdn/4. As worded the proposition says nothing: f "
    "→ 0 as λ → ∞, so such a λ* always exists. The exact variance falls at 0 even where f rises.",
    check_proposition,
)
