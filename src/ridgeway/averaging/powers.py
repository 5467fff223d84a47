"""Powers of 1 - u and differences of them, for exponents up to 1e12: by logarithms and signs, without cancellation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

MAX_EXPONENT = 700.0  # exp of it is finite; it bounds survival functions that are continued beyond the run


def log_size(u: Array) -> Array:
    """Return log |1 - u|, exact to rounding also near u = 0 and u = 2."""
    with np.errstate(divide="ignore"):  # minus infinity at u = 1
        size: Array = np.log1p(np.where(u > 1, u - 2, -u))
    return size


def power(log_size: Array, negative: Mask | bool, n: int) -> Array:
    """Return the power n of numbers known by the logarithm of their size and their sign."""
    if n == 0:
        return np.ones_like(log_size)
    values = np.exp(n * log_size)
    return np.where(negative, -values, values) if n % 2 else values


def one_minus(log_size: Array, negative: Mask) -> Array:
    """Return 1 minus numbers known by the logarithm of their size and their sign."""
    return np.where(negative, 1 + np.exp(log_size), -np.expm1(log_size))


def one_minus_power(log_size: Array, negative: Mask, n: int) -> Array:
    """Return 1 minus the power n >= 1 of numbers known by the logarithm of their size and their sign."""
    return one_minus(n * log_size, negative & bool(n % 2))


def mean_power(u: Array, n: int) -> Array:
    """Return the mean of (1 - u)^t over t = 0..n-1."""
    values = one_minus_power(log_size(u), u > 1, n)
    return np.where(u == 0, 1.0, values / np.where(u == 0, 1.0, n * u))


def power_quotient(u: Array, d: float, n: int) -> Array:
    """Return (d^n - a^n) / (d - a) for a = 1 - u and 0 < d < 1, written for the larger of the two powers."""
    a, log_a, log_d = 1.0 - u, log_size(u), math.log(d)
    gap = u - (1 - d)  # d - a, from numbers that are exact
    swapped = np.abs(a) > d
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the branches not taken
        log_ratio = np.where(
            a > 0,
            np.where(swapped, np.log1p(gap / a), np.log1p(-gap / d)),
            np.where(swapped, log_d - log_a, log_a - log_d),
        )
        share = one_minus_power(log_ratio, a < 0, n)  # 1 - (smaller / larger)^n
        top = np.where(swapped, power(log_a, a < 0, n), power(np.full_like(u, log_d), False, n))
        sign = np.where(swapped, -1.0, 1.0)
        # As the gap closes, (1 - r^n) / gap tends to n / d.
        return top * np.where(gap == 0, n / d, sign * share / np.where(gap == 0, 1.0, gap))
