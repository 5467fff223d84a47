"""The selection of the average: its cost compared with a plain run, and with other ways to tune a linear model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import ridgeway as rw
from benchmarks.planted import Array, dense_rows
from benchmarks.report import Case, Result, Target
from benchmarks.timing import QUICK_REPEATS, REPEATS, interleave
from benchmarks.yardsticks import grid_search, ridge_cv

FOLDS, HOLDOUT, PROGRESSIVE = Target(high=10), Target(high=2), Target(high=3)
OVER_RIDGE_CV, OVER_GRID_SEARCH = Target(low=10), Target(low=50)
PASSES = 10
PATH_ALPHAS = np.logspace(-6, 3, 1000)


def cases(quick: bool = False) -> Iterator[Case]:
    """Time the selection methods on medium data, then the default fit on large data."""
    for cv in (5, "holdout", "progressive"):
        _fit(*dense_rows(5_000, 20, np.float32), cv=cv, passes=1)  # a first call
    yield _methods(*dense_rows(20_000 if quick else 100_000, 100, np.float32), QUICK_REPEATS)
    yield _stream(*dense_rows(200_000 if quick else 1_000_000, 100, np.float32), QUICK_REPEATS if quick else REPEATS)
    yield _default(*dense_rows(200_000 if quick else 1_000_000, 100, np.float32), QUICK_REPEATS)


def _methods(X: Array, y: Array, repeats: int) -> Case:
    tasks: dict[str, Callable[[], object]] = {
        "plain run": lambda: rw.run_sgd(X, y, passes=PASSES, shuffle=True, store="sketch", random_state=0),
        "5 folds": lambda: _fit(X, y, cv=5, passes=PASSES),
        "hold-out": lambda: _fit(X, y, cv="holdout", passes=PASSES),
    }
    timings = interleave(tasks, repeats)
    results = [
        Result("fit, chosen by 5 folds / plain run", timings["5 folds"].over(timings["plain run"]), FOLDS),
        Result("fit, chosen by hold-out / plain run", timings["hold-out"].over(timings["plain run"]), HOLDOUT),
    ]
    return Case(f"choice {len(X):,} x {X.shape[1]}, {PASSES} passes", results, timings)


def _stream(X: Array, y: Array, repeats: int) -> Case:
    """One pass: the selection over unscaled rows, like those of the plain run, then over standardized rows.

    The latter are compared with a fit of standardized rows at a given average: this is the cost of the selection.
    """
    plain: dict[str, Any] = {"scale": False, "fit_intercept": False}
    tasks: dict[str, Callable[[], object]] = {
        "plain run": lambda: rw.run_sgd(X, y, store="sketch"),
        "progressive": lambda: _stream_fit(X, y, **plain),
        "hold-out": lambda: _fit(X, y, cv="holdout", passes=1, shuffle=False, **plain),
        "no choice, standardized": lambda: _fit(X, y, averaging="uniform", passes=1, shuffle=False),
        "progressive, standardized": lambda: _stream_fit(X, y),
        "hold-out, standardized": lambda: _fit(X, y, cv="holdout", passes=1, shuffle=False),
    }
    timings = interleave(tasks, repeats)
    run, unchosen = timings["plain run"], timings["no choice, standardized"]
    results = [
        Result("partial_fit, chosen progressively / plain run", timings["progressive"].over(run), PROGRESSIVE),
        Result("fit, chosen by hold-out / plain run", timings["hold-out"].over(run), HOLDOUT),
        Result(
            "  the former, standardized / no choice", timings["progressive, standardized"].over(unchosen), PROGRESSIVE
        ),
        Result("  the latter, standardized / no choice", timings["hold-out, standardized"].over(unchosen), HOLDOUT),
        Result("  no choice, standardized / plain run", unchosen.over(run)),
    ]
    return Case(f"choice {len(X):,} x {X.shape[1]}, one pass", results, timings)


def _default(X: Array, y: Array, repeats: int) -> Case:
    model = _fit(X, y)
    tasks: dict[str, Callable[[], object]] = {
        "default fit": partial(_fit, X, y),
        "RidgeCV": lambda: ridge_cv(X, y),
        "grid search": lambda: grid_search(X, y, 20),
        "path of 1,000": lambda: model.path(PATH_ALPHAS),
        "at": lambda: model.at(0.1).coef_,
    }
    timings = interleave(tasks, repeats, {"RidgeCV": 2, "grid search": 1})
    fit = timings["default fit"]
    results = [
        Result("RidgeCV / default fit", timings["RidgeCV"].over(fit), OVER_RIDGE_CV),
        Result("grid search of 20 SGDRegressors / default fit", timings["grid search"].over(fit), OVER_GRID_SEARCH),
        Result("path of 1,000 alphas, milliseconds", 1e3 * timings["path of 1,000"].best),
        Result("another alpha, milliseconds", 1e3 * timings["at"].best),
    ]
    return Case(f"default fit {len(X):,} x {X.shape[1]}", results, timings)


def _fit(X: Array, y: Array, **options: Any) -> rw.AveragedSGDRegressor:
    return rw.AveragedSGDRegressor(random_state=0, **options).fit(X, y)


def _stream_fit(X: Array, y: Array, batch: int = 50_000, **options: Any) -> rw.AveragedSGDRegressor:
    model = rw.AveragedSGDRegressor(**options)
    for first in range(0, len(X), batch):
        model.partial_fit(X[first : first + batch], y[first : first + batch])
    return model
