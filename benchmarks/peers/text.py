"""Sparse text: tuned models and one-pass learners on words.

The words are those of wine reviews where RIDGEWAY_DATA names a folder that has them, and planted ones in any case: rows
of 30 words, frequent and rare ones as in natural text, tf-idf weights, a target that a few hundred words explain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Ridge

import ridgeway as rw
from benchmarks.peers.one_pass_learners import (
    averaged_fit,
    averaged_sgd,
    averaged_stream,
    sgd,
    vowpal_wabbit,
)
from benchmarks.peers.reference import ratio, rmse
from benchmarks.peers.sets import Split, wine_reviews
from benchmarks.planted import Array
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

GRID = np.logspace(-3, 3, 13)
HELD_OUT_SHARE = 0.1


def cases(quick: bool = False) -> Iterator[Case]:
    """Measure wine reviews if there are any, then planted words."""
    reviews = wine_reviews(0)
    if reviews is not None and not quick:
        yield _case("wine reviews", reviews)
    yield _case("planted words", planted_words(*((2_000, 2_000) if quick else (50_000, 50_000))))


def planted_words(n_rows: int, n_words: int, per_row: int = 30, seed: int = 0) -> Split:
    """Return rows of words whose frequencies fall as 1 / rank."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, (n_rows, per_row), p=shares / shares.sum()).astype(np.int32)
    counts = scipy.sparse.csr_matrix(
        (np.ones(words.size), words.reshape(-1), np.arange(0, words.size + 1, per_row)), shape=(n_rows, n_words)
    )
    counts.sum_duplicates()
    X = scipy.sparse.csr_matrix(TfidfTransformer().fit_transform(counts))
    effects = rng.standard_normal(n_words) * (rng.random(n_words) < 0.1)
    signal = X @ effects
    y = 10 + signal / signal.std() + rng.standard_normal(n_rows)
    n_test = n_rows // 5
    return Split(X[n_test:], y[n_test:], X[:n_test], y[:n_test])


def tuned_ridge(solver: str) -> Callable[[Split], Array]:
    """scikit-learn's sparse ridge: 13 strengths on held-out rows, then the best one for all of them."""

    def fit(split: Split) -> Array:
        n_held = round(HELD_OUT_SHARE * len(split.y))

        def model(alpha: float) -> Ridge:
            return Ridge(alpha, solver=solver, random_state=0)

        def error(alpha: float) -> float:
            fitted = model(alpha).fit(split.X[n_held:], split.y[n_held:])
            return rmse(fitted.predict(split.X[:n_held]), split.y[:n_held])

        return np.asarray(model(min(GRID, key=error)).fit(split.X, split.y).predict(split.test_X))

    return fit


def ridge_path(split: Split) -> Array:
    """RidgePathCV, all defaults."""
    return np.asarray(rw.RidgePathCV(random_state=0).fit(split.X, split.y).predict(split.test_X))


def averaged_default(split: Split) -> Array:
    """AveragedSGDRegressor, all defaults."""
    return np.asarray(rw.AveragedSGDRegressor(random_state=0).fit(split.X, split.y).predict(split.test_X))


TUNED = {
    "RidgePathCV": ridge_path,
    "AveragedSGDRegressor": averaged_default,
    "Ridge sparse_cg, 13 strengths": tuned_ridge("sparse_cg"),
    "Ridge sag, 13 strengths": tuned_ridge("sag"),
}
ONE_PASS = {
    "AveragedSGDRegressor, one pass": averaged_fit,
    "AveragedSGDRegressor, stream": averaged_stream,
    "SGDRegressor": sgd,
    "SGDRegressor, averaged": averaged_sgd,
    "Vowpal Wabbit": vowpal_wabbit,
}


def _case(name: str, split: Split) -> Case:
    errors, timings = {}, {}
    for label, method in {**TUNED, **ONE_PASS}.items():
        start = perf_counter()
        errors[label] = rmse(method(split), split.test_y)
        timings[label] = Timing((perf_counter() - start,))
    ridge = "Ridge sparse_cg, 13 strengths"
    results = [Result(label, ratio(error, errors[ridge])) for label, error in errors.items()]
    results += [Result("rows", split.X.shape[0]), Result("columns", split.X.shape[1])]
    return Case(name, results, timings)
