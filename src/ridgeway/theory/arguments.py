"""Arguments of the formulas: vectors, variances and run lengths, or an error that says what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging.scheme import checked_n_steps
from ridgeway.number import counted, real_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def eigenvalues_of(values: ArrayLike) -> Array:
    """Return the eigenvalues of Sigma, (d,): finite, 0 or more, at least one of them positive."""
    s = _vector("eigenvalues", values)
    if s.min() < 0:
        raise ValueError(
            f"eigenvalues has the minimum {s.min():g}: expected numbers of 0 or more; where rounding made one "
            "negative, take numpy.maximum(eigenvalues, 0)."
        )
    if s.max() == 0:
        raise ValueError(
            "eigenvalues are all 0: expected at least one positive; without any there is nothing to learn."
        )
    return s


def vector_beside(name: str, values: ArrayLike, eigenvalues: Array) -> Array:
    """Return a vector with one finite entry for each eigenvalue."""
    vector = _vector(name, values)
    if len(vector) != len(eigenvalues):
        raise ValueError(
            f"{name} has {len(vector)} entries but there are {len(eigenvalues)} eigenvalues: expected one for each, "
            "in the eigenbasis of Sigma."
        )
    return vector


def start_beside(start: ArrayLike | None, eigenvalues: Array) -> Array:
    """Return w_0 in the eigenbasis; None is 0."""
    return np.zeros_like(eigenvalues) if start is None else vector_beside("start", start, eigenvalues)


def variance_of(value: object, name: str = "noise_variance") -> float:
    """Return a variance, 0 or more."""
    expected = "the variance must be a finite number, 0 or more"
    variance = real_number(name, value, expected)
    if variance < 0:
        raise ValueError(f"{name}={variance!r} is negative: {expected}; 0 means labels without noise.")
    return variance


def step_of(value: object) -> float:
    """Return the step size, above 0."""
    return positive("step", value, "the step size must be a finite number above 0", "a safe choice is 0.5 / R^2")


def positive(name: str, value: object, expected: str, remedy: str) -> float:
    """Return a finite number above 0."""
    number = real_number(name, value, expected)
    if number <= 0:
        raise ValueError(f"{name}={number!r} is not positive: {expected}; {remedy}.")
    return number


def n_steps_of(value: object) -> int:
    """Return the number of steps, 1 or more."""
    return checked_n_steps(
        counted("n_steps", value, "expected an integer of 1 or more, the number of steps of the run")
    )


def kurtosis_of(value: object) -> float:
    """Return E z^4 of a standardized coordinate, 1 or more."""
    expected = "the kurtosis E z^4 of standardized coordinates must be a finite number, 1 or more"
    kurtosis = real_number("kurtosis", value, expected)
    if kurtosis < 1:
        raise ValueError(f"kurtosis={kurtosis!r} is below 1: {expected}; 3 is Gaussian, 9/5 uniform, 1 Rademacher.")
    return kurtosis


def batch_size_of(value: object) -> int:
    """Return the number of rows of a step, 1 or more."""
    return counted("batch_size", value)


def _vector(name: str, values: ArrayLike) -> Array:
    vector = _finite(name, values)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} has shape {vector.shape}: expected a vector (d,), at least one entry.")
    return vector


def matrix_of(name: str, values: ArrayLike) -> Array:
    """Return a matrix of finite numbers, at least one row and one column."""
    matrix = _finite(name, values)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{name} has shape {matrix.shape}: expected a matrix, at least one row and one column.")
    return matrix


def row_of(name: str, values: ArrayLike, length: int, each: str) -> Array:
    """Return a vector of finite numbers, one for `each` of `length` things."""
    vector = _finite(name, values)
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {vector.shape}: expected ({length},), one number for each {each}.")
    return vector


def _finite(name: str, values: ArrayLike) -> Array:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not an array of numbers: {error}.") from error
    if not np.isfinite(array).all():
        place = np.unravel_index(int(np.argmin(np.isfinite(array))), array.shape)
        raise ValueError(
            f"{name}{[int(i) for i in place]} is {array[place]}: expected finite numbers; drop or impute it."
        )
    return array
