"""Moments of the rows of each fold, from one read: the sufficient statistics of a choice by folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ridgeway.exact.comoments import CoMoments
from ridgeway.rows import FLOAT64, AnyRows, Batch, DenseRows, SparseRows
from ridgeway.rows.moments import RowMoments, filled_rows, stored_filled
from ridgeway.rows.row_lengths import UNEQUAL_LENGTHS, RowLengths
from ridgeway.rows.standardization import Standardization
from ridgeway.storage.state import State, StateError, Stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.selection.folds import Fold

    Array = NDArray[np.float64]

MOMENT_BLOCK_BYTES = 2**25  # of rows in float64 that are read together
MIN_MOMENT_BLOCK_ROWS = 1024
MAX_CELLS = 64  # beyond, each fold is read on its own


@dataclass(frozen=True, eq=False)
class FoldMoments:
    """Co-moments of some standardized rows, and what errors and scales need beside them.

    Attributes
    ----------
    n_rows : number of rows.
    co : means and co-moments of features and targets.
    yy : (targets,), sums of weight * (y - mean)^2.
    largest : (d,), largest absolute entry of sparse columns; 1 for dense ones.
    sparse : whether all of the rows were sparse.
    lengths : Euclidean lengths of sparse rows in the user's units; unequal if they are not known.
    filled : (d,), number of rows whose entry is not 0, for sparse columns; None if it is not known or rows are dense.
    """

    n_rows: int
    co: CoMoments
    yy: Array
    largest: Array
    sparse: bool
    lengths: RowLengths = UNEQUAL_LENGTHS
    filled: Array | None = None

    @classmethod
    def of(cls, batch: Batch, numbers: NDArray[np.intp], standardization: Standardization) -> FoldMoments:
        """Return the moments of some rows of a batch in standardized units.

        Parameters
        ----------
        batch : rows, targets and weights as they were given.
        numbers : which of the rows, at least one.
        standardization : the units.
        """
        y = standardization.targets(batch.y[numbers], FLOAT64)
        weight = np.asarray(batch.weight[numbers], np.float64) / standardization.weight_scale
        if isinstance(batch.rows, DenseRows):
            offset, inverse = standardization.offset, 1 / standardization.scale
            co = CoMoments.of_dense(batch.rows, numbers, y, weight, offset, inverse)
            if not np.isfinite(co.mean_x).all():
                standardization.refuse_rows(batch.rows, numbers)
            largest, lengths, filled = np.ones(batch.rows.shape[1]), UNEQUAL_LENGTHS, None
        else:
            taken, order = _in_float64(batch.rows, numbers)
            rows = replace(standardization, constant=0.0).rows(taken, order)
            # They were scaled, but not centred.
            co = replace(CoMoments.of(rows, y, weight), origin_x=-standardization.offset / standardization.scale)
            largest, lengths, filled = _largest(rows), RowLengths.of(taken, order), filled_rows(rows)
        sparse = isinstance(batch.rows, SparseRows)
        return cls(len(numbers), co, weight @ (y - co.mean_y) ** 2, largest, sparse, lengths, filled)

    @classmethod
    def pooled(cls, parts: Sequence[FoldMoments]) -> FoldMoments:
        """Return the moments of the rows of several parts together."""
        if len(parts) == 1:
            return parts[0]
        co = CoMoments.pooled([part.co for part in parts])
        yy = np.sum([part.yy + part.co.weight * _apart(part.co, co)[1] ** 2 for part in parts], axis=0)
        return cls(
            sum(part.n_rows for part in parts),
            co,
            yy,
            np.max([part.largest for part in parts], axis=0),
            all(part.sparse for part in parts),
            reduce(add, [part.lengths for part in parts]),
            _total([part.filled for part in parts]),
        )

    def row_moments(self, single_target: bool) -> RowMoments:
        """Return means and spreads of the columns, from which a standardization is made."""
        co = self.co
        spread = np.where(co.constant, 0.0, co.xx.diagonal())
        mean, target_mean = co.mean_x, co.mean_y
        return RowMoments(
            self.n_rows,
            co.weight,
            mean,
            spread,
            self.largest,
            target_mean,
            self.yy,
            self.sparse,
            single_target,
            "float64",
            filled=self.filled,
        )

    def state(self) -> State:
        """Return the moments."""
        return {
            "n_rows": self.n_rows,
            "co": self.co.state(),
            "yy": self.yy,
            "largest": self.largest,
            "sparse": self.sparse,
            "lengths": self.lengths.state(),
            "filled": self.filled,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> FoldMoments:
        """Return the moments of a state."""
        co = CoMoments.from_state(stored.part("co"))
        d, n_targets = co.xy.shape
        yy = stored.array("yy", (n_targets,))
        if (yy < 0).any():
            raise StateError("sums of squares are negative.")
        lengths = stored.read("lengths", RowLengths.from_state) or UNEQUAL_LENGTHS  # older files have none
        largest, sparse = stored.array("largest", (d,)), stored.flag("sparse")
        return cls(stored.integer("n_rows", 1), co, yy, largest, sparse, lengths, stored_filled(stored, (d,)))


def _apart(co: CoMoments, centre: CoMoments) -> tuple[Array, Array]:
    """Means of `co` minus those of `centre`, (d,) and (targets,), without rounding what both have in common."""
    return (
        (co.origin_x - centre.origin_x) + (co.shift_x - centre.shift_x),
        (co.origin_y - centre.origin_y) + (co.shift_y - centre.shift_y),
    )


def means_apart(co: CoMoments, learned: CoMoments, centre: bool) -> tuple[Array, Array]:
    """Means of held-out rows relative to what a model is centred at: the rows learned from, or 0."""
    return _apart(co, learned) if centre else (co.mean_x, co.mean_y)


def _in_float64(rows: SparseRows, numbers: NDArray[np.intp]) -> tuple[SparseRows, NDArray[np.intp]]:
    """Return rows in float64, and the numbers of the given rows among them.

    Rows that were standardized in float32 would be rounded in units that depend on the first rows of a stream.
    """
    if rows.dtype == FLOAT64:
        return rows, numbers
    taken = rows.take(numbers)
    return replace(taken, data=taken.data.astype(np.float64)), np.arange(len(numbers))


def _total(filled: Sequence[Array | None]) -> Array | None:
    """Return the numbers of filled rows of all parts, None if those of a part are not known."""
    known = [part for part in filled if part is not None]
    return np.sum(known, axis=0) if len(known) == len(filled) else None


def _largest(rows: AnyRows) -> Array:
    assert isinstance(rows, SparseRows)
    return np.asarray(abs(rows.matrix()).max(axis=0).todense(), np.float64).reshape(-1)


def cell_moments(
    batch: Batch, cells: NDArray[np.intp], n_cells: int, standardization: Standardization
) -> list[FoldMoments | None]:
    """Return the moments of each cell of rows, from one read in the order of the rows; None for an empty cell.

    Parameters
    ----------
    batch : rows, targets and weights as they were given.
    cells : (n,), the cell of each row, 0 .. n_cells - 1; a negative number leaves a row out.
    n_cells : number of cells.
    standardization : the units.
    """
    size = max(MIN_MOMENT_BLOCK_ROWS, MOMENT_BLOCK_BYTES // (8 * batch.rows.shape[1])) * n_cells
    found: list[list[FoldMoments]] = [[] for _ in range(n_cells)]
    for start in range(0, len(batch), size):
        block = cells[start : start + size]
        for cell in range(n_cells):
            numbers = np.flatnonzero(block == cell)
            if len(numbers):
                found[cell].append(FoldMoments.of(batch, numbers + start, standardization))
                if len(found[cell]) > 1:
                    found[cell] = [FoldMoments.pooled(found[cell])]
    return [parts[0] if parts else None for parts in found]


class FoldSides(NamedTuple):
    """Moments of the rows that the model of a fold learns from, and of those it is tried on."""

    train: FoldMoments
    test: FoldMoments


class ReadOnce(NamedTuple):
    """The result of one read of the rows: moments of all rows, and of both sides of each fold.

    Attributes
    ----------
    total : of all rows.
    of_folds : of each fold.
    partition : True if every row is tested by exactly one fold and learned from by all others.
    """

    total: FoldMoments
    of_folds: list[FoldSides]
    partition: bool


def read_folds(batch: Batch, folds: Sequence[Fold], standardization: Standardization) -> ReadOnce:
    """Return the moments of all rows and of both sides of each fold.

    Rows that the folds treat alike are a cell, and moments add up over cells: k folds that share the rows cost one
    read, and the rows learned from are all cells but one. Folds that cut the rows into more than `MAX_CELLS` cells
    are read one by one.
    """
    n = len(batch)
    if not folds:
        (total,) = cell_moments(batch, np.zeros(n, np.intp), 1, standardization)
        assert total is not None
        return ReadOnce(total, [], partition=False)
    sides = np.zeros((n, 2 * len(folds)), bool)
    for k, fold in enumerate(folds):
        sides[:, 2 * k] = fold.train
        sides[fold.test, 2 * k + 1] = True
    packed = np.packbits(sides, axis=1)
    codes, cells = np.unique(packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1), return_inverse=True)
    members = np.unpackbits(codes.view(np.uint8).reshape(len(codes), -1), axis=1, count=2 * len(folds)).astype(bool)
    learned, tested = members[:, 0::2], members[:, 1::2]
    partition = bool((tested.sum(axis=1) == 1).all() and (learned != tested).all())
    if len(codes) > MAX_CELLS:
        return _read_one_by_one(batch, folds, standardization, partition)
    parts = cell_moments(batch, cells, len(codes), standardization)
    of_folds = []
    for k in range(len(folds)):
        train, test = (
            FoldMoments.pooled([part for part, member in zip(parts, side[:, k], strict=True) if member and part])
            for side in (learned, tested)
        )
        of_folds.append(FoldSides(train, test))
    return ReadOnce(FoldMoments.pooled([part for part in parts if part]), of_folds, partition)


def _read_one_by_one(
    batch: Batch, folds: Sequence[Fold], standardization: Standardization, partition: bool
) -> ReadOnce:
    of_folds = []
    for fold in folds:
        rows = np.flatnonzero(fold.train), np.asarray(fold.test)
        of_folds.append(FoldSides(*(_moments_of(batch, numbers, standardization) for numbers in rows)))
    return ReadOnce(read_folds(batch, [], standardization).total, of_folds, partition)


def _moments_of(batch: Batch, numbers: NDArray[np.intp], standardization: Standardization) -> FoldMoments:
    cells = np.full(len(batch), -1)
    cells[numbers] = 0
    (moments,) = cell_moments(batch, cells, 1, standardization)
    assert moments is not None
    return moments
