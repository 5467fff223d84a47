"""The contest: score all candidates in all trials, then a finer grid of alphas around the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.selection.candidate_table import Scored
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.capped_errors import Errors
from ridgeway.selection.strength_search import scored, search

MIN_FORGETTING_EXPONENT = 4.0  # alpha * eta * n_steps above which the end of a run hardly changes a geometric average


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
    """

    step: float
    rows: list[Scored]

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

    def score(schemes: Sequence[Scheme], wider: bool) -> list[Scored]:
        if wider:
            for trial in trials:
                trial.span(schemes)
        capped = np.concatenate([trial.errors(schemes).capped.mean(axis=1) for trial in trials], axis=1)  # (L, groups)
        return scored(schemes, step, capped, np.concatenate([trial.weight for trial in trials]), unit)

    schemes = candidates.schemes()
    rows = search(score, schemes) if refine else score(schemes, True)
    return Contest(step, rows)
