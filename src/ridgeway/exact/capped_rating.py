"""Errors of the folds with outliers capped, as `ridgeway.selection.outlying` explains: a second look at their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme
from ridgeway.exact.fold_moments import SplitMoments
from ridgeway.exact.gram import GramRating, Units
from ridgeway.rows import FLOAT64, Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.folds import Fold
from ridgeway.selection.outlying import Apart, OutlyingRows, allowance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

REFERENCES = 8  # candidates, spread over all, that tell which rows are outlying
BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False)
class CappedRating:
    """Rates schemes on all folds, a few outlying rows counting with a capped error.

    Attributes
    ----------
    gram : errors of all rows.
    outlying : of each fold, rows that some candidate predicts badly.
    """

    gram: GramRating
    outlying: Sequence[OutlyingRows]

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
        for fold, outlying, coefs in zip(self.gram.folds, self.outlying, self.gram.coefs(schemes), strict=True):
            apart = outlying.errors(_models(coefs))
            excess = (apart.uncapped - apart.capped).sum(axis=2)  # (L, targets)
            columns.append(np.maximum(fold.errors(coefs) - excess, 0.0).mean(axis=1))
        return np.stack(columns, axis=1)


def capped(
    gram: GramRating,
    batch: Batch,
    folds: Sequence[Fold],
    splits: Sequence[SplitMoments],
    standardization: Standardization,
    units: Units,
    schemes: Sequence[Scheme],
) -> GramRating | CappedRating:
    """Look at the held-out rows once more and set outlying ones apart; with few rows none may be capped.

    Parameters
    ----------
    gram : errors of all rows.
    batch : all rows.
    folds, splits : which of them each fold is tried on, and their moments.
    standardization, units : as the moments were made.
    schemes : candidates, of which a few tell which rows are outlying.
    """
    most = allowance([len(fold.test) for fold in folds])
    if most == 0:
        return gram
    spread = np.unique(np.linspace(0, len(schemes) - 1, REFERENCES).round().astype(int))
    references = [schemes[place] for place in spread]
    outlying = []
    for fold, split, coefs in zip(folds, splits, gram.coefs(references), strict=True):
        rows = _HeldOutRows(batch, fold.test, split, standardization, units)
        residuals = np.concatenate([rows.residuals(numbers, coefs) for numbers in rows.blocks()])
        weight = np.asarray(batch.weight[fold.test], np.float64) / standardization.weight_scale
        every = OutlyingRows(most, np.tile(np.eye(len(references)), (coefs.shape[1], 1, 1)))
        apart = np.flatnonzero(every.set_apart(residuals, weight))
        known = rows.known(fold.test[apart]) if len(apart) else np.zeros((0, coefs.shape[1], coefs.shape[2] + 1))
        kept = Apart(known, weight[apart], every.groups[0].medians)
        outlying.append(OutlyingRows(most, _models(coefs)).holding([kept]))
    return CappedRating(gram, outlying)


def _models(coefs: Array) -> Array:
    """Return models (targets, L, d + 1) whose products with known rows are residuals."""
    ones = np.ones((*coefs.shape[:2], 1))
    return np.concatenate([ones, -coefs], axis=2).transpose(1, 0, 2)


@dataclass(frozen=True, eq=False)
class _HeldOutRows:
    """Held-out rows in standardized units, relative to the means of the rows that their model has learned from."""

    batch: Batch
    test: NDArray[np.intp]
    split: SplitMoments
    standardization: Standardization
    units: Units

    def blocks(self) -> Iterator[NDArray[np.intp]]:
        """Yield the numbers of the rows, block by block."""
        return (self.test[start : start + BLOCK_ROWS] for start in range(0, len(self.test), BLOCK_ROWS))

    def residuals(self, numbers: NDArray[np.intp], coefs: Array) -> Array:
        """Return residuals of models (L, targets, d): (n, targets, L)."""
        predicted = self._products(numbers, (coefs / self.units.scale).reshape(-1, coefs.shape[-1]).T)
        return self._targets(numbers)[:, :, None] - predicted.reshape(-1, *coefs.shape[:2]).transpose(0, 2, 1)

    def known(self, numbers: NDArray[np.intp]) -> Array:
        """Return target and features of rows, (n, targets, d + 1)."""
        x, y = self._products(numbers, np.diag(1 / self.units.scale)), self._targets(numbers)
        return np.concatenate([y[:, :, None], np.repeat(x[:, None], y.shape[1], axis=1)], axis=2)

    def _products(self, numbers: NDArray[np.intp], slopes: Array) -> Array:
        """Return the rows, about the means learned from, times slopes (d, k): (n, k)."""
        rows = self.standardization.rows(self.batch.rows, numbers)
        if not self.units.centre:
            return np.asarray(rows.times(slopes), np.float64)
        padded = np.concatenate([slopes, np.zeros((1, slopes.shape[1]))])  # nothing for the constant column
        return np.asarray(rows.times(padded), np.float64) - self.split.train.co.mean_x @ slopes

    def _targets(self, numbers: NDArray[np.intp]) -> Array:
        y = np.asarray(self.standardization.targets(self.batch.y[numbers], FLOAT64), np.float64)
        return (y - self.split.train.co.mean_y if self.units.centre else y) / self.units.target_scale
