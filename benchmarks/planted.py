"""Data with a planted coefficient: standard normal entries, and a target that is linear in them plus noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


def dense_rows(n_rows: int, n_columns: int, dtype: type[np.floating[Any]], seed: int = 0) -> tuple[Array, Array]:
    """Return X (n_rows, n_columns) and y (n_rows,), half of whose variance is explained."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, n_columns), dtype)
    rng.standard_normal(dtype=dtype, out=X)  # float32 or float64
    return X, _target(X, rng)


def sparse_rows(n_rows: int, n_columns: int, per_row: int, seed: int = 0) -> tuple[scipy.sparse.csr_array, Array]:
    """Return X (n_rows, n_columns) in CSR and y (n_rows,), float32, with about `per_row` entries in random columns."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, n_columns, (n_rows, per_row), dtype=np.int32)
    columns.sort(axis=1)
    data = rng.standard_normal(n_rows * per_row, dtype=np.float32)
    indptr = np.arange(0, n_rows * per_row + 1, per_row, dtype=np.int32)
    X = scipy.sparse.csr_array((data, columns.reshape(-1), indptr), shape=(n_rows, n_columns))
    X.sum_duplicates()
    return X, _target(X, rng)


def _target(X: Any, rng: np.random.Generator) -> Array:
    coef = rng.standard_normal(X.shape[1]).astype(X.dtype)
    signal: Array = X @ coef
    y: Array = signal / signal.std() + rng.standard_normal(X.shape[0], dtype=np.float32)
    return y.astype(X.dtype)
