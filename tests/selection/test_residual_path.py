"""Held-out residuals at every alpha and scheme, against refits without the held-out rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.residual_path import MAX_PATH_ROWS, sample_rows

ALPHAS = (0.0, 1e-4, 0.037, 1.0, 50.0)


def problem(n: int, d: int, n_targets: int = 1, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rows of correlated columns in different units, and targets with errors of unequal sizes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) * np.exp(rng.standard_normal(d)) + 3
    noise = rng.standard_normal((n, n_targets)) * (1 + np.abs(X[:, :1] - 3))
    y = X @ rng.standard_normal((d, n_targets)) + 5 + noise
    return X, y[:, 0] if n_targets == 1 else y


def refit_residuals(X: Any, y: Any, alpha: float, folds: Any) -> NDArray[np.float64]:
    """Return y minus the predictions of scikit-learn's ridge fitted without each fold, in the order of the folds."""
    batch = check_batch(X, y)
    scale = Standardization.of(batch, True, True).scale
    found = []
    for train, test in folds:
        model = Ridge(alpha=max(len(train) * alpha, 1e-9), solver="svd").fit(X[train] / scale, y[train])
        found.append(y[test] - model.predict(X[test] / scale))
    return np.concatenate(found).reshape(len(y), -1)


def splits_of(n: int, k: int, seed: int = 0) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return k random splits into rows to learn from and rows to try on."""
    tests = np.array_split(np.random.default_rng(seed).permutation(n), k)
    return [(np.setdiff1d(np.arange(n), test), np.sort(test)) for test in tests]


# Law: at every alpha the residuals are those of ridge refitted without the rows, by either exact engine.
@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize("solver", ["gram", "krylov"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_folds_are_refits(solver: str, n_targets: int, alpha: float) -> None:
    X, y = problem(90, 7, n_targets)
    splits = splits_of(len(X), 4)
    model = rw.RidgePathCV(solver=solver, cv=splits).fit(X, y)
    path = model._residual_path()
    assert path.method == "folds"
    expected = refit_residuals(X, y, alpha, splits)
    assert (path.numbers == np.concatenate([test for _, test in splits])).all()
    np.testing.assert_allclose(path.residuals(rw.Geometric(alpha)), expected, atol=2e-5 * float(np.std(y)))


# Law: rows that are left out one by one have the residuals of n refits, each with the penalty n alpha held fixed.
@pytest.mark.parametrize("alpha", ALPHAS)
def test_leave_one_out_is_n_refits(alpha: float) -> None:
    X, y = problem(40, 5)
    path = rw.RidgePathCV(cv="loo").fit(X, y)._residual_path()
    scale = Standardization.of(check_batch(X, y), True, True).scale
    every = np.arange(len(X))
    expected = []
    for row in every:
        rest = every != row
        refit = Ridge(alpha=max(len(X) * alpha, 1e-9), solver="svd").fit(X[rest] / scale, y[rest])
        expected.append(y[row] - refit.predict(X[row : row + 1] / scale)[0])
    np.testing.assert_allclose(path.residuals(rw.Geometric(alpha))[:, 0], expected, atol=2e-5 * float(np.std(y)))


# Law: sparse rows have the residuals of the same rows as a dense array, both centred.
def test_sparse_rows() -> None:
    X, y = problem(80, 6)
    X = np.where(np.abs(X) > 2, X, 0.0)
    splits = splits_of(len(X), 4)
    sparse, dense = (
        rw.RidgePathCV(solver="gram", cv=splits, scale=False).fit(rows, y)._residual_path().residuals(rw.Geometric(0.2))
        for rows in (scipy.sparse.csr_array(X), X)
    )
    np.testing.assert_allclose(sparse, dense, atol=1e-6 * float(np.std(y)))


# Law: an average of the folds' own runs predicts held-out rows as the same run over the other rows alone does.
@pytest.mark.parametrize(
    "scheme", [rw.Geometric(0.05), rw.Uniform(), rw.Last(), rw.Tail(0.5), rw.NegativeBinomial(0.1, 2)]
)
def test_sgd_folds_are_runs_without_the_rows(scheme: rw.Scheme) -> None:
    X, y = problem(400, 4)
    splits = splits_of(len(X), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the runs are short
        options: dict[str, Any] = {"passes": 3, "shuffle": False, "step": 0.02, "scale": False, "fit_intercept": False}
        path = rw.AveragedSGDRegressor(cv=splits, **options).fit(X, y)._residual_path()
        found = []
        for train, test in splits:
            alone = rw.AveragedSGDRegressor(averaging=scheme, **options).fit(X[train], y[train])
            found.append(y[test] - alone.predict(X[test]))
    expected = np.concatenate(found)
    np.testing.assert_allclose(path.residuals(scheme)[:, 0], expected, atol=1e-4 * float(np.std(y)))


# Law: where candidates were compared, the path gives their mean squared error.
@pytest.mark.parametrize("cv", [5, "holdout"])
def test_residuals_have_the_error_of_the_table(cv: Any) -> None:
    X, y = problem(500, 4)
    model = rw.AveragedSGDRegressor(cv=cv, random_state=0, passes=20).fit(X, y)
    held_out = model.held_out_
    assert held_out is not None
    assert held_out.path is not None
    errors = (held_out.path.residuals(held_out.scheme) ** 2).mean(axis=0)
    np.testing.assert_allclose(errors, held_out.mean_squared_error, rtol=1e-5)


# Law: the sample is bounded, for several targets as well, and every row stands once.
def test_sample_is_bounded() -> None:
    tests = np.split(np.arange(30_000), [4000, 4000, 17_000])
    for n_targets in (1, 3):
        kept = sample_rows(tests, n_targets)
        joined = np.concatenate(kept)
        assert len(joined) == MAX_PATH_ROWS // n_targets
        assert len(np.unique(joined)) == len(joined)
        assert all(np.isin(part, test).all() for part, test in zip(kept, tests, strict=True))
