"""Capped errors: a few badly predicted rows would decide the choice alone, so their errors are capped.

In `diamonds`, a few of 54,000 rows have a width of 0 or of five times the next largest. Their squared errors exceed
those of all other rows together, and it is chance which ridge strength predicts them best, with five folds and with
leave-one-out alike. So the errors of up to one row in 2,500 are capped at 100 medians. Over eight splits of `diamonds`
the strength chosen in this way has 0.94 times the test error of the one that leave-one-out chooses; over eighty other
tables it has 0.997 times (worst 1.017). Without the limit of one row in 2,500, a cap would be wrong for tables in which
only a few large targets can be learned (worst 1.46).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Float

ROWS_PER_CAPPED_ROW = 2500
CAP_MEDIANS = 100.0  # 6.7 standard deviations of a Gaussian residual
N_REFERENCES = 8  # candidates, evenly spread over all, whose errors tell which rows are badly predicted
NOTABLE_CAP_EFFECT = 0.02  # relative change of an error by the cap from which output and report mention it
SUSPECT_MEDIANS = 50.0  # a row with more medians of its group is set apart: the cap is known only after all groups


def allowance(n_tests: list[int]) -> int:
    """Return how many rows may be capped in each trial, given the numbers of held-out rows of all trials."""
    return -(-(sum(n_tests) // ROWS_PER_CAPPED_ROW) // len(n_tests))


def reference_places(n_candidates: int) -> NDArray[np.intp]:
    """Return which of the candidates are references, (k,)."""
    return np.linspace(0, n_candidates - 1, N_REFERENCES).astype(np.intp)


class Errors(NamedTuple):
    """Sums of weight times squared residual, (L, targets, groups), with and without a cap for badly predicted rows."""

    capped: NDArray[np.float64]
    uncapped: NDArray[np.float64]


class Apart(NamedTuple):
    """Badly predicted rows of a group of rows.

    Attributes
    ----------
    rows : (m, targets, r + 2), see `ErrorMoments.row_vectors`.
    weight : (m,), their weights.
    medians : (targets, k), for each reference the median of its squared errors over all rows of the group.
    """

    rows: Float
    weight: Float
    medians: NDArray[np.float64]


class BadlyPredictedRows:
    """Held-out rows that some candidate predicts badly, stored one by one so that each can be capped.

    Parameters
    ----------
    allowance : number of rows that may be capped.
    references : (targets, k, r + 2), a few candidates, see `models_of`.
    """

    def __init__(self, allowance: int, references: NDArray[np.float64]) -> None:
        self._allowance = allowance
        self._references = references
        self.groups: list[Apart] = []

    def holding(self, groups: Sequence[Apart]) -> BadlyPredictedRows:
        """Return rows with the same references and these groups."""
        other = BadlyPredictedRows(self._allowance, self._references)
        other.groups = list(groups)
        return other

    def set_apart(self, vectors: Float, weight: Float, most: int | None = None) -> NDArray[np.bool_]:
        """Store the badly predicted rows of a group of rows (n, targets, r + 2), and return a mask of them.

        If there are more than `most`, only those with the largest errors are stored.
        """
        apart = np.zeros(len(vectors), bool)
        size = np.zeros(len(vectors))
        medians = np.zeros(self._references.shape[:2])
        for target in range(vectors.shape[1]):
            errors = self._errors(vectors, target)
            largest = errors.max(axis=0)
            medians[target] = np.partition(errors, len(vectors) // 2, axis=1)[:, len(vectors) // 2]
            suspect = np.zeros(len(vectors), bool)
            suspect[_largest_of_each(errors, self._allowance + 1)] = True  # of each reference no more can be capped
            apart |= suspect & (largest > SUSPECT_MEDIANS * medians[target].min())
            size = np.maximum(size, largest)
        if most is not None and apart.sum() > most:
            places = np.flatnonzero(apart)
            apart[places[np.argsort(-size[places], kind="stable")[most:]]] = False
        self.groups.append(Apart(vectors[apart], weight[apart], medians))
        return apart

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of the badly predicted rows of each group, (groups,)."""
        return np.array([group.weight.sum(dtype=np.float64) for group in self.groups])

    def errors(self, models: NDArray[np.float64]) -> Errors:
        """Errors of models (targets, L, r + 2) on these rows; of each model at most `allowance` are capped."""
        capped, uncapped = np.zeros((2, models.shape[1], models.shape[0], len(self.groups)))
        for target, model in enumerate(models):
            squares = [(rows[:, target] @ model.T) ** 2 for rows, _, _ in self.groups]
            cap = np.maximum(self._cap(target), self._largest_uncapped(np.concatenate(squares)))
            for group, (of_group, (_, weight, _)) in enumerate(zip(squares, self.groups, strict=True)):
                capped[:, target, group] = weight @ np.minimum(of_group, cap)
                uncapped[:, target, group] = weight @ of_group
        return Errors(capped, uncapped)

    def _largest_uncapped(self, errors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest of errors (n, L) that may not be capped, (L,); 0 if all may be."""
        last = len(errors) - 1 - self._allowance
        return np.zeros(errors.shape[1]) if last < 0 else np.partition(errors, last, axis=0)[last]

    def _cap(self, target: int) -> float:
        """Return CAP_MEDIANS times the median of the best reference, or more if that would cap too many rows."""
        medians = np.mean([group.medians for group in self.groups], axis=0)[target]
        best = int(medians.argmin())
        errors = np.concatenate([self._errors(rows, target)[best] for rows, _, _ in self.groups])
        return float(max(CAP_MEDIANS * medians[best], self._largest_uncapped(errors[:, None])[0]))

    def _errors(self, vectors: Float, target: int) -> NDArray[np.float64]:
        """Squared residuals of the references, (k, n)."""
        errors: NDArray[np.float64] = (self._references[target].astype(vectors.dtype) @ vectors[:, target].T) ** 2
        return errors


def _largest_of_each(errors: NDArray[np.float64], n_largest: int) -> NDArray[np.intp]:
    """Return the places of the largest errors of each row of (k, n), in any order."""
    first = max(0, errors.shape[1] - n_largest)
    places: NDArray[np.intp] = np.argpartition(errors, first, axis=1)[:, first:].reshape(-1)
    return places
