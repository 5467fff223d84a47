"""Where a constant step is chosen, a number still means ridge: it is answered from the growing run beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ridgeway as rw
from ridgeway.sgd.schedule import climb_share
from ridgeway.storage.state import Stored

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ALPHAS = [0.01, 0.1, 1.0, 10.0]
Rows = tuple[NDArray[np.float64], NDArray[np.float64]]


def rows(n: int = 2000, seed: int = 2) -> Rows:
    """Rows of one law, whatever the seed, over which a constant step wins in one pass."""
    law = np.random.default_rng(2)
    basis, w = np.linalg.qr(law.standard_normal((6, 6)))[0], law.standard_normal(6)
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, 6)) * np.sqrt(1 / np.arange(1, 7))) @ basis
    return X, X @ w + rng.standard_normal(n)


def constant_won(**options: Any) -> rw.AveragedSGDRegressor:
    model = rw.AveragedSGDRegressor(**{"passes": 1, "random_state": 0} | options).fit(*rows())
    assert model.trajectory_.sizes.constant
    assert not model.at(1.0).trajectory_.sizes.constant
    return model


def assert_same(one: Any, other: Any) -> None:
    for name in ("coef_", "intercept_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.path(ALPHAS).coefs, other.path(ALPHAS).coefs)
    np.testing.assert_array_equal(one.path(ALPHAS).intercepts, other.path(ALPHAS).intercepts)


# Law: the path is that of the growing step alone, bit for bit, and at(alpha) is a point of it.
@pytest.mark.parametrize(
    "options", [{}, {"cv": "progressive"}, {"chains": 2}, {"store": "replay"}, {"batch_size": 2, "cv": "progressive"}]
)
def test_path_is_of_the_growing_run(options: dict[str, Any]) -> None:
    model = constant_won(**options)
    step = rw.GrowingStep(model.at(1.0).step_, climb_share(1))
    alone = rw.AveragedSGDRegressor(averaging=rw.Geometric(0.1), passes=1, step=step, random_state=0, **options)
    alone.fit(*rows())
    np.testing.assert_array_equal(model.path(ALPHAS).coefs, alone.path(ALPHAS).coefs)
    assert_same(model.at(0.1), alone)
    np.testing.assert_array_equal(model.predict_path(rows()[0], [0.1])[:, 0], model.at(0.1).predict(rows()[0]))


# Law: at strong alphas the path is several times closer to ridge than the averages of the run that was chosen.
@pytest.mark.parametrize("cv", [5, "progressive"])
def test_path_is_ridge(cv: Any) -> None:
    X, y = rows()
    model, alphas = constant_won(cv=cv), [1.0, 10.0, 100.0]
    ridge = rw.ExactRidgePath().fit(X, y).predict_path(X, alphas)
    chosen = np.stack([model.at(rw.Geometric(alpha)).predict(X) for alpha in alphas], axis=1)

    def distance(predicted: Any) -> Any:
        return (predicted - ridge).std(axis=0) / ridge.std(axis=0)

    assert (distance(model.predict_path(X, alphas)) < 0.2).all()
    assert (distance(model.predict_path(X, alphas)) < distance(chosen) / 2).all()


# Law: at(the scheme that was chosen) and at(None) are the model itself; other schemes are of the same run.
def test_schemes_are_of_the_chosen_run() -> None:
    model = constant_won()
    for same in (model.at(model.averaging_), model.at(None)):
        assert_same(same, model)
        assert same.step_ == model.step_
    other = model.at(rw.Uniform())
    np.testing.assert_array_equal(other.path(ALPHAS).coefs, model.path(ALPHAS).coefs)
    assert other.trajectory_ is model.trajectory_
    assert model.at("uniform").step_ == model.step_ != model.at(0.0).step_
    assert_same(model.at(0.1).at(None), model.at(0.1))


# Law: a stored model answers alike, for the choice and for the path, and both of its runs go on alike.
@pytest.mark.parametrize("options", [{}, {"cv": "progressive"}, {"chains": 2}, {"averaging": "tail"}])
def test_stored(tmp_path: Path, options: dict[str, Any]) -> None:
    model = constant_won(**options)
    for name, fitted in (("chosen", model), ("moved", model.at(0.1))):
        fitted.save(tmp_path / name)
        loaded = rw.load(tmp_path / name)
        assert_same(loaded, fitted)
        assert loaded.step_ == fitted.step_
        if "chains" not in options:
            for regressor in (fitted, loaded):
                regressor.partial_fit(*rows(3000, seed=5))
            assert_same(loaded, fitted)


# Law: a stored growing run whose coefficients are of another shape than those of the chosen run is refused.
def test_stored_run_of_another_shape(tmp_path: Path) -> None:
    X, y = rows()
    model, narrow = constant_won(chains=2), rw.AveragedSGDRegressor(chains=2, passes=1, random_state=0).fit(X[:, :5], y)
    state = model.state()
    state["fit"]["ridge"] = narrow.trajectory_.state()
    with pytest.raises(ValueError, match=r"coefficients of shape \(6,\): expected \(7,\)"):
        rw.AveragedSGDRegressor.from_state(Stored(state))


# Law: when more rows come the chosen run goes on like a fit of its step, and the path like a fit of the growing one.
@pytest.mark.parametrize("cuts", [(4000,), (1, 700, 4000)])
def test_both_runs_go_on(cuts: tuple[int, ...]) -> None:
    model = constant_won()
    X, y = rows(4000, seed=5)
    X[::50] *= 20  # rows that are split, and clipped
    scheme, step = model.averaging_, rw.GrowingStep(model.at(1.0).step_, climb_share(1))
    options: dict[str, Any] = {"passes": 1, "random_state": 0}
    constant = rw.AveragedSGDRegressor(averaging=scheme, step=rw.LimitedStep(model.step_), **options).fit(*rows())
    growing = rw.AveragedSGDRegressor(averaging=rw.Geometric(0.1), step=step, **options).fit(*rows())
    moved = model.at(0.1)
    for first, last in zip((0, *cuts[:-1]), cuts, strict=True):
        for regressor in (model, constant, growing, moved):
            regressor.partial_fit(X[first:last], y[first:last])
    np.testing.assert_array_equal(model.at(scheme).coef_, constant.coef_)
    np.testing.assert_array_equal(model.path(ALPHAS).coefs, growing.path(ALPHAS).coefs)
    assert_same(moved, growing)


# Law: after 100,000 rows in all the growing run answers alone.
def test_growing_run_takes_over() -> None:
    model = constant_won()
    model.partial_fit(*rows(97_999, seed=5))
    assert model.trajectory_.sizes.constant
    assert model.at(1.0).n_steps_ > model.n_steps_ - 1
    model.partial_fit(*rows(2, seed=6))
    assert not model.trajectory_.sizes.constant
    assert model.at(1.0).trajectory_ is model.trajectory_


# Law: a kernel model with components answers a number from the growing run, too, and its copy goes on with it.
def test_components(tmp_path: Path) -> None:
    X, y = rows()
    options: dict[str, Any] = {"n_components": 20, "random_state": 0}
    model = rw.AveragedKernelRegressor(passes=1, **options).fit(X, y)
    assert model.trajectory_.sizes.constant
    given = rw.AveragedKernelRegressor(passes=1, alpha=0.1, **options).fit(X, y)
    assert_same(model.at(0.1), given)
    assert_same(model.at(model.averaging_), model)
    model.save(tmp_path / "model")
    assert_same(rw.load(tmp_path / "model"), model)
    moved = model.at(0.1)
    for regressor in (moved, given):
        regressor.partial_fit(*rows(500, seed=5))
    assert_same(moved, given)


# Law: a growing step of the user's is refused where every row is predicted before it is learned from; where nothing is
# chosen it is obeyed.
@pytest.mark.parametrize("step", [rw.GrowingStep(0.05), rw.GrowingStep(0.05, climb=100)])
def test_progressive_refuses_a_growing_step(step: rw.GrowingStep) -> None:
    with pytest.raises(ValueError, match=r"cv='progressive' with step=GrowingStep.*expected step='auto'.*cv=5"):
        rw.AveragedSGDRegressor(cv="progressive", step=step).fit(*rows())
    model = rw.AveragedSGDRegressor(cv="progressive", alpha=0.1, step=step, passes=1).fit(*rows())
    assert model.step_ == 0.05
