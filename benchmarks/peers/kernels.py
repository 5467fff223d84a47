"""Kernels: the averaged kernel regressor against tuned kernel ridge of scikit-learn and of himalaya."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from time import perf_counter

import numpy as np
from sklearn.kernel_ridge import KernelRidge

import ridgeway as rw
from benchmarks.peers.reference import ratio, rmse, standardized
from benchmarks.peers.sets import Split, real_sets
from benchmarks.planted import Array
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

SETS = ("digits", "concrete", "computers", "california")
QUICK_SETS = ("concrete",)
MAX_ROWS = 3_000
GRID = np.logspace(-7, 1, 9)
HELD_OUT_SHARE = 0.1


def cases(quick: bool = False) -> Iterator[Case]:
    """Fit all with the rbf kernel and the same width."""
    for table in real_sets():
        if table.name in (QUICK_SETS if quick else SETS):
            yield _case(table.name, standardized(table.split(0)))


def _case(name: str, split: Split) -> Case:
    split = Split(split.X[:MAX_ROWS], split.y[:MAX_ROWS], split.test_X, split.test_y)
    errors, timings = {}, {}
    for label, method in METHODS.items():
        start = perf_counter()
        errors[label] = rmse(method(split), split.test_y)
        timings[label] = Timing((perf_counter() - start,))
    reference = errors["KernelRidge"]
    results = [Result(label, ratio(error, reference)) for label, error in errors.items()]
    results += [Result("rows", len(split.y)), Result("columns", split.X.shape[1])]
    return Case(name, results, timings)


def _averaged(split: Split) -> Array:
    model = rw.AveragedKernelRegressor(kernel="rbf", gamma=1 / split.X.shape[1], random_state=0)
    return np.asarray(model.fit(split.X, split.y).predict(split.test_X))


def _kernel_ridge(split: Split) -> Array:
    """Nine strengths on held-out rows, then the best one for all of them."""
    n_held, mean = round(HELD_OUT_SHARE * len(split.y)), split.y.mean()

    def model(alpha: float, n_rows: int) -> KernelRidge:
        return KernelRidge(alpha=alpha * n_rows, kernel="rbf", gamma=1 / split.X.shape[1])

    def error(alpha: float) -> float:
        fitted = model(alpha, len(split.y) - n_held).fit(split.X[n_held:], split.y[n_held:] - mean)
        return rmse(fitted.predict(split.X[:n_held]) + mean, split.y[:n_held])

    best = model(float(min(GRID, key=error)), len(split.y)).fit(split.X, split.y - mean)
    return np.asarray(best.predict(split.test_X) + mean)


def _himalaya(split: Split) -> Array:
    """Nine strengths, five folds."""
    mean, gamma = split.y.mean(), 1 / split.X.shape[1]
    model = import_module("himalaya.kernel_ridge").KernelRidgeCV(
        alphas=GRID * len(split.y), kernel="rbf", kernel_params={"gamma": gamma}
    )
    return np.asarray(model.fit(split.X, split.y - mean).predict(split.test_X) + mean)


METHODS: dict[str, Callable[[Split], Array]] = {
    "AveragedKernelRegressor": _averaged,
    "KernelRidge": _kernel_ridge,
    "himalaya KernelRidgeCV": _himalaya,
}
