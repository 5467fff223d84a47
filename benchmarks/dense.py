"""Dense rows: the whole path from one pass, against one read of the rows and against other ways to a path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ridgeway as rw
from benchmarks.planted import Array, dense_rows
from benchmarks.report import Case, Result, Target
from benchmarks.timing import QUICK_REPEATS, REPEATS, Timing, interleave
from benchmarks.yardsticks import averaged_epoch, averaged_epoch_in_order, gram_path

ALPHAS = np.logspace(-6, 3, 100)
SHAPES = ((1_000_000, 100), (200_000, 1000))
QUICK_SHAPES = ((200_000, 100), (40_000, 1000))

READS = {  # of X, by precision and number of columns
    (np.float32, 100): Target(high=1.35),
    (np.float32, 1000): Target(high=1.25),
    (np.float64, 100): Target(high=1.8),
    (np.float64, 1000): Target(high=1.8),
}
AGREEMENT = {np.float32: Target(high=2e-4), np.float64: Target(high=1e-9)}
OVER_SGD = {100: Target(low=8), 1000: Target(low=6)}
OVER_GRAM = {100: Target(low=3), 1000: Target(low=12)}


def cases(quick: bool = False) -> Iterator[Case]:
    """Time each shape and precision."""
    for dtype in (np.float32, np.float64):
        _warm_up(dtype)
        for n_rows, n_columns in QUICK_SHAPES if quick else SHAPES:
            yield _case(n_rows, n_columns, dtype, QUICK_REPEATS if quick else REPEATS)


def sketch_path(X: Array, y: Array) -> Array:
    """One pass and the path of 100 alphas: the main target of the engine."""
    return rw.run_sgd(X, y, store="sketch").path(ALPHAS)


def _case(n_rows: int, n_columns: int, dtype: type[np.floating[Any]], repeats: int) -> Case:
    X, y = dense_rows(n_rows, n_columns, dtype)
    sketch = rw.run_sgd(X, y, store="sketch")
    step = rw.LimitedStep(sketch.step)
    tasks: dict[str, Callable[[], object]] = {
        "read": X.sum,
        "pass and path": lambda: sketch_path(X, y),
        "pass, step given": lambda: rw.run_sgd(X, y, step=step, store="sketch"),
        "pass, step auto": lambda: rw.run_sgd(X, y, store="sketch"),
        "path": lambda: sketch.path(ALPHAS),
        "replay pass": lambda: rw.run_sgd(X, y, step=step, store="replay"),
    }
    slow: dict[str, int] = {}
    if dtype is np.float32:
        tasks["SGDRegressor"] = lambda: averaged_epoch(X, y)
        tasks["SGDRegressor in order"] = lambda: averaged_epoch_in_order(X, y)
        tasks["Gram"] = lambda: gram_path(X, y, ALPHAS)
        slow = {"SGDRegressor": 3, "SGDRegressor in order": 3, "Gram": 3}
    timings = interleave(tasks, repeats, slow)
    difference = _largest_difference(sketch.path(ALPHAS), rw.run_sgd(X, y, store="replay").path(ALPHAS))
    name = f"dense {np.dtype(dtype)} {n_rows:,} x {n_columns}"
    results = [*_reads(timings, READS[dtype, n_columns]), *_speed_ups(timings, n_columns, slow)]
    results.append(Result("largest relative difference from replay", difference, AGREEMENT[dtype]))
    results.append(Result("read of X, GB/s", X.nbytes / timings["read"].best / 1e9))
    return Case(name, results, timings)


def _reads(timings: dict[str, Timing], target: Target) -> Iterator[Result]:
    """Return the time of each part, in reads of X."""
    read = timings["read"]
    yield Result("pass and path / read of X", timings["pass and path"].over(read), target)
    for part in ("pass, step given", "pass, step auto", "path", "replay pass"):
        yield Result(f"  {part} / read of X", timings[part].over(read))


def _speed_ups(timings: dict[str, Timing], n_columns: int, peers: dict[str, int]) -> Iterator[Result]:
    """Return the times of the peers, as multiples of ours."""
    targets = {"SGDRegressor": OVER_SGD[n_columns], "Gram": OVER_GRAM[n_columns]}
    for peer in peers:
        yield Result(f"{peer} / pass and path", timings[peer].over(timings["pass and path"]), targets.get(peer))


def _largest_difference(path: Array, reference: Array) -> float:
    """Largest |path - reference| relative to the largest coefficient of its alpha."""
    difference = np.abs(path.astype(np.float64) - reference).max(axis=1)
    return float((difference / np.abs(reference).max(axis=1)).max())


def _warm_up(dtype: type[np.floating[Any]]) -> None:
    """Run every loop once."""
    X, y = dense_rows(5_000, 20, dtype)
    for store in ("sketch", "replay"):
        rw.run_sgd(X, y, store=store).path(ALPHAS)
        rw.run_sgd(X, y, step=0.01, store=store)
