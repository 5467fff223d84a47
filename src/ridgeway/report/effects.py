"""Effects of the columns for every strength of a grid: coefficients times the scales of their columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.estimators import AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.column_scale import column_scale
from ridgeway.messages.strength_warnings import no_strength_warnings
from ridgeway.path.path_result import PathResult
from ridgeway.report.report_summary import Grid
from ridgeway.selection.span import span_of

Array: TypeAlias = NDArray[np.float64]
# Effects (L, targets, columns) of some strengths of a grid, of all columns or of those given.
Effects: TypeAlias = Callable[[slice, NDArray[np.intp] | None], Array]


def effects_on(fitted: Any, grid: Grid) -> Effects:
    """Return a function that computes effects for strengths of the grid, and for columns."""
    runs = AveragedSGDRegressor | RidgePathCV
    return _of_run(fitted, grid) if isinstance(fitted, runs) else _of_path(fitted, grid)


def level_spreads(fitted: Any) -> Array | None:
    """Return the standard deviations of columns of sparse rows, (d,); None where all are known as their scales.

    The scale of a level is its largest value, 1, however few rows have it; the share p of these gives sqrt(p (1 - p)).
    Of other columns that are mostly 0 only the scale is known.
    """
    if not isinstance(fitted, AveragedSGDRegressor | RidgePathCV) or not fitted.scale:
        return None
    averages = fitted._fitted().averages
    standardization = averages.standardization
    scale, shares = (np.asarray(values, np.float64) for values in (standardization.scale, standardization.offset))
    levels = (scale == 1) & (shares > 0) & (shares < 1)
    if not averages.sparse or not levels.any():
        return None
    return np.where(levels, np.sqrt(np.where(levels, shares * (1 - shares), 0.0)), scale)


def with_targets(path: PathResult) -> tuple[Array, Array]:
    """Return coefficients (L, targets, d) and intercepts (L, targets) of a path."""
    coefs = path.coefs.astype(np.float64)
    intercepts = path.intercepts.astype(np.float64)
    return (coefs, intercepts) if coefs.ndim == 3 else (coefs[:, None], intercepts[:, None])


def _of_run(fitted: AveragedSGDRegressor | RidgePathCV, grid: Grid) -> Effects:
    """Compute effects from about twenty directions, of which every average is a mixture: this is cheap."""
    averages = fitted._fitted().averages
    schemes: list[Scheme] = [Geometric(alpha) for alpha in grid.alphas]
    span = span_of(averages.trajectory, averages.standardization, averages.sparse, schemes)
    coordinates, directions = span.given, span.directions
    unit = averages.standardization.target_scale[:, None]  # an effect is a slope in units of the target

    def effects(strengths: slice, columns: NDArray[np.intp] | None) -> Array:
        shown = directions if columns is None else directions[:, :, columns]
        answer: Array = np.tensordot(coordinates[strengths], shown, axes=1) * unit
        return answer

    return effects


def _of_path(fitted: Any, grid: Grid) -> Effects:
    scale = np.asarray(column_scale(fitted), np.float64)

    def effects(strengths: slice, columns: NDArray[np.intp] | None) -> Array:
        with no_strength_warnings():
            coefs, _ = with_targets(fitted.path(grid.alphas[strengths]))
        answer: Array = coefs * scale if columns is None else coefs[:, :, columns] * scale[columns]
        return answer

    return effects
