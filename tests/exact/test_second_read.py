"""Robust standard errors against those of statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import ridgeway as rw


# Law: without a penalty, intervals are those of least squares with HC3 errors, as statsmodels computes them.
@pytest.mark.parametrize("d", [1, 4, 12])
def test_hc3_is_that_of_statsmodels(d: int) -> None:
    linear_model = pytest.importorskip("statsmodels.regression.linear_model")
    rng = np.random.default_rng(d)
    X = rng.standard_normal((150, d)) * np.exp(rng.standard_normal(d)) + 2
    y = X @ rng.standard_normal(d) + rng.standard_normal(150) * (1 + np.abs(X[:, 0]))
    design = np.column_stack([np.ones(len(X)), X])
    errors = linear_model.OLS(y, design).fit(cov_type="HC3").bse[1:]
    ends = rw.RidgePathCV(alpha=0.0).fit(X, y).coef_interval(0.95)
    quantile = scipy.stats.t.ppf(0.975, len(X) - d - 1)
    np.testing.assert_allclose((ends[:, 1] - ends[:, 0]) / (2 * quantile), errors, rtol=1e-8)


# Law: directions without variance, as all categories of a column beside an intercept, add nothing to the errors, in
# either precision: they are those of the singular value decomposition without these directions.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("alpha", [0.0, 4e-11, 1e-8, 1e-2])
def test_collinear_columns(dtype: type[np.floating], alpha: float) -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 7, 800)
    X = np.column_stack([np.eye(7)[group], rng.standard_normal((800, 2)) * [3.0, 0.2]]).astype(dtype)
    y = X @ rng.standard_normal(9) + rng.standard_normal(800) * (1 + group)
    ends = rw.RidgePathCV(alpha=alpha, solver="gram").fit(X, y).coef_interval(0.95)
    wide = X.astype(np.float64)
    U, s, V = np.linalg.svd((wide - wide.mean(0)) / wide.std(0), full_matrices=False)
    U, s, V = U[:, :8], s[:8], V[:8]
    gains = s / (s**2 + len(y) * alpha)
    leverage = (U**2) @ (s * gains) + 1 / len(y)
    left_out = (y - y.mean() - U @ (s * gains * (U.T @ (y - y.mean())))) / (1 - leverage)
    errors = np.sqrt(((V.T * gains) @ U.T / wide.std(0)[:, None]) ** 2 @ left_out**2)
    quantile = scipy.stats.t.ppf(0.975, len(y) - leverage.sum())
    np.testing.assert_allclose((ends[:, 1] - ends[:, 0]) / (2 * quantile), errors, rtol=1e-4)
