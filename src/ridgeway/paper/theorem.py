"""Item 18: the main theorem and its sharper form, compared with exact risks over a grid of problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from ridgeway.averaging import Geometric
from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, printed, support
from ridgeway.paper.population import Array
from ridgeway.paper.svg_figures import new_figure
from ridgeway.theory import Bound, bound, excess_risk, fourth_moment_r2

FORMS = ("paper", "sharp")
KURTOSES = (1.0, 1.8, 3.0, 10.0)
LENGTHS = (1, 3, 10, 100, 1000, 10_000)
STRENGTHS = (0.0, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.99)  # eta alpha
SHARES = (1.0, 0.5, 0.1)  # step sizes as shares of the largest step, 1/(2R^2)


@dataclass(frozen=True)
class Setting:
    """One problem of the grid: spectrum, kurtosis of the coordinates, run length, eta alpha, and step."""

    spectrum: str
    eigenvalues: Array
    kurtosis: float
    n_steps: int
    strength: float
    step: float
    r2: float

    @property
    def scheme(self) -> Geometric:
        """The geometric average."""
        return Geometric(self.strength / self.step)

    def __str__(self) -> str:
        return (
            f"{self.spectrum}, κ = {self.kurtosis:g}, n = {self.n_steps}, ηλ = {self.strength:g}, "
            f"ηR² = {self.step * self.r2:g}"
        )


def spectra_by_name(largest: int) -> dict[str, Array]:
    """Return flat, slowly, quickly and exponentially decaying spectra, and single directions beside many small ones."""
    found = {"d = 1": np.ones(1)}
    for d in (2, 5, 20, 60):
        if d > largest:
            break
        i = np.arange(1.0, d + 1)
        found |= {
            f"flat, d = {d}": np.ones(d),
            f"1/i, d = {d}": 1 / i,
            f"1/i², d = {d}": i**-2.0,
            f"2^-i, d = {d}": np.maximum(0.5**i, 1e-9),
            f"one large, d = {d}": np.where(i == 1, 1.0, 0.01 / d),
        }
    return found


def settings(quick: bool) -> Iterator[Setting]:
    """Yield the grid; `quick` leaves out long runs, large dimensions and some values."""
    every = 2 if quick else 1
    for (name, s), kurtosis, n, strength, share in product(
        spectra_by_name(5 if quick else 60).items(),
        KURTOSES[::every],
        LENGTHS[::every],
        STRENGTHS[::every],
        SHARES[::every],
    ):
        r2 = fourth_moment_r2(s, kurtosis)
        yield Setting(name, s, kurtosis, n, strength, share * 0.5 / r2, r2)


def starts(d: int, rng: np.random.Generator) -> list[Array]:
    """Return w_0 - w*: flat, along the largest direction, along the smallest, and random."""
    if d == 1:
        return [np.ones(1)]
    return [np.ones(d), np.eye(d)[0], np.eye(d)[-1], rng.standard_normal(d)]


def bound_of(setting: Setting, v: Array, form: str) -> Bound:
    """Return the bound for noise of variance 1."""
    at = setting
    return bound(
        at.scheme, at.eigenvalues, v, 1.0, at.step, at.n_steps, at.r2, form="paper" if form == "paper" else "sharp"
    )


def check_theorem(context: Context) -> Evidence:
    """Compute exact risks of every setting and start, and the worst ratio to each part of each bound."""
    rng = context.rng()
    worst = {(form, part): 0.0 for form in FORMS for part in ("variance", "bias", "total")}
    where = dict.fromkeys(worst, "")
    ratios: dict[tuple[str, str], list[float]] = {(form, part): [] for form in FORMS for part in ("variance", "bias")}
    several = dict.fromkeys(FORMS, 0.0)  # worst bias where there are two directions or more
    n_settings = n_risks = 0
    for setting in settings(context.quick):
        n_settings += 1
        for v in starts(len(setting.eigenvalues), rng):
            n_risks += 1
            at = setting
            risk = excess_risk(at.scheme, at.eigenvalues, v, 1.0, at.step, at.n_steps, at.kurtosis)
            exact = {"variance": risk.variance, "bias": risk.total - risk.variance, "total": risk.total}
            for form in FORMS:
                above = bound_of(setting, v, form)
                for part, value in exact.items():
                    ratio = value / getattr(above, part)
                    if part != "total":
                        ratios[form, part].append(ratio)
                    if part == "bias" and len(v) > 1:
                        several[form] = max(several[form], ratio)
                    if ratio > worst[form, part]:
                        worst[form, part], where[form, part] = ratio, str(setting)
    figure, axes = new_figure(2, size=(8.4, 4.0))
    edges: list[float] = np.geomspace(1e-4, 1.3, 60).tolist()
    for ax, part in zip(axes, ("variance", "bias"), strict=True):
        for form, name in (("paper", "theorem as printed"), ("sharp", "sharper form")):
            ax.hist(np.clip(ratios[form, part], edges[0], None), edges, histtype="stepfilled", alpha=0.55, label=name)
        ax.axvline(1.0, color="0.2", lw=1, label="bound broken beyond")
        ax.set(xscale="log", xlabel=f"exact {part} / bound", ylabel="settings and starts", title=part)
        ax.legend(frameon=False, loc="upper left", fontsize=9)
    return Evidence(
        (
            printed(
                "exact variance / its bound, worst",
                worst["paper", "variance"],
                ONE_UP_TO_ROUNDING,
                where["paper", "variance"],
            ),
            printed(
                "exact bias / its bound, worst", worst["paper", "bias"], ONE_UP_TO_ROUNDING, where["paper", "bias"]
            ),
            printed("exact risk / bound, worst", worst["paper", "total"], ONE_UP_TO_ROUNDING, where["paper", "total"]),
            support(
                "sharper form, variance, worst",
                worst["sharp", "variance"],
                ONE_UP_TO_ROUNDING,
                where["sharp", "variance"],
            ),
            support("sharper form, bias, worst", worst["sharp", "bias"], ONE_UP_TO_ROUNDING, where["sharp", "bias"]),
            support("sharper form, total, worst", worst["sharp", "total"], ONE_UP_TO_ROUNDING, where["sharp", "total"]),
        ),
        {
            "settings": n_settings,
            "settings times starts": n_risks,
            "exact bias / bound, worst for d of 2 or more": several["paper"],
            "sharper form, bias, worst for d of 2 or more": several["sharp"],
        },
        figure,
        "Ratio of exact value to bound, over all settings and starts; ratios below 10⁻⁴ are drawn at the left end.",
    )


THEOREM = Claim(
    18,
    Kind.BOUND,
    "Theorem 1: the risk of the geometric average",
    "For η ≤ 1/(2R²) and λ < 1/η: E excess ≤ (4/(1-γλ)) (γλ/(2-γλ) + 2/((2-γλ)(n+1))) σ²tr[Σ²(Σ+λ)⁻²]/(2-ηR²) + "
    "(λ+1/(γ(n+1)))² (2|Σ^½(Σ+λ/2)⁻¹v|² + tr[Σ(Σ+λ)⁻¹] |(Σ+λ/2)^-½v|²), v = w₀-w*.",
    "True, although its printed proof is not. A sharper form, for noise independent of x: (2σ²d₂/(2-ηR²)) c_n² "
    "Σ_{j<n}ρ^{2j} + (c_n/γ)² (tr[Σ(Σ+λ)⁻¹(Σ+λ/2)⁻¹vv'] + (d₁/3) v'(Σ+λ/2)⁻¹v), where d₁ = tr[Σ(Σ+λ)⁻¹] and d₂ = "
    "tr[Σ²(Σ+λ)⁻²].",
    check_theorem,
)
