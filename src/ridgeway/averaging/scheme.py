"""The averaging scheme: a random stopping time, known by its survival function."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self, overload

import numpy as np

from ridgeway.averaging.staircase import Staircase
from ridgeway.storage.state import State
from ridgeway.validation.scalars import whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# Beyond it float64 no longer tells one step from the next.
MAX_STEPS = 2**53


@dataclass(frozen=True)
class Scheme(ABC):
    """An average of the iterates w_0..w_T, written as a random stopping time G with P(G = t) = p_t.

    ::

        average = sum_{t=0..T} p_t w_t = w_0 + sum_{j=1..T} S(j) (w_j - w_{j-1}),   S(j) = P(G >= j)

    so a scheme is a survival function that multiplies the increments. The identity needs p >= 0 and sum p = 1
    over 0..T: with weights of any other sum, the factor of w_0 would not be 1.

    Every method takes `n_steps` (T, the number of increments, 0 or more) and `step`, the step sizes of the run: a
    positive number eta for a constant step, or a `Staircase`. A scheme is immutable, hashable and compared by value.

    To add a scheme, derive a final frozen dataclass and define `examples`, `_survival` and `_weights`.
    """

    def survival(self, j: ArrayLike, n_steps: int, step: float | Staircase) -> NDArray[np.float64]:
        """Return S(j) = P(G >= j): 1 at j = 0, 0 for j > n_steps.

        No array of length `n_steps` is made, so `n_steps` may be 1e12.

        Parameters
        ----------
        j : array_like of int
            Step indices, 0 or more.
        n_steps : int
            Number of increments of the run, T.
        step : float or Staircase
            Step sizes of the run.

        Returns
        -------
        ndarray of float64
            The survival probabilities, in the shape of `j`.
        """
        n_steps, steps = checked_run(n_steps, step)
        return self._clamped_survival(_checked_indices(j), n_steps, steps)

    def continued_survival(self, j: ArrayLike, n_steps: int, step: float | Staircase) -> NDArray[np.float64]:
        """Return the formula of S at real j, between the steps and beyond the last one.

        It equals `survival` at the integers 1..n_steps. Beyond n_steps it follows the formula, and may be
        negative: a polynomial through values of S in a block of steps that the run has filled only in part
        needs the smooth continuation, as a jump to 0 would spoil it. Finite for every j up to 2 n_steps + 64.

        Parameters
        ----------
        j : array_like of float
            Places in time, 0 or more.
        n_steps : int
            Number of increments of the run, T.
        step : float or Staircase
            Step sizes of the run.

        Returns
        -------
        ndarray of float64
            The values of the formula, in the shape of `j`.
        """
        n_steps, steps = checked_run(n_steps, step)
        places = np.asarray(j, dtype=np.float64)
        if places.size and not places.min() >= 0:  # also true of NaN
            raise ValueError(
                f"j has the minimum {places.min()}: expected step numbers of 0 or more; j=1 is the first increment."
            )
        with np.errstate(under="ignore"):
            return np.asarray(self._survival(places, n_steps, steps), dtype=np.float64)

    @classmethod
    def _survivals(
        cls, schemes: Sequence[Self], j: NDArray[np.float64], n_steps: int, steps: Staircase
    ) -> NDArray[np.float64]:
        """Return `_survival` of several schemes of this class: (n_schemes, n_places)."""
        return np.stack([scheme._survival(j, n_steps, steps) for scheme in schemes])

    def weights(self, n_steps: int, step: float | Staircase) -> NDArray[np.float64]:
        """Return the weights p_0..p_T of the iterates, each accurate relative to its own size.

        Parameters
        ----------
        n_steps : int
            Number of increments of the run, T.
        step : float or Staircase
            Step sizes of the run.

        Returns
        -------
        ndarray of float64, shape (n_steps + 1,)
            Weights, 0 or more, of sum 1.
        """
        n_steps, steps = checked_run(n_steps, step)
        with np.errstate(under="ignore"):
            values = self._weights(np.arange(n_steps + 1, dtype=np.float64), n_steps, steps)
        return values if n_steps else np.ones(1)  # a single weight is 1 without rounding

    @overload
    def sample(
        self, n_steps: int, step: float | Staircase, rng: np.random.Generator, size: None = None
    ) -> np.int64: ...

    @overload
    def sample(
        self, n_steps: int, step: float | Staircase, rng: np.random.Generator, size: int | tuple[int, ...]
    ) -> NDArray[np.int64]: ...

    def sample(
        self, n_steps: int, step: float | Staircase, rng: np.random.Generator, size: int | tuple[int, ...] | None = None
    ) -> np.int64 | NDArray[np.int64]:
        """Draw stopping times G: a run stopped at step G has the average as its expectation.

        With U uniform on [0, 1), G is the largest j with U < S(j), found by bisection in log2(n_steps)
        evaluations of S.

        Parameters
        ----------
        n_steps : int
            Number of increments of the run, T.
        step : float or Staircase
            Step sizes of the run.
        rng : numpy.random.Generator
            Source of the uniform numbers.
        size : int or tuple of int, optional
            Shape of the draws; one number if not given.

        Returns
        -------
        int64 or ndarray of int64
            Stopping times in 0..n_steps.
        """
        n_steps, steps = checked_run(n_steps, step)
        if not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"rng={rng!r} is a {type(rng).__name__}: a numpy random Generator is needed; "
                "pass numpy.random.default_rng(seed)."
            )
        uniform = np.asarray(rng.random(size))
        low = np.zeros(uniform.shape, dtype=np.int64)
        high = np.full(uniform.shape, n_steps, dtype=np.int64)
        for _ in range(n_steps.bit_length()):
            middle = low + (high - low + 1) // 2
            reached = uniform < self._clamped_survival(middle, n_steps, steps)
            low = np.where(reached, middle, low)
            high = np.where(reached, high, np.maximum(middle - 1, low))
        return low if size is not None else np.int64(low)

    def snapped(self, edges: ArrayLike, n_steps: int, step: float | Staircase = 1.0) -> Scheme:
        """Return the scheme moved so that the kink of its survival function, if any, falls on one of `edges`.

        A summary of the run in blocks of steps is exact for a piecewise smooth S only if its pieces end where
        blocks end. A scheme without a kink is returned as it is.

        Parameters
        ----------
        edges : array_like of int, shape (n_edges,)
            Allowed places, sorted.
        n_steps : int
            Number of increments of the run, T.
        step : float or Staircase
            Step sizes of the run; of a constant step the size does not matter.

        Returns
        -------
        Scheme
            The scheme itself, or a scheme of the same class.
        """
        return self

    def state(self) -> State:
        """Return the name of the scheme and its parameters."""
        return {"scheme": type(self).__name__, **{field.name: getattr(self, field.name) for field in fields(self)}}

    @classmethod
    @abstractmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return a few typical instances, valid for every run length of 0 or more steps."""

    @abstractmethod
    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        """Return the formula of S at real j >= 0, continued beyond n_steps and finite there."""

    @abstractmethod
    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        """Return p_t at whole numbers t in 0..n_steps."""

    def _clamped_survival(self, j: NDArray[np.integer], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        places = np.minimum(j, n_steps).astype(np.float64)
        with np.errstate(under="ignore"):
            values = self._survival(places, n_steps, steps)
        return np.where(j == 0, 1.0, np.where(j > n_steps, 0.0, values))


def survival_table(
    schemes: Sequence[Scheme], j: ArrayLike, n_steps: int, step: float | Staircase
) -> NDArray[np.float64]:
    """Return `continued_survival` of several schemes at once: (n_schemes, n_places)."""
    n_steps, steps = checked_run(n_steps, step)
    places = np.asarray(j, dtype=np.float64)
    kinds = [type(scheme) for scheme in schemes]
    with np.errstate(under="ignore"):
        if len(set(kinds)) == 1:
            return kinds[0]._survivals(schemes, places, n_steps, steps)
        table = np.empty((len(schemes), len(places)))
        for kind in dict.fromkeys(kinds):
            rows = [i for i, other in enumerate(kinds) if other is kind]
            table[rows] = kind._survivals([schemes[i] for i in rows], places, n_steps, steps)
    return table


def checked_n_steps(n_steps: object) -> int:
    """Return the number of steps as a plain int in 0..2**53."""
    number = whole_number("n_steps", n_steps, "the number of steps must be an int, 0 or more")
    if number < 0:
        raise ValueError(
            f"n_steps={number} is negative: the number of steps must be 0 or more; n_steps=0 is the start w_0 alone."
        )
    if number > MAX_STEPS:
        raise ValueError(
            f"n_steps={number} is too large: float64 counts at most 2**53 = {MAX_STEPS} steps; split the run."
        )
    return number


def checked_run(n_steps: object, step: float | Staircase) -> tuple[int, Staircase]:
    """Return the number of steps and their sizes, checked."""
    return checked_n_steps(n_steps), Staircase.of(step)


def _checked_indices(j: ArrayLike) -> NDArray[np.integer]:
    indices = np.asarray(j)
    if indices.size == 0:
        return indices.astype(np.int64)
    if not np.issubdtype(indices.dtype, np.integer):
        raise TypeError(
            f"j has dtype {indices.dtype}: step indices must be integers; continued_survival takes real numbers."
        )
    if indices.min() < 0:
        raise ValueError(f"j has the minimum {indices.min()}: step indices must be 0 or more; S(0) is 1.")
    return indices
