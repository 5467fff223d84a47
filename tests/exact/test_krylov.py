"""The Krylov engine against scikit-learn's Ridge and KernelRidge, and against the Gram engine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from tests.exact.test_gram import assert_close, held_out_error, prepared, problem

import ridgeway as rw
from ridgeway.exact import krylov
from ridgeway.exact.gram_fit import fit_in_memory
from ridgeway.exact.krylov import KrylovFit, KrylovSettings, fit_krylov
from ridgeway.exact.krylov_fit import fit_rows, fold_columns
from ridgeway.exact.krylov_products import KernelProducts, NormalEquationProducts
from ridgeway.exact.lanczos import Lanczos
from ridgeway.kernel.kernel_entries import GivenEntries
from ridgeway.kernel.kernel_matrix import KernelMatrix
from ridgeway.rows import DenseRows
from ridgeway.selection.folds import k_folds

Array = NDArray[np.float64]
ALPHAS = [1e-6, 1e-2, 1.0, 1e2]


def slopes(fit: KrylovFit, alpha: float, centre: bool) -> Array:
    """Coefficients of standardized features, (targets, d)."""
    coefs = np.atleast_2d(fit.spectrum.coef(rw.Geometric(alpha)).astype(np.float64))
    return coefs[:, :-1] if centre else coefs


# Law: at a given alpha the solution is Ridge: weighted, several targets, n < d, collinear and constant columns, any
# scales; for stronger alphas as well, and the bound on the error holds.
@pytest.mark.parametrize("case", ["plain", "hard", "wide"])
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("centre", [True, False])
def test_path_is_ridge(case: str, targets: int | None, sparse: bool, centre: bool) -> None:
    X, y, weight = problem(*((15, 40) if case == "wide" else (150, 6)), targets=targets, hard=case == "hard")
    batch, standardization = prepared(scipy.sparse.csr_array(X) if sparse else X, y, weight, centre=centre)
    fit = fit_rows(batch, standardization, [], None, rw.Geometric(ALPHAS[0]))
    D, units = standardization.scale, standardization.target_scale
    origin = np.average(X, axis=0, weights=weight) if centre else np.zeros(X.shape[1])
    for alpha in ALPHAS:
        got = slopes(fit, alpha, centre) * units[:, None]
        oracle = Ridge(alpha=alpha * weight.sum(), fit_intercept=centre, solver="svd")
        expected = oracle.fit((X - origin) / D, y, sample_weight=weight).coef_.reshape(got.shape)
        assert_close(got, expected, 1e-8)
        away = np.linalg.norm((got - expected) / units[:, None], axis=1)
        assert (away <= fit.spectrum.error_bounds([alpha])[0] + 1e-9).all()
    assert fit.settled
    assert fit.n_products <= min(X.shape) + 3


# Law: a chosen path has the residual that it states, and for stronger alphas less.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_stated_tolerance(sparse: bool, dtype: type[np.floating[Any]]) -> None:
    X, y, weight = problem(400, 60)
    rows = X.astype(dtype)
    batch, standardization = prepared(scipy.sparse.csr_array(rows) if sparse else rows, y, weight)
    fit = fit_rows(batch, standardization, k_folds(400, 5, np.random.default_rng(0)), "geometric", None)
    share = weight / weight.sum()
    Z = (rows.astype(np.float64) - share @ rows) / standardization.scale
    A, b = (Z.T * share) @ Z, Z.T @ (share * (y - share @ y)) / standardization.target_scale
    for alpha in (fit.spectrum.weakest, 10 * fit.spectrum.weakest):
        w = slopes(fit, alpha, True)[0]
        rounding = 1e-5 if dtype == np.float32 else 1e-10
        assert np.linalg.norm(b - A @ w - alpha * w) / np.linalg.norm(b) <= fit.spectrum.tolerance + rounding
    assert fit.spectrum.dtype == dtype
    assert fit.settled
    assert fit.n_products < 60


# Law: errors of the folds, once all is solved, are those of refits; the choice is that of the Gram engine.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("targets", [None, 2])
def test_errors_of_folds_are_those_of_refits(sparse: bool, targets: int | None) -> None:
    X, y, weight = problem(targets=targets)
    batch, standardization = prepared(scipy.sparse.csr_array(X) if sparse else X, y, weight)
    folds = k_folds(len(X), 5, np.random.default_rng(0))
    fit = fit_rows(batch, standardization, folds, "auto", None)
    gram, _ = fit_in_memory(batch, standardization, folds, "auto")
    solved = [row for row in fit.scored if row.alpha >= 1e-3]
    for row in solved[::10]:
        expected = held_out_error(X, y, weight, folds, row.alpha, standardization.scale, True)
        assert row.error == pytest.approx(expected, rel=1e-3)
    exact = {row.scheme: row.error for row in gram.scored}
    for row in fit.scored:
        if row.scheme in exact:
            assert row.error == pytest.approx(exact[row.scheme], rel=5e-3)
    least = [min(row.error for row in scored) for scored in (fit.scored, gram.scored)]
    assert least[0] == pytest.approx(least[1], rel=1e-3)


# Law: the kernel path is KernelRidge, weighted too, for every alpha.
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [1, 2])
def test_kernel_path_is_kernel_ridge(weighted: bool, targets: int) -> None:
    X, y, weight = problem(120, 4, targets=targets)
    weight = weight if weighted else np.ones(120)
    K = rbf_kernel(X, gamma=0.2)
    columns, weights = fold_columns(weight, y - y.mean(axis=0), [], centre=False)
    settings = KrylovSettings(None, rw.Geometric(1e-4), False, np.float64)
    fit = fit_krylov(KernelProducts(KernelMatrix(GivenEntries(K), 0), columns), weights, settings)
    for alpha in (1e-4, 1e-2, 1.0):
        oracle = KernelRidge(alpha=alpha * weight.sum(), kernel="precomputed")
        expected = oracle.fit(K, y - y.mean(axis=0), sample_weight=weight).dual_coef_.T
        assert_close(np.asarray(fit.spectrum.coef(rw.Geometric(alpha)), np.float64), expected, 1e-7)


# Law: the folds of a kernel are rated as refits of KernelRidge, and the choice is close to the best of these.
def test_kernel_folds_are_refits() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 3))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.standard_normal(300)
    K, folds = rbf_kernel(X, gamma=1.0), k_folds(300, 4, rng)
    columns, weights = fold_columns(np.ones(300), y[:, None], folds, centre=True)
    fit = fit_krylov(
        KernelProducts(KernelMatrix(GivenEntries(K), 0), columns),
        weights,
        KrylovSettings("geometric", None, True, np.float64),
    )

    def error(alpha: float) -> float:
        total = 0.0
        for fold in folds:
            train, mean = np.flatnonzero(fold.train), y[fold.train].mean()
            model = KernelRidge(alpha=alpha * len(train), kernel="precomputed").fit(
                K[np.ix_(train, train)], y[train] - mean
            )
            total += ((y[fold.test] - mean - model.predict(K[np.ix_(fold.test, train)])) ** 2).sum()
        return total / 300

    best = min(fit.scored, key=lambda row: row.error)
    assert best.error == pytest.approx(error(best.alpha), rel=2e-3)
    assert best.error <= min(error(alpha) for alpha in np.logspace(-6, 0, 25)) * 1.005


# Law: the recurrence keeps an orthonormal basis in which A is tridiagonal, and ends when the space is invariant.
def test_recurrence() -> None:
    X, y, weight = problem(50, 9)
    X[:, 8] = X[:, 0]
    columns, _ = fold_columns(weight, y[:, None], k_folds(50, 3, np.random.default_rng(0)), centre=True)
    products = NormalEquationProducts(DenseRows(X), np.zeros(9), columns)
    lanczos = Lanczos(products.apply, products.start())
    lanczos.advance(30)
    assert lanczos.exhausted
    assert lanczos.n_products <= 9
    for column in range(4):
        Q, T = lanczos.basis(column), lanczos.problem(column)
        np.testing.assert_allclose(Q @ Q.T, np.eye(len(Q)), atol=1e-12)
        share = columns.shares[:, column]
        Z = X - share @ X
        expected = Q @ (Z.T * share) @ Z @ Q.T
        tridiagonal = np.diag(T.diagonal) + np.diag(T.beside, 1) + np.diag(T.beside, -1)
        np.testing.assert_allclose(tridiagonal, expected, atol=1e-10 * np.abs(expected).max())


# Law: rows whose products no float64 can hold are refused, not answered wrongly.
@pytest.mark.parametrize("factor", [1e-90, 1e90])
def test_rows_beyond_float64(factor: float) -> None:
    X, y, weight = problem()
    with pytest.raises(ValueError, match="scale the columns, or set scale=True"):
        fit_rows(*prepared(X * factor, y, weight, scale=False), [], None, rw.Geometric(0.1))
    assert fit_rows(*prepared(X * factor, y, weight), [], None, rw.Geometric(0.1)).settled


# Law: a single column is a problem of one direction.
def test_one_column() -> None:
    X, y, weight = problem(d=6)
    batch, standardization = prepared(X[:, :1], y, weight)
    folds = k_folds(len(X), 5, np.random.default_rng(0))
    fit, (gram, _) = (
        fit_rows(batch, standardization, folds, "auto", None),
        fit_in_memory(batch, standardization, folds, "auto"),
    )
    np.testing.assert_allclose(fit.spectrum.path(ALPHAS), gram.spectrum.path(ALPHAS), rtol=1e-10, atol=1e-15)


# Law: targets that are all alike leave nothing to learn, and no NaN.
def test_constant_target() -> None:
    X, _, weight = problem()
    batch, standardization = prepared(X, np.full(len(X), 2.5), weight)
    fit = fit_rows(batch, standardization, k_folds(len(X), 5, np.random.default_rng(0)), "auto", None)
    assert (fit.spectrum.path([0.0, 1.0]) == 0).all()
    assert all(row.error < 1e-20 for row in fit.scored)


# Law: a strength that stays unsolved does not keep a fit going whose least held-out error has long settled, if another
# that is solved is nearly as good.
def test_weak_strengths_do_not_keep_it_going(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = problem(200, 60)
    batch, standardization = prepared(X, y, None)
    errors = iter([(3.0, math.inf), (2.0, 2.0), *[(1.0, 1.02)] * 5, *[(0.9, 0.903)] * 4, (0.5, 0.5)])
    monkeypatch.setattr(krylov, "_least_errors", lambda *given: next(errors))
    fit = fit_rows(batch, standardization, k_folds(200, 3, np.random.default_rng(0)), "geometric", None)
    assert next(errors) == (0.5, 0.5)
    assert fit.settled
