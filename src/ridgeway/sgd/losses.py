"""Losses of a linear prediction, each known to the kernels by an integer code.

A compiled function passed as an argument would defeat Numba's disk cache; a code compared inside the kernel does not.
"""

from __future__ import annotations

import numpy as np

from ridgeway.compiled import compiled
from ridgeway.rows import Scalar

SQUARED = 0  # (y - p)^2 / 2
NO_NUMBER = np.float32(np.nan)  # times a number, in the precision of that number


@compiled
def descent(loss: int, y: Scalar, prediction: Scalar) -> Scalar:
    """Minus the derivative of the loss by the prediction: the residual for squared loss, NaN for an unknown code."""
    if loss == SQUARED:
        return y - prediction
    return NO_NUMBER * y
