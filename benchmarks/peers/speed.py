"""Speed against rows, columns, strengths and sparsity: times of methods, as multiples of RidgePathCV's.

Rows are planted (independent columns, half of the variance explained), so iterative solvers need few iterations: their
best case. Each method is also compared with exact ridge on test rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.patience import take_turns
from benchmarks.peers.solvers import BEST, OURS, PATHS, SINGLE, affordable
from benchmarks.planted import Array, dense_rows, sparse_rows
from benchmarks.report import Case, Result

STRENGTHS = np.logspace(-6, 3, 100)
ONE_STRENGTH = np.array([1e-4])
SHAPES = (
    (100_000, 10),
    (100_000, 30),
    (100_000, 100),
    (1_000_000, 100),
    (50_000, 300),
    (20_000, 1_000),
    (5_000, 3_000),
    (1_000, 10_000),
)
QUICK_SHAPES = ((5_000, 10), (5_000, 100), (2_000, 500))
REPEATS = 3
TEST_ROWS = 2_000  # rows


def shapes(quick: bool = False) -> Iterator[Case]:
    """Time a path of 100 strengths, or one strength where a method knows no path, for rows of many shapes."""
    _warm_up()
    for n_rows, n_columns in QUICK_SHAPES if quick else SHAPES:
        X, y = dense_rows(n_rows + TEST_ROWS, n_columns, np.float64)
        rows, targets = X[:-TEST_ROWS], y[:-TEST_ROWS]
        groups = (PATHS, STRENGTHS), (BEST, STRENGTHS[::4]), (SINGLE, ONE_STRENGTH)
        tasks = {
            f"{name}, {_count(alphas)}": partial(solver, rows, targets, alphas)
            for solvers, alphas in groups
            for name, solver in solvers.items()
            if affordable(name.split(",")[0], (n_rows, n_columns))
        }
        yield _case(f"{n_rows:,} x {n_columns:,}", tasks, X[-TEST_ROWS:], y[-TEST_ROWS:], f"{OURS}, 100 strengths")


def strengths(quick: bool = False) -> Iterator[Case]:
    """Time paths of more and more strengths."""
    _warm_up()
    n_rows, n_columns = (2_000, 100) if quick else (50_000, 100)
    X, y = dense_rows(n_rows + TEST_ROWS, n_columns, np.float64)
    for count in (1, 10, 100, 1000):
        alphas = np.logspace(-6, 3, count) if count > 1 else ONE_STRENGTH
        chosen = PATHS | ({name: SINGLE[name] for name in ("Ridge lsqr", "glum")} if count <= 10 else {})
        tasks = {name: partial(solver, X[:-TEST_ROWS], y[:-TEST_ROWS], alphas) for name, solver in chosen.items()}
        yield _case(_count(alphas), tasks, X[-TEST_ROWS:], y[-TEST_ROWS:], OURS)


def sparsity(quick: bool = False) -> Iterator[Case]:
    """Time 20 strengths, or one where a method knows no path, for sparse rows with more and more entries."""
    n_rows, n_columns = (2_000, 1_000) if quick else (100_000, 20_000)
    alphas = STRENGTHS[10:50:2]
    names = ("SGDRegressor, averaged epoch", "Ridge lsqr", "Ridge sparse_cg", "Ridge sag", "snapml")
    for per_row in (5, 50, 200):
        X, y = sparse_rows(n_rows + TEST_ROWS, n_columns, per_row)
        rows, targets = X[:-TEST_ROWS].tocsr().astype(np.float64), y[:-TEST_ROWS].astype(np.float64)
        ours = (OURS, "run_sgd, one pass")
        tasks = {f"{name}, 20 strengths": partial(PATHS[name], rows, targets, alphas) for name in ours}
        tasks |= {f"{name}, 1 strength": partial(SINGLE[name], rows, targets, ONE_STRENGTH) for name in names}
        yield _case(f"{per_row} entries a row", tasks, X[-TEST_ROWS:], y[-TEST_ROWS:], f"{OURS}, 20 strengths")


def _warm_up() -> None:
    """Import and compile what the solvers need."""
    few = dense_rows(200, 20, np.float64)
    for solver in (PATHS | BEST | SINGLE).values():
        solver(*few, ONE_STRENGTH)


def _count(alphas: Array) -> str:
    return f"{len(alphas)} strength" + "s" * (len(alphas) > 1)


def _case(name: str, tasks: Mapping[str, Callable[[], Array]], X: Any, y: Array, ours: str) -> Case:
    """Time the tasks, and find the least test error of the strengths that each offers, over that of the mean."""
    coefs, timings = take_turns(tasks, REPEATS)
    results = [Result(task, timings[task].over(timings[ours])) for task in tasks]
    for task, path in coefs.items():
        errors = np.sqrt(((y[:, None] - X @ path.T) ** 2).mean(axis=0))
        results.append(Result(f"{task}: test error", float(errors.min() / y.std())))
    return Case(name, results, timings)
