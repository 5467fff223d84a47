"""The contest: all candidates tried in all trials, then closer to the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.selection.candidates import REFINEMENTS, Candidates, between, stronger
from ridgeway.selection.table import Scored

WORTHWHILE = 1e-6  # relative gain for which the range of alpha is extended


class Rated(Protocol):
    """Anything that rates schemes on groups of rows."""

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group, (groups,)."""

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Prepare for these schemes and all between them."""

    def errors(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Sums of weighted squared errors, (L, targets, groups)."""


def compare(trials: Sequence[Rated], candidates: Candidates, unit: float = 1.0) -> list[Scored]:
    """Score every candidate; extend the alphas if the strongest is the best, and refine them around the best.

    Parameters
    ----------
    trials : runs with their held-out rows; errors are summed over all of them.
    candidates : where to begin.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    """
    schemes = candidates.schemes()
    rows = _score(trials, schemes, unit, new=True)
    alphas = list(candidates.alphas)
    if alphas and _best(rows, schemes) == Geometric(alphas[-1]):
        more = stronger(alphas)
        schemes = [*schemes, *map(Geometric, more)]
        rows = _score(trials, schemes, unit, new=True)
        alphas += more
    for _ in range(REFINEMENTS if alphas else 0):
        geometric = [row for row in rows if isinstance(row.scheme, Geometric)]
        best = min(geometric, key=lambda row: row.error)
        new = between(alphas, best.alpha)
        if not new:
            break
        rows += _score(trials, list(map(Geometric, new)), unit, new=False)
        alphas = sorted([*alphas, *new])
    return rows


def _best(rows: Sequence[Scored], schemes: Sequence[Scheme]) -> Scheme:
    """Return the scheme of least error, the first among nearly equal ones."""
    least = min(row.error for row in rows)
    return next(scheme for scheme, row in zip(schemes, rows, strict=True) if row.error <= least * (1 + WORTHWHILE))


def _score(trials: Sequence[Rated], schemes: Sequence[Scheme], unit: float, new: bool) -> list[Scored]:
    sums, weights = [], []
    for trial in trials:
        if new:
            trial.span(schemes)
        sums.append(trial.errors(schemes).mean(axis=1))  # (L, groups)
        weights.append(trial.weight)
    errors, weight = np.concatenate(sums, axis=1), np.concatenate(weights)
    total = weight.sum()
    mean = errors.sum(axis=1) / total
    spread = ((errors - mean[:, None] * weight) ** 2).sum(axis=1)
    n_groups = len(weight)
    deviation = np.sqrt(spread * n_groups / max(n_groups - 1, 1)) / total
    return [
        Scored(scheme, float(error * unit), float(se * unit))
        for scheme, error, se in zip(schemes, mean, deviation, strict=True)
    ]
