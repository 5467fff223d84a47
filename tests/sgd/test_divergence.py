"""Laws of runs whose step is too large."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import problem

import ridgeway as rw

ALPHAS = (0.0, 1e-9, 1e-3, 1.0, 1e3, 1e9)


# Law: an explosion is reported within the pass, with a step that is safe; no warning leaks.
@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_explosion(dtype: Any, form: Any, batch_size: int, store: str) -> None:
    X, y = problem(n=200, dtype=dtype)
    with pytest.raises(rw.DivergenceError, match="certainly safe on these rows") as caught:
        rw.run_sgd(form(X), y, step=10.0, batch_size=batch_size, store=store)
    error = caught.value
    assert error.step == 10.0
    assert np.isclose(error.safe_step, 1 / (X.astype(float) ** 2).sum(axis=1).max())
    assert 0 < error.at_step < 200 // batch_size
    assert "10" in str(error)
    safe = rw.run_sgd(form(X), y, step=error.safe_step, batch_size=batch_size, store=store)
    assert np.isfinite(safe.path(ALPHAS)).all()


# Law: a step above 1 / max |x|^2 that does not explode is not refused.
def test_bold_steps_that_work_are_used() -> None:
    X, y = problem(n=400, d=10)
    step = 1.5 / (X**2).sum(axis=1).max()
    assert rw.run_sgd(X, y, step=step, passes=10).step == step


# Law: a huge residual of an outlying row is no explosion while every step is safe.
def test_outliers_are_not_explosions() -> None:
    X, y = problem(n=400)
    X[200] *= 1e9
    y[200] = 0.0
    run = rw.run_sgd(X, y, step=1 / (X**2).sum(axis=1).max())
    assert np.isfinite(run.coef(rw.Last())).all()


def test_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(rw.DivergenceError(1.0, 0.5, 3)))
    assert (error.step, error.safe_step, error.at_step) == (1.0, 0.5, 3)
