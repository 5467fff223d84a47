"""Errors of the folds with large ones capped (`selection.capped_errors`): a second read of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme
from ridgeway.exact.fold_moments import FoldSides
from ridgeway.exact.gram import GramRating, Units
from ridgeway.exact.held_out_rows import HeldOutRows
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.capped_errors import N_REFERENCES, Apart, BadlyPredictedRows, allowance
from ridgeway.selection.folds import Fold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CappedRating:
    """Rates schemes on all folds; the errors of a few badly predicted rows are capped.

    Attributes
    ----------
    gram : errors of all rows.
    badly_predicted : of each fold, rows that some candidate predicts badly.
    """

    gram: GramRating
    badly_predicted: Sequence[BadlyPredictedRows]

    @property
    def step(self) -> float:
        """Step size that the schemes belong to."""
        return self.gram.step

    @property
    def weight(self) -> Array:
        """Weight of the held-out rows of each fold, (folds,)."""
        return self.gram.weight

    def errors(self, schemes: Sequence[Scheme]) -> Array:
        """Return sums of weighted squared errors, capped, a mean over targets: (L, folds)."""
        columns = []
        for fold, rows, coefs in zip(self.gram.folds, self.badly_predicted, self.gram.coefs(schemes), strict=True):
            apart = rows.errors(_models(coefs))
            excess = (apart.uncapped - apart.capped).sum(axis=2)  # (L, targets)
            columns.append(np.maximum(fold.errors(coefs) - excess, 0.0).mean(axis=1))
        return np.stack(columns, axis=1)


def capped(
    gram: GramRating,
    batch: Batch,
    folds: Sequence[Fold],
    of_folds: Sequence[FoldSides],
    standardization: Standardization,
    units: Units,
    schemes: Sequence[Scheme],
) -> GramRating | CappedRating:
    """Read the held-out rows again and cap the errors of badly predicted ones; with few rows none may be capped.

    Parameters
    ----------
    gram : errors of all rows.
    batch : all rows.
    folds, of_folds : the folds of these rows, and the moments of both sides of each.
    standardization, units : as the moments were made.
    schemes : candidates, of which a few tell which rows are badly predicted.
    """
    most = allowance([len(fold.test) for fold in folds])
    if most == 0:
        return gram
    spread = np.unique(np.linspace(0, len(schemes) - 1, N_REFERENCES).round().astype(int))
    references = [schemes[place] for place in spread]
    badly_predicted = []
    for fold, sides, coefs in zip(folds, of_folds, gram.coefs(references), strict=True):
        rows = HeldOutRows(batch, fold.test, sides, standardization, units)
        residuals = np.concatenate([rows.residuals(numbers, coefs) for numbers in rows.blocks()])
        weight = np.asarray(batch.weight[fold.test], np.float64) / standardization.weight_scale
        every = BadlyPredictedRows(most, np.tile(np.eye(len(references)), (coefs.shape[1], 1, 1)))
        apart = np.flatnonzero(every.set_apart(residuals, weight))
        vectors = (
            rows.row_vectors(fold.test[apart]) if len(apart) else np.zeros((0, coefs.shape[1], coefs.shape[2] + 1))
        )
        kept = Apart(vectors, weight[apart], every.groups[0].medians)
        badly_predicted.append(BadlyPredictedRows(most, _models(coefs)).holding([kept]))
    return CappedRating(gram, badly_predicted)


def _models(coefs: Array) -> Array:
    """Return models (targets, L, d + 1) whose products with known rows are residuals."""
    ones = np.ones((*coefs.shape[:2], 1))
    return np.concatenate([ones, -coefs], axis=2).transpose(1, 0, 2)
