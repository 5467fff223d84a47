"""Numbers as arguments: plain finite floats and plain ints, or an error that says what was expected."""

from __future__ import annotations

import math
import operator
from numbers import Integral, Real
from typing import cast

import numpy as np
from numpy.typing import ArrayLike


def real_number(name: str, value: object, expected: str) -> float:
    """Return `value` as a finite float; `expected` completes "the argument must be ..." in the error."""
    if type(value) is not float and (isinstance(value, bool | np.bool_) or not isinstance(value, Real)):
        raise TypeError(f"{name}={value!r} is a {type(value).__name__}: {expected}.")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name}={number!r} is not finite: {expected}.")
    return number + 0.0  # -0.0 becomes 0.0, one value with one repr


def whole_number(name: str, value: object, expected: str) -> int:
    """Return `value` as a plain int; numpy integers pass, floats and booleans do not."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} is a {type(value).__name__}: {expected}.")
    return operator.index(value)


UNPENALIZED = "alpha=0 is no penalty"  # true of every solver


def counted(name: str, value: object, expected: str = "expected an integer of 1 or more") -> int:
    """Return `value` as a plain int of 1 or more."""
    number = whole_number(name, value, expected)
    if number < 1:
        raise ValueError(f"{name}={number}: {expected}.")
    return number


def ridge_strength(alpha: object, zero: str = "alpha=0 is the uniform average") -> float:
    """Return `alpha` as a float, 0 or more; `zero` tells the user what 0 would mean."""
    strength = real_number("alpha", alpha, "the ridge strength must be a finite number, 0 or more")
    if strength < 0:
        raise ValueError(f"alpha={strength!r} is negative: the ridge strength must be 0 or more; {zero}.")
    return strength


def ridge_strengths(alphas: ArrayLike, zero: str = "alpha=0 is the uniform average") -> list[float]:
    """Return the ridge strengths of a path, in the order given; a single number is a path of one."""
    try:
        strengths = np.atleast_1d(np.asarray(alphas))
    except ValueError:
        strengths = np.empty((0, 0))
    if strengths.ndim != 1 or strengths.size == 0:
        raise ValueError(f"alphas={alphas!r}: expected a list of ridge strengths, at least one.")
    if strengths.dtype == np.float64 and bool(((strengths >= 0) & (strengths < np.inf)).all()):  # nothing to say of any
        return cast("list[float]", (strengths + 0.0).tolist())
    return [ridge_strength(alpha, zero) for alpha in strengths.tolist()]
