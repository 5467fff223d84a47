"""Weighted sums of rows, added up one row after the other, so that batches do not change a bit of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float


@compiled
def add_dense_rows(X: Float, gains: Float, factors: NDArray[np.float64], sums: Float) -> None:
    """sums[s, q] += sum_i factors[i, s] gains[i, q] X[i]; X (n, d), gains (n, k), factors (n, m), sums (m, k, d)."""
    n_sums, n_targets, n_columns = sums.shape
    flat = sums.reshape(-1)  # one dimension: the compiler then sees through the indices
    for i in range(X.shape[0]):
        for s in range(n_sums):
            for q in range(n_targets):
                gain = factors[i, s] * gains[i, q]
                base = (s * n_targets + q) * n_columns
                for c in range(n_columns):
                    flat[base + c] += gain * X[i, c]


@compiled
def add_csr_rows(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    gains: Float,
    factors: NDArray[np.float64],
    sums: Float,
) -> None:
    """sums[c, q, s] += sum_i factors[i, s] gains[i, q] x_ic, for gains (n, k), factors (n, m), sums (d, k, m)."""
    n_targets, n_sums = sums.shape[1:]
    flat = sums.reshape(-1)
    scaled = np.empty(n_sums, sums.dtype)
    for i in range(len(indptr) - 1):
        for q in range(n_targets):
            for s in range(n_sums):
                scaled[s] = factors[i, s] * gains[i, q]
            for e in range(indptr[i], indptr[i + 1]):
                base = (np.int64(indices[e]) * n_targets + q) * n_sums
                for s in range(n_sums):
                    flat[base + s] += scaled[s] * data[e]


@compiled
def add_mixed(part: Float, mix: Float, sums: Float) -> None:
    """Sums += part @ mix, for part (n, m), mix (m, L), sums (n, L)."""
    n_sums = sums.shape[1]
    flat = sums.reshape(-1)
    for c in range(part.shape[0]):
        for s in range(part.shape[1]):
            value = part[c, s]
            if value != 0:
                for k in range(n_sums):
                    flat[c * n_sums + k] += value * mix[s, k]
