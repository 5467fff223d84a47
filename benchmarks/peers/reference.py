"""References for real sets: test error, exact ridge, and whether gradient steps can reach it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.linear_model import RidgeCV

import ridgeway as rw
from benchmarks.peers.sets import Split
from benchmarks.planted import Array

STRENGTHS = np.logspace(-6, 6, 25)
DIVERGED_ERROR_RATIO = 1000.0  # errors beyond count as this many times that of ridge
STEPS = 1_000_000
NEAR_ERROR_RATIO = 1.003


def rmse(predicted: Array, y: Array) -> float:
    """Root mean squared error; predictions that are not finite count as infinitely wrong."""
    residual = np.asarray(predicted, np.float64) - y
    if not np.isfinite(residual).all() or np.abs(residual).max() > 1e100:
        return float("inf")
    return float(np.sqrt(np.mean(residual**2)))


def ratio(error: float, reference: float) -> float:
    """Error over that of the reference, DIVERGED_ERROR_RATIO at most."""
    return min(error / reference, DIVERGED_ERROR_RATIO)


def geometric_mean(ratios: Iterable[float]) -> float:
    """Mean of ratios."""
    return float(np.exp(np.mean(np.log(list(ratios)))))


def standardized(split: Split) -> Split:
    """Return dense rows with columns of mean 0 and variance 1 among those to learn from."""
    mean, deviation = split.X.mean(axis=0), split.X.std(axis=0)
    return Split((split.X - mean) / deviation, split.y, (split.test_X - mean) / deviation, split.test_y)


def ridge_error(split: Split) -> float:
    """Test error of RidgeCV over 25 strengths, on standardized columns."""
    rows = standardized(split)
    return rmse(RidgeCV(alphas=STRENGTHS).fit(rows.X, rows.y).predict(rows.test_X), rows.test_y)


def reach(split: Split) -> float:
    """Test error over ridge's after a million gradient steps without noise, at the best moment to stop.

    The step is the automatic one. Above NEAR_ERROR_RATIO the columns are too badly conditioned for gradient steps.
    """
    rows = standardized(split)
    mean = rows.y.mean()
    step = rw.run_sgd(rows.X, rows.y - mean, store="sketch").step
    values, vectors = np.linalg.eigh(rows.X.T @ rows.X / len(rows.y))
    moment = vectors.T @ (rows.X.T @ (rows.y - mean)) / len(rows.y)
    values = np.maximum(values, 0.0)
    times = np.logspace(0, np.log10(STEPS), 40)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = -np.expm1(times[:, None] * np.log1p(-np.minimum(step * values, 1.0))) / values
    gains = np.where(values * step < 1e-14, times[:, None] * step, gains)
    predicted = rows.test_X @ (vectors @ (gains * moment).T) + mean
    best = min(rmse(predicted[:, k], rows.test_y) for k in range(len(times)))
    return ratio(best, ridge_error(split))
