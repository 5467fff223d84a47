"""Folds of partitions: which rows of a partition are held out from which run, and the order of the others.

Everything here depends on the seed and on numbers of partitions and rows only: not on the number of workers, on the
tasks of each, or on workers that die.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import AnyRows
from ridgeway.sgd.shuffle import shuffled_order

FOLD_IDS, ORDER, PARTITIONS, CHOICE, SCATTER = range(5)  # what random numbers are drawn for
LEARNED_BY_ALL = -1  # the fold of a row that is never held out


@dataclass(frozen=True, eq=False)
class PartitionFolds:
    """Assigns rows to folds.

    Attributes
    ----------
    seed : of all random numbers; None takes the rows in their order.
    k : number of folds; 0 holds nothing out.
    starts : (partitions + 1,), number of the first row of each partition; empty as long as that is not known.
    share, most : held out, if k is 1: this share of the rows, and at most so many.
    from_partitions : where these are taken from, if k is 1 and there is a seed.
    """

    seed: int | None
    k: int
    starts: NDArray[np.int64]
    share: float = 0.0
    most: int = 0
    from_partitions: tuple[int, ...] = ()

    def fold_ids(self, partition: int, n_rows: int) -> NDArray[np.int64]:
        """Return the fold that each row of a partition is held out from, LEARNED_BY_ALL for none: (n_rows,)."""
        if self.k == 0:
            return np.full(n_rows, LEARNED_BY_ALL)
        if self.k == 1:
            return self._held(partition, n_rows)
        if self.seed is not None:
            rows = -(-n_rows // self.k)
            dealt = np.tile(np.arange(self.k), (rows, 1))
            return np.asarray(self._rng(FOLD_IDS, partition).permuted(dealt, axis=1).reshape(-1)[:n_rows], np.int64)
        size, larger = divmod(int(self.starts[-1]), self.k)
        edges = np.cumsum([0, *(size + (fold < larger) for fold in range(self.k))])
        places = self.starts[partition] + np.arange(n_rows)
        return np.asarray(np.searchsorted(edges, places, side="right") - 1, np.int64)

    def holds_out(self, partition: int) -> bool:
        """Tell whether some rows of a partition may be held out, in a choice by hold-out."""
        if self.seed is not None:
            return partition in self.from_partitions
        return bool(self.starts[partition + 1] > self.starts[-1] - self._size())

    def of_held_rows(self) -> PartitionFolds:
        """Return folds by which all rows are held out."""
        return replace(self, k=1, share=1.0)

    def without_starts(self) -> PartitionFolds:
        """Return these folds without first row numbers if they are random: workers do not need them."""
        return self if self.seed is None else replace(self, starts=np.empty(0, np.int64))

    def order(self, rows: AnyRows, pass_number: int, partition: int) -> NDArray[np.intp]:
        """Return the order in which a pass goes through the rows of a partition."""
        if self.seed is None:
            return np.arange(rows.shape[0])
        return shuffled_order(rows, self._rng(ORDER, pass_number, partition))

    def scatter(self, pass_number: int, partition: int) -> np.random.Generator:
        """Return the source of the places of split rows in a pass through a partition."""
        return np.random.default_rng([self.seed or 0, SCATTER, pass_number, partition])

    def shuffled(self, partitions: NDArray[np.int64], pass_number: int, segment: int) -> NDArray[np.int64]:
        """Return the order in which a pass of a segment goes through its partitions."""
        if self.seed is None:
            return partitions
        return self._rng(PARTITIONS, pass_number, segment).permutation(partitions)

    def _held(self, partition: int, n_rows: int) -> NDArray[np.int64]:
        fold_ids = np.full(n_rows, LEARNED_BY_ALL)
        if self.share == 1:
            fold_ids[:] = 0
        elif self.seed is None:
            fold_ids[self.starts[partition] + np.arange(n_rows) >= self.starts[-1] - self._size()] = 0
        elif partition in self.from_partitions:
            size = max(1, min(round(self.share * n_rows), self.most // len(self.from_partitions)))
            fold_ids[self._rng(FOLD_IDS, partition).permutation(n_rows)[:size]] = 0
        return fold_ids

    def _size(self) -> int:
        return max(1, min(round(self.share * int(self.starts[-1])), self.most))

    def _rng(self, *what: int) -> np.random.Generator:
        assert self.seed is not None
        return np.random.default_rng([self.seed, *what])


def spread_over(partitions: NDArray[np.int64], n: int, seed: int | None) -> list[int]:
    """Choose n partitions (all if there are no more), one of each of n neighbourhoods."""
    if len(partitions) <= n:
        return [int(number) for number in partitions]
    parts = np.array_split(partitions, n)
    if seed is None:
        return [int(part[len(part) // 2]) for part in parts]
    rng = np.random.default_rng([seed, CHOICE])
    return [int(rng.choice(part)) for part in parts]
