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
