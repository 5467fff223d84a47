"""Learners that see each row once, in its order: ours and others, each with its defaults and its scaling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ridgeway as rw
from benchmarks.peers.sets import Split
from benchmarks.planted import Array

BATCH_ROWS = 1000  # rows
Learner = Callable[[Split], Array]  # predictions of the test rows


def averaged_fit(split: Split) -> Array:
    """Averaged SGD, one pass in order; scales come from all rows, the choice from held-out ones."""
    model = rw.AveragedSGDRegressor(passes=1, shuffle=False, random_state=0)
    return np.asarray(model.fit(split.X, split.y).predict(split.test_X))


def averaged_stream(split: Split) -> Array:
    """Averaged SGD, batches of 1,000 rows; scales come from the first, the choice from predictions before learning."""
    return _streamed(rw.AveragedSGDRegressor(), split)


def gram_stream(split: Split) -> Array:
    """Gram matrices, which batches of 1,000 rows add to; beyond 2,000 columns averaged SGD."""
    return _streamed(rw.RidgePathCV(random_state=0), split)


def _streamed(model: rw.AveragedSGDRegressor | rw.RidgePathCV, split: Split) -> Array:
    for first in range(0, len(split.y), BATCH_ROWS):
        model.partial_fit(split.X[first : first + BATCH_ROWS], split.y[first : first + BATCH_ROWS])
    return np.asarray(model.predict(split.test_X))


def sgd(split: Split, average: bool = False) -> Array:
    """scikit-learn's SGD after a running StandardScaler; the target is standardized by the first batch, once.

    Sparse rows are taken as they are: scaling would blow up rare columns.
    """
    scaler: Any = StandardScaler() if isinstance(split.X, np.ndarray) else FunctionTransformer(accept_sparse=True)
    model = SGDRegressor(average=average, random_state=0)
    mean, deviation = split.y[:BATCH_ROWS].mean(), split.y[:BATCH_ROWS].std()
    for first in range(0, len(split.y), BATCH_ROWS):
        rows, y = split.X[first : first + BATCH_ROWS], split.y[first : first + BATCH_ROWS]
        scaler = scaler.partial_fit(rows) if isinstance(scaler, StandardScaler) else scaler.fit(rows)
        model.partial_fit(scaler.transform(rows), (y - mean) / deviation)
    return np.asarray(model.predict(scaler.transform(split.test_X)) * deviation + mean)


def averaged_sgd(split: Split) -> Array:
    """The same with average=True."""
    return sgd(split, average=True)


def vowpal_wabbit(split: Split) -> Array:
    """Vowpal Wabbit, which scales features by itself."""
    workspace = import_module("vowpalwabbit").Workspace("--quiet -b 22")
    for row, y in zip(_vw_lines(split.X), split.y, strict=True):
        workspace.learn(f"{y} {row}")
    predictions = np.array([workspace.predict(row) for row in _vw_lines(split.test_X)])
    workspace.finish()
    return predictions


def _vw_lines(X: Any) -> list[str]:
    if isinstance(X, np.ndarray):
        return ["| " + " ".join(f"{k}:{row[k]:.9g}" for k in np.flatnonzero(row)) for row in X]
    parts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [
        "| " + " ".join(f"{k}:{value:.9g}" for k, value in zip(X.indices[a:b], X.data[a:b], strict=True))
        for a, b in parts
    ]


def river(split: Split) -> Array:
    """River's linear regression after its StandardScaler, row by row."""
    model = (
        import_module("river.preprocessing").StandardScaler() | import_module("river.linear_model").LinearRegression()
    )
    for row, y in zip(_river_rows(split.X), split.y.tolist(), strict=True):
        model.learn_one(row, y)
    return np.array([model.predict_one(row) for row in _river_rows(split.test_X)])


def _river_rows(X: Any) -> Iterator[dict[int, float]]:
    if isinstance(X, np.ndarray):
        names = range(X.shape[1])
        return (dict(zip(names, row, strict=True)) for row in X.tolist())
    parts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return (dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in parts)


LEARNERS: dict[str, Learner] = {
    "RidgePathCV, stream": gram_stream,
    "AveragedSGDRegressor, fit": averaged_fit,
    "AveragedSGDRegressor, stream": averaged_stream,
    "SGDRegressor": sgd,
    "SGDRegressor, averaged": averaged_sgd,
    "Vowpal Wabbit": vowpal_wabbit,
    "River": river,
}
