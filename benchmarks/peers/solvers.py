"""Ridge on rows as they are, by other libraries: one strength, or a whole path, all on the scale of the mean loss.

Each minimises (1/2n) sum_i (y_i - x_i . w)^2 + (alpha/2) |w|^2, without an intercept and with one thread.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge, RidgeCV, SGDRegressor

import ridgeway as rw
from benchmarks.planted import Array
from benchmarks.yardsticks import gram_path

Solver = Callable[[Any, Array, Array], Array]  # X, y, alphas -> (alphas, d)


def _as_matrix(X: Any, form: str) -> Any:
    """Return sparse arrays as matrices of a form, as older libraries want them; dense ones as they are."""
    return getattr(scipy.sparse, f"{form}_matrix")(X) if scipy.sparse.issparse(X) else X


def ridge_path(X: Any, y: Array, alphas: Array) -> Array:
    """RidgePathCV with all that it does beside the path: choice of the solver, selection of a strength by folds."""
    model = rw.RidgePathCV(scale=False, fit_intercept=False, random_state=0).fit(X, y)
    return np.asarray(model.path(alphas).coefs)


def one_pass(X: Any, y: Array, alphas: Array) -> Array:
    """One pass of SGD in the order of the rows, and its averages; nothing is selected."""
    return np.asarray(rw.run_sgd(X, y, store="replay" if scipy.sparse.issparse(X) else "sketch").path(alphas))


def gram(X: Any, y: Array, alphas: Array) -> Array:
    """Gram matrix of the columns, or of the rows where they are fewer, and one eigendecomposition."""
    n, d = X.shape
    if n >= d:
        return gram_path(X, y, alphas.astype(np.float64))
    values, vectors = np.linalg.eigh(X @ X.T / n)
    return np.asarray(((vectors.T @ y / n) / (values + alphas[:, None])) @ vectors.T @ X)


def glmnet(X: Any, y: Array, alphas: Array) -> Array:
    """python-glmnet, a path from the strongest to the weakest."""
    order = np.argsort(alphas)[::-1]
    settings: dict[str, Any] = {"alpha": 0, "n_splits": 0, "standardize": False, "fit_intercept": False}
    model = import_module("glmnet").ElasticNet(lambda_path=alphas[order] * y.std(), **settings)
    model.fit(_as_matrix(X, "csc"), y)
    return _in_order(model.coef_path_.T, order)


def adelie(X: Any, y: Array, alphas: Array) -> Array:
    """Adelie, a path from the strongest to the weakest."""
    module, order = import_module("adelie"), np.argsort(alphas)[::-1]
    X = np.asfortranarray(X)
    family = module.glm.gaussian(y)
    settings: dict[str, Any] = {"alpha": 0, "intercept": False, "early_exit": False, "progress_bar": False}
    state = module.grpnet(X, family, lmda_path=alphas[order], **settings)
    return _in_order(state.betas.toarray(), order)


def _in_order(path: Array, order: Any) -> Array:
    coefs = np.empty_like(path)
    coefs[order] = path
    return coefs


def one_by_one(solve: Callable[[Any, Array, float], Array]) -> Solver:
    """Make a path of a method that knows one strength at a time."""
    return lambda X, y, alphas: np.array([solve(X, y, float(alpha)) for alpha in alphas])


def _ridge(solver: str) -> Solver:
    def solve(X: Any, y: Array, alpha: float) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # sag
            model = Ridge(alpha * X.shape[0], solver=solver, fit_intercept=False, random_state=0).fit(X, y)
        return np.asarray(model.coef_)

    return one_by_one(solve)


def _sgd(X: Any, y: Array, alpha: float) -> Array:
    model = SGDRegressor(alpha=alpha, average=True, max_iter=1, tol=None, fit_intercept=False, random_state=0)
    return np.asarray(model.fit(X, y).coef_)


def _glum(X: Any, y: Array, alpha: float) -> Array:
    model = import_module("glum").GeneralizedLinearRegressor(alpha=alpha, l1_ratio=0, fit_intercept=False)
    return np.asarray(model.fit(X, y).coef_)


def _snapml(X: Any, y: Array, alpha: float) -> Array:
    model = import_module("snapml").LinearRegression(regularizer=alpha * X.shape[0], n_jobs=1, random_state=0)
    return np.asarray(model.fit(_as_matrix(X, "csr"), y).coef_).reshape(-1)


def _skglm(X: Any, y: Array, alpha: float) -> Array:
    model = import_module("skglm").ElasticNet(alpha, l1_ratio=0.0, fit_intercept=False)
    return np.asarray(model.fit(_as_matrix(X, "csc"), y).coef_)


def ridge_cv(X: Any, y: Array, alphas: Array) -> Array:
    """scikit-learn's RidgeCV, which returns the best strength by leave-one-out error only."""
    return np.asarray(RidgeCV(alphas * X.shape[0], fit_intercept=False).fit(X, y).coef_)[None]


def himalaya(X: Any, y: Array, alphas: Array) -> Array:
    """KernelRidgeCV of himalaya with the linear kernel, which returns the best strength by five folds only."""
    model = import_module("himalaya.kernel_ridge").KernelRidgeCV(alphas * X.shape[0]).fit(X, y)
    return np.asarray(model.get_primal_coef()).reshape(1, -1)


OURS = "RidgePathCV"
PATHS: dict[str, Solver] = {
    OURS: ridge_path,
    "run_sgd, one pass": one_pass,
    "Gram + eigh": gram,
    "glmnet": glmnet,
    "adelie": adelie,
}
BEST: dict[str, Solver] = {"RidgeCV": ridge_cv, "himalaya KernelRidgeCV": himalaya}
SINGLE: dict[str, Solver] = {
    "SGDRegressor, averaged epoch": one_by_one(_sgd),
    "Ridge lsqr": _ridge("lsqr"),
    "Ridge sparse_cg": _ridge("sparse_cg"),
    "Ridge sag": _ridge("sag"),
    "glum": one_by_one(_glum),
    "snapml": one_by_one(_snapml),
    "skglm": one_by_one(_skglm),
}

MAX_ENTRIES = dict.fromkeys(("skglm", "snapml", "Ridge sag", "adelie"), 1.2e7)  # entries of X: minutes beyond
MAX_COLUMNS = {"glum": 5_000, "skglm": 5_000, "Ridge sag": 5_000}
MAX_ROWS = {"himalaya KernelRidgeCV": 2_000}  # it forms a matrix of held-out by training rows for each strength


def affordable(name: str, shape: tuple[int, int]) -> bool:
    """Tell whether a method solves rows of this shape within a minute or so."""
    (n_rows, n_columns), unbounded = shape, float("inf")
    return (
        n_rows <= MAX_ROWS.get(name, unbounded)
        and n_columns <= MAX_COLUMNS.get(name, unbounded)
        and n_rows * n_columns < MAX_ENTRIES.get(name, unbounded)
    )
