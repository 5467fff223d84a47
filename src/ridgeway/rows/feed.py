"""`Feed`: standardized rows in any order, piece by piece, so that several runs read each piece from the cache."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.batch import Batch
from ridgeway.rows.forms import DenseRows, readonly
from ridgeway.rows.standardization import Standardization
from ridgeway.rows.types import Float, Order, numbered

KEPT_BYTES = 2**27  # standardized rows up to this size are kept; larger data are standardized as they are read
KEPT_BYTES_FOR_PASSES = 2**30  # the limit if the rows are read several times
MAX_UNCOPIED_BYTES = 2**20  # rows up to this size are read in any order without copying them first
PIECE_BYTES = 2**22
MAX_PIECE_ROWS = 2**16
CONSECUTIVE_PLACES = readonly(np.arange(MAX_PIECE_ROWS))


class Piece(NamedTuple):
    """Standardized rows and the order in which to read them.

    Attributes
    ----------
    batch : the rows.
    places : the rows to read, in order.
    numbers : their row numbers in the whole data.
    in_sequence : whether the places are all rows of the batch in their order.
    """

    batch: Batch
    places: NDArray[np.intp]
    numbers: Order
    in_sequence: bool


class Feed:
    """The rows of a data set in memory, standardized.

    Parameters
    ----------
    batch : the user's rows, finite.
    standardization : applied to the rows.
    keep : keep all standardized rows in memory, which a replay needs.
    several_passes : whether the rows are read several times.

    Attributes
    ----------
    kept : all standardized rows, if they are kept in memory.
    """

    _weighted_norms: NDArray[np.float64] | None = None  # computed when they are first needed

    def __init__(
        self, batch: Batch, standardization: Standardization, keep: bool = False, several_passes: bool = False
    ) -> None:
        self.source = batch
        self.standardization = standardization
        self._keep = keep
        most = KEPT_BYTES_FOR_PASSES if several_passes else KEPT_BYTES
        small = batch.rows.nbytes <= most or standardization.leaves_rows
        self.kept = standardization.batch(batch) if keep or small else None

    def __len__(self) -> int:
        return len(self.source)

    def reweighted(self, new_weights: Callable[[Float], Float]) -> Feed:
        """Return the same rows, with weights replaced by new_weights(weights), (n,)."""

        def changed(batch: Batch) -> Batch:
            return replace(batch, weight=new_weights(batch.weight))

        other = copy.copy(self)
        other.source, other.kept = changed(self.source), None if self.kept is None else changed(self.kept)
        other._weighted_norms = None
        return other

    def weighted_norms(self) -> NDArray[np.float64]:
        """Return q = weight * |x|^2 of every standardized row, (n,), which bound the step of a run.

        They are computed once, because this may take as long as a pass; the step of a fit and its splitting need them.
        """
        if self._weighted_norms is None:
            self._weighted_norms = self._norms_of_source()
        if self._weighted_norms is None:
            pieces = self.pieces(range(len(self)))
            batches = (piece.batch for piece in pieces) if self.kept is None else iter([self.kept])
            norms = [batch.rows.squared_norms().astype(np.float64) * batch.weight for batch in batches]
            self._weighted_norms = readonly(np.concatenate(norms))
        return self._weighted_norms

    def _norms_of_source(self) -> NDArray[np.float64] | None:
        """Return `weighted_norms` from one read of dense rows.

        None if a standardized copy is held (`kept`), or the rows are sparse or not finite.
        """
        rows = self.source.rows
        if self.kept is not None or not isinstance(rows, DenseRows):
            return None
        norms = self.standardization.squared_norms(rows).astype(np.float64)
        if not np.isfinite(norms).all():  # standardizing the rows raises the error that names the entry
            return None
        weighted: NDArray[np.float64] = readonly(norms * self.standardization.weights(self.source.weight, rows.dtype))
        return weighted

    def take(self, numbers: Order) -> Batch:
        """Return these rows, standardized: a view of consecutive rows, a copy of others."""
        if self.kept is None:
            return self.standardization.batch(self.source, numbered(numbers))
        if _consecutive(numbers):
            return self.kept.between(int(numbers[0]), int(numbers[-1]) + 1)
        return self.kept.take(numbered(numbers))

    def pieces(self, order: Order, shared: bool = True) -> Iterator[Piece]:
        """Yield the rows of `order`, which may span several passes.

        Pieces for several readers are small enough to stay in the cache. A single reader reads dense rows in place, in
        any order: its loop prefetches them, which takes less time than gathering them.
        """
        nbytes = self.source.rows.nbytes if self.kept is None else self.kept.rows.nbytes
        at_hand = self.kept is not None and not shared and _consecutive(order)
        alone = self.kept is not None and not shared and isinstance(self.kept.rows, DenseRows)
        whole = self.kept is not None and (self._keep or nbytes <= MAX_UNCOPIED_BYTES or (alone and not at_hand))
        size = MAX_PIECE_ROWS if whole or at_hand else min(MAX_PIECE_ROWS, max(1, PIECE_BYTES * len(self) // nbytes))
        for first in range(0, len(order), size):
            numbers = order[first : first + size]
            if whole:
                assert self.kept is not None
                yield Piece(self.kept, numbered(numbers), numbers, in_sequence=False)
            else:
                yield Piece(self.take(numbers), CONSECUTIVE_PLACES[: len(numbers)], numbers, in_sequence=True)


def _consecutive(numbers: Order) -> bool:
    if isinstance(numbers, range):
        return True
    return int(numbers[-1] - numbers[0]) == len(numbers) - 1 and bool((numbers[1:] > numbers[:-1]).all())
