"""Step sizes of a run that are constant on stairs, and the time that elapses on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.derived import derived_property
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.validation.scalars import real_number, whole_number

MAX_STORED_STAIRS = 2**16  # largest number of stairs in a model file
EXPECTED_STEP = "the step size must be a finite number above 0"


@dataclass(frozen=True)
class Staircase:
    """Step sizes eta_1, eta_2, .. of a run: constant on each stair, the last of which has no end.

    A run moves along the gradient for a time of eta_j in step j, so the time elapsed after j steps is

        tau(j) = eta_1 + .. + eta_j ,

    a piecewise linear function of j. Averages weigh iterates by the time that they last. A constant step is a staircase
    of one stair; an arbitrary sequence of steps is one of many.

    Parameters
    ----------
    sizes : step size of each stair, positive.
    edges : number of steps up to the end of each stair but the last, increasing.

    Examples
    --------
    >>> from ridgeway.averaging import Staircase
    >>> steps = Staircase(sizes=(0.1, 0.2), edges=(4,))
    >>> steps.elapsed([0, 4, 6])
    array([0. , 0.4, 0.8])
    >>> steps.size_after(3), steps.size_after(4)
    (0.1, 0.2)
    """

    sizes: tuple[float, ...]
    edges: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sizes = tuple(real_number("step", size, EXPECTED_STEP) for size in self.sizes)
        edges = tuple(whole_number("edges", edge, "the edges must be ints, numbers of steps") for edge in self.edges)
        for size in sizes:
            if size <= 0:
                raise ValueError(f"step={size!r} is not positive: {EXPECTED_STEP}; a safe choice is 1 / max |x|^2.")
        if len(sizes) != len(edges) + 1:
            raise ValueError(
                f"sizes has {len(sizes)} entries and edges has {len(edges)}: expected one edge fewer than sizes, as "
                "the last stair has no end."
            )
        if any(after <= before for before, after in pairwise((0, *edges))):
            raise ValueError(f"edges={edges}: expected increasing numbers of steps above 0.")
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "edges", edges)

    @classmethod
    def of(cls, step: float | Staircase) -> Staircase:
        """Return a staircase as it is, and a number as a constant step."""
        return step if isinstance(step, Staircase) else cls((step,))

    @classmethod
    def of_sequence(cls, steps: Iterable[float]) -> Staircase:
        """Return the staircase of a sequence of step sizes, whose last one continues; equal neighbours share a stair.

        Examples
        --------
        >>> Staircase.of_sequence([0.1, 0.1, 0.3, 0.2])
        Staircase(sizes=(0.1, 0.3, 0.2), edges=(2, 3))
        """
        values = [float(step) for step in steps]
        if not values:
            raise ValueError("steps is empty: expected at least one step size.")
        edges = [i for i, (before, after) in enumerate(pairwise(values), start=1) if before != after]
        return cls(tuple(values[i] for i in (0, *edges)), tuple(edges))

    @property
    def constant(self) -> bool:
        """Whether there is one stair only."""
        return not self.edges

    @property
    def last(self) -> float:
        """Size of the last stair."""
        return self.sizes[-1]

    @property
    def largest(self) -> float:
        """The largest size."""
        return max(self.sizes)

    def parts(self, first: int, last: int) -> list[tuple[float, int, int]]:
        """Return (size, start, stop) of each stair that has some of the steps first + 1 .. last, cut to them.

        Examples
        --------
        >>> Staircase(sizes=(0.1, 0.2, 0.3), edges=(4, 6)).parts(1, 5)
        [(0.1, 1, 4), (0.2, 4, 5)]
        """
        starts, stops = (
            (max(edge, first) for edge in (0, *self.edges)),
            (min(edge, last) for edge in (*self.edges, last)),
        )
        cut = zip(self.sizes, starts, stops, strict=True)
        return [(size, start, stop) for size, start, stop in cut if start < stop]

    def largest_of(self, n_steps: int) -> float:
        """Return the largest size of the first n_steps steps; without any, the first size."""
        return max((size for size, _, _ in self.parts(0, n_steps)), default=self.sizes[0])

    def size_after(self, n_steps: int) -> float:
        """Return eta_{n_steps + 1}, the size of the step that follows n_steps steps."""
        return self.sizes[int(np.searchsorted(self._edges, n_steps, side="right"))]

    def edge_after(self, n_steps: int) -> int | None:
        """Return the end of the stair that the next step is on; None for the last stair."""
        stair = int(np.searchsorted(self._edges, n_steps, side="right"))
        return self.edges[stair] if stair < len(self.edges) else None

    def scaled(self, factor: float) -> Staircase:
        """Return the staircase with all sizes multiplied by a factor."""
        return self if factor == 1 else Staircase(tuple(factor * size for size in self.sizes), self.edges)

    def elapsed(self, j: ArrayLike) -> NDArray[np.float64]:
        """Return tau(j), the time after j steps; j may be real."""
        times: NDArray[np.float64] = self.sums(np.array([self.sizes]), np.asarray(j, np.float64))[0]
        return times

    def steps_until(self, time: float) -> float:
        """Return the real j with tau(j) = time."""
        times = self.elapsed(self._edges)
        stair = int(np.searchsorted(times, time, side="right"))
        before = (0, *self.edges)[stair]
        return float(before + (time - (times[stair - 1] if stair else 0.0)) / self.sizes[stair])

    def stairs_of(self, j: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the number of the stair that step j is on."""
        return np.searchsorted(self._edges, j, side="left")

    def sums(self, rates: NDArray[np.float64], j: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of rates over the steps 1..j: (L, shape of j), linear between whole numbers of steps.

        rates, (L, n_stairs), are those of one step on each stair.
        """
        stair = self.stairs_of(j)
        before = np.concatenate([[0.0], self._edges])
        whole = np.cumsum(rates[:, :-1] * np.diff(before), axis=1)
        done = np.concatenate([np.zeros((len(rates), 1)), whole], axis=1)
        # take, not [:, stair], which would put the L of each place side by side in memory
        sums: NDArray[np.float64] = rates.take(stair, axis=1) * (j - before[stair])
        sums += done.take(stair, axis=1)
        return sums

    def sums_left(self, rates: NDArray[np.float64], j: NDArray[np.float64], until: int) -> NDArray[np.float64]:
        """Return the sums of rates over the steps j+1..until, negative where j is beyond; nothing cancels."""
        if self.constant:
            return np.multiply.outer(rates[:, 0], until - j)
        stair, last = self.stairs_of(j), int(self.stairs_of(np.array([float(until)]))[0])
        starts = np.concatenate([[0.0], self._edges])
        # From the end of each stair to `until`, for stairs before the last one of the run.
        lengths = np.diff(starts)
        after = np.zeros_like(rates)
        if last > 0:
            to_end = rates[:, last] * (until - starts[last])
            between = rates[:, 1:last] * lengths[1:last]
            after[:, :last] = np.cumsum(np.concatenate([to_end[:, None], between[:, ::-1]], axis=1), axis=1)[:, ::-1]
        ends = np.concatenate([self._edges, [np.inf]])
        with np.errstate(invalid="ignore"):
            inside = rates.take(stair, axis=1) * (np.where(stair < last, ends[stair], until) - j)
            inside += after.take(stair, axis=1)
        beyond = stair > last
        if beyond.any():
            inside[:, beyond] = -(self.sums(rates, j[beyond]) - self.sums(rates, np.array([float(until)])))
        return inside

    def state(self) -> State:
        """Return sizes and edges."""
        return {"sizes": list(self.sizes), "edges": list(self.edges)}

    @classmethod
    def from_state(cls, stored: Stored) -> Staircase:
        """Return the staircase of a state."""
        sizes, edges = stored.raw("sizes"), stored.raw("edges")
        if not isinstance(sizes, list) or not isinstance(edges, list) or len(sizes) > MAX_STORED_STAIRS:
            raise StateError(f"sizes and edges are not lists of at most {MAX_STORED_STAIRS} numbers.")
        return cls(tuple(sizes), tuple(edges))

    @derived_property
    def _edges(self) -> NDArray[np.float64]:
        return np.array(self.edges, dtype=np.float64)
