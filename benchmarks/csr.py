"""Sparse rows: a pass with a path of 20 alphas, against one epoch of averaged SGD for a single one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
import scipy.sparse

import ridgeway as rw
from benchmarks.planted import Array, sparse_rows
from benchmarks.report import Case, Result, Target
from benchmarks.timing import QUICK_REPEATS, REPEATS, interleave
from benchmarks.yardsticks import averaged_epoch, averaged_epoch_in_order

ALPHAS = np.logspace(-5, 1, 20)
SHAPE = (500_000, 200_000)
QUICK_SHAPE = (100_000, 50_000)
ENTRIES_PER_ROW = 50
PER_EPOCH = Target(high=2.0)
AGREEMENT = Target(high=2e-4)


def cases(quick: bool = False) -> Iterator[Case]:
    """Time one large matrix."""
    _replay_path(*sparse_rows(2_000, 500, 10))  # a first call
    n_rows, n_columns = QUICK_SHAPE if quick else SHAPE
    X, y = sparse_rows(n_rows, n_columns, ENTRIES_PER_ROW)
    replay = cast("rw.Replay", rw.run_sgd(X, y))
    tasks: dict[str, Callable[[], object]] = {
        "pass and path": lambda: _replay_path(X, y),
        "pass": lambda: rw.run_sgd(X, y),
        "path": lambda: replay.path(ALPHAS),
        "SGDRegressor": lambda: averaged_epoch(X, y),
        "SGDRegressor in order": lambda: averaged_epoch_in_order(X, y),
    }
    timings = interleave(tasks, QUICK_REPEATS if quick else REPEATS)
    epoch = timings["SGDRegressor"]
    results = [
        Result("pass and path / SGDRegressor epoch", timings["pass and path"].over(epoch), PER_EPOCH),
        Result("  pass / SGDRegressor epoch", timings["pass"].over(epoch)),
        Result("  path / SGDRegressor epoch", timings["path"].over(epoch)),
        Result("  pass and path / epoch in order", timings["pass and path"].over(timings["SGDRegressor in order"])),
        Result("largest relative difference from the direct product", _largest_difference(replay, X), AGREEMENT),
    ]
    yield Case(f"csr float32 {n_rows:,} x {n_columns:,}", results, timings)


def _replay_path(X: scipy.sparse.csr_array, y: Array) -> Array:
    return rw.run_sgd(X, y).path(ALPHAS)


def _largest_difference(replay: rw.Replay, X: scipy.sparse.csr_array) -> float:
    """Compare a few alphas with X^T (survival * gains) in float64, relative to the largest coefficient."""
    which = [0, 7, 13, 19]
    path = replay.path(ALPHAS)[which]
    transposed = X.T.astype(np.float64)
    steps = np.arange(1, replay.n_steps + 1)
    worst = 0.0
    for coef, alpha in zip(path, ALPHAS[which], strict=True):
        survival = rw.Geometric(alpha).survival(steps, replay.n_steps, replay.step)
        direct = transposed @ (survival * replay.gains[:, 0])
        worst = max(worst, float(np.abs(coef - direct).max() / np.abs(direct).max()))
    return worst
