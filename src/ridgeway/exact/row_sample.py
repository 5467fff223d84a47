"""`RowSample`: random rows of a stream, the same ones however the stream is cut into batches.

Gram matrices give the errors of all rows, but not the residual of any one. So a stream keeps some of its rows until it
is solved. A row is kept while its hash is among the smallest so far: all rows have the same chance, and the hash
depends on the number of the row alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, DenseRows, readonly
from ridgeway.selection.residual_path import MAX_PATH_ROWS
from ridgeway.storage.state import State, Stored

MAX_KEPT_NUMBERS = 2**19  # entries of the rows that are kept: 4 MB
LARGEST_HASH = 2**63 - 1


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of a stream with the smallest hashes.

    Attributes
    ----------
    most : number of rows to keep.
    hashes : (k,), of up to twice as many rows as are kept: some are dropped when there are more.
    numbers : (k,), of the rows in the stream.
    folds : (k,), the fold that each row is held out from.
    x : (k, d), y : (k, targets), weight : (k,), the rows as they were given.
    """

    most: int
    hashes: NDArray[np.int64]
    numbers: NDArray[np.int64]
    folds: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    weight: NDArray[np.float64]

    @classmethod
    def empty(cls, n_columns: int, n_targets: int) -> RowSample:
        """Return a sample without rows; wide rows are kept in smaller numbers."""
        most = max(1, min(MAX_PATH_ROWS // n_targets, MAX_KEPT_NUMBERS // max(1, n_columns)))
        none = np.empty(0)
        whole = none.astype(np.int64)
        return cls(most, whole, whole, whole, np.empty((0, n_columns)), np.empty((0, n_targets)), none)

    def with_rows(
        self, batch: Batch, hashes: NDArray[np.int64], numbers: NDArray[np.uint64], folds: NDArray[np.intp]
    ) -> RowSample:
        """Return the sample of the rows so far and those of a batch, each with hash, number and fold."""
        limit = LARGEST_HASH
        if len(self.hashes) >= self.most:
            limit = int(np.partition(self.hashes, self.most - 1)[self.most - 1])
        rows = np.flatnonzero(hashes <= limit)
        if len(rows) == 0:
            return self
        if len(rows) > self.most:
            rows = np.sort(rows[np.argpartition(hashes[rows], self.most - 1)[: self.most]])
        kept = batch.take(rows)
        x = kept.rows.array if isinstance(kept.rows, DenseRows) else kept.rows.matrix().toarray()
        new = (hashes[rows], numbers[rows].astype(np.int64), folds[rows], x, kept.y, kept.weight)
        return self._with(new)

    @classmethod
    def pooled(cls, samples: Sequence[RowSample]) -> RowSample:
        """Return the sample of several parts of the data together."""
        whole = samples[0]
        for sample in samples[1:]:
            whole = whole._with(sample._arrays)
        return whole

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.hashes, self.numbers, self.folds, self.x, self.y, self.weight

    def _with(self, more: Sequence[NDArray[Any]]) -> RowSample:
        joined = [
            np.concatenate([old, new]).astype(old.dtype, copy=False)
            for old, new in zip(self._arrays, more, strict=True)
        ]
        sample = RowSample(self.most, *joined)
        return sample if len(sample.hashes) <= 2 * self.most else sample.smallest()

    def smallest(self) -> RowSample:
        """Return the sample without rows that were kept for later, in the order of the stream."""
        kept = np.argsort(self.hashes, kind="stable")[: self.most]
        kept = kept[np.argsort(self.numbers[kept], kind="stable")]
        return RowSample(self.most, *(array[kept] for array in self._arrays))

    @property
    def batch(self) -> Batch:
        """The rows."""
        single = self.y.shape[1] == 1
        x, y, weight = (readonly(array) for array in (self.x, self.y, self.weight))
        return Batch(DenseRows(x), y, weight, single, self.numbers.astype(np.intp), True)

    def state(self) -> State:
        """Return the rows."""
        return dict(vars(self.smallest()))

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int, n_targets: int, n_folds: int) -> RowSample:
        """Return the sample of a state."""
        empty = cls.empty(n_columns, n_targets)
        hashes = stored.array("hashes", (None,), "int64")
        k = len(hashes)
        numbers, folds = (stored.array(name, (k,), "int64") for name in ("numbers", "folds"))
        x, y = stored.array("x", (k, n_columns)), stored.array("y", (k, n_targets))
        weight = stored.array("weight", (k,))
        stored.require(k <= empty.most, "hashes", f"at most {empty.most} rows")
        stored.require(bool(((folds >= 0) & (folds < n_folds)).all()), "folds", f"numbers from 0 to {n_folds - 1}")
        stored.require(bool((weight > 0).all()), "weight", "weights above 0")
        return cls(empty.most, hashes, numbers, folds, x, y, weight)
