"""Coefficient paths of a report: few columns, few directions, every strength."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.path_result import PathResult
from ridgeway.report.summary import Grid, Path

Array = NDArray[np.float64]

AT_A_TIME = 4_000_000  # coefficients
NEGLIGIBLE = 1e-6  # directions below this share of the largest are left out
DIGITS = 7
COARSE = 4  # every so many strengths are looked at first
SMALL, ALIKE = 0.01, 0.001  # of the largest effects: nothing is left, nothing changes any more


def rounded(values: Any) -> tuple[Any, ...]:
    """Return an array as nested tuples of numbers with seven digits: a page does not need more."""
    array = np.asarray(values, np.float64)
    if array.ndim > 1:
        return tuple(rounded(row) for row in array)
    return tuple(float(f"{value:.{DIGITS}g}") for value in array.tolist())


def largest_columns(coefs: Array, scale: Array, most: int) -> list[NDArray[np.intp]]:
    """Return for each target the columns of the largest effects anywhere among the models, largest first.

    Parameters
    ----------
    coefs : (L, targets, d), the model that stands first.
    scale : (d,).
    most : how many columns.
    """
    answer = []
    for target in range(coefs.shape[1]):
        effects = np.abs(coefs[:, target]) * scale
        # Half of the places for where the model stands, the others for large effects of other strengths.
        first = _top(effects[0], most - most // 2)
        others = effects.max(axis=0)
        others[first] = -1.0
        picked = np.concatenate([first, _top(others, min(most // 2, len(scale) - len(first)))])
        answer.append(picked[np.argsort(-effects[0, picked], kind="stable")])
    return answer


def _top(sizes: Array, most: int) -> NDArray[np.intp]:
    if most >= len(sizes):
        return np.arange(len(sizes))
    return np.argpartition(-sizes, most)[:most] if most else np.empty(0, np.intp)


def with_targets(path: PathResult) -> tuple[Array, Array]:
    """Return coefficients (L, targets, d) and intercepts (L, targets) of a path."""
    coefs = path.coefs.astype(np.float64)
    intercepts = path.intercepts.astype(np.float64)
    return (coefs, intercepts) if coefs.ndim == 3 else (coefs[:, None], intercepts[:, None])


def trim(grid: Grid, coefs: Array, scale: Array, alphas: Sequence[float]) -> Grid:
    """Leave out strengths beyond which nothing is left, and below which nothing changes.

    Parameters
    ----------
    grid : the strengths.
    coefs : (L, targets, d), models of every COARSE-th of them.
    scale : (d,).
    alphas : strengths that stay, with half a decade around them.
    """
    effects = (coefs * scale).reshape(len(coefs), -1)
    sizes = np.sqrt((effects**2).sum(axis=1))
    if not sizes.max() > 0:
        return grid
    changes = np.sqrt(((effects - effects[0]) ** 2).sum(axis=1))
    first = COARSE * int(np.flatnonzero(changes > ALIKE * sizes.max())[0]) if changes.max() > 0 else 0
    last = COARSE * int(np.flatnonzero(sizes > SMALL * sizes.max())[-1])
    places = [round((np.log10(alpha) - grid.low) * grid.per_decade) for alpha in alphas]
    edge = grid.per_decade // 2
    first, last = min([first - edge, *(p - edge for p in places)]), max([last, *places]) + edge
    first, last = max(first, 0), min(last, grid.n - 1)
    return Grid(grid.low + first / grid.per_decade, grid.per_decade, max(last - first + 1, 2))


def make_paths(
    path_of: Callable[[Sequence[float]], PathResult],
    grid: Grid,
    alphas: Sequence[float],
    stops: tuple[Array, Array],
    scale: Array,
    names: Sequence[str],
    n_targets: int,
    most: int,
) -> tuple[Grid, list[Path]]:
    """Return the strengths where something changes, and the path of each of the first targets on them.

    The coefficients of hundreds of strengths are mixtures of some ten directions, so a path of L strengths and k
    columns is stored as two tables, (L, r) and (k, r), found by a singular value decomposition.

    Parameters
    ----------
    path_of : gives the models of some strengths.
    grid : the strengths, from the weakest to the strongest that may matter.
    alphas : those of the stops that have one.
    stops : coefficients (stops, targets, d) and intercepts of single averages, that of the model first.
    scale : (d,), what turns coefficients into effects.
    names : of the columns.
    n_targets : how many targets.
    most : how many columns, those of the largest effects.
    """
    stop_coefs, stop_intercepts = stops
    coarse = _coefs_of(path_of, grid.alphas[::COARSE], stop_coefs.shape[1:])
    grid = trim(grid, coarse, scale, alphas)
    columns = largest_columns(np.concatenate([stop_coefs, coarse]), scale, most)[:n_targets]
    kept = np.unique(np.concatenate(columns))
    fine = _coefs_of(path_of, grid.alphas, stop_coefs.shape[1:], kept)
    paths = []
    for target, shown in enumerate(columns):
        effects = fine[:, target, np.searchsorted(kept, shown)] * scale[shown]  # (L, k)
        coordinates, basis = _low_rank(effects)
        whole = float(((stop_coefs[0, target] * scale) ** 2).sum())
        part = float(((stop_coefs[0, target, shown] * scale[shown]) ** 2).sum())
        paths.append(
            Path(
                features=tuple(names[column] for column in shown),
                scales=rounded(scale[shown]),
                coordinates=rounded(coordinates),
                basis=rounded(basis),
                stops=rounded(stop_coefs[:, target, shown] * scale[shown]),
                intercepts=rounded(stop_intercepts[:, target]),
                share=min(1.0, part / whole) if whole > 0 else 1.0,
            )
        )
    return grid, paths


def _coefs_of(
    path_of: Callable[[Sequence[float]], PathResult],
    alphas: Sequence[float],
    shape: tuple[int, ...],
    kept: NDArray[np.intp] | None = None,
) -> Array:
    """Coefficients (L, targets, d), or of the kept columns only, without holding those of all columns at once."""
    size = max(1, AT_A_TIME // max(1, shape[0] * shape[1]))
    parts = []
    for first in range(0, len(alphas), size):
        coefs, _ = with_targets(path_of(alphas[first : first + size]))
        parts.append(coefs if kept is None else coefs[:, :, kept])
    return np.concatenate(parts)


def _low_rank(effects: Array) -> tuple[Array, Array]:
    """Return coordinates (L, r) and basis (k, r) whose product is nearly `effects` (L, k)."""
    left, sizes, right = np.linalg.svd(effects, full_matrices=False)
    rank = max(1, int((sizes > NEGLIGIBLE * sizes[0]).sum()) if len(sizes) else 1)
    return left[:, :rank] * sizes[:rank], right[:rank].T
