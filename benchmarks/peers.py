"""What else a user could do with the same rows: the peers that the engine is timed against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import SGDRegressor

from benchmarks.planted import Array


def averaged_epoch(X: Any, y: Array) -> Any:
    """One epoch of scikit-learn's averaged SGD with its defaults, for one penalty."""
    return SGDRegressor(average=True, max_iter=1, tol=None).fit(X, y)


def averaged_epoch_in_order(X: Any, y: Array) -> Any:
    """The same epoch at its fastest: rows in their own order, no intercept, no penalty."""
    model = SGDRegressor(average=True, max_iter=1, tol=None, shuffle=False, fit_intercept=False, penalty=None)
    return model.fit(X, y)


def gram_path(X: Array, y: Array, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exact ridge for all alphas, (alphas, d): the Gram matrix in the precision of X, its eigenvectors in float64."""
    gram = (X.T @ X).astype(np.float64) / len(X)
    moment = (X.T @ y).astype(np.float64) / len(X)
    values, vectors = np.linalg.eigh(gram)
    solutions: NDArray[np.float64] = ((vectors.T @ moment) / (values + alphas[:, None])) @ vectors.T
    return solutions
