"""The paper's definitions as plain loops, which share no code with the library and serve as its oracle."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.population import Array
from ridgeway.rows import Float


def brute_iterates(X: Array, y: Array, step: float, w0: Array | None = None) -> Array:
    """Return w_0 .. w_n of least-squares SGD, (n + 1, d)."""
    w = np.zeros(X.shape[1]) if w0 is None else w0
    iterates = [w]
    for row, label in zip(X, y, strict=True):
        w = w - step * (row * (row @ w) - row * label)
        iterates.append(w)
    return np.array(iterates)


def brute_tikhonov(X: Array, y: Array, alpha: float, step: float) -> Array:
    """Return the iterates of SGD on the ridge objective from 0, (n + 1, d)."""
    w = np.zeros(X.shape[1])
    iterates = [w]
    for row, label in zip(X, y, strict=True):
        w = w - step * (row * (row @ w) - row * label + alpha * w)
        iterates.append(w)
    return np.array(iterates)


def sample(rng: np.random.Generator, n: int, d: int) -> tuple[Array, Array, float]:
    """Return rows of a linear model with noise, and a step that is safe for each of them."""
    X = rng.standard_normal((n, d)) * np.exp(rng.normal(0, 0.5, d))
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    return X, y, float(rng.uniform(0.1, 1.0) / (X**2).sum(axis=1).max())


def uniform_average(iterates: Array) -> Array:
    """Return the mean of w_0 .. w_n."""
    return np.asarray(iterates.sum(axis=0) / len(iterates))


def geometric_average(iterates: Array, discount: float) -> Array:
    """Return the average of w_0 .. w_n with weights discount^t."""
    weights = discount ** np.arange(len(iterates))
    return np.asarray(weights @ iterates / weights.sum())


def difference(got: Float, expected: Float) -> float:
    """Return the largest difference, relative to the largest expected coefficient."""
    return float(np.abs(got - expected).max() / np.abs(expected).max())
