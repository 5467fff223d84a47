"""Weights of 1, which most rows have: shared by all batches of moderate length, so that they cost nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ridgeway.rows.forms import readonly
from ridgeway.rows.types import Float

SHARED = 2**17  # rows


def ones(n_rows: int, dtype: np.dtype[np.floating[Any]]) -> Float:
    """Return weights of 1, (n_rows,), which cannot be written."""
    shared: Float = readonly(_shared(dtype)[:n_rows] if n_rows <= SHARED else np.ones(n_rows, dtype))
    return shared


def all_ones(weight: Float) -> bool:
    """Tell whether all weights are 1; those of `ones` are known to be."""
    return weight.base is _shared(weight.dtype) or bool((weight == 1).all())


@lru_cache(maxsize=2)
def _shared(dtype: np.dtype[np.floating[Any]]) -> Float:
    return np.ones(SHARED, dtype)
