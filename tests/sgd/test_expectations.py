"""Laws of the mean over many runs on fresh draws of rows, to four standard errors of the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ridgeway as rw

STEP, ALPHA, N, RUNS = 0.05, 0.5, 60, 3000
VECTORS, _ = np.linalg.qr(np.random.default_rng(5).standard_normal((3, 3)))
SIGMA = VECTORS @ np.diag([2.0, 1.0, 0.3]) @ VECTORS.T
W_STAR = np.array([1.0, -2.0, 0.5])


@pytest.fixture(scope="module")
def draws() -> Any:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((RUNS, N, 3)) @ np.linalg.cholesky(SIGMA).T
    y = X @ W_STAR + 0.5 * rng.standard_normal((RUNS, N))
    return X, y


@pytest.fixture(scope="module")
def trajectories(draws: Any) -> list[rw.Trajectory]:
    return [rw.run_sgd(X, y, step=STEP) for X, y in zip(*draws, strict=True)]


def agrees(samples: Any, expected: Any) -> None:
    samples = np.asarray(samples)
    z = (samples.mean(axis=0) - expected) / (samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    assert np.abs(z).max() < 4, z


# Law: E[w_t] = (I - (I - eta Sigma)^t) w*.
@pytest.mark.parametrize("t", [1, 10, 60])
def test_iterates(trajectories: list[rw.Trajectory], t: int) -> None:
    contraction = np.linalg.matrix_power(np.eye(3) - STEP * SIGMA, t)
    agrees([run.iterate(t) for run in trajectories], (np.eye(3) - contraction) @ W_STAR)


# Law: E[geometric average] tends to the ridge solution (Sigma + alpha)^-1 Sigma w*, up to (rho (1 - eta s))^T.
def test_geometric_average_is_ridge() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1500, 400, 3)) @ np.linalg.cholesky(SIGMA).T
    y = X @ W_STAR + 0.5 * rng.standard_normal((1500, 400))
    averages = [rw.run_sgd(a, b, step=STEP).coef(rw.Geometric(ALPHA)) for a, b in zip(X, y, strict=True)]
    ridge = np.linalg.solve(SIGMA + ALPHA * np.eye(3), SIGMA @ W_STAR)
    agrees(averages, ridge)


# Law: for every t, E of SGD on the ridge objective = (1 - rho^(t+1)) E[avg_t] + rho^(t+1) E[w_t].
def test_regularised_sgd(draws: Any, trajectories: list[rw.Trajectory]) -> None:
    rho = 1 / (1 + STEP * ALPHA)
    gamma = STEP * rho
    X, y = draws
    hat = np.zeros((RUNS, 3))
    for t in range(N):
        residual = y[:, t] - np.einsum("rd,rd->r", X[:, t], hat)
        hat = hat + gamma * (residual[:, None] * X[:, t] - ALPHA * hat)
    average = np.array([run.coef(rw.Geometric(ALPHA)) for run in trajectories])
    last = np.array([run.coef(rw.Last()) for run in trajectories])
    power = rho ** (N + 1)
    agrees(hat - (1 - power) * average - power * last, 0.0)


# Law: the mean of the iterates at random stopping times is the average.
def test_random_stopping(trajectories: list[rw.Trajectory]) -> None:
    run, scheme = trajectories[0], rw.Geometric(ALPHA)
    times = scheme.sample(N, STEP, np.random.default_rng(0), 20_000)
    iterates = np.array([run.iterate(k) for k in range(N + 1)])
    agrees(iterates[times], run.coef(scheme))
