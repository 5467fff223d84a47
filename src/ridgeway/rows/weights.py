"""Weights of 1, which most rows have: one array for all batches, so that they cost nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ridgeway.rows.forms import readonly
from ridgeway.rows.types import Float

LONGEST = 2**20  # rows; weights of longer batches are their own

_shared: dict[np.dtype[Any], Float] = {}  # as long as any batch so far has needed


def ones(n_rows: int, dtype: np.dtype[np.floating[Any]]) -> Float:
    """Return weights of 1, (n_rows,), which cannot be written."""
    if n_rows > LONGEST:
        return readonly(np.ones(n_rows, dtype))  # type: ignore[no-any-return]
    shared = _shared.get(dtype)
    if shared is None or len(shared) < n_rows:
        shared = _shared[dtype] = np.ones(1 << n_rows.bit_length(), dtype)
    return readonly(shared[:n_rows])  # type: ignore[no-any-return]


def all_ones(weight: Float) -> bool:
    """Tell whether all weights are 1; those that are shared need no look."""
    return weight.base is _shared.get(weight.dtype, weight) or bool((weight == 1).all())
