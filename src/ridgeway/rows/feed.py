"""Feed: standardized rows in any order, piece by piece, each piece in the cache while several runs read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.batch import Batch
from ridgeway.rows.standardization import Standardization

KEPT_BYTES = 2**27  # standardized rows up to this size are kept; larger data are standardized anew as they are read
IN_CACHE = 2**20  # rows up to this size are read in any order without being gathered
PIECE_BYTES = 2**19
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
    """

    def __init__(self, batch: Batch, standardization: Standardization, keep: bool = False) -> None:
        self.source = batch
        self.standardization = standardization
        self._keep = keep
        self.kept = standardization.batch(batch) if keep or batch.rows.nbytes <= KEPT_BYTES else None

    def __len__(self) -> int:
        return len(self.source)

    def take(self, numbers: NDArray[np.intp]) -> Batch:
        """Copy these rows, standardized."""
        return self.standardization.batch(self.source, numbers) if self.kept is None else self.kept.take(numbers)

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
