"""Effects of the columns in a kernel model: the mean change of the prediction over kept rows when a column rises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.estimators import AveragedKernelRegressor
from ridgeway.estimators.averages import AnyAverages
from ridgeway.kernel.features import NystroemFeatures, SupportFeatures
from ridgeway.report.effects import Array, Effects, with_targets
from ridgeway.report.report_summary import Grid
from ridgeway.rows import DenseRows, readonly

MAX_SAMPLED_ROWS = 100


@dataclass(frozen=True, eq=False)
class MeanEffects:
    """Effects as products of coefficients with the mean changes of their features.

    Attributes
    ----------
    averages : the averages of the model.
    changes : (d, features), the mean changes of the features when a column rises from half a scale below its value to
        half a scale above.
    scale : (d,), the scales of the columns.
    """

    averages: AnyAverages
    changes: Array
    scale: Array

    @classmethod
    def of(cls, fitted: AveragedKernelRegressor) -> MeanEffects:
        """Compute the changes from a sample of the kept rows, one column at a time."""
        features = fitted._features()
        if isinstance(features, SupportFeatures):
            rows = features.support
        elif isinstance(features, NystroemFeatures):
            rows = features.centres
        else:
            raise TypeError(
                "this kernel model keeps no rows at which to show the effects of columns: expected an exact fit or "
                "features='nystroem', not Fourier features or a precomputed kernel."
            )
        if not isinstance(rows, DenseRows):
            raise TypeError("a kernel model of sparse rows cannot be reported: expected dense ones; pass X.toarray().")
        scaling, n_columns = features.scaling, rows.shape[1]
        some = np.linspace(0, len(rows.array) - 1, min(MAX_SAMPLED_ROWS, len(rows.array))).astype(int)
        scale, offset = np.ones(n_columns), np.zeros(n_columns)
        if scaling.scale is not None and scaling.offset is not None:
            scale, offset = scaling.scale, scaling.offset
        shown = rows.array[some].astype(np.float64) * scale + offset
        changes = np.empty((n_columns, features.n_features))
        for column in range(n_columns):
            half = np.zeros(n_columns)
            half[column] = scale[column] / 2
            above, below = (
                features.of(DenseRows(readonly((shown + sign * half).astype(rows.dtype)))) for sign in (1, -1)
            )
            changes[column] = (above - below).mean(axis=0, dtype=np.float64)
        return cls(fitted._fitted().averages, changes, scale)

    def at(self, schemes: Sequence[Scheme], columns: NDArray[np.intp] | None = None) -> tuple[Array, Array]:
        """Return the effects (L, targets, columns) of averages, and their intercepts."""
        coefs, intercepts = with_targets(self.averages.models(schemes))
        changes = self.changes if columns is None else self.changes[columns]
        return coefs @ changes.T, intercepts

    def on(self, grid: Grid) -> Effects:
        """Return a function that computes effects for strengths of a grid, and for columns."""

        def effects(strengths: slice, columns: NDArray[np.intp] | None) -> Array:
            return self.at([Geometric(alpha) for alpha in grid.alphas[strengths]], columns)[0]

        return effects
