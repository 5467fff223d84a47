"""All results that an estimator returns, and the numbers in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ridgeway as rw

ALPHAS = np.array([0.0, 1e-300, 1e-6, 1.0, 1e6, 1e300])


def questions(model: Any, X: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield all calls of a fitted estimator that a user may make; each may raise an error of the library."""
    yield "coef_", lambda: model.coef_
    yield "intercept_", lambda: model.intercept_
    yield "predict", lambda: model.predict(X)
    with np.errstate(over="ignore"):
        huge = X * X.dtype.type(1e15) if X.dtype.kind == "f" else X
    yield "predict huge", lambda: model.predict(huge)
    yield "path", lambda: _numbers_of_path(model.path(ALPHAS))
    yield "predict_path", lambda: model.predict_path(X, ALPHAS)
    yield "at(0.3)", lambda: model.at(0.3).predict(X)
    if isinstance(model, rw.ExactRidgePath):
        return
    yield "at(uniform)", lambda: model.at("uniform").coef_
    yield "at(last)", lambda: model.at("last").coef_
    yield "trajectory", lambda: [model.step_, model.trajectory_.r2, model.trajectory_.tolerance]
    yield "selection", lambda: _numbers_of_selection(model.selection_)
    yield "held out", lambda: _numbers_of_held_out(model.held_out_)


def not_finite(answer: Any) -> bool:
    """Return whether a result contains NaN or an infinite number."""
    if isinstance(answer, list):
        return any(map(not_finite, answer))
    return not bool(np.isfinite(np.asarray(answer, dtype=np.float64)).all())


def _numbers_of_path(path: Any) -> list[Any]:
    return [path.coefs, path.intercepts]


def _numbers_of_selection(selection: Any) -> list[Any]:
    if selection is None:
        return []
    return [[row.error, row.standard_error, row.step] for row in selection]


def _numbers_of_held_out(held_out: Any) -> list[Any]:
    if held_out is None:
        return []
    return [held_out.actual, held_out.predicted, held_out.mean_squared_error, held_out.variance]
