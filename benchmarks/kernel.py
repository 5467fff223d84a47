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
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

import ridgeway as rw
from benchmarks.planted import Array
from benchmarks.report import Case, Result, Target
from benchmarks.timing import QUICK_REPEATS, Timing, interleave

N_COLUMNS = 8
NOISES = {"nearly noiseless": 0.01, "noisy": 1.0}  # standard deviations, of the target about 1
ALPHAS = np.logspace(-8, 0, 20)
OVER_GRID_SEARCH = {"nearly noiseless": Target(low=4), "noisy": Target(low=10)}
OVER_REFITS = {"nearly noiseless": Target(low=5), "noisy": Target(low=10)}
FOURFOLD, DOUBLED = Target(high=4.6), Target(high=2.3)  # no more than 15% above
AGREEMENT = Target(high=1.005)
STRIP_ROWS = 128
THREADS = 2
MB = 2**20


def cases(quick: bool = False) -> Iterator[Case]:
    """Time the whole path and its growth with the rows, and measure the memory, all on two threads."""
    with threadpool_limits(limits=THREADS):
        for name in NOISES:
            yield _beside_grid_search(name, arm_rows, 1_000 if quick else 4_000)
        yield _beside_grid_search("nearly noiseless", sine_rows, 1_000 if quick else 4_000)
        for name in NOISES:
            yield _beside_refits(name, 2_500 if quick else 10_000)
        yield _exact_growth((2_500, 5_000) if quick else (5_000, 10_000, 20_000), QUICK_REPEATS)
        yield _component_growth((10_000, 20_000, 40_000) if quick else (50_000, 100_000, 200_000))
        yield _memory(2_500 if quick else 8_000)


def long_cases(quick: bool = False) -> Iterator[Case]:
    """Run what takes minutes: many rows exactly, and very many with components."""
    with threadpool_limits(limits=THREADS):
        exact, many = (5_000, 50_000) if quick else (50_000, 1_000_000)
        yield _ended(f"kernel, {exact:,} rows", partial(_fit, *arm_rows(exact, NOISES["noisy"])))
        yield _ended(f"components, {many:,} rows", partial(_fit, *arm_rows(many, 1.0), n_components=2_000))


def arm_rows(n_rows: int, noise: float, seed: int = 0) -> tuple[Array, Array]:
    """Return four angles and four lengths of the links of an arm, and how far it reaches, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, N_COLUMNS))
    angles, lengths = np.cumsum(np.pi / 4 * X[:, :4], axis=1), 1 + 0.5 * X[:, 4:]
    reach = np.hypot((lengths * np.cos(angles)).sum(axis=1), (lengths * np.sin(angles)).sum(axis=1))
    return X, reach + noise * rng.standard_normal(n_rows)


def sine_rows(n_rows: int, noise: float, seed: int = 0) -> tuple[Array, Array]:
    """Return a sum of sines of the columns, with noise: what four fifths of the rows choose is not best for all."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-np.sqrt(3), np.sqrt(3), (n_rows, N_COLUMNS))
    return X, np.sin(2 * X).sum(axis=1) / 2 + noise * rng.standard_normal(n_rows)


def _beside_grid_search(name: str, make: Callable[..., tuple[Array, Array]], n_rows: int) -> Case:
    """A fit with five folds beside a grid search of KernelRidge, 20 strengths and three folds; and its test error."""
    X, y = make(n_rows, NOISES[name])
    new, target = make(2_000, NOISES[name], seed=1)
    search = GridSearchCV(
        KernelRidge(kernel="rbf", gamma=1 / N_COLUMNS),
        {"alpha": n_rows * ALPHAS},
        cv=3,
        scoring="neg_mean_squared_error",
    )
    Z, mean = (X - X.mean(axis=0)) / X.std(axis=0), y.mean()
    tasks: dict[str, Callable[[], object]] = {
        "fit with 5 folds": lambda: _fit(X, y),
        "GridSearchCV(KernelRidge)": lambda: search.fit(Z, y - mean),
    }
    timings = interleave(tasks, 1, threads=THREADS)
    model = _fit(X, y)
    error = _rmse(model.predict(new), target)
    standard = (new - X.mean(axis=0)) / X.std(axis=0)
    searched = _rmse(search.predict(standard) + mean, target)
    least = _least_error(Z, y, standard, target)
    faster = timings["GridSearchCV(KernelRidge)"].over(timings["fit with 5 folds"])
    results = [
        Result("GridSearchCV, 20 strengths, 3 folds / fit", faster, OVER_GRID_SEARCH[name]),
        Result("  products with the kernel matrix", model.passes_),
        Result("  test error / the best KernelRidge on the test rows", error / least, AGREEMENT),
        Result("  that of GridSearchCV / the best KernelRidge", searched / least),
    ]
    what = "sines" if make is sine_rows else "arm"
    return Case(f"kernel {n_rows:,} x {N_COLUMNS}, {what}, {name}", results, timings)


def _beside_refits(name: str, n_rows: int) -> Case:
    """A fit with five folds beside 20 refits of KernelRidge, of which one is timed."""
    X, y = arm_rows(n_rows, NOISES[name])
    tasks: dict[str, Callable[[], object]] = {
        "fit with 5 folds": lambda: _fit(X, y),
        "KernelRidge, one strength": lambda: _kernel_ridge(X, y, 1e-4),
    }
    timings = interleave(tasks, 1, threads=THREADS)
    faster = len(ALPHAS) * timings["KernelRidge, one strength"].over(timings["fit with 5 folds"])
    results = [Result("20 refits of KernelRidge / fit", faster, OVER_REFITS[name])]
    return Case(f"kernel {n_rows:,} x {N_COLUMNS}, {name}", results, timings)


def _least_error(Z: Array, y: Array, new: Array, target: Array) -> float:
    """Test error of kernel ridge at the strength that is best on the test rows."""
    values, vectors = np.linalg.eigh(rbf_kernel(Z, gamma=1 / N_COLUMNS))
    along, onto = vectors.T @ (y - y.mean()), rbf_kernel(new, Z, gamma=1 / N_COLUMNS) @ vectors
    shrunk = [np.maximum(values, 0) + len(y) * alpha for alpha in np.logspace(-10, 0, 31)]
    return min(_rmse(onto @ (along / each) + y.mean(), target) for each in shrunk)


def _exact_growth(sizes: tuple[int, ...], repeats: int) -> Case:
    """Four passes of SGD without a cache, which computes the kernel again in each pass."""
    options: dict[str, Any] = {"averaging": rw.Geometric(1e-4), "passes": 4, "solver": "sgd", "cache_size": 0}
    timings = interleave(
        {f"{n:,}": partial(_fit, *arm_rows(n, 1.0), **options) for n in sizes}, repeats, threads=THREADS
    )
    return Case("kernel SGD, growth with n", _ratios(timings, FOURFOLD), timings)


def _component_growth(sizes: tuple[int, ...]) -> Case:
    options: dict[str, Any] = {"averaging": "uniform", "passes": 1, "n_components": 500, "cache_size": 0}
    timings = interleave({f"{n:,}": partial(_fit, *arm_rows(n, 1.0), **options) for n in sizes}, 3, threads=THREADS)
    return Case("components, growth with n", _ratios(timings, DOUBLED), timings)


def _ratios(timings: dict[str, Timing], target: Target) -> list[Result]:
    return [
        Result(f"time at n = {large} / at {small}", timings[large].over(timings[small]), target)
        for small, large in pairwise(timings)
    ]


def _memory(n_rows: int) -> Case:
    """Peak memory of a fit with a cache that holds a tenth of the kernel matrix."""
    X, y = arm_rows(n_rows, 1.0)
    cache = 0.1 * 8 * n_rows**2 / MB
    tracemalloc.start()
    model = _fit(X, y, cache_size=cache)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    vectors = 8 * n_rows * 2 * model.passes_ * 6 / MB  # of six recurrences, which grow by doubling
    beyond = (peak / MB - cache - vectors) / (8 * n_rows * STRIP_ROWS / MB)
    results = [
        Result("kernel matrix, MB", 8 * n_rows**2 / MB),
        Result("cache, MB", cache),
        Result("vectors of the recurrences, MB", vectors),
        Result("peak, MB", peak / MB),
        Result("  beyond these, in strips of 128 rows", beyond, Target(high=12)),
    ]
    return Case(f"kernel, memory at {n_rows:,}", results, {})


def _ended(name: str, task: Callable[[], Any]) -> Case:
    start = perf_counter()
    model = task()
    seconds = perf_counter() - start
    results = [Result("seconds", seconds), Result("products or passes", model.passes_)]
    return Case(name, results, {"fit": Timing((seconds,))})


def _fit(X: Array, y: Array, **options: Any) -> rw.AveragedKernelRegressor:
    return rw.AveragedKernelRegressor(random_state=0, **options).fit(X, y)


def _kernel_ridge(X: Array, y: Array, alpha: float) -> Any:
    return KernelRidge(kernel="rbf", gamma=1 / X.shape[1], alpha=len(X) * alpha).fit(X, y)


def _rmse(predicted: Array, actual: Array) -> float:
    return float(np.sqrt(((predicted - actual) ** 2).mean()))
