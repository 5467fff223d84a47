"""Feed: standardized rows in any order, piece by piece, each piece in the cache while several runs read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.batch import Batch
from ridgeway.rows.standardization import Standardization

KEPT_BYTES = 2**27  # standardized rows up to this size are kept; larger data are standardized as they are read
KEPT_FOR_PASSES = 2**30  # the same when they are to be read several times
IN_CACHE = 2**20  # rows up to this size are read in any order without being gathered
PIECE_BYTES = 2**20
LONGEST = 2**16  # places in a piece


class Piece(NamedTuple):
    """Standardized rows and the places in them to go through; `numbers` are the rows they are in the whole data."""

    batch: Batch
    places: NDArray[np.intp]
    numbers: NDArray[np.intp]


class Feed:
    """The rows of a data set in memory, standardized.

    Parameters
    ----------
    batch : the user's rows, finite.
    standardization : what a run is to see of them.
    keep : hold all of the standardized rows in memory, as a replay needs them.
    several_passes : the rows are going to be read several times.
    """

    def __init__(
        self, batch: Batch, standardization: Standardization, keep: bool = False, several_passes: bool = False
    ) -> None:
        self.source = batch
        self.standardization = standardization
        self._keep = keep
        most = KEPT_FOR_PASSES if several_passes else KEPT_BYTES
        small = batch.rows.nbytes <= most or standardization.leaves_rows
        self.kept = standardization.batch(batch) if keep or small else None

    def __len__(self) -> int:
        return len(self.source)

    def take(self, numbers: NDArray[np.intp]) -> Batch:
        """Return these rows, standardized; neighbours in their own order are viewed, others copied."""
        if self.kept is None:
            return self.standardization.batch(self.source, numbers)
        if _consecutive(numbers):
            return self.kept.between(int(numbers[0]), int(numbers[-1]) + 1)
        return self.kept.take(numbers)

    def pieces(self, order: NDArray[np.intp]) -> Iterator[Piece]:
        """Yield the rows of `order`, which may hold several passes, in turn."""
        nbytes = self.source.rows.nbytes if self.kept is None else self.kept.rows.nbytes
        whole = self.kept is not None and (self._keep or nbytes <= IN_CACHE)
        size = LONGEST if whole else min(LONGEST, max(1, PIECE_BYTES * len(self) // nbytes))
        for first in range(0, len(order), size):
            numbers = order[first : first + size]
            if whole:
                assert self.kept is not None
                yield Piece(self.kept, numbers, numbers)
            else:
                yield Piece(self.take(numbers), np.arange(len(numbers)), numbers)


def require_finite(feed: Feed) -> None:
    """Raise an error that names the first bad entry when some row is not finite; rows that are kept have been seen."""
    if feed.kept is None:
        for _ in feed.pieces(np.arange(len(feed))):
            pass


def _consecutive(numbers: NDArray[np.intp]) -> bool:
    return int(numbers[-1] - numbers[0]) == len(numbers) - 1 and bool((np.diff(numbers) == 1).all())
