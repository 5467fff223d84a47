"""Euclidean lengths of sparse rows: rows of one length were normalised, and their columns keep their scales."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.forms import AnyRows, SparseRows, readonly
from ridgeway.storage.state import MAX_NUMBER, State, Stored

# Rows that were normalised in float32, with sums in float32, agree to about 1e-6; others do not agree by chance.
LENGTH_TOLERANCE = 1e-5
# Rows of other lengths are scaled by their columns, so that no square of an entry overflows or underflows.
MIN_KEPT_LENGTH, MAX_KEPT_LENGTH = 2.0**-20, 2.0**20
LENGTHS_BLOCK_ROWS = 1024  # rows looked at before it is asked whether they differ


@dataclass(frozen=True)
class RowLengths:
    """The shortest and the longest Euclidean length of some rows, empty rows apart; ``a + b`` are those of both.

    Whether all lengths are equal is all that is asked of them. So once two rows differ, the rest is not looked at.

    Attributes
    ----------
    shortest, longest : the lengths; `MAX_NUMBER` and 0 of no rows.

    Examples
    --------
    >>> import scipy.sparse
    >>> from ridgeway.rows import check_batch
    >>> X = scipy.sparse.csr_array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]])
    >>> RowLengths.of(check_batch(X, [0.0, 1.0, 2.0]).rows).equal
    True
    >>> RowLengths.of(check_batch(2 * X[:1], [0.0]).rows) + RowLengths(1.0, 1.0)
    RowLengths(shortest=1.0, longest=2.0)
    """

    shortest: float
    longest: float

    @classmethod
    def of(cls, rows: AnyRows, numbers: NDArray[np.intp] | None = None) -> RowLengths:
        """Return the lengths of sparse rows; those of dense rows count as unequal, because nothing depends on them.

        Parameters
        ----------
        rows : as the user gave them, without entries that are not finite.
        numbers : which of the rows; None for all.
        """
        if not isinstance(rows, SparseRows):
            return UNEQUAL_LENGTHS
        lengths, n_rows = NO_LENGTHS, rows.shape[0] if numbers is None else len(numbers)
        for start in range(0, n_rows, LENGTHS_BLOCK_ROWS):
            stop = min(start + LENGTHS_BLOCK_ROWS, n_rows)
            lengths += _lengths_of_block(
                rows.between(start, stop) if numbers is None else rows.take(numbers[start:stop])
            )
            if lengths.longest > lengths.shortest * (1 + LENGTH_TOLERANCE):
                break
        return lengths

    def __add__(self, other: RowLengths) -> RowLengths:
        return RowLengths(min(self.shortest, other.shortest), max(self.longest, other.longest))

    @property
    def equal(self) -> bool:
        """Whether there are rows, all of one length, and this is no extreme number."""
        near = self.shortest >= MIN_KEPT_LENGTH and self.longest <= MAX_KEPT_LENGTH
        return near and self.shortest <= self.longest <= self.shortest * (1 + LENGTH_TOLERANCE)

    def state(self) -> State:
        """Return both lengths."""
        return {"shortest": self.shortest, "longest": self.longest}

    @classmethod
    def from_state(cls, stored: Stored) -> RowLengths:
        """Return the lengths of a state."""
        return cls(stored.number("shortest", 0.0), stored.number("longest", 0.0))


NO_LENGTHS = RowLengths(MAX_NUMBER, 0.0)
UNEQUAL_LENGTHS = RowLengths(0.0, MAX_NUMBER)  # also of rows whose lengths are not known


def _lengths_of_block(rows: SparseRows) -> RowLengths:
    """Return the lengths of a few rows, from squares in float64."""
    first, last = int(rows.indptr[0]), int(rows.indptr[-1])
    data, indices = readonly(rows.data[first:last].astype(np.float64)), rows.indices[first:last]
    rows = replace(rows, data=data, indices=indices, indptr=readonly(rows.indptr - first))
    squares = rows.squared_norms()
    positive = squares[squares > 0]
    if not len(positive):
        return NO_LENGTHS if rows.largest_entry() == 0 else UNEQUAL_LENGTHS
    zero = np.flatnonzero(squares == 0)
    underflown = len(zero) > 0 and rows.take(zero).largest_entry() > 0
    shortest, longest = math.sqrt(positive.min()), math.sqrt(positive.max())
    return RowLengths(0.0 if underflown else min(shortest, MAX_NUMBER), min(longest, MAX_NUMBER))
