"""Rated candidates: what competes in an exact fit, and the errors that a `Rating` finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform
from ridgeway.selection.candidate_table import TIED_ERROR_CHANGE, Selection, marked
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.strength_search import scored, search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ridgeway.selection.candidate_table import Scored

    Array = NDArray[np.float64]

MIN_RELATIVE_ALPHA, MAX_RELATIVE_ALPHA = 1e-11, 10.0  # strengths that compete, in units of the largest eigenvalue

TIED_ERROR_SHARE = 1e-14  # errors that differ by a smaller share of the variance of the targets may differ by rounding


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
    candidates = Candidates.over(family, MIN_RELATIVE_ALPHA * unit, MAX_RELATIVE_ALPHA * unit)
    schemes: list[Scheme] = [Geometric(alpha) for alpha in candidates.alphas]
    if family == "geometric":
        return schemes
    return [*schemes, *(Tail(start) for start in candidates.starts), Uniform(), Last()]


def rated(rating: Rating, schemes: Sequence[Scheme], unit: float) -> list[Scored]:
    """Return schemes with their errors; a squared error of 1 in standardized targets is `unit` in the user's units."""
    return scored(schemes, rating.step, rating.errors(schemes), rating.weight, unit)


def best_rated(rating: Rating, schemes: Sequence[Scheme], unit: float) -> list[Scored]:
    """Return all candidates that the search for the best one rated, beginning with these schemes."""
    return search(lambda some, _: rated(rating, some, unit), schemes)


def selection_of(rows: Sequence[Scored], method: str, unit: float, one_standard_error: bool) -> Selection:
    """Return the table of candidates with the chosen one.

    Parameters
    ----------
    rows : the candidates.
    method : how they were compared, in words.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    one_standard_error : choose the strongest regularization within a standard error of the best.
    """
    return Selection(method, marked(rows, one_standard_error, best=best_of(rows, unit)), solved=True)


def best_of(rows: Sequence[Scored], unit: float) -> Scored:
    """Return the candidate of least error; among ridge strengths that differ by rounding, the strongest.

    With fewer rows than columns, errors are flat towards weak strengths; without noise, those computed from matrices
    are what cancellation leaves. Rounding would choose in both cases.

    Parameters
    ----------
    rows : the candidates.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    """
    best = min(rows, key=lambda row: row.error)
    if not isinstance(best.scheme, Geometric):
        return best
    limit = best.error * (1 + TIED_ERROR_CHANGE) + TIED_ERROR_SHARE * unit
    tied = (row for row in rows if isinstance(row.scheme, Geometric) and row.error <= limit)
    return max(tied, key=lambda row: row.alpha)
