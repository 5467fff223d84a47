"""Coefficient paths of a report: few columns, few directions, every strength."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.report.effects import Array, Effects
from ridgeway.report.summary import Grid, Path

NEGLIGIBLE = 1e-6  # of the largest: directions below are left out, digits below are rounded
DIGITS = 7
COARSE = 4  # every so many strengths are looked at first
SMALL, ALIKE = 0.01, 0.001  # of the largest effects: nothing is left, nothing changes any more


def rounded(values: Any) -> tuple[Any, ...]:
    """Return an array as nested tuples of numbers with seven digits: a page does not need more."""
    array = np.asarray(values, np.float64)
    if array.ndim > 1:
        return tuple(rounded(row) for row in array)
    return tuple(float(f"{value:.{DIGITS}g}") for value in array.tolist())


def make_paths(
    effects: Effects,
    grid: Grid,
    alphas: Sequence[float],
    stops: tuple[Array, Array],
    scale: Array,
    names: Sequence[str],
    n_targets: int,
    most: int,
) -> tuple[Grid, list[Path]]:
    """Return the strengths where something changes, and the path of each of the first targets on them.

    The effects of hundreds of strengths are mixtures of some ten directions, so a path of L strengths and k columns is
    stored as two tables, (L, r) and (k, r), found by a singular value decomposition.

    Parameters
    ----------
    effects : gives those of strengths of the grid.
    grid : the strengths, from the weakest to the strongest that may matter.
    alphas : those of the stops that have one.
    stops : effects (stops, targets, d) and intercepts of single averages, that of the model first.
    scale : (d,), of the columns.
    names : of the columns.
    n_targets : how many targets.
    most : how many columns, those of the largest effects.
    """
    at_stops, intercepts = stops
    coarse = effects(slice(None, None, COARSE), None)
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
            )
        )
    return Grid(grid.low + kept.start / grid.per_decade, grid.per_decade, kept.stop - kept.start), paths


def trim(grid: Grid, effects: Array, alphas: Sequence[float]) -> slice:
    """Leave out strengths beyond which nothing is left, and below which nothing changes.

    Parameters
    ----------
    grid : the strengths.
    effects : (L, targets, d), of every COARSE-th of them.
    alphas : strengths that stay, with half a decade around them.
    """
    table = effects.reshape(len(effects), -1)
    sizes = np.sqrt((table**2).sum(axis=1))
    changes = np.sqrt(((table - table[0]) ** 2).sum(axis=1))
    if not changes.max() > 0:
        return slice(0, grid.n)
    edge = grid.per_decade // 2
    places = [round((np.log10(alpha) - grid.low) * grid.per_decade) for alpha in alphas]
    first = min([COARSE * int(np.flatnonzero(changes > ALIKE * sizes.max())[0]), *places]) - edge
    last = max([COARSE * int(np.flatnonzero(sizes > SMALL * sizes.max())[-1]), *places]) + edge
    return slice(max(first, 0), min(last, grid.n - 1) + 1)


def largest_columns(effects: Array, most: int) -> NDArray[np.intp]:
    """Return the columns of the largest effects (L, d), largest first where the model stands, the first row.

    Half of the places are for those that are large there, the others for those that are large anywhere.
    """
    sizes = np.abs(effects)
    standing, anywhere = sizes[0], sizes.max(axis=0)
    first = _top(standing, most - most // 2)
    anywhere[first] = -1.0
    picked = np.concatenate([first, _top(anywhere, min(most // 2, len(standing) - len(first)))])
    return picked[np.lexsort((picked, -standing[picked]))]


def _top(sizes: Array, most: int) -> NDArray[np.intp]:
    return np.argsort(-sizes, kind="stable")[:most]


def _low_rank(effects: Array) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return coordinates (L, r) and basis (k, r) whose product is nearly `effects` (L, k).

    Each entry is rounded to what matters in the product, so that weak directions have few digits.
    """
    left, sizes, right = np.linalg.svd(effects, full_matrices=False)
    rank = max(1, int((sizes > NEGLIGIBLE * sizes[0]).sum()) if len(sizes) else 1)
    coordinates = left[:, :rank] * sizes[:rank]
    unit = NEGLIGIBLE * max(float(np.abs(effects).max()), np.finfo(np.float64).tiny)
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
