"""Validate the arguments of formulas: vectors, variances, run lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ridgeway.averaging import Staircase
from ridgeway.averaging.scheme import checked_n_steps
from ridgeway.validation.scalars import counted, real_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def eigenvalues_of(values: ArrayLike) -> Array:
    """Return the eigenvalues of Sigma, (d,): finite, 0 or more, at least one of them positive."""
    s = _vector("eigenvalues", values)
    if s.min() < 0:
        raise ValueError(
            f"eigenvalues has the minimum {s.min():g}: expected numbers of 0 or more; if rounding made one negative, "
            "pass numpy.maximum(eigenvalues, 0)."
        )
    if s.max() == 0:
        raise ValueError("eigenvalues are all 0: expected at least one positive eigenvalue.")
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


def variance_of(value: object) -> float:
    """Return the variance of the noise, 0 or more."""
    expected = "the variance must be a finite number, 0 or more"
    variance = real_number("noise_variance", value, expected)
    if variance < 0:
        raise ValueError(f"noise_variance={variance!r} is negative: {expected}; 0 means labels without noise.")
    return variance


class Problem(NamedTuple):
    """A least-squares problem in the eigenbasis of Sigma, and the length of a run.

    Attributes
    ----------
    eigenvalues : (d,), those of Sigma.
    bias : (d,), w_0 - w*.
    noise_variance : that of the labels.
    n_steps : number of steps, 1 or more.
    """

    eigenvalues: Array
    bias: Array
    noise_variance: float
    n_steps: int


def problem_of(eigenvalues: ArrayLike, bias: ArrayLike, noise_variance: object, n_steps: object) -> Problem:
    """Return the arguments that all risks and bounds share, checked."""
    s = eigenvalues_of(eigenvalues)
    return Problem(s, vector_beside("bias", bias, s), variance_of(noise_variance), n_steps_of(n_steps))


def staircase_of(value: float | Staircase) -> Staircase:
    """Return the steps of a run: a staircase as it is, a step size above 0 as a constant step."""
    return value if isinstance(value, Staircase) else Staircase((step_of(value),))


def constant_step_of(value: float | Staircase, what: str, remedy: str) -> float:
    """Return the step size of a formula that holds for a constant step only."""
    steps = staircase_of(value)
    if not steps.constant:
        raise ValueError(
            f"step has {len(steps.sizes)} sizes, from {min(steps.sizes):g} to {steps.largest:g}: expected one, as "
            f"{what} a constant step only; {remedy}."
        )
    return steps.last


def step_of(value: object) -> float:
    """Return the step size, above 0."""
    return positive("step", value, "the step size must be a finite number above 0", "a safe choice is 0.5 / R^2")


def steps_of(steps: ArrayLike, next_step: float | None) -> Array:
    """Return eta_1 .. eta_{T+1}: the steps of a run and the one that would come next, by default the last again."""
    eta = _vector("steps", steps, "one step size for each step of the run")
    if eta.min() <= 0:
        place = int(np.argmin(eta))
        raise ValueError(
            f"steps[{place}] is {eta[place]:g}: expected step sizes above 0, one for each step of the run; leave out "
            "steps of size 0."
        )
    following = float(eta[-1]) if next_step is None else next_step
    return np.append(
        eta,
        positive("next_step", following, "the step size must be a finite number above 0", "None repeats the last step"),
    )


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


def momentum_of(value: object) -> float:
    """Return the momentum beta, from 0 to below 1."""
    expected = "the momentum must be a number from 0 to below 1"
    momentum = real_number("momentum", value, expected)
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum={momentum!r}: {expected}; 0 is plain gradient descent.")
    return momentum


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


def _vector(name: str, values: ArrayLike, expected: str = "a vector (d,), at least one entry") -> Array:
    vector = _finite(name, values)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} has shape {vector.shape}: expected {expected}.")
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


def probability_of(values: ArrayLike | None, length: int, each: str) -> Array:
    """Return probabilities of sum 1, one for `each` of `length` values; None means equal probabilities."""
    chances = np.ones(length) if values is None else row_of("probability", values, length, each)
    if chances.min() < 0 or chances.sum() <= 0:
        raise ValueError(
            f"probability ranges from {chances.min():g} to {chances.max():g}: expected numbers of 0 or more with a "
            "positive sum; leave it out if all values are equally likely."
        )
    return np.asarray(chances / chances.sum())


def system_of(matrices: ArrayLike, vectors: ArrayLike) -> tuple[Array, Array]:
    """Return the values of a random matrix, (k, d, d), and of the vector that belongs to it, (k, d)."""
    A, b = _finite("matrices", matrices), _finite("vectors", vectors)
    if A.ndim != 3 or A.size == 0 or A.shape[1] != A.shape[2]:
        raise ValueError(f"matrices has shape {A.shape}: expected (k, d, d), k square matrices; [A] is a single one.")
    if b.shape != A.shape[:2]:
        raise ValueError(f"vectors has shape {b.shape}: expected {A.shape[:2]}, one vector for each matrix.")
    return A, b


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
