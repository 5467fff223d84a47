"""Sparse rows of one Euclidean length keep the scales of their columns: plain ridge, in every way of fitting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.preprocessing import normalize

import ridgeway as rw
from ridgeway.exact.gram_fit import fit_sums
from ridgeway.exact.gram_sums import GramSums
from ridgeway.report import summarize
from ridgeway.storage.state import Stored

ALPHAS = np.array([1e-4, 1e-2, 1.0])
TEXTS = [" ".join(f"w{k}" for k in np.random.default_rng(i).zipf(1.6, 9) if k < 60) for i in range(300)]


def problem(n: int = 300, d: int = 20, dtype: Any = np.float64) -> tuple[Any, Any]:
    """Normalised rows whose columns have very different largest entries, one of them empty."""
    rng = np.random.default_rng(0)
    X = scipy.sparse.random_array((n, d), density=0.3, rng=rng) @ scipy.sparse.diags_array(np.geomspace(0.01, 1, d))
    X = normalize(scipy.sparse.csr_array(X)).astype(dtype)
    y = X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n) + 3
    return scipy.sparse.vstack([X, scipy.sparse.csr_array((1, d), dtype=dtype)], format="csr"), np.append(y, 3.0)


def ridge_coefs(X: Any, y: Any, scale: Any = 1.0) -> Any:
    Z = X.toarray().astype(float) / scale
    return np.array([Ridge(alpha * len(y), solver="cholesky").fit(Z, y).coef_ / scale for alpha in ALPHAS])


def largest(X: Any) -> Any:
    return abs(X).max(axis=0).toarray().reshape(-1)


# Law: the path over normalised rows is Ridge on the rows as they are; one row of another length brings division back.
@pytest.mark.parametrize("solver", ["gram", "krylov"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_path_is_plain_ridge(solver: str, dtype: Any) -> None:
    X, y = problem(dtype=dtype)
    model = rw.RidgePathCV(solver=solver, alpha=1e-4, random_state=0).fit(X, y)
    tolerance = 2e-3 if dtype is np.float32 else 1e-6
    np.testing.assert_allclose(model.path(ALPHAS).coefs, ridge_coefs(X, y), rtol=tolerance, atol=tolerance)
    X[0] *= 2
    model.fit(X, y)
    np.testing.assert_allclose(model.path(ALPHAS).coefs, ridge_coefs(X, y, largest(X)), rtol=tolerance, atol=tolerance)


# Law: what sklearn's vectorizers normalise is recognised.
@pytest.mark.parametrize(
    "make", [TfidfVectorizer(), TfidfVectorizer(dtype=np.float32), HashingVectorizer(n_features=64)]
)
def test_vectorizers(make: Any) -> None:
    X, y = make.fit_transform(TEXTS), np.random.default_rng(0).standard_normal(len(TEXTS))
    scaled, plain = (rw.RidgePathCV(scale=scale, random_state=0).fit(X, y) for scale in (True, False))
    np.testing.assert_array_equal(scaled.coef_, plain.coef_)
    assert scaled.alpha_ == plain.alpha_


# Law: SGD over normalised rows is SGD over the rows as they are, in a fit and in a stream, whose first batch decides.
def test_sgd() -> None:
    X, y = problem()
    fits = [rw.AveragedSGDRegressor(scale=scale, random_state=0).fit(X, y) for scale in (True, False)]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    np.testing.assert_allclose(fits[0].path(ALPHAS).coefs[1:], ridge_coefs(X, y)[1:], atol=0.05)
    streams = [rw.AveragedSGDRegressor(scale=scale) for scale in (True, False)]
    for model in streams:
        model.partial_fit(X[:100], y[:100])
        model.partial_fit(X[100:] * 1.05, y[100:])
    np.testing.assert_array_equal(streams[0].coef_, streams[1].coef_)


# Law: batches of a Gram stream are one fit of all rows, normalised or not, whatever the first batch is; so after a
# model was stored and loaded.
@pytest.mark.parametrize("unlike", [None, 5, 290])
def test_batches_are_one_fit(unlike: int | None, tmp_path: Path) -> None:
    X, y = problem()
    if unlike is not None:
        X[unlike] *= 3
    model: Any = rw.RidgePathCV(solver="gram", alpha=0.01)
    for start in range(0, len(y), 90):
        model.partial_fit(X[start : start + 90], y[start : start + 90])
        model.save(tmp_path / "model.rw")
        model = rw.load(tmp_path / "model.rw")
    expected = ridge_coefs(X, y, 1.0 if unlike is None else np.where(largest(X) > 0, largest(X), 1.0))
    np.testing.assert_allclose(model.path(ALPHAS).coefs, expected, rtol=1e-7, atol=1e-8)
    whole = rw.RidgePathCV(solver="gram", alpha=0.01).fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-8, atol=1e-10)


# Law: sums that were stored without lengths go on to divide columns by their largest entries.
def test_older_sums() -> None:
    X, y = problem()
    model = rw.RidgePathCV(solver="gram").partial_fit(X, y)
    assert model._model.sums is not None
    state = model._model.sums.state()
    for part in [*state["parts"], state["base"]]:
        if part is not None:
            del part["lengths"]
    old = fit_sums(GramSums.from_state(Stored(state)), None, scale=True)
    np.testing.assert_allclose(old.standardization.scale, largest(X), rtol=1e-12)


# Law: partitions on a cluster are one fit of all rows, by Gram matrices and by SGD.
@pytest.mark.parametrize("unlike", [False, True])
def test_partitions(unlike: bool) -> None:
    X, y = problem()
    if unlike:
        X[200] *= 3
    blocks = da.from_array(X.toarray(), chunks=(70, X.shape[1])).map_blocks(scipy.sparse.csr_matrix)
    data = blocks, da.from_array(y, chunks=70)
    model = rw.dask.fit(rw.RidgePathCV(alpha=0.01), data, client="serial")
    expected = ridge_coefs(X, y, largest(X) if unlike else 1.0)
    np.testing.assert_allclose(model.path(ALPHAS).coefs, expected, rtol=1e-7, atol=1e-8)
    sgd: Any = rw.dask.fit(rw.AveragedSGDRegressor(alpha=0.01, random_state=0, passes=2), data, client="serial")
    scale = sgd._fitted().averages.standardization.scale
    np.testing.assert_allclose(scale, largest(X) if unlike else 1.0)


# Law: a kernel sees normalised rows as they are, whole or by components.
def test_kernels() -> None:
    X, y = problem()
    options: dict[str, Any] = {"gamma": 0.7, "alpha": 0.01, "random_state": 0}
    model = rw.AveragedKernelRegressor(**options).fit(X, y)
    ridge = KernelRidge(alpha=0.01 * len(y), kernel="rbf", gamma=0.7).fit(X, y - y.mean())
    np.testing.assert_allclose(model.predict(X), ridge.predict(X) + y.mean(), atol=1e-4)
    few = [rw.AveragedKernelRegressor(n_components=30, scale=scale, **options).fit(X, y) for scale in (True, False)]
    np.testing.assert_allclose(few[0].predict(X), few[1].predict(X), rtol=1e-9)


# Law: the report of such a model tells effects of one unit.
def test_report() -> None:
    X, y = problem()
    assert summarize(rw.RidgePathCV(random_state=0).fit(X, y)).scale == "unit"
    X[0] *= 2
    assert summarize(rw.RidgePathCV(random_state=0).fit(X, y)).scale == "largest"
