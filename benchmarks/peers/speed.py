"""Speed against rows, columns, strengths and sparsity: times of other methods, as multiples of one pass with its path.

Rows are planted (independent columns, half of the variance explained), so iterative solvers need few iterations: their
best case. Each method is also compared with exact ridge on test rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.patience import take_turns
from benchmarks.peers.solvers import OURS, PATHS, SINGLE, Solver, ridge_cv
from benchmarks.planted import Array, dense_rows, sparse_rows
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

STRENGTHS = np.logspace(-6, 3, 100)
ONE_STRENGTH = np.array([1e-4])
SHAPES = ((100_000, 10), (100_000, 30), (100_000, 100), (1_000_000, 100), (50_000, 300), (20_000, 1000), (5_000, 3000))
QUICK_SHAPES = ((5_000, 10), (5_000, 100), (2_000, 500))
MAX_ENTRIES = dict.fromkeys(("skglm", "snapml", "Ridge sag", "adelie"), 1.2e7)  # entries of X: minutes beyond
REPEATS = 3
TEST_ROWS = 2_000  # rows


def shapes(quick: bool = False) -> Iterator[Case]:
    """Time a path of 100 strengths, or one strength where a method knows no path, for rows of many shapes."""
    for n_rows, n_columns in QUICK_SHAPES if quick else SHAPES:
        X, y = dense_rows(n_rows + TEST_ROWS, n_columns, np.float64)
        rows, targets = X[:-TEST_ROWS], y[:-TEST_ROWS]
        solvers = {
            f"{name}, 100 strengths": partial(solver, rows, targets, STRENGTHS) for name, solver in PATHS.items()
        }
        solvers["RidgeCV, 25 strengths"] = partial(ridge_cv, rows, targets, STRENGTHS[::4])
        solvers |= {
            f"{name}, 1 strength": partial(solver, rows, targets, ONE_STRENGTH) for name, solver in SINGLE.items()
        }
        fitting = {
            name: task for name, task in solvers.items() if rows.size < MAX_ENTRIES.get(name.split(",")[0], np.inf)
        }
        yield _case(f"{n_rows:,} x {n_columns:,}", fitting, X[-TEST_ROWS:], y[-TEST_ROWS:], f"{OURS}, 100 strengths")


def strengths(quick: bool = False) -> Iterator[Case]:
    """Time paths of more and more strengths."""
    n_rows, n_columns = (2_000, 100) if quick else (50_000, 100)
    X, y = dense_rows(n_rows + TEST_ROWS, n_columns, np.float64)
    for count in (1, 10, 100, 1000):
        alphas = np.logspace(-6, 3, count) if count > 1 else ONE_STRENGTH
        chosen = PATHS | ({name: SINGLE[name] for name in ("Ridge lsqr", "glum")} if count <= 10 else {})
        tasks = {name: partial(solver, X[:-TEST_ROWS], y[:-TEST_ROWS], alphas) for name, solver in chosen.items()}
        yield _case(f"{count} strength" + "s" * (count > 1), tasks, X[-TEST_ROWS:], y[-TEST_ROWS:], OURS)


def sparsity(quick: bool = False) -> Iterator[Case]:
    """Time 20 strengths, or one where a method knows no path, for sparse rows with more and more entries."""
    n_rows, n_columns = (2_000, 1_000) if quick else (100_000, 20_000)
    alphas = STRENGTHS[10:50:2]
    paths: dict[str, Solver] = {OURS: PATHS[OURS]}
    names = ("SGDRegressor, averaged epoch", "Ridge lsqr", "Ridge sparse_cg", "Ridge sag", "snapml")
    for per_row in (5, 50, 200):
        X, y = sparse_rows(n_rows + TEST_ROWS, n_columns, per_row)
        rows, targets = X[:-TEST_ROWS].tocsr().astype(np.float64), y[:-TEST_ROWS].astype(np.float64)
        tasks = {f"{name}, 20 strengths": partial(solver, rows, targets, alphas) for name, solver in paths.items()}
        tasks |= {f"{name}, 1 strength": partial(SINGLE[name], rows, targets, ONE_STRENGTH) for name in names}
        yield _case(f"{per_row} entries a row", tasks, X[-TEST_ROWS:], y[-TEST_ROWS:], f"{OURS}, 20 strengths")


def _case(name: str, tasks: Mapping[str, Callable[[], Array]], X: Any, y: Array, ours: str) -> Case:
    """Time the tasks, and find the least test error of the strengths that each offers, over that of the mean."""
    coefs = {task: run() for task, run in tasks.items()}  # also compiles
    timings: dict[str, Timing] = take_turns(tasks, REPEATS)
    results = [Result(task, timings[task].over(timings[ours])) for task in tasks]
    for task, path in coefs.items():
        errors = np.sqrt(((y[:, None] - X @ path.T) ** 2).mean(axis=0))
        results.append(Result(f"{task}: test error", float(errors.min() / y.std())))
    return Case(name, results, timings)
