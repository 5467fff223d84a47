"""The averages of a report: all that were compared, and the few that the reader can select."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from ridgeway.averaging import Geometric, Last, Scheme, Tail, Uniform
from ridgeway.averaging.scheme_name import scheme_name
from ridgeway.report.paths import rounded
from ridgeway.report.report_summary import Candidate, Comparison, Grid
from ridgeway.selection import Scored, Selection

GRID_ALPHAS_PER_DECADE = 16
MAX_GRID_DECADES = 16
EXACT_PATH_DECADES = (-6.0, 3.0)  # log10 of alpha, of exact paths
SCHEME_KINDS: dict[type[Scheme], str] = {Geometric: "geometric", Tail: "tail", Uniform: "uniform", Last: "last"}


def make_grid(step: float | None, elapsed: float | None, alphas: Sequence[float]) -> Grid:
    """Return the strengths over which the coefficients change, including the given ones.

    Below 0.1 / elapsed every average is the uniform one. Above 10 / step all coefficients vanish.
    """
    low, high = EXACT_PATH_DECADES
    if step is not None and elapsed is not None:
        low, high = math.log10(0.1 / max(elapsed, step)), math.log10(10 / step)
    places = [math.log10(alpha) for alpha in alphas]
    low, high = min([low, *(place - 1 for place in places)]), max([high, *(place + 1 for place in places)])
    first = math.floor(low * GRID_ALPHAS_PER_DECADE)
    n = math.ceil(high * GRID_ALPHAS_PER_DECADE) - first + 1
    return Grid(
        first / GRID_ALPHAS_PER_DECADE,
        GRID_ALPHAS_PER_DECADE,
        min(max(n, GRID_ALPHAS_PER_DECADE), MAX_GRID_DECADES * GRID_ALPHAS_PER_DECADE),
    )


def candidate(scheme: Scheme, length: int, scored: Scored | None = None, selected: bool = False) -> Candidate:
    """Return a scheme as a candidate of the report."""
    kind = SCHEME_KINDS.get(type(scheme), "other")
    start = scheme.first(length) / max(length, 1) if isinstance(scheme, Tail) else None
    if isinstance(scheme, Geometric) and scheme.alpha == 0:
        kind = "uniform"
    return Candidate(
        kind=kind,
        name=scheme_name(scheme),
        alpha=scheme.alpha if isinstance(scheme, Geometric) else None,
        start=start,
        step=None if scored is None else scored.step,
        error=None if scored is None else _finite(scored.error),
        standard_error=None if scored is None else _finite(scored.standard_error),
        chosen=scored is not None and scored.chosen,
        selected=selected,
    )


def stopping_places(selected: Scheme, selection: Selection | None) -> list[tuple[Scheme, Scored | None]]:
    """Return the selected average of the model, the chosen one and the best of each kind, with their scores."""
    if selection is None:
        return [(selected, None)]
    same_run = [row for row in selection if row.step == selection.chosen.step]
    best: dict[str, Scored] = {}
    for row in sorted(same_run, key=lambda row: row.error):
        best.setdefault(SCHEME_KINDS.get(type(row.scheme), "other"), row)
    rows = [selection.chosen, *(row for row in best.values() if row is not selection.chosen)]
    return [(row.scheme, row) for row in rows]


def compare(selection: Selection, length: int, grid: Grid) -> Comparison:
    """Return the table of candidates, and the errors of geometric averages on the grid."""
    step = selection.chosen.step
    geometric = [
        row
        for row in selection
        if row.step == step and row.alpha > 0 and math.isfinite(row.error) and math.isfinite(row.standard_error)
    ]
    errors: tuple[float, ...] = ()
    standard_errors: tuple[float, ...] = ()
    if len(geometric) >= 2:
        errors = _on_grid(grid, geometric, [row.error for row in geometric])
        standard_errors = _on_grid(grid, geometric, [row.standard_error for row in geometric])
    candidates = tuple(candidate(row.scheme, length, row) for row in selection)
    return Comparison(selection.method, candidates, selection.n_as_good, errors, standard_errors)


def _on_grid(grid: Grid, rows: Sequence[Scored], values: Sequence[float]) -> tuple[float, ...]:
    """Interpolate in log alpha without overshooting; beyond the ends the values are constant."""
    places = np.log10([row.alpha for row in rows])
    order = np.argsort(places)
    at = np.clip(np.log10(grid.alphas), places[order[0]], places[order[-1]])
    answer: tuple[float, ...] = rounded(PchipInterpolator(places[order], np.asarray(values)[order])(at))
    return answer


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
