"""What else a user could do with the same rows: the peers that the engine is timed against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import RidgeCV, SGDRegressor
from sklearn.model_selection import GridSearchCV

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


def ridge_cv(X: Array, y: Array) -> Any:
    """Exact ridge with its strength chosen by leave-one-out error among 25."""
    return RidgeCV(alphas=np.logspace(-6, 6, 25)).fit(X, y)


def grid_search(X: Array, y: Array, n_alphas: int) -> Any:
    """scikit-learn's averaged SGD, one epoch for each of 5 folds and each strength: the least a search can cost."""
    grid = {"alpha": np.logspace(-6, 1, n_alphas)}
    return GridSearchCV(SGDRegressor(average=True, max_iter=1, tol=None), grid).fit(X, y)
