"""Outlying rows: the few held-out rows whose errors would decide the choice all by themselves.

A mean of squared errors can hang on a handful of rows. In `diamonds` some of 54,000 rows have a width of 0 or of five
times the next: which ridge strength predicts those is a matter of luck, with five folds as with leave-one-out, and the
luck of the held-out rows is not that of the rows to come. So one row in 2,500 counts with a squared error of at most
100 medians. Over eight splits of `diamonds` the strength chosen so has 0.94 times the test error of the one that
leave-one-out chooses, and over eighty other tables 0.997 times (worst 1.017); a cap without the limit of one in 2,500
would be wrong where a few large targets are all there is to learn (worst 1.46).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Float

ROWS_PER_CAPPED_ROW = 2500
CAP_MEDIANS = 100.0  # of a Gaussian residual this is 6.7 standard deviations
SUSPECT_MEDIANS = 50.0  # medians of its group from which a row is set apart, to be looked at when all groups are known


def allowance(n_tests: list[int]) -> int:
    """Return how many rows may be capped in each of several trials with so many held-out rows."""
    return -(-(sum(n_tests) // ROWS_PER_CAPPED_ROW) // len(n_tests))


class Errors(NamedTuple):
    """Sums of weight times squared residual, (L, targets, groups): those of outlying rows capped, and as they are."""

    capped: NDArray[np.float64]
    uncapped: NDArray[np.float64]


class Apart(NamedTuple):
    """What is outlying in a group of rows.

    Attributes
    ----------
    rows : (m, targets, r + 2), what is known of each.
    weight : (m,).
    medians : (targets, k), of the squared errors of the references over all rows of the group.
    """

    rows: Float
    weight: Float
    medians: NDArray[np.float64]


class OutlyingRows:
    """Held-out rows that some candidate predicts badly, set apart so that each can be capped.

    Parameters
    ----------
    allowance : how many of them may be capped.
    references : (targets, k, r + 2), the residuals of a few candidates as `Residuals` has them.
    """

    def __init__(self, allowance: int, references: NDArray[np.float64]) -> None:
        self._allowance = allowance
        self._references = references
        self.groups: list[Apart] = []

    def holding(self, groups: Sequence[Apart]) -> OutlyingRows:
        """Return one with the same references and these groups."""
        other = OutlyingRows(self._allowance, self._references)
        other.groups = list(groups)
        return other

    def set_apart(self, known: Float, weight: Float, most: int | None = None) -> NDArray[np.bool_]:
        """Take what is outlying from a group of rows (n, targets, r + 2), at most `most`; return which rows these are.

        Of more than `most` the rows with the largest errors are taken.
        """
        apart = np.zeros(len(known), bool)
        size = np.zeros(len(known))
        medians = np.zeros(self._references.shape[:2])
        for target in range(known.shape[1]):
            errors = self._errors(known, target)
            largest = errors.max(axis=0)
            medians[target] = np.partition(errors, len(known) // 2, axis=1)[:, len(known) // 2]
            apart |= largest > SUSPECT_MEDIANS * medians[target].min()
            size = np.maximum(size, largest)
        if most is not None and apart.sum() > most:
            outlying = np.flatnonzero(apart)
            apart[outlying[np.argsort(-size[outlying], kind="stable")[most:]]] = False
        self.groups.append(Apart(known[apart], weight[apart], medians))
        return apart

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of the rows apart in each group, (groups,)."""
        return np.array([group.weight.sum(dtype=np.float64) for group in self.groups])

    def errors(self, models: NDArray[np.float64]) -> Errors:
        """Errors of models (targets, L, r + 2) on the rows apart."""
        capped, uncapped = np.zeros((2, models.shape[1], models.shape[0], len(self.groups)))
        for target, model in enumerate(models):
            cap = self._cap(target)
            for group, (rows, weight, _) in enumerate(self.groups):
                if len(rows):
                    squares = (rows[:, target] @ model.T) ** 2
                    capped[:, target, group] = weight @ np.minimum(squares, cap)
                    uncapped[:, target, group] = weight @ squares
        return Errors(capped, uncapped)

    def _cap(self, target: int) -> float:
        """100 medians of the reference with the least, or more if that were to cap too many rows."""
        medians = np.mean([group.medians for group in self.groups], axis=0)[target]
        best = int(medians.argmin())
        errors = np.concatenate([self._errors(rows, target)[best] for rows, _, _ in self.groups])
        if len(errors) <= self._allowance:
            return float(CAP_MEDIANS * medians[best])
        next_largest = np.partition(errors, len(errors) - 1 - self._allowance)[len(errors) - 1 - self._allowance]
        return float(max(CAP_MEDIANS * medians[best], next_largest))

    def _errors(self, known: Float, target: int) -> NDArray[np.float64]:
        """Squared residuals of the references, (k, n)."""
        errors: NDArray[np.float64] = (self._references[target].astype(known.dtype) @ known[:, target].T) ** 2
        return errors
