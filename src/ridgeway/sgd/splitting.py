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

from ridgeway.rows import Order, numbered

MAX_STEPS_OF_ROW = 100  # in a stream or a partition, where they cannot be scattered over all rows


@dataclass(frozen=True, eq=False)
class Splitting:
    """The number of steps of each row per pass.

    Attributes
    ----------
    counts : (n,), 1 for most rows.
    factors : (n,), factor of the weight of a row in each of its steps: 1 / counts, or less if steps are clipped.
    """

    counts: NDArray[np.int64]
    factors: NDArray[np.float64]

    @classmethod
    def of(cls, q: NDArray[np.float64], step: float, batch_size: int = 1, most: int | None = None) -> Splitting:
        """Split the rows whose step * q, q = weight * |x|^2 shared by the rows of a mini-batch, is above 1.

        A row that needs more steps than `most` takes `most` clipped steps.
        """
        share = step / batch_size
        rows = np.flatnonzero(share * q > 1)
        counts, factors = np.ones(len(q), np.int64), np.ones(len(q))
        needed = np.ceil(share * q[rows])
        counts[rows] = needed if most is None else np.minimum(needed, most)
        factors[rows] = 1 / needed
        return cls(counts, factors)

    @classmethod
    def whole(cls, n_rows: int) -> Splitting:
        """Return the splitting of rows that take one step each."""
        return cls(np.ones(n_rows, np.int64), np.ones(n_rows))

    @property
    def clipped(self) -> int:
        """Number of rows that need more steps than they may take."""
        return int((self.factors * self.counts < 1 - 1e-9).sum())

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Numbers of the rows that are split."""
        return np.flatnonzero(self.counts > 1)

    @property
    def none(self) -> bool:
        """Whether no row is split."""
        return len(self.rows) == 0

    @cached_property
    def steps_per_pass(self) -> int:
        """Number of steps of all rows."""
        return int(self.counts.sum())

    def order(self, order: Order, rng: np.random.Generator) -> Order:
        """Return an order of rows, with the steps of split rows at random places."""
        if self.none:
            return order
        numbers = numbered(order)
        counts = self.counts.take(numbers)
        split = counts > 1
        others, steps = numbers[~split], np.repeat(numbers[split], counts[split])
        places = rng.integers(0, len(others) + 1, len(steps))
        places.sort()
        places += np.arange(len(steps))  # those before each have moved it on
        whole = np.ones(len(others) + len(steps), dtype=bool)
        whole[places] = False
        scattered = np.empty(len(whole), np.intp)
        scattered[whole], scattered[places] = others, rng.permutation(steps)
        return scattered

    def uniform_orders(self, passes: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return the steps of all rows in uniformly random order, pass after pass."""
        steps = np.tile(np.repeat(np.arange(len(self.counts)), self.counts), (passes, 1))
        return rng.permuted(steps, axis=1).reshape(-1)

    def counts_of(self, numbers: Order) -> NDArray[np.int64] | None:
        """Return the numbers of steps of these rows; None if no row is split."""
        return None if self.none else self.counts.take(numbered(numbers))
