"""Kernel models: the path with selection against kernel ridge regression refitted for each strength; growth; memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from threadpoolctl import threadpool_limits

import ridgeway as rw
from benchmarks.planted import Array
from benchmarks.report import Case, Result, Target
from benchmarks.timing import QUICK_REPEATS, Timing, interleave

ALPHAS = np.logspace(-8, 0, 20)
OVER_KERNEL_RIDGE = Target(low=5)
FOURFOLD, DOUBLED = Target(3.4, 4.6), Target(1.7, 2.3)  # within 15%
AGREEMENT = Target(high=1.01)
BLOCK = 256
THREADS = 2
MB = 2**20


def cases(quick: bool = False) -> Iterator[Case]:
    """Time the whole path and its growth with the rows, and measure the memory, all on two threads."""
    with threadpool_limits(limits=THREADS):
        _fit(*smooth_rows(500, 20))  # compiles the kernels
        yield _path(2_500 if quick else 10_000, 20)
        yield _exact_growth((2_500, 5_000) if quick else (5_000, 10_000, 20_000), QUICK_REPEATS)
        yield _component_growth((10_000, 20_000, 40_000) if quick else (50_000, 100_000, 200_000))
        yield _memory(2_500 if quick else 8_000)


def long_cases(quick: bool = False) -> Iterator[Case]:
    """Run what takes minutes: many rows exactly, and very many with components."""
    with threadpool_limits(limits=THREADS):
        exact, many = (5_000, 50_000) if quick else (50_000, 1_000_000)
        yield _ended(f"kernel, {exact:,} rows", partial(_fit, *smooth_rows(exact, 20)))
        yield _ended(f"components, {many:,} rows", partial(_fit, *smooth_rows(many, 20), n_components=2_000))


def smooth_rows(n_rows: int, n_columns: int, seed: int = 0) -> tuple[Array, Array]:
    """Return normal X and a smooth function of its first columns with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    signal = np.sin(X[:, 0] * X[:, 1]) + X[:, 2] * X[:, 3] + np.cos(X[:, 4])
    return X, signal + 0.3 * rng.standard_normal(n_rows)


def _path(n_rows: int, n_columns: int) -> Case:
    X, y = smooth_rows(n_rows, n_columns)
    new, target = smooth_rows(2_000, n_columns, seed=1)
    models: list[rw.AveragedKernelRegressor] = []

    def fit_and_path() -> None:
        models.append(_fit(X, y))
        models[-1].path(ALPHAS)

    tasks: dict[str, Callable[[], object]] = {
        "fit, chosen, and path": fit_and_path,
        "KernelRidge, one strength": lambda: _kernel_ridge(X, y, 1e-4),
    }
    timings = interleave(tasks, 1, threads=THREADS)
    one, ours = timings["KernelRidge, one strength"], timings["fit, chosen, and path"]
    model = models[-1]
    error = _rmse(model.predict(new), target)
    least = min(_rmse(_kernel_ridge(X, y, alpha).predict(new), target) for alpha in np.logspace(-5, -3, 5))
    results = [
        Result("20 refits of KernelRidge / default fit and path", len(ALPHAS) * one.over(ours), OVER_KERNEL_RIDGE),
        Result("  passes of the fit", model.passes_),
        Result("  test error / the best of 5 KernelRidge fits", error / least, AGREEMENT),
    ]
    return Case(f"kernel {n_rows:,} x {n_columns}", results, timings)


def _exact_growth(sizes: tuple[int, ...], repeats: int) -> Case:
    """A run of four passes without a cache, which computes the kernel again in each pass."""
    options: dict[str, Any] = {"averaging": rw.Geometric(1e-4), "passes": 4, "flattening": None, "cache_size": 0}
    timings = interleave(
        {f"{n:,}": partial(_fit, *smooth_rows(n, 20), **options) for n in sizes}, repeats, threads=THREADS
    )
    return Case("kernel, growth with n", _ratios(timings, FOURFOLD), timings)


def _component_growth(sizes: tuple[int, ...]) -> Case:
    options: dict[str, Any] = {"averaging": "uniform", "passes": 1, "n_components": 500, "cache_size": 0}
    timings = interleave({f"{n:,}": partial(_fit, *smooth_rows(n, 20), **options) for n in sizes}, 3, threads=THREADS)
    return Case("components, growth with n", _ratios(timings, DOUBLED), timings)


def _ratios(timings: dict[str, Timing], target: Target) -> list[Result]:
    return [
        Result(f"time at n = {large} / at {small}", timings[large].over(timings[small]), target)
        for small, large in pairwise(timings)
    ]


def _memory(n_rows: int) -> Case:
    """Peak memory of a fit with a cache that holds a tenth of the kernel matrix."""
    X, y = smooth_rows(n_rows, 20)
    cache = 0.1 * 8 * n_rows**2 / MB
    tracemalloc.start()
    _fit(X, y, cache_size=cache, passes=8, flattening=None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    beyond = (peak / MB - cache) / (8 * n_rows * BLOCK / MB)
    results = [
        Result("kernel matrix, MB", 8 * n_rows**2 / MB),
        Result("cache, MB", cache),
        Result("peak, MB", peak / MB),
        Result("  beyond the cache, in blocks of 256 rows", beyond, Target(high=12)),
    ]
    return Case(f"kernel, memory at {n_rows:,}", results, {})


def _ended(name: str, task: Callable[[], Any]) -> Case:
    start = perf_counter()
    model = task()
    seconds = perf_counter() - start
    results = [Result("seconds", seconds), Result("passes", model.passes_)]
    return Case(name, results, {"fit": Timing((seconds,))})


def _fit(X: Array, y: Array, **options: Any) -> rw.AveragedKernelRegressor:
    return rw.AveragedKernelRegressor(random_state=0, **options).fit(X, y)


def _kernel_ridge(X: Array, y: Array, alpha: float) -> Any:
    return KernelRidge(kernel="rbf", gamma=1 / X.shape[1], alpha=len(X) * alpha).fit(X, y)


def _rmse(predicted: Array, actual: Array) -> float:
    return float(np.sqrt(((predicted - actual) ** 2).mean()))
