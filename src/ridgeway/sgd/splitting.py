"""Splitting: an outlying row takes several smaller steps, scattered over the pass, instead of one unsafe step.

A row with eta c |x|^2 > 1 needs either a tiny step for all rows, or a clipped update, which gives another estimator
than ridge. Instead it takes m = ceil(eta c |x|^2) steps of weight c / m at random places of the pass. The expected
update is that of the plain run times the mean weight of a step, n rows / N steps. So alpha keeps its meaning if
survival multiplies every step size by this mean weight. Consecutive steps of one row would act like a single implicit
step, which is biased, so they are scattered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows import Batch, Float, Order, numbered, readonly, require_finite_rows

MAX_STEPS_OF_ROW = 100  # of any row in a partition, where they cannot be scattered over all rows
PIECE_ROWS = 2**14


@dataclass(frozen=True, eq=False)
class Splitting:
    """The rows that are split, and how many steps they take per pass; every other row takes one.

    Attributes
    ----------
    n_rows : number of all rows.
    rows : (r,), numbers of the rows that are split, ascending.
    counts : (r,), number of steps of each of them, 2 or more.
    factors : (r,), factor of the weight of a row in each of its steps: 1 / counts, or less if steps are clipped.
    """

    n_rows: int
    rows: NDArray[np.intp]
    counts: NDArray[np.int64]
    factors: NDArray[np.float64]

    @classmethod
    def of(cls, q: NDArray[np.float64], step: float, batch_size: int = 1, most: int | None = None) -> Splitting:
        """Split the rows whose step * q, q = weight * |x|^2 shared by the rows of a mini-batch, is above 1.

        A row that needs more steps than `most` takes `most` clipped steps.
        """
        share = step / batch_size
        rows = np.flatnonzero(share * q > 1)
        needed = np.ceil(share * q[rows])
        counts = needed if most is None else np.minimum(needed, most)
        return cls(len(q), rows, counts.astype(np.int64), 1 / needed)

    @classmethod
    def of_batch(cls, batch: Batch, step: float, batch_size: int = 1) -> Splitting:
        """Split the rows of a batch, read in pieces that stay in the cache; entries that are not finite are refused."""
        parts = []
        for first in range(0, len(batch), PIECE_ROWS):
            piece = batch.between(first, min(first + PIECE_ROWS, len(batch)))
            norms = piece.rows.squared_norms()
            require_finite_rows(piece.rows, norms, piece.numbers)
            part = cls.of(norms.astype(np.float64, copy=False) * piece.weight, step, batch_size)
            parts.append((part.rows + first, part.counts, part.factors))
        return cls(len(batch), *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @classmethod
    def whole(cls, n_rows: int) -> Splitting:
        """Return the splitting of rows that take one step each."""
        return cls(n_rows, np.empty(0, np.intp), np.empty(0, np.int64), np.empty(0))

    @property
    def none(self) -> bool:
        """Whether no row is split."""
        return len(self.rows) == 0

    @property
    def clipped(self) -> int:
        """Number of rows that need more steps than they may take."""
        return int((self.factors * self.counts < 1 - 1e-9).sum())

    @property
    def steps_per_pass(self) -> int:
        """Number of steps of all rows."""
        return self.n_rows - len(self.rows) + int(self.counts.sum())

    def steps_of(self, kept: NDArray[np.bool_] | None) -> int:
        """Return the number of steps per pass of the rows that are kept, (n_rows,); None for all."""
        if kept is None:
            return self.steps_per_pass
        return int(np.count_nonzero(kept) + (self.counts - 1)[kept[self.rows]].sum())

    @cached_property
    def is_split(self) -> NDArray[np.bool_]:
        """Whether each row is split, (n_rows,)."""
        is_split = np.zeros(self.n_rows, dtype=bool)
        is_split[self.rows] = True
        return is_split

    @cached_property
    def counts_by_row(self) -> NDArray[np.int64]:
        """Number of steps of each row, (n_rows,)."""
        counts = np.ones(self.n_rows, np.int64)
        counts[self.rows] = self.counts
        return counts

    def step_weights(self, weight: Float) -> Float:
        """Return the weight of each row, (n_rows,), in each of its steps."""
        weights = weight.copy()
        weights[self.rows] = weight[self.rows] * self.factors
        step_weights: Float = readonly(weights)
        return step_weights

    def order(self, order: Order, rng: np.random.Generator) -> Order:
        """Return an order of different rows, with the further steps of split rows at random places.

        A split row takes its first step at its own place, which is as random as the order.
        """
        if self.none:
            return order
        numbers, split, counts = numbered(order), self.rows, self.counts
        if len(numbers) < self.n_rows:
            split = numbers[self.is_split[numbers]]
            counts = self.counts_by_row[split]
        steps = rng.permutation(np.repeat(split, counts - 1))
        scattered = np.empty(len(numbers) + len(steps), np.intp)
        _core.scatter_steps(numbers, steps, _ascending_places(len(numbers) + 1, len(steps), rng), scattered)
        return scattered

    def uniform_orders(self, passes: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return the steps of all rows in uniformly random order, pass after pass."""
        steps = np.tile(np.repeat(np.arange(self.n_rows), self.counts_by_row), (passes, 1))
        return rng.permuted(steps, axis=1).reshape(-1)

    def split_counts(self, numbers: Order | slice) -> NDArray[np.int64] | None:
        """Return, for each step of a split row among these steps, the number of steps of its row; None if none is."""
        if self.none:
            return None
        if isinstance(numbers, slice | range):
            first, last = np.searchsorted(self.rows, (numbers.start, numbers.stop))
            counts = self.counts[first:last]
        else:
            counts = self.counts_by_row[numbers[self.is_split[numbers]]]
        return counts if len(counts) else None

    @cached_property
    def split_counts_of_pass(self) -> NDArray[np.int64] | None:
        """The `split_counts` of all steps of a pass."""
        return None if self.none else np.repeat(self.counts, self.counts)

    def of_steps(self, steps: NDArray[np.intp]) -> Splitting:
        """Return the splitting of rows that are listed once for each of their steps: `steps` holds their numbers."""
        listed = np.flatnonzero(self.is_split[steps])
        place = np.searchsorted(self.rows, steps[listed])
        return Splitting(len(steps), listed, self.counts[place], self.factors[place])


def _ascending_places(n_places: int, n_steps: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a uniformly random place of 0 .. n_places - 1 for each step, ascending.

    Sums of exponential waiting times, divided by the last, are sorted uniform numbers: to sort numbers would take
    longer than the rest.
    """
    times = rng.standard_exponential(n_steps + 1).cumsum()
    places: NDArray[np.int64] = (times[:-1] * (n_places / times[-1])).astype(np.int64)
    return np.minimum(places, n_places - 1)
