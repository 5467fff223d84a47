"""Items 2, 3, 5: the iteration itself, its uniform average, and the geometric average at lambda = 0."""

from __future__ import annotations

import numpy as np

from ridgeway.averaging import Geometric, Last, Tail, Uniform
from ridgeway.paper.brute import brute_iterates, difference, geometric_average, sample, uniform_average
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, corrected, printed, support
from ridgeway.paper.population import Array
from ridgeway.paper.svg_figures import new_figure
from ridgeway.sgd import run_sgd
from ridgeway.theory import residual_filter

ROUNDING = 1e-11


def printed_discount(step: float, alpha: float) -> float:
    """Return the discount of the paper's algorithm."""
    return 1 - step * alpha


def right_discount(step: float, alpha: float) -> float:
    """Return the discount whose average is ridge at alpha."""
    return 1 / (1 + step * alpha)


def check_sgd(context: Context) -> Evidence:
    """Compare every iterate of `run_sgd` with a plain loop."""
    rng = context.rng()
    worst = start = 0.0
    for _ in range(context.pick(60, 15)):
        X, y, step = sample(rng, n=int(rng.integers(5, 200)), d=int(rng.integers(1, 9)))
        w0 = rng.standard_normal((X.shape[1],))
        expected = brute_iterates(X, y, step, w0)
        run = run_sgd(X, y, step=step, w0=w0)
        worst = max(worst, *(difference(run.iterate(k), expected[k]) for k in range(0, len(y) + 1, 5)))
        start = max(start, difference(run_sgd(X, y, step=step).coef(Last()), brute_iterates(X, y, step)[-1]))
    return Evidence(
        (
            printed("iterates of run_sgd against the recursion, largest relative difference", worst, ROUNDING),
            printed("last iterate from w₀ = 0, largest relative difference", start, ROUNDING),
        )
    )


def check_uniform(context: Context) -> Evidence:
    """Compare the library's uniform average, from either store, with the mean of the iterates."""
    rng = context.rng()
    worst = {"replay": 0.0, "sketch": 0.0}
    for _ in range(context.pick(60, 15)):
        X, y, step = sample(rng, n=int(rng.integers(5, 300)), d=4)
        expected = uniform_average(brute_iterates(X, y, step))
        for store in ("replay", "sketch"):
            got = run_sgd(X, y, step=step, store=store).coef(Uniform())
            worst[store] = max(worst[store], difference(got, expected))
    return Evidence(
        (
            printed("Uniform() from a replay, largest relative difference to (w₀+…+w_n)/(n+1)", worst["replay"], 1e-11),
            printed("Uniform() from a sketch, largest relative difference", worst["sketch"], 1e-7),
        )
    )


def limit_of_average(discount: float, step: float, eigenvalues: Array, optimum: Array) -> Array:
    """Return the expected average of a run that has converged, in the eigenbasis of Sigma, by summing it."""
    n = int(np.ceil(np.log(1e-18) / np.log(discount)))
    weights = discount ** np.arange(n + 1)
    weights /= weights.sum()
    return np.array(
        [w * (1 - weights @ (1 - step * s) ** np.arange(n + 1)) for s, w in zip(eigenvalues, optimum, strict=True)]
    )


def check_geometric(context: Context) -> Evidence:
    """Sum the expected average with either discount, and find which ridge solution it is."""
    rng = context.rng()
    wrong = right = shifted = library = 0.0
    where = ""
    for _ in range(context.pick(60, 12)):
        eigenvalues, optimum = np.exp(rng.normal(0, 1, 4)), rng.standard_normal(4)
        step = float(rng.uniform(0.05, 0.9) / eigenvalues.max())
        alpha = float(rng.uniform(0.02, 0.8) / step)

        def ridge(strength: float, s: Array = eigenvalues, w: Array = optimum) -> Array:
            return s / (s + strength) * w

        by_print = limit_of_average(printed_discount(step, alpha), step, eigenvalues, optimum)
        off = difference(by_print, ridge(alpha))
        if off > wrong:
            wrong, where = off, f"ηλ = {step * alpha:.3g}"
        shifted = max(shifted, difference(by_print, ridge(alpha / (1 - step * alpha))))
        by_rho = limit_of_average(right_discount(step, alpha), step, eigenvalues, optimum)
        right = max(right, difference(by_rho, ridge(alpha)))
        X, y, safe = sample(rng, 150, 3)
        strength = float(10 ** rng.uniform(-2, 2))
        expected = geometric_average(brute_iterates(X, y, safe), right_discount(safe, strength))
        library = max(library, difference(run_sgd(X, y, step=safe).coef(Geometric(strength)), expected))
    figure, (ax,) = new_figure()
    places, step, alpha = np.geomspace(1e-2, 1e2, 200), 0.009, 40.0
    ax.semilogx(places, alpha / (places + alpha), color="0.2", lw=4, alpha=0.3, label="ridge at λ: λ/(s+λ)")
    ax.semilogx(places, residual_filter(Geometric(alpha), places, step, 10**6), label="discount 1/(1+ηλ)")
    effective = alpha / (1 - step * alpha)  # 1 - step alpha = 1/(1 + step effective)
    off_filter = residual_filter(Geometric(effective), places, step, 10**6)
    ax.semilogx(places, off_filter, "--", label="discount 1-ηλ, as printed")
    ax.set(xlabel="eigenvalue s of Σ", ylabel="share of the solution not learned", title=f"ηλ = {step * alpha:.2g}")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed("limit with discount 1-ηλ against ridge at λ, largest relative difference", wrong, 1e-9, where),
            corrected("limit with discount 1/(1+ηλ) against ridge at λ", right, 1e-9),
            support("limit with discount 1-ηλ against ridge at λ/(1-ηλ)", shifted, 1e-9),
            support("Geometric(λ) of the library against weights (1+ηλ)^-t on the iterates", library, ROUNDING),
        ),
        figure=figure,
        caption="The share of each direction that is missing from the expected average: only the discount 1/(1+ηλ) "
        "gives ridge.",
    )


def check_zero(context: Context) -> Evidence:
    """Compare the geometric average at 0, and near it, with the uniform one."""
    rng = context.rng()
    same = near = 0.0
    for _ in range(context.pick(40, 10)):
        X, y, step = sample(rng, n=int(rng.integers(5, 300)), d=4)
        run = run_sgd(X, y, step=step)
        at_zero, tail, uniform, tiny = run.average([Geometric(0.0), Tail(0), Uniform(), Geometric(1e-13)])
        by_hand = geometric_average(brute_iterates(X, y, step), 1.0)
        same = max(same, *(difference(a, uniform) for a in (at_zero, tail, by_hand)))
        near = max(near, difference(tiny, uniform))
    return Evidence(
        (
            printed(
                "Geometric(0), Tail(0) and weights 1^t against Uniform(), largest relative difference", same, 1e-11
            ),
            support("Geometric(1e-13) against Uniform(): no jump at 0", near, 1e-9),
        )
    )


SGD = Claim(
    2,
    Kind.CONSTRUCTION,
    "Constant-step SGD (LMS)",
    "Each row moves the vector by w_t = w_{t-1} - η(x_t⟨x_t, w_{t-1}⟩ - x_t y_t), with one step η throughout.",
    "",
    check_sgd,
)
UNIFORM = Claim(
    3,
    Kind.CONSTRUCTION,
    "The uniform (Polyak-Ruppert) average",
    "The output is the plain mean of the n+1 iterates w₀ … w_n.",
    "",
    check_uniform,
)
GEOMETRIC = Claim(
    4,
    Kind.CONSTRUCTION,
    "The geometric average and its discount",
    "The iterates are averaged with weights (1-ηλ)^t; the proofs use (1-γλ)^t. The result is claimed to be ridge at λ.",
    "The discount must be 1/(1+ηλ) (which is 1-γλ when γ = η/(1+ηλ)). The printed 1-ηλ gives ridge at λ/(1-ηλ).",
    check_geometric,
)
ZERO = Claim(
    5,
    Kind.CONSTRUCTION,
    "λ = 0 is the uniform average",
    "Without discount the geometric average is the Polyak-Ruppert average.",
    "",
    check_zero,
)
