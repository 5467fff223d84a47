"""Powers of two that scale numbers of any size to about 1; multiplying by them rounds nothing."""

from __future__ import annotations

import math

import numpy as np

from ridgeway.rows.types import Float

SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)  # smaller numbers of float64 have fewer digits
OVERFLOW_EXPONENT = 256  # with a larger binary exponent, sums of weighted squares may overflow or underflow


def far_exponent(values: Float) -> int:
    """Return e such that |values * 2^-e| is at most 1, or 0 if the values are far from overflow and underflow.

    Examples
    --------
    >>> import numpy as np
    >>> far_exponent(np.array([3.0, -5e-7])), far_exponent(np.array([1e-200, -3e-180]))
    (0, -596)
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > OVERFLOW_EXPONENT else 0


def scaled(values: Float, exponent: int) -> Float:
    """Return values * 2^-exponent; the values themselves if it is 0."""
    answer: Float = np.ldexp(values, -exponent) if exponent else values
    return answer
