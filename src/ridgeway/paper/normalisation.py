"""Item 28: the normalising constant c_n of the geometric weights, and its bounds."""

from __future__ import annotations

from itertools import product

import numpy as np

from ridgeway.averaging import Geometric
from ridgeway.paper.claim import ONE_UP_TO_ROUNDING, Claim, Context, Evidence, Kind, corrected, printed, support
from ridgeway.paper.svg_figures import new_figure


def printed_constant(discount: float, n: int) -> float:
    """Return the inverse of sum_{t=1..n} discount^t, as the proof outline prints c_n."""
    return float(1 / (discount ** np.arange(1, n + 1)).sum())


def printed_closed(discount: float, n: int) -> float:
    """Return the closed form printed beside it."""
    return (1 - discount) / (1 - discount**n)


def right_constant(discount: float, n: int) -> float:
    """Return the inverse of sum_{t=0..n} discount^t."""
    return float(1 / (discount ** np.arange(n + 1)).sum())


def right_closed(discount: float, n: int) -> float:
    """Return (1 - discount) / (1 - discount^{n+1})."""
    return (1 - discount) / (1 - discount ** (n + 1))


def first_bound(gl: float, n: int) -> float:
    """Return the lemma's bound on c_n^2."""
    return (gl + 1 / (n + 1)) ** 2


def second_bound(gl: float, n: int) -> float:
    """Return the lemma's bound on c_n^2 sum_t discount^{2t}."""
    return gl / (2 - gl) + 2 / ((2 - gl) * (n + 1))


def check_constant(context: Context) -> Evidence:
    """Sum the weights for discounts and lengths on a grid, and compare with closed forms and bounds."""
    lengths = np.unique(np.geomspace(1, context.pick(20_000, 2_000), context.pick(40, 20)).astype(int))
    shares = np.geomspace(1e-6, 0.999, context.pick(60, 25))
    sums = wrong_first = right_first = right_second = closed = squares = library = 0.0
    where = ""
    for gl, n in product(shares.tolist(), lengths.tolist()):
        discount = 1 - gl
        weights = discount ** np.arange(n + 1)
        sums = max(sums, abs(printed_closed(discount, n) / printed_constant(discount, n) - 1))
        ratio = printed_constant(discount, n) ** 2 / first_bound(gl, n)
        if ratio > wrong_first:
            wrong_first, where = ratio, f"γλ = {gl:.3g}, n = {n}"
        c = right_constant(discount, n)
        closed = max(closed, abs(right_closed(discount, n) / c - 1))
        right_first = max(right_first, c**2 / first_bound(gl, n))
        square = c**2 * float((weights**2).sum())
        right_second = max(right_second, square / second_bound(gl, n))
        formula = gl / (2 - gl) * (1 + discount ** (n + 1)) / (1 - discount ** (n + 1))
        squares = max(squares, abs(formula / square - 1))
        library = max(library, abs(Geometric(gl / discount).weights(n, 1.0)[0] / c - 1))
    figure, (ax,) = new_figure()
    for n, color in ((10, "#0072B2"), (1000, "#D55E00")):
        exact = [right_constant(1 - g, n) ** 2 * ((1 - g) ** (2 * np.arange(n + 1))).sum() for g in shares]
        ax.loglog(shares, exact, color=color, label=f"n = {n:,}: sum of squared weights")
        ax.loglog(shares, [second_bound(g, n) for g in shares], "--", color=color, label=f"n = {n:,}: bound")
    ax.set(xlabel="γλ", ylabel="c_n² Σ ρ^(2t)", title="What decides the variance")
    ax.legend(frameon=False)
    return Evidence(
        (
            printed("1/Σ_{t=1..n}ρ^t against γλ/(1-ρ^n), relative difference", sums, 1e-9),
            printed("c_n² with the sum from t = 1 over its bound, worst", wrong_first, ONE_UP_TO_ROUNDING, where),
            corrected("1/Σ_{t=0..n}ρ^t against γλ/(1-ρ^{n+1}), relative difference", closed, 1e-8),
            corrected("c_n² over (γλ + 1/(n+1))², worst", right_first, ONE_UP_TO_ROUNDING),
            corrected("c_n² Σ_{t=0..n}ρ^{2t} over its bound, worst", right_second, ONE_UP_TO_ROUNDING),
            support("c_n² Σρ^{2t} against (γλ/(2-γλ))(1+ρ^{n+1})/(1-ρ^{n+1})", squares, 1e-8),
            support("first weight of the library's Geometric against c_n", library, 1e-8),
        ),
        figure=figure,
        caption="With λ > 0 the sum of squared weights does not tend to 0 as n grows: this is the extra term of "
        "the variance.",
    )


CONSTANT = Claim(
    28,
    Kind.LEMMA,
    "The bounds on c_n",
    "c_n = 1/Σ_{t=1..n}ρ^t = γλ/(1-ρ^n) satisfies c_n² ≤ (γλ+1/(n+1))² and c_n² Σ_{t=1..n}ρ^{2t} ≤ γλ/(2-γλ) + "
    "2/((2-γλ)(n+1)).",
    "The sum starts at t = 0 and the exponent is n+1, as in the lemma's own proof; then both bounds hold, the second "
    "also for the sum from t = 0.",
    check_constant,
)
