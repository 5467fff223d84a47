"""Default fits on real sets: their test error over that of RidgeCV, and how good each choice of a strength is.

The quality of a choice is the test error of what was chosen over that of the best candidate on the test rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV, SGDRegressor
from sklearn.model_selection import GridSearchCV

import ridgeway as rw
from benchmarks.peers.reference import STRENGTHS, geometric_mean, ratio, reach, rmse, standardized
from benchmarks.peers.sets import Split, real_sets
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

SPLITS = 3
N_QUICK_SETS = 3  # sets in a quick run
EPOCHS = 10
GRID = np.logspace(-6, 1, 8)


@dataclass(frozen=True)
class Choice:
    """Test errors of what was chosen and of the best candidate, and the seconds it took."""

    chosen: float
    best: float
    seconds: float


def cases(quick: bool = False) -> Iterator[Case]:
    """Go through the sets."""
    sets = list(real_sets())
    for table in sets[:N_QUICK_SETS] if quick else sets:
        splits = [table.split(seed) for seed in range(1 if quick else SPLITS)]
        found = {name: [method(split) for split in splits] for name, method in METHODS.items()}
        ridge = [choice.chosen for choice in found["RidgeCV"]]
        results = [
            Result(f"{name}: error / RidgeCV's", _over([choice.chosen for choice in choices], ridge))
            for name, choices in found.items()
        ]
        results += [
            Result(f"{name}: chosen / best", _over([c.chosen for c in choices], [c.best for c in choices]))
            for name, choices in found.items()
        ]
        results.append(Result("gradient steps without noise", geometric_mean(reach(split) for split in splits)))
        results += [Result("rows", len(splits[0].y)), Result("columns", splits[0].X.shape[1])]
        timings = {name: Timing(tuple(choice.seconds for choice in choices)) for name, choices in found.items()}
        yield Case(table.name, results, timings)


def ridge_path(split: Split) -> Choice:
    """RidgePathCV, all defaults; the candidates are those of its table."""
    start = perf_counter()
    model = rw.RidgePathCV(random_state=0).fit(split.X, split.y)
    seconds = perf_counter() - start
    errors = [rmse(model.at(row.scheme).predict(split.test_X), split.test_y) for row in model.selection_ or ()]
    chosen = rmse(model.predict(split.test_X), split.test_y)
    return Choice(chosen, min([*errors, chosen]), seconds)


def averaged_sgd(split: Split) -> Choice:
    """AveragedSGDRegressor, all defaults; the candidates are those of its table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # counted by `reach`
        start = perf_counter()
        model = rw.AveragedSGDRegressor(random_state=0).fit(split.X, split.y)
        seconds = perf_counter() - start
    schemes = [row.scheme for row in model.selection_ or () if row.step == model.step_]
    errors = [rmse(model.at(scheme).predict(split.test_X), split.test_y) for scheme in schemes]
    chosen = rmse(model.predict(split.test_X), split.test_y)
    return Choice(chosen, min([*errors, chosen]), seconds)


def ridge_cv(split: Split) -> Choice:
    """RidgeCV, leave-one-out over 25 strengths, on standardized columns."""
    start = perf_counter()
    rows = standardized(split)
    model = RidgeCV(alphas=STRENGTHS).fit(rows.X, rows.y)
    seconds = perf_counter() - start
    path = rw.ExactRidgePath(scale=False).fit(rows.X, rows.y).predict_path(rows.test_X, STRENGTHS / len(rows.y))
    chosen = rmse(model.predict(rows.test_X), rows.test_y)
    return Choice(chosen, min([chosen, *(rmse(column, rows.test_y) for column in path.T)]), seconds)


def glmnet(split: Split) -> Choice:
    """python-glmnet, ridge, 5 folds over 100 strengths of its own."""
    start = perf_counter()
    model = import_module("glmnet").ElasticNet(alpha=0, n_splits=5, random_state=0).fit(split.X, split.y)
    seconds = perf_counter() - start
    path = model.predict(split.test_X, lamb=model.lambda_path_)
    chosen = rmse(model.predict(split.test_X, lamb=model.lambda_max_), split.test_y)
    return Choice(chosen, min([chosen, *(rmse(column, split.test_y) for column in path.T)]), seconds)


def searched_sgd(split: Split) -> Choice:
    """scikit-learn's averaged SGD on standardized columns, 10 epochs, grid search with 5 folds over 8 strengths."""
    start = perf_counter()
    rows = standardized(split)
    mean, deviation = rows.y.mean(), rows.y.std()
    y = (rows.y - mean) / deviation
    settings = {"average": True, "max_iter": EPOCHS, "tol": None, "random_state": 0}
    search = GridSearchCV(SGDRegressor(**settings), {"alpha": GRID}, error_score=-np.inf).fit(rows.X, y)
    seconds = perf_counter() - start

    def error(alpha: float) -> float:
        fitted = SGDRegressor(alpha=alpha, **settings).fit(rows.X, y)
        return rmse(fitted.predict(rows.test_X) * deviation + mean, rows.test_y)

    chosen = error(search.best_params_["alpha"])
    return Choice(chosen, min(error(alpha) for alpha in GRID), seconds)


METHODS = {
    "RidgePathCV": ridge_path,
    "AveragedSGDRegressor": averaged_sgd,
    "RidgeCV": ridge_cv,
    "glmnet": glmnet,
    "SGDRegressor, grid search": searched_sgd,
}


def _over(errors: Sequence[float], references: Sequence[float]) -> float:
    return geometric_mean(ratio(error, of) for error, of in zip(errors, references, strict=True))
