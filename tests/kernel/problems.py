"""Kernel problems, and functional SGD by plain numpy in float64, sharing no code with the library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.kernel.blocks import Blocks
from ridgeway.kernel.kernel_entries import GivenEntries
from ridgeway.kernel.kernel_sweep import KernelSweep
from ridgeway.messages.progress import Progress
from ridgeway.sgd import LimitedStep

Array = NDArray[np.float64]


def smooth(n: int, seed: int = 0, noise: float = 0.2) -> tuple[Array, Array]:
    """Rows in the plane and a smooth function of them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + noise * rng.standard_normal(n)


def gaussian(X: Array, Z: Array, gamma: float) -> Array:
    """exp(-gamma |x - z|^2), entry by entry."""
    entries: Array = np.exp(-gamma * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))
    return entries


def brute_coefficients(
    K: Array,
    y: Array,
    step: float,
    orders: Sequence[NDArray[np.intp]],
    batch_size: int = 1,
    weight: Array | None = None,
) -> Array:
    """Coefficients of the functions f_0 .. f_T of SGD, (T + 1, n), by evaluating each function anew."""
    c = np.ones(len(y)) if weight is None else weight
    coefs = np.zeros(len(y))
    all_coefs = [coefs.copy()]
    for order in orders:
        for first in range(0, len(order), batch_size):
            rows = order[first : first + batch_size]
            values = [K[i] @ coefs for i in rows]
            for i, value in zip(rows, values, strict=True):
                coefs[i] += step * c[i] * (y[i] - value) / len(rows)
            all_coefs.append(coefs.copy())
    return np.array(all_coefs)


def sweep_of(
    K: Array,
    y: Array,
    step: float,
    trains: Sequence[NDArray[np.bool_]] | None = None,
    batch_size: int = 1,
    weight: Array | None = None,
    block: int = 16,
    shuffle: bool = False,
    cache_bytes: float = 0.0,
) -> KernelSweep:
    """Return runs over a given kernel matrix, rows laid out in their own order."""
    n = len(y)
    trains = [np.ones(n, bool)] if trains is None else trains
    blocks = Blocks(GivenEntries(K), np.arange(n), block, cache_bytes, batch_size)
    targets = np.repeat(y.reshape(n, 1, -1), len(trains), axis=1).astype(K.dtype)
    given = np.ones(n) if weight is None else weight
    rng, progress = np.random.default_rng(0), Progress(1, shown=False)
    limit = LimitedStep(step, np.inf)
    return KernelSweep(blocks, targets, given, trains, limit, batch_size, shuffle, rng, progress)
