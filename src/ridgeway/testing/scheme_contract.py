"""The contract of an averaging scheme: a distribution over the iterates, known by its survival function."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme, Staircase
from ridgeway.testing.requirement import require, require_close

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Steps: TypeAlias = float | Staircase

# Runs that `check_scheme` tries: number of steps, and the step sizes.
RUNS: tuple[tuple[int, Steps], ...] = (
    (0, 0.3),
    (1, 0.3),
    (7, 1e-8),
    (50, 1.0),
    (300, 0.01),
    (50, Staircase((0.05, 0.3, 0.1), (4, 20))),
    (60, Staircase((0.5, 1.0), (30,))),
)
SURVIVAL_RTOL = 1e-11


def check_scheme_class(scheme_class: type[Scheme]) -> None:
    """Check that a scheme is a final, frozen dataclass of numbers that is compared by value and has examples.

    Immutable numbers make a scheme hashable and let a model file name it.
    """
    name = scheme_class.__name__
    require(issubclass(scheme_class, Scheme), f"{name} is not a Scheme: derive it from ridgeway.Scheme.")
    require(not inspect.isabstract(scheme_class), f"{name} is abstract: define _survival, _weights and examples.")
    require(getattr(scheme_class, "__final__", False), f"{name} can be subclassed: decorate it with typing.final.")
    parameters = getattr(scheme_class, "__dataclass_params__", None)
    require(
        parameters is not None and parameters.frozen, f"{name} can be changed: decorate it with dataclass(frozen=True)."
    )
    require(scheme_class.examples(), f"{name}.examples() is empty: expected a few typical instances.")
    for scheme in scheme_class.examples():
        require(type(scheme) is scheme_class, f"{name}.examples() has a {type(scheme).__name__}.")
        copy = dataclasses.replace(scheme)
        require(copy == scheme and hash(copy) == hash(scheme), f"{scheme} does not equal a copy of itself.")
        for field in dataclasses.fields(scheme):
            kind = type(getattr(scheme, field.name))
            require(kind in (int, float), f"{name}.{field.name} is a {kind.__name__}: expected an int or a float.")


def check_weights(scheme: Scheme, n_steps: int, step: Steps) -> None:
    """Check that p_0..p_T are 0 or more and sum to 1."""
    weights = scheme.weights(n_steps, step)
    what = f"weights of {scheme} over {n_steps} steps"
    require(weights.shape == (n_steps + 1,), f"{what}: got shape {weights.shape}, expected {(n_steps + 1,)}.")
    require(weights.dtype == np.float64, f"{what}: got {weights.dtype}, expected float64.")
    require(np.all(weights >= 0), f"{what}: got {weights.min()!r}, expected 0 or more.")
    require_close(f"sum of {what}", weights.sum(), 1.0, rtol=0.0, atol=1e-12)


def check_survival(scheme: Scheme, n_steps: int, step: Steps, atol: float = 1e-12) -> None:
    """Check that S is 1 at 0, never rises, is 0 beyond the run, and that S(j) = p_j + ... + p_T.

    Parameters
    ----------
    scheme, n_steps, step : the scheme and the run.
    atol : absolute error that is allowed beside a relative one of 1e-11.
    """
    j = np.arange(n_steps + 4)
    survival = scheme.survival(j, n_steps, step)
    what = f"survival of {scheme} over {n_steps} steps"
    require(survival.dtype == np.float64, f"{what}: got {survival.dtype}, expected float64.")
    require(survival[0] == 1, f"{what}: got S(0) = {survival[0]!r}, expected 1.")
    require(np.all(np.diff(survival) <= 1e-13 * survival[1:] + atol), f"{what} rises.")
    require(np.all((survival >= 0) & (survival <= 1)), f"{what} leaves [0, 1].")
    require(np.all(survival[n_steps + 1 :] == 0), f"{what}: expected 0 beyond the last step.")
    weights = scheme.weights(n_steps, step)
    sums = np.cumsum(weights[::-1])[::-1]
    require_close(what, survival[: n_steps + 1], sums, SURVIVAL_RTOL, atol)
    mean = weights @ np.arange(n_steps + 1)
    require_close(f"sum of {what}", survival[1 : n_steps + 1].sum(), mean, SURVIVAL_RTOL, atol * (n_steps + 1))


def check_average(scheme: Scheme, n_steps: int, step: Steps) -> None:
    """Check that w_0 + sum_j S(j) (w_j - w_{j-1}) = sum_t p_t w_t, on a random walk."""
    iterates = np.random.default_rng(n_steps).normal(size=(n_steps + 1, 3)).cumsum(axis=0)
    survival = scheme.survival(np.arange(1, n_steps + 1), n_steps, step)
    average = iterates[0] + survival @ np.diff(iterates, axis=0)
    require_close(f"average by {scheme}", average, scheme.weights(n_steps, step) @ iterates, rtol=0.0, atol=1e-12)


def check_continuation(scheme: Scheme, n_steps: int, step: Steps, atol: float = 1e-12) -> None:
    """Check that the continued survival is S at the steps, does not rise between them, and is finite beyond them.

    A sketch interpolates it in blocks of steps, also in a block that the run has filled in part.
    """
    j = np.arange(1, n_steps + 1)
    what = f"continued survival of {scheme} over {n_steps} steps"
    require_close(what, scheme.continued_survival(j, n_steps, step), scheme.survival(j, n_steps, step), rtol=0.0)
    beyond = scheme.continued_survival(np.linspace(0, 2 * n_steps + 64, 500), n_steps, step)
    require(np.all(np.isfinite(beyond)), f"{what} is not finite up to 2 n_steps + 64.")
    between = scheme.continued_survival(np.linspace(1, max(n_steps, 1), 500), n_steps, step)
    require(np.all(np.diff(between) <= 1e-13 + atol), f"{what} rises between steps.")


def check_scheme_shapes(scheme: Scheme, step: Steps) -> None:
    """Check that answers have the shape of the step indices: arrays, numbers and nothing."""
    j = np.arange(6).reshape(2, 3)
    for method in (scheme.survival, scheme.continued_survival):
        what = f"{method.__name__} of {scheme}"
        require(method(j, 10, step).shape == (2, 3), f"{what} changes the shape (2, 3).")
        require(method(3, 10, step).shape == (), f"{what} of a number is not a number.")
        require(method([], 10, step).shape == (0,), f"{what} of nothing is not empty.")
        require(method(3, 10, step) == method(j, 10, step)[1, 0], f"{what} depends on the shape.")
    require_close("indices of uint8", scheme.survival(j.astype(np.uint8), 3, step), scheme.survival(j, 3, step), 0.0)


def check_sampling(scheme: Scheme, n_steps: int, step: Steps) -> None:
    """Check that a stopping time is the largest j with U < S(j), U the uniform number of the generator."""
    draws = scheme.sample(n_steps, step, np.random.default_rng(5), size=(40, 10))
    uniform = np.random.default_rng(5).random((40, 10))
    survival = scheme.survival(np.arange(n_steps + 1), n_steps, step)
    require(draws.dtype == np.int64, f"draws of {scheme}: got {draws.dtype}, expected int64.")
    expected = (uniform[..., None] < survival).sum(axis=-1) - 1
    require_close(f"draws of {scheme} over {n_steps} steps", draws, expected, rtol=0.0)


def check_scheme(scheme_class: type[Scheme], runs: Sequence[tuple[int, Steps]] = RUNS) -> None:
    """Check every law of a scheme, for all its examples and some runs.

    Parameters
    ----------
    scheme_class : the class, not an instance.
    runs : pairs of a number of steps and a step size or `Staircase`.

    Raises
    ------
    AssertionError
        At the first law that fails, with what was found and what was expected.

    Examples
    --------
    >>> import ridgeway as rw
    >>> from ridgeway.testing import check_scheme
    >>> check_scheme(rw.Tail)
    """
    check_scheme_class(scheme_class)
    for scheme in scheme_class.examples():
        for n_steps, step in runs:
            check_weights(scheme, n_steps, step)
            check_survival(scheme, n_steps, step)
            check_average(scheme, n_steps, step)
            check_continuation(scheme, n_steps, step)
            check_sampling(scheme, n_steps, step)
            check_scheme_shapes(scheme, step)
