"""Loops over the rows themselves: norms, the soundness of a CSR matrix, gathering."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows.types import Float


@compiled
def dense_squared_norms(X: Float, norms: Float) -> None:
    """Fill norms (n,) with the squared norms of the rows of X (n, d)."""
    for i in range(X.shape[0]):
        total = X.dtype.type(0)
        for c in range(X.shape[1]):
            total += X[i, c] * X[i, c]
        norms[i] = total


@compiled
def csr_squared_norms(data: Float, indptr: NDArray[np.int64], norms: Float) -> None:
    """Fill norms (n,) with the squared norms of the CSR rows."""
    for i in range(len(indptr) - 1):
        total = data.dtype.type(0)
        for e in range(indptr[i], indptr[i + 1]):
            total += data[e] * data[e]
        norms[i] = total


@compiled
def csr_fault(
    indices: NDArray[np.integer[Any]], indptr: NDArray[np.integer[Any]], n_entries: int, n_columns: int
) -> int:
    """0: sound; 1: unsorted or repeated columns in a row; 2: something points outside."""
    fault = 0
    if indptr[0] != 0 or indptr[-1] > n_entries or indptr[-1] > len(indices):
        return 2
    for i in range(len(indptr) - 1):
        if indptr[i] > indptr[i + 1]:
            return 2
        previous = -1
        for e in range(indptr[i], indptr[i + 1]):
            column = indices[e]
            if column < 0 or column >= n_columns:
                return 2
            if column <= previous:
                fault = 1
            previous = column
    return fault


@compiled
def gather_csr(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    order: NDArray[np.intp],
    new_indptr: NDArray[np.int64],
    new_data: Float,
    new_indices: NDArray[np.unsignedinteger[Any]],
) -> None:
    """Copy the rows of `order` behind each other into new_data and new_indices."""
    for i in range(len(order)):
        start = indptr[order[i]]
        for e in range(new_indptr[i + 1] - new_indptr[i]):
            new_data[new_indptr[i] + e] = data[start + e]
            new_indices[new_indptr[i] + e] = indices[start + e]
