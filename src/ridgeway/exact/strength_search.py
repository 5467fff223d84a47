"""Search for the best candidate: a grid of strengths, extended at its strong end, refined around the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform
from ridgeway.rows.exponent import far_exponent, scaled
from ridgeway.selection.candidates import N_REFINEMENTS, Candidates, between, stronger
from ridgeway.selection.table import Scored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

WEAKEST, STRONGEST = 1e-11, 10.0  # strengths that compete, in units of the largest eigenvalue
WORTHWHILE = 1e-6  # relative gain for which the range is extended


class Rating(Protocol):
    """Rates schemes on groups of held-out rows."""

    @property
    def step(self) -> float:
        """Step size that the schemes belong to."""

    @property
    def weight(self) -> Array:
        """Weight of each group, (groups,)."""

    def errors(self, schemes: Sequence[Scheme]) -> Array:
        """Sums of weighted squared errors, (L, groups)."""


def candidates_of(family: str, largest: float) -> list[Scheme]:
    """Return what competes: ridge strengths ("geometric"), tails of gradient descent ("tail"), or both ("auto").

    Parameters
    ----------
    family : "auto", "geometric" or "tail".
    largest : largest eigenvalue, the unit of ridge strengths.
    """
    unit = largest if largest > 0 else 1.0
    candidates = Candidates.over(family, WEAKEST * unit, STRONGEST * unit)
    schemes: list[Scheme] = [Geometric(alpha) for alpha in candidates.alphas]
    if family == "geometric":
        return schemes
    return [*schemes, *(Tail(start) for start in candidates.starts), Uniform(), Last()]


def search(rating: Rating, schemes: Sequence[Scheme], unit: float) -> list[Scored]:
    """Score every candidate; extend the strengths if the strongest is the best, and refine them around the best.

    Parameters
    ----------
    rating : of the schemes.
    schemes : where to begin; ridge strengths first, increasing.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    """
    rows = scored(rating, schemes, unit)
    alphas = [scheme.alpha for scheme in schemes if isinstance(scheme, Geometric)]
    if alphas and _best(rows).alpha == alphas[-1]:
        more = stronger(alphas)
        rows += scored(rating, [Geometric(alpha) for alpha in more], unit)
        alphas += more
    for _ in range(N_REFINEMENTS if alphas else 0):
        best = min((row for row in rows if isinstance(row.scheme, Geometric)), key=lambda row: row.error)
        new = between(alphas, best.alpha)
        if not new:
            break
        rows += scored(rating, [Geometric(alpha) for alpha in new], unit)
        alphas = sorted([*alphas, *new])
    return rows


def scored(rating: Rating, schemes: Sequence[Scheme], unit: float) -> list[Scored]:
    """Return the schemes with their mean squared errors and the standard errors of these, taken between groups."""
    errors, weight = rating.errors(schemes), rating.weight
    total, n_groups, exponent = weight.sum(), len(weight), far_exponent(errors)
    near = scaled(errors, exponent)
    mean = near.sum(axis=1) / total
    spread = ((near - mean[:, None] * weight) ** 2).sum(axis=1)
    deviation = np.sqrt(spread * n_groups / max(n_groups - 1, 1)) / total
    with np.errstate(over="ignore"):
        means, deviations = (np.ldexp(part, exponent) * unit for part in (mean, deviation))
    if not np.isfinite(means + deviations).all():
        raise ValueError(
            f"squared errors on held-out rows exceed float64 (y has a variance of {unit:g}): scale y down, or drop "
            "rows that are far beyond the others."
        )
    return [
        Scored(*row)
        for row in zip(schemes, [rating.step] * len(means), means.tolist(), deviations.tolist(), strict=True)
    ]


def _best(rows: Sequence[Scored]) -> Scored:
    """Return the candidate of least error, the first among nearly equal ones."""
    least = min(row.error for row in rows)
    return next(row for row in rows if row.error <= least * (1 + WORTHWHILE))
