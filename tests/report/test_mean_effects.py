"""Effects of columns in kernel models."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics.pairwise import rbf_kernel
from tests.report.fits import rows

import ridgeway as rw
from ridgeway.report import render, summarize
from ridgeway.report.mean_effects import MeanEffects


# Law: with the linear kernel the effects are the coefficients of the columns, times their scales.
@pytest.mark.parametrize("scale", [True, False])
def test_linear_kernel(scale: bool) -> None:
    X, y = rows(200, 3)
    X = X if scale else (X - X.mean(axis=0)) / X.std(axis=0)
    model = rw.AveragedKernelRegressor(kernel="linear", scale=scale, random_state=0).fit(X, y)
    effects, _ = MeanEffects.of(model).at([rw.Geometric(0.1)])
    new = np.vstack([np.zeros(3), np.diag(X.std(axis=0) if scale else np.ones(3))])
    predicted = model.at(0.1).predict(new)
    np.testing.assert_allclose(effects[0, 0], predicted[1:] - predicted[0], rtol=1e-6, atol=1e-8)


# Law: a report of a kernel model has all that one of a linear model has; the filter only if one step fits all.
@pytest.mark.parametrize("solver", ["krylov", "sgd"])
def test_report(solver: str) -> None:
    X, y = rows(150, 3)
    model = rw.AveragedKernelRegressor(solver=solver, random_state=0).fit(X, y)
    summary = summarize(model, feature_names=["a", "b", "c"])
    assert set(summary.targets[0].path.features) == {"a", "b", "c"}
    assert summary.rows_source == "held-out"
    assert (summary.run.step is None) == (solver == "krylov")
    assert f"({solver}), as requested" in dict(summary.facts)["Solver"]
    assert "on average over rows" in render(summary)


# Law: models that have kept no rows, or sparse ones, are refused.
def test_refusals() -> None:
    X, y = rows(100, 3)
    fourier = rw.AveragedKernelRegressor(n_components=20, averaging="uniform", passes=2, random_state=0).fit(X, y)
    given = rw.AveragedKernelRegressor(kernel="precomputed", random_state=0).fit(rbf_kernel(X), y)
    for model in (fourier, given):
        with pytest.raises(TypeError, match=r"keeps no rows.*nystroem"):
            summarize(model)
    sparse = rw.AveragedKernelRegressor(random_state=0).fit(scipy.sparse.csr_array(X), y)
    with pytest.raises(TypeError, match="sparse rows cannot be reported"):
        summarize(sparse)
