"""From which alpha on a path is ridge, told from the run alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ridgeway as rw
from ridgeway.trajectory.ridge_reach import RidgeReach, ridge_reach

Array = NDArray[np.float64]
COEF = np.array([1.0, -1.0, 2.0])


def problem(smallest: float, noise: float, seed: int = 0) -> tuple[Array, Array]:
    """Return rows whose directions have variances 1, .3 and `smallest`."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    X = rng.standard_normal((2000, 3)) * np.sqrt([1.0, 0.3, smallest]) @ rotation.T
    return X, X @ (rotation @ COEF) + noise * rng.standard_normal(2000)


def distance(X: Array, y: Array, run: rw.trajectory.Trajectory, alpha: float) -> float:
    """Return the relative distance of the path from the closed form of ridge."""
    ridge = np.linalg.solve(X.T @ X / len(X) + alpha * np.eye(X.shape[1]), X.T @ y / len(X))
    return float(np.linalg.norm(run.path([alpha])[0] - ridge) / np.linalg.norm(ridge))


def run_of(X: Array, y: Array, passes: int) -> rw.trajectory.Trajectory:
    return rw.run_sgd(X, y, step=0.05, passes=passes, shuffle=True, store="sketch", random_state=0)


# Law: a run that is too short for weak alphas says so; from the alpha that it names on the path is ridge within a few
# percent, and the distance that it estimates is about the true one.
@pytest.mark.parametrize("smallest", [0.003, 0.01])
@pytest.mark.parametrize("seed", range(3))
def test_short_run(smallest: float, seed: int) -> None:
    X, y = problem(smallest, 0.1, seed)
    run = run_of(X, y, 4)
    reach = ridge_reach(run)
    assert reach.is_short_of(0.0)
    assert not reach.is_short_of(reach.alpha)
    assert distance(X, y, run, 0.0) > 0.1
    for factor in (1.0, 2.0, 4.0):
        assert distance(X, y, run, factor * reach.alpha) < 0.05
    assert reach.distance == pytest.approx(distance(X, y, run, 0.0), rel=0.5)


# Law: a run that is long enough gives no warning, and its weakest average is ridge.
@pytest.mark.parametrize("seed", range(3))
def test_long_run(seed: int) -> None:
    X, y = problem(0.01, 0.1, seed)
    run = run_of(X, y, 200)
    assert not ridge_reach(run).is_short_of(0.0)
    assert distance(X, y, run, 0.0) < 0.05


# Law: noise is not mistaken for a remaining distance: a run that only fluctuates gives no warning.
@pytest.mark.parametrize("seed", range(5))
def test_noise(seed: int) -> None:
    X, y = problem(0.5, 20.0, seed)
    assert not ridge_reach(run_of(X, y, 4)).is_short_of(0.0)


# Law: several chains and several targets are judged as one, and a run of a few steps is not judged.
def test_forms() -> None:
    X, y = problem(0.003, 0.1)
    chains = rw.run_sgd(X, y, step=0.05, passes=8, chains=2, store="sketch", random_state=0)
    assert ridge_reach(chains).is_short_of(0.0)
    assert ridge_reach(chains).alpha == pytest.approx(5 / (0.05 * chains.length))
    targets = rw.run_sgd(X, np.stack([y, -y], axis=1), step=0.05, passes=4, store="sketch", random_state=0)
    assert ridge_reach(targets).is_short_of(0.0)
    for n_rows in (1, 2, 255):
        assert ridge_reach(rw.run_sgd(X[:n_rows], y[:n_rows], step=0.05)).distance == 0.0


# Law: alphas that no data can distinguish from 0 are replaced, and averages of stronger ones are nearer to ridge.
def test_weakest() -> None:
    assert not RidgeReach(alpha=1e-7, distance=0.9, weakest=1e-5).is_short_of(0.0)
    reach = RidgeReach(alpha=0.1, distance=0.5, weakest=1e-5)
    assert reach.distance_at(0.0) > reach.distance_at(0.01) > reach.distance_at(0.1)


# Law: the verdict does not depend on the units of the target, up to the ends of float64.
@pytest.mark.parametrize("unit", [1e-200, 1e-3, 1e200])
def test_units(unit: float) -> None:
    X, y = problem(0.003, 0.1)
    plain, scaled = (ridge_reach(run_of(X, targets, 4)) for targets in (y, unit * y))
    assert scaled.distance == pytest.approx(plain.distance, rel=1e-6)
