"""Accuracy against time on real sets: each method runs with growing effort and ends with a tuned model.

Methods that know one strength at a time try ten of them and keep the best on a tenth of the rows, held out. A method's
error at a time is the least that it had reached by then, over that of RidgeCV.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge, RidgeCV, SGDRegressor

import ridgeway as rw
from benchmarks.peers.reference import STRENGTHS, ratio, rmse, standardized
from benchmarks.peers.sets import Split, real_sets
from benchmarks.planted import Array, dense_rows
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

SETS = ("flights", "diamonds", "ames", "chicago", "star", "hotel_rates", "labsup", "california")
QUICK_SETS = ("chicago",)
GRID = np.logspace(-6, 1, 10)
TIME_LIMIT_SECONDS = 4.0  # after this time a method stops
HELD_OUT_SHARE = 0.1


@dataclass(frozen=True)
class Runner:
    """A method: `fit` runs with an effort and predicts the test rows; `efforts` are tried in order."""

    unit: str
    efforts: tuple[int, ...]
    fit: Callable[[Split, int], Array]


def cases(quick: bool = False) -> Iterator[Case]:
    """Run all methods on each set, then on planted rows with many columns."""
    few = _planted(1000, 20)
    for runner in RUNNERS.values():  # imports and compilation
        runner.fit(few, runner.efforts[0])
    wanted = QUICK_SETS if quick else SETS
    for table in real_sets():
        if table.name in wanted:
            yield _case(table.name, table.split(0))
    if not quick:
        yield _case("planted", _planted(20_000, 1_000))


def _planted(n_rows: int, n_columns: int) -> Split:
    X, y = dense_rows(n_rows + n_rows // 5, n_columns, np.float64)
    X *= np.linspace(0.2, 1.8, n_columns)
    return Split(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:])


def _case(name: str, split: Split) -> Case:
    errors, timings = {}, {}
    for method, runner in RUNNERS.items():
        for effort in runner.efforts:
            label = f"{method}, {effort} {runner.unit}" if effort else method
            start = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                predicted = runner.fit(split, effort)
            seconds = perf_counter() - start
            errors[label] = rmse(predicted, split.test_y)
            timings[label] = Timing((seconds,))
            if seconds > TIME_LIMIT_SECONDS:
                break
    results = [Result(label, ratio(error, errors["RidgeCV"])) for label, error in errors.items()]
    results += [Result("rows", len(split.y)), Result("columns", split.X.shape[1])]
    return Case(name, results, timings)


def _ridge_path(split: Split, effort: int) -> Array:
    assert effort == 0
    return np.asarray(rw.RidgePathCV(random_state=0).fit(split.X, split.y).predict(split.test_X))


def _averaged(split: Split, passes: int) -> Array:
    model = rw.AveragedSGDRegressor(passes=passes or "auto", random_state=0)
    return np.asarray(model.fit(split.X, split.y).predict(split.test_X))


def _gram(split: Split, effort: int) -> Array:
    """Choose on held-out rows, then solve for all of them."""
    assert effort == 0
    n_held = round(HELD_OUT_SHARE * len(split.y))
    path = rw.ExactRidgePath().fit(split.X[n_held:], split.y[n_held:])
    alphas = STRENGTHS / len(split.y)
    errors = ((path.predict_path(split.X[:n_held], alphas) - split.y[:n_held, None]) ** 2).mean(axis=0)
    model = path.partial_fit(split.X[:n_held], split.y[:n_held]).at(float(alphas[errors.argmin()]))
    return np.asarray(model.predict(split.test_X))


def _ridge_cv(split: Split, effort: int) -> Array:
    assert effort == 0
    rows = standardized(split)
    return np.asarray(RidgeCV(alphas=STRENGTHS).fit(rows.X, rows.y).predict(rows.test_X))


def _glmnet(split: Split, effort: int) -> Array:
    assert effort == 0
    model = import_module("glmnet").ElasticNet(alpha=0, n_splits=3, random_state=0).fit(split.X, split.y)
    return np.asarray(model.predict(split.test_X, lamb=model.lambda_max_))


def _searched(build: Callable[[float, int, int], object]) -> Callable[[Split, int], Array]:
    """Ten strengths on standardized rows and targets, compared on held-out rows; the best is fitted to all."""

    def fit(split: Split, effort: int) -> Array:
        rows = standardized(split)
        mean, deviation = rows.y.mean(), rows.y.std()
        y, n_held = (rows.y - mean) / deviation, round(HELD_OUT_SHARE * len(rows.y))

        def fitted(alpha: float, X: Array, targets: Array) -> object:
            return build(alpha, effort, len(targets)).fit(X, targets)  # type: ignore[attr-defined]

        def error(alpha: float) -> float:
            model = fitted(alpha, rows.X[n_held:], y[n_held:])
            return rmse(model.predict(rows.X[:n_held]), y[:n_held])  # type: ignore[attr-defined]

        best = min(GRID, key=error)
        model = fitted(float(best), rows.X, y)
        return np.asarray(model.predict(rows.test_X) * deviation + mean)  # type: ignore[attr-defined]

    return fit


def _ridge(solver: str) -> Callable[[Split, int], Array]:
    return _searched(
        lambda alpha, effort, n_rows: Ridge(alpha * n_rows, solver=solver, max_iter=effort, tol=1e-10, random_state=0)
    )


RUNNERS = {
    "RidgePathCV": Runner("", (0,), _ridge_path),
    "AveragedSGDRegressor": Runner("passes", (1, 2, 4, 8, 16), _averaged),
    "AveragedSGDRegressor, defaults": Runner("", (0,), _averaged),
    "Gram + eigh": Runner("", (0,), _gram),
    "RidgeCV": Runner("", (0,), _ridge_cv),
    "glmnet": Runner("", (0,), _glmnet),
    "SGDRegressor, averaged": Runner(
        "epochs",
        (1, 2, 5, 10, 20, 50),
        _searched(
            lambda alpha, effort, _: SGDRegressor(alpha=alpha, average=True, max_iter=effort, tol=None, random_state=0)
        ),
    ),
    "Ridge sag": Runner("epochs", (1, 2, 5, 10, 20, 50), _ridge("sag")),
    "Ridge lsqr": Runner("iterations", (2, 5, 10, 20, 50), _ridge("lsqr")),
}
