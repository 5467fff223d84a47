"""Outlying rows, heavy tails and large weights: the path stays ridge."""

from __future__ import annotations

import numpy as np
import pytest

import ridgeway as rw

N, D = 3000, 4
ALPHAS = [0.1, 1.0, 10.0]
SLOPES = np.arange(1.0, D + 1)


def ridge_predictions(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Predictions of weighted ridge on standardized features, (n, alphas), in closed form."""
    share = weight / weight.sum()
    mean, centre = share @ X, share @ y
    Z = (X - mean) / np.sqrt(share @ (X - mean) ** 2)
    gram, b = (share[:, None] * Z).T @ Z, (share[:, None] * Z).T @ (y - centre)
    return np.stack([centre + Z @ np.linalg.solve(gram + alpha * np.eye(D), b) for alpha in ALPHAS], axis=1)


def problem(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((N, D)), np.ones(N)
    y = X @ SLOPES + rng.standard_normal(N)
    if name == "raw units":
        X = X * [1.0, 1e4, 1e-4, 100.0] + 5.0
    if name == "one row of 1e4 deviations":
        X[7] *= 1e4
    if name == "one entry of 1e4 deviations":
        X[7, 2] = 1e4
    if name == "Cauchy columns":
        X = rng.standard_cauchy((N, D))
        y = X.clip(-10, 10) @ SLOPES + rng.standard_normal(N)
    if name == "weights of 1e6":
        weight[rng.random(N) < 0.01] = 1e6
    return X, y, weight


# Law: with all defaults the path is weighted ridge within 5% on ordinary rows, and no update is clipped.
@pytest.mark.parametrize(
    "name",
    ["raw units", "one row of 1e4 deviations", "one entry of 1e4 deviations", "Cauchy columns", "weights of 1e6"],
)
def test_path_is_ridge(name: str) -> None:
    X, y, weight = problem(name)
    model = rw.AveragedSGDRegressor(random_state=0).fit(X, y, sample_weight=weight)
    ridge = ridge_predictions(X, y, weight)
    difference = model.predict_path(X, ALPHAS) - ridge
    ordinary = np.argsort(np.abs(X).max(axis=1))[: N - 50]
    assert (difference[ordinary].std(axis=0) < 0.05 * ridge[ordinary].std(axis=0)).all()
    assert model.n_split_ > 0
    assert model.n_clipped_ == 0
