"""The search for the best candidate: a grid of strengths, extended at its strong end, refined around the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.rows.exponent import far_exponent, scaled
from ridgeway.selection.candidate_table import Scored
from ridgeway.selection.candidates import N_REFINEMENTS, between, stronger

MIN_DECREASE_TO_EXTEND = 1e-6  # relative decrease of the error for which the range of alpha is extended


def search(score: Callable[[Sequence[Scheme], bool], list[Scored]], schemes: Sequence[Scheme]) -> list[Scored]:
    """Score every candidate; extend the alphas if the strongest is the best, and refine them around the best.

    Parameters
    ----------
    score : returns schemes with their errors. The second argument is True where they replace all before, as their range
        is wider; otherwise they lie between those before.
    schemes : the first candidates; geometric averages come first, their alphas increasing.
    """
    rows = score(schemes, True)
    alphas = [scheme.alpha for scheme in schemes if isinstance(scheme, Geometric)]
    if alphas and _best(rows) == Geometric(alphas[-1]):
        more = stronger(alphas)
        rows = score([*schemes, *map(Geometric, more)], True)
        alphas += more
    for _ in range(N_REFINEMENTS if alphas else 0):
        best = min((row for row in rows if isinstance(row.scheme, Geometric)), key=lambda row: row.error)
        new = between(alphas, best.alpha)
        if not new:
            break
        rows = rows + score(list(map(Geometric, new)), False)
        alphas = sorted([*alphas, *new])
    return rows


def scored(
    schemes: Sequence[Scheme], step: float, errors: NDArray[np.float64], weight: NDArray[np.float64], unit: float
) -> list[Scored]:
    """Return schemes with their mean squared errors and the standard errors of these, taken between groups.

    Parameters
    ----------
    schemes : (L,).
    step : that the schemes belong to.
    errors : (L, groups), sums of weighted squared errors of standardized targets.
    weight : (groups,).
    unit : a squared error of 1 in standardized targets, in the user's units.
    """
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
            "rows that are much larger than the others."
        )
    return [
        Scored(scheme, step, error, deviation)
        for scheme, error, deviation in zip(schemes, means.tolist(), deviations.tolist(), strict=True)
    ]


def _best(rows: Sequence[Scored]) -> Scheme:
    """Return the scheme of least error, the first among nearly equal ones."""
    least = min(row.error for row in rows)
    return next(row.scheme for row in rows if row.error <= least * (1 + MIN_DECREASE_TO_EXTEND))
