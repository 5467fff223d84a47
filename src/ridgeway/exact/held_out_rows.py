"""The held-out rows of a fold, in the units of the model of the other rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.exact.fold_moments import FoldSides
from ridgeway.exact.gram import Units
from ridgeway.rows import FLOAT64, Batch, numbered
from ridgeway.rows.standardization import Standardization

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

HELD_OUT_BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Held-out rows in standardized units, relative to the means of the rows that their model has learned from."""

    batch: Batch
    test: NDArray[np.intp]
    sides: FoldSides
    standardization: Standardization
    units: Units

    def blocks(self) -> Iterator[NDArray[np.intp]]:
        """Yield the numbers of the rows, block by block."""
        return (
            self.test[start : start + HELD_OUT_BLOCK_ROWS] for start in range(0, len(self.test), HELD_OUT_BLOCK_ROWS)
        )

    def residuals(self, numbers: NDArray[np.intp], coefs: Array) -> Array:
        """Return residuals of models (L, targets, d): (n, targets, L)."""
        predicted = self.products(numbers, (coefs / self.units.scale).reshape(-1, coefs.shape[-1]).T)
        return self.targets(numbers)[:, :, None] - predicted.reshape(-1, *coefs.shape[:2]).transpose(0, 2, 1)

    def row_vectors(self, numbers: NDArray[np.intp]) -> Array:
        """Return target and features of rows, (n, targets, d + 1)."""
        x, y = self.products(numbers, np.diag(1 / self.units.scale)), self.targets(numbers)
        return np.concatenate([y[:, :, None], np.repeat(x[:, None], y.shape[1], axis=1)], axis=2)

    def products(self, numbers: NDArray[np.intp], slopes: Array) -> Array:
        """Return the rows, about the means learned from, times slopes (d, k): (n, k)."""
        rows = self.standardization.rows(self.batch.rows, numbers)
        if not self.units.centre:
            return np.asarray(rows.times(slopes), np.float64)
        padded = np.concatenate([slopes, np.zeros((1, slopes.shape[1]))])  # nothing for the constant column
        return np.asarray(rows.times(padded), np.float64) - self.sides.train.co.mean_x @ slopes

    def targets(self, numbers: NDArray[np.intp]) -> Array:
        """Return the targets of rows, about the means learned from: (n, targets)."""
        y = np.asarray(self.standardization.targets(self.batch.y[numbers], FLOAT64), np.float64)
        return (y - self.sides.train.co.mean_y if self.units.centre else y) / self.units.target_scale

    def numbers(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the numbers of rows in the data, (n,)."""
        return numbered(self.batch.numbers)[rows].astype(np.int64)
