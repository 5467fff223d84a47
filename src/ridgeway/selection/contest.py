"""The contest: score all candidates in all trials, then a finer grid of alphas around the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.rows.exponent import far_exponent, scaled
from ridgeway.selection.candidates import N_REFINEMENTS, Candidates, between, stronger
from ridgeway.selection.outlying import Errors
from ridgeway.selection.table import Scored

MIN_FORGETTING_EXPONENT = 4.0  # alpha * eta * n_steps above which the end of a run hardly changes a geometric average
MIN_GAIN_TO_EXTEND = 1e-6  # relative gain for which the range of alpha is extended


class Rated(Protocol):
    """An object that computes errors of schemes on groups of rows."""

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group, (groups,)."""

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Prepare for these schemes and all schemes between them."""

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Sums of weighted squared errors."""


@dataclass(frozen=True, eq=False)
class Contest:
    """Candidates of one step size with their errors.

    Attributes
    ----------
    step : the step of the runs.
    rows : the candidates, with errors in which outliers are capped.
    uncapped : (L, groups), sums of weighted squared errors without a cap, mean over targets.
    weight : (groups,), weights of the groups of held-out rows.
    """

    step: float
    rows: list[Scored]
    uncapped: NDArray[np.float64]
    weight: NDArray[np.float64]

    @property
    def least(self) -> float:
        """Error of the best candidate."""
        return min(row.error for row in self.rows)


def compare(
    trials: Sequence[Rated],
    candidates: Candidates,
    step: float,
    unit: float = 1.0,
    refine: bool = True,
) -> Contest:
    """Score every candidate; extend the alphas if the strongest is the best, and refine them around the best.

    Parameters
    ----------
    trials : runs with their held-out rows; errors are summed over all of them.
    candidates : the first candidates.
    step : of the runs.
    unit : a squared error of 1 in standardized targets, in the user's units.
    refine : False scores these candidates and no others.
    """

    def score(schemes: Sequence[Scheme], new: bool) -> Contest:
        return _score(trials, schemes, step, unit, new)

    schemes = candidates.schemes()
    contest = score(schemes, new=True)
    alphas = list(candidates.alphas) if refine else []
    if alphas and _best(contest.rows) == Geometric(alphas[-1]):
        more = stronger(alphas)
        contest = score([*schemes, *map(Geometric, more)], new=True)
        alphas += more
    for _ in range(N_REFINEMENTS if alphas else 0):
        best = min((row for row in contest.rows if isinstance(row.scheme, Geometric)), key=lambda row: row.error)
        new = between(alphas, best.alpha)
        if not new:
            break
        closer = score(list(map(Geometric, new)), new=False)
        uncapped = np.concatenate([contest.uncapped, closer.uncapped])
        contest = Contest(step, contest.rows + closer.rows, uncapped, contest.weight)
        alphas = sorted([*alphas, *new])
    return contest


def _best(rows: Sequence[Scored]) -> Scheme:
    """Return the scheme of least error, the first among nearly equal ones."""
    least = min(row.error for row in rows)
    return next(row.scheme for row in rows if row.error <= least * (1 + MIN_GAIN_TO_EXTEND))


def _score(trials: Sequence[Rated], schemes: Sequence[Scheme], step: float, unit: float, new: bool) -> Contest:
    capped, uncapped, weights = [], [], []
    for trial in trials:
        if new:
            trial.span(schemes)
        errors = trial.errors(schemes)
        capped.append(errors.capped.mean(axis=1))  # (L, groups)
        uncapped.append(errors.uncapped.mean(axis=1))
        weights.append(trial.weight)
    counted, weight = np.concatenate(capped, axis=1), np.concatenate(weights)
    total, exponent = weight.sum(), far_exponent(counted)
    near = scaled(counted, exponent)
    mean = near.sum(axis=1) / total
    spread = ((near - mean[:, None] * weight) ** 2).sum(axis=1)
    n_groups = len(weight)
    deviation = np.sqrt(spread * n_groups / max(n_groups - 1, 1)) / total
    with np.errstate(over="ignore"):
        errors, deviations = (np.ldexp(part, exponent) * unit for part in (mean, deviation))
    if not np.isfinite(errors + deviations).all():
        raise ValueError(
            f"squared errors on held-out rows exceed float64 (y has a variance of {unit:g}): scale y down, or drop "
            "rows that are much larger than the others."
        )
    rows = [
        Scored(scheme, step, float(error), float(se))
        for scheme, error, se in zip(schemes, errors, deviations, strict=True)
    ]
    return Contest(step, rows, np.concatenate(uncapped, axis=1), weight)
