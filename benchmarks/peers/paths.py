"""Distance of paths to exact ridge at each strength, in percent: our estimators, and others that say "ridge".

The distance is the standard deviation of the difference of predictions on test rows over that of ridge's predictions.
Columns are standardized. The flights are one split, because they are many; other tables are three.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge, SGDRegressor
from sklearn.model_selection import train_test_split

import ridgeway as rw
from benchmarks import paths
from benchmarks.planted import Array
from benchmarks.report import Case, Result

ALPHAS = (paths.WEAK_ALPHA, *paths.ALPHAS)
EPOCHS = 10
CONSTANT_SHARE = 0.1  # of the size that the growing step ends with
MANY_PASSES = 12  # over the flights


@dataclass(frozen=True)
class PathOf:
    """Answers as an estimator with a path does, by a function of rows and strengths."""

    answer: Callable[[Array, Array], Array]

    def predict_path(self, X: Array, alphas: list[float]) -> Array:
        """Return predictions, (n_rows, n_alphas)."""
        return self.answer(X, np.array(alphas))


def cases(quick: bool = False) -> Iterator[Case]:
    """Measure real tables, the flights, and planted rows that are read once."""
    for name, load in paths.tables().items():
        yield _case(name, *load(), METHODS, 1 if quick else paths.SPLITS)
    flights = rw.load_flights()
    X, y = (flights.X[::10], flights.y[::10]) if quick else (flights.X, flights.y)
    more = {f"AveragedSGDRegressor, {MANY_PASSES} passes": _many_passes}
    yield _case("flights", X.astype(np.float64), y.astype(np.float64), METHODS | more, 1)
    yield paths.one_pass(paths.ROWS // 10 if quick else paths.ROWS, 1 if quick else paths.SEEDS)


def _case(name: str, X: Array, y: Array, methods: dict[str, Callable[[Array, Array, int], Any]], splits: int) -> Case:
    found: dict[str, list[Array]] = {method: [] for method in methods}
    for seed in range(splits):
        train, test, labels, _ = train_test_split(X, y.astype(np.float64), test_size=0.2, random_state=seed)
        for method, fit in methods.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                found[method].append(paths.distances(fit(train, labels, seed), train, labels, test, ALPHAS))
    results = [
        Result(f"{method}: alpha {alpha:g}", float(np.mean([each[k] for each in distances])))
        for method, distances in found.items()
        for k, alpha in enumerate(ALPHAS)
    ]
    n_train, n_columns = train.shape
    return Case(name, [*results, Result("rows", n_train), Result("columns", n_columns)], {})


def _ridge_path(X: Array, y: Array, seed: int) -> Any:
    return rw.RidgePathCV(random_state=seed).fit(X, y)


def _averaged(X: Array, y: Array, seed: int) -> Any:
    return rw.AveragedSGDRegressor(random_state=seed).fit(X, y)


def _many_passes(X: Array, y: Array, seed: int) -> Any:
    return rw.AveragedSGDRegressor(passes=MANY_PASSES, random_state=seed).fit(X, y)


def _constant(X: Array, y: Array, seed: int) -> Any:
    """A constant step, as in the paper, for as many steps; a larger one is noisier at strong alphas."""
    grown = _averaged(X, y, seed).at(1.0)
    step, passes = rw.LimitedStep(CONSTANT_SHARE * grown.step_), max(round(grown.n_steps_ / len(y)), 1)
    return rw.AveragedSGDRegressor(step=step, passes=passes, random_state=seed).fit(X, y)


def _glmnet(X: Array, y: Array, seed: int) -> PathOf:
    """python-glmnet, a path from the strongest to the weakest; it standardizes columns itself."""
    alphas = np.array(ALPHAS)[::-1]
    settings: dict[str, Any] = {"alpha": 0, "n_splits": 0, "lambda_path": alphas * y.std()}
    model = import_module("glmnet").ElasticNet(**settings).fit(X, y)
    return PathOf(lambda rows, asked: model.predict(rows, lamb=asked * y.std()))


def _one_by_one(build: Callable[[float, int], Any]) -> Callable[[Array, Array, int], PathOf]:
    """Make a path of a method that knows one strength at a time, on standardized columns and targets."""

    def fit(X: Array, y: Array, seed: int) -> PathOf:
        mean, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale == 0] = 1.0
        rows, targets = (X - mean) / scale, (y - y.mean()) / y.std()

        def answer(new: Array, alphas: Array) -> Array:
            models = [build(float(alpha), len(y)).fit(rows, targets) for alpha in alphas]
            return np.stack([model.predict((new - mean) / scale) * y.std() for model in models], axis=1)

        return PathOf(answer)

    return fit


METHODS: dict[str, Callable[[Array, Array, int], Any]] = {
    "RidgePathCV": _ridge_path,
    "AveragedSGDRegressor": _averaged,
    "AveragedSGDRegressor, constant step": _constant,
    "glmnet": _glmnet,
    "Ridge lsqr": _one_by_one(lambda alpha, n_rows: Ridge(alpha * n_rows, solver="lsqr")),
    "SGDRegressor, averaged, 10 epochs": _one_by_one(
        lambda alpha, _: SGDRegressor(alpha=alpha, average=True, max_iter=EPOCHS, tol=None, random_state=0)
    ),
}
