"""Coefficient paths of a report, for the columns of the largest effects, in compressed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.report.effects import Array, Effects
from ridgeway.report.report_summary import Grid, Path

NEGLIGIBLE_EFFECT_SHARE = 1e-6  # share of the largest value; smaller directions are dropped, smaller digits are rounded
SIGNIFICANT_DIGITS = 7
COARSE_STRIDE = 4  # trimming uses every fourth strength
# As shares of the largest effects: effects below the first have vanished, changes below the second do not count.
VANISHED_SHARE, UNCHANGED_SHARE = 0.01, 0.001


def rounded(values: Any) -> tuple[Any, ...]:
    """Return an array as nested tuples of numbers with seven significant digits."""
    array = np.asarray(values, np.float64)
    if array.ndim > 1:
        return tuple(rounded(row) for row in array)
    return tuple(float(f"{value:.{SIGNIFICANT_DIGITS}g}") for value in array.tolist())


def make_paths(
    effects: Effects,
    grid: Grid,
    alphas: Sequence[float],
    stops: tuple[Array, Array],
    scale: Array,
    names: Sequence[str],
    n_targets: int,
    most: int,
    intervals: Array | None = None,
    spreads: Array | None = None,
) -> tuple[Grid, list[Path]]:
    """Return the strengths over which effects change, and the path of each of the first targets.

    The effects of hundreds of strengths are mixtures of about ten directions, so a path of L strengths and k columns
    is stored as two tables, (L, r) and (k, r), found by a singular value decomposition.

    Parameters
    ----------
    effects : computes the effects for strengths of the grid.
    grid : all strengths.
    alphas : the alphas of the stops that have one.
    stops : effects (stops, targets, d) and intercepts of single averages, with the selected one first.
    scale : (d,), the scales of the columns.
    names : the names of the columns.
    n_targets : number of targets.
    most : number of columns to keep, those of the largest effects.
    intervals : (targets, d, 2), ends of the intervals of the coefficients of the first stop; None if there are none.
    spreads : (d,), the standard deviations of the columns; None where they are their scales.
    """
    at_stops, intercepts = stops
    coarse = effects(slice(None, None, COARSE_STRIDE), None)
    kept = trim(grid, coarse, alphas)
    paths = []
    for target in range(n_targets):
        shown = largest_columns(np.concatenate([at_stops[:, target], coarse[:, target]]), most)
        coordinates, basis = _low_rank(effects(kept, shown)[:, target])
        sizes = at_stops[0, target] ** 2
        whole = float(sizes.sum())
        paths.append(
            Path(
                features=tuple(names[column] for column in shown),
                scales=rounded(scale[shown]),
                coordinates=coordinates,
                basis=basis,
                stops=rounded(at_stops[:, target, shown]),
                intercepts=rounded(intercepts[:, target]),
                share=min(1.0, float(sizes[shown].sum()) / whole) if whole > 0 else 1.0,
                intervals=() if intervals is None else rounded(intervals[target, shown] * scale[shown, None]),
                spreads=() if spreads is None else rounded(spreads[shown]),
            )
        )
    return Grid(grid.low + kept.start / grid.per_decade, grid.per_decade, kept.stop - kept.start), paths


def trim(grid: Grid, effects: Array, alphas: Sequence[float]) -> slice:
    """Return the range of strengths over which effects change and have not vanished.

    Parameters
    ----------
    grid : all strengths.
    effects : (L, targets, d), the effects at every COARSE_STRIDE-th strength.
    alphas : strengths to keep, with half a decade around them.
    """
    table = effects.reshape(len(effects), -1)
    sizes = np.sqrt((table**2).sum(axis=1))
    changes = np.sqrt(((table - table[0]) ** 2).sum(axis=1))
    if not changes.max() > 0:
        return slice(0, grid.n)
    edge = grid.per_decade // 2
    places = [round((np.log10(alpha) - grid.low) * grid.per_decade) for alpha in alphas]
    first = min([COARSE_STRIDE * int(np.flatnonzero(changes > UNCHANGED_SHARE * sizes.max())[0]), *places]) - edge
    last = max([COARSE_STRIDE * int(np.flatnonzero(sizes > VANISHED_SHARE * sizes.max())[-1]), *places]) + edge
    return slice(max(first, 0), min(last, grid.n - 1) + 1)


def largest_columns(effects: Array, most: int) -> NDArray[np.intp]:
    """Return the columns of the largest effects (L, d), sorted by the effect of the selected average, the first row.

    Half of the columns have the largest effects of the selected average, the others the largest of any average.
    """
    sizes = np.abs(effects)
    selected, anywhere = sizes[0], sizes.max(axis=0)
    first = _top(selected, most - most // 2)
    anywhere[first] = -1.0
    picked = np.concatenate([first, _top(anywhere, min(most // 2, len(selected) - len(first)))])
    return picked[np.lexsort((picked, -selected[picked]))]


def _top(sizes: Array, most: int) -> NDArray[np.intp]:
    return np.argsort(-sizes, kind="stable")[:most]


def _low_rank(effects: Array) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return coordinates (L, r) and basis (k, r) whose product is nearly `effects` (L, k).

    Each entry is rounded to the digits that matter in the product, so weak directions have few digits.
    """
    left, sizes, right = np.linalg.svd(effects, full_matrices=False)
    rank = max(1, int((sizes > NEGLIGIBLE_EFFECT_SHARE * sizes[0]).sum()) if len(sizes) else 1)
    coordinates = left[:, :rank] * sizes[:rank]
    unit = NEGLIGIBLE_EFFECT_SHARE * max(float(np.abs(effects).max()), np.finfo(np.float64).tiny)
    reach = np.maximum(np.abs(coordinates).max(axis=0), unit)
    return _to_units(coordinates, np.full(rank, unit)), _to_units(right[:rank].T, unit / reach)


def _to_units(table: Array, units: Array) -> tuple[Any, ...]:
    """Round each column to the next power of ten below its unit."""
    decimals = np.clip(np.ceil(-np.log10(units)), -300, 300).astype(int)
    columns = [
        [round(value, places) + 0.0 for value in column]
        for column, places in zip(table.T.tolist(), decimals.tolist(), strict=True)
    ]
    return tuple(zip(*columns, strict=True))
