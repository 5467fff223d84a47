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
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_explosion(dtype: Any, form: Any, batch_size: int, store: str) -> None:
    X, y = problem(n=200, dtype=dtype)
    with pytest.raises(rw.DivergenceError, match="safe on these rows") as caught:
        rw.run_sgd(form(X), y, step=10.0, batch_size=batch_size, store=store)
    error = caught.value
    assert error.step == 10.0
    assert np.isclose(error.safe_step, 1 / (X.astype(float) ** 2).sum(axis=1).max())
    assert 0 < error.at_step < 200 // batch_size
    assert "10" in str(error)
    safe = rw.run_sgd(form(X), y, step=error.safe_step, batch_size=batch_size, store=store)
    assert np.isfinite(safe.path(ALPHAS)).all()


# Law: the safe step is that of all rows, whichever of them a chain or a piece of a shuffled pass has seen.
@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 0}, {"chains": 4}, {"passes": 2}])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_safe_step_is_safe_on_all_rows(options: dict[str, Any], form: Any) -> None:
    X, y = problem(n=20_000, d=10)
    X[-1] *= 100
    with pytest.raises(rw.DivergenceError) as caught:
        rw.run_sgd(form(X), y, step=3.0, **options)
    assert np.isclose(caught.value.safe_step, 1 / (X**2).sum(axis=1).max())


# Law: an explosion too slow to pass the cap is seen in the recent residuals.
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_slow_explosions(store: str) -> None:
    X, y = problem(n=300, d=20)
    largest = np.linalg.eigvalsh(X.T @ X / 300).max()
    with pytest.raises(rw.DivergenceError):
        rw.run_sgd(X, y, step=2.05 / largest, batch_size=300, passes=150, store=store)
    with pytest.raises(rw.DivergenceError):
        rw.run_sgd(X, y, step=5.5 / (X**2).sum(axis=1).max(), passes=3, store=store)


# Law: a step that overflows is reported wherever it is taken, also at the end of a pass; the run stays as it was.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize(("dtype", "step"), [(np.float64, 1e308), (np.float32, 1e38)])
def test_short_last_batches(form: Any, store: str, dtype: Any, step: float) -> None:
    X, y = np.full((50, 2), 10, dtype), np.full(50, 1e3, dtype)
    run = rw.SGDRun(step, store, batch_size=100)
    run.update(form(X), y)
    for end in (run.end_pass, run.trajectory):
        with pytest.raises(rw.DivergenceError):
            end()
    assert run.n_steps == 0


# Law: an outlying target in a stable run is no explosion, in whatever batches it comes.
@pytest.mark.parametrize("batch", [100, 20_000])
@pytest.mark.parametrize("targets", ["one", "rare", "heavy"])
def test_outlying_targets(batch: int, targets: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 4))
    y = np.zeros(20_000)
    if targets == "one":
        y[-1] = 1.0
    elif targets == "rare":
        y[rng.random(20_000) < 1e-4] = 1.0
    else:
        y = X @ np.ones(4) + rng.standard_t(1.2, 20_000)
    run = rw.SGDRun(0.15)
    for first in range(0, 20_000, batch):
        run.update(X[first : first + batch], y[first : first + batch])
    assert run.n_steps == 20_000


# Law: the last step is checked for divergence, too.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_last_step(form: Any) -> None:
    X, y = np.full((101, 1), 1e-3), np.ones(101)
    X[-1] = 1e4
    with pytest.raises(rw.DivergenceError):
        rw.run_sgd(form(X), y, step=1.0, batch_size=50)


# Law: coefficients beyond the precision of the rows are an error, not inf; the run is untouched.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_coefficients_beyond_float32(form: Any) -> None:
    X = np.full((3, 1), 1e-5, np.float32)
    run = rw.SGDRun(store="replay")
    run.update(form(X), np.ones(3))
    run.update(form(X), np.full(3, 3e38))
    with pytest.raises(ValueError, match="coefficients exceed float32"):
        run.trajectory().coef(rw.Last())


# Law: what is an explosion does not depend on the batches.
def test_predictions_of_w0_count_in_every_batch() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.1]])
    run = rw.SGDRun(2.2, w0=[0.0, 1.0])
    run.update(X[:1], [0.0])
    run.update(X[1:], np.zeros(3))
    whole = rw.run_sgd(X, np.zeros(4), 2.2, w0=[0.0, 1.0], store="sketch")
    assert np.array_equal(run.trajectory().coef(rw.Last()), whole.coef(rw.Last()))


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
