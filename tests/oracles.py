"""Problems, and every iterate of a run by plain numpy in float64, sharing no code with the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def brute_iterates(
    X: Array,
    y: Array,
    step: float,
    passes: int = 1,
    batch_size: int = 1,
    weight: Array | None = None,
    limit: float = np.inf,
    w0: Array | None = None,
    orders: Sequence[NDArray[np.intp]] | None = None,
) -> Array:
    """w_0 .. w_T of SGD for least squares: shape (T + 1, d), or (T + 1, targets, d) when y is 2-D."""
    X = np.asarray(X, np.float64)
    Y = np.asarray(y, np.float64).reshape(len(X), -1)
    c = np.ones(len(X)) if weight is None else np.asarray(weight, np.float64)
    w = np.zeros((Y.shape[1], X.shape[1])) if w0 is None else np.array(w0, np.float64).reshape(Y.shape[1], -1)
    iterates = [w.copy()]
    for p in range(passes):
        order = np.arange(len(X)) if orders is None else orders[p]
        order = order[c[order] > 0]
        for first in range(0, len(order), batch_size):
            rows = order[first : first + batch_size]
            gradient = np.zeros_like(w)
            for i in rows:
                rate = min(step * c[i], limit / max(X[i] @ X[i], 1e-300))
                gradient += rate * np.outer(Y[i] - w @ X[i], X[i])
            w = w + gradient / len(rows)
            iterates.append(w.copy())
    stacked = np.array(iterates)
    return stacked[:, 0] if np.ndim(y) == 1 else stacked


def relative_error(got: NDArray[np.floating], expected: NDArray[np.floating]) -> float:
    """Largest difference, relative to the largest expected coefficient."""
    return float(np.abs(np.asarray(got, np.float64) - expected).max() / np.abs(expected).max())


def problem(
    n: int = 60, d: int = 4, targets: int | None = None, dtype: Any = np.float64, seed: int = 0
) -> tuple[Any, Any]:
    """X (n, d) and y of a linear model with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    shape = (d,) if targets is None else (d, targets)
    y = X @ rng.standard_normal(shape) + 0.5 * rng.standard_normal((n, *shape[1:]))
    return X, y.astype(dtype)
