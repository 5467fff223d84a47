"""Weights of 1, which most rows have: all batches share one array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ridgeway.rows.forms import readonly
from ridgeway.rows.types import Float

MAX_SHARED_ROWS = 2**20  # longer batches have their own array

_shared: dict[np.dtype[Any], Float] = {}  # one array per type, as long as the longest batch so far


def ones(n_rows: int, dtype: np.dtype[np.floating[Any]]) -> Float:
    """Return weights of 1, (n_rows,), which cannot be written."""
    shared = _shared.get(dtype)
    if n_rows > MAX_SHARED_ROWS:
        shared = np.ones(n_rows, dtype)
    elif shared is None or len(shared) < n_rows:
        shared = _shared[dtype] = np.ones(1 << n_rows.bit_length(), dtype)
    weight: Float = readonly(shared[:n_rows])
    return weight


def all_ones(weight: Float) -> bool:
    """Return whether all weights are 1; shared ones are known to be."""
    return weight.base is _shared.get(weight.dtype, weight) or bool((weight == 1).all())
