"""Losses of a residual, target less prediction, each known to the kernels by an integer code.

A compiled function passed as an argument would defeat Numba's disk cache; a code compared inside the kernel does not.
"""

from __future__ import annotations

from ridgeway.compiled import compiled
from ridgeway.rows import Scalar

SQUARED = 0  # r^2 / 2


@compiled
def descent(loss: int, residual: Scalar) -> Scalar:
    """Minus the derivative of the loss by the prediction: the residual for squared loss, the only one so far.

    Every step waits for this, so there is no second answer for codes that no run has.
    """
    return residual
