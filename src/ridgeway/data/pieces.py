"""Pieces of rows of either form, Arrow record batches or ``(csr, y)``: count, cut, join and take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ridgeway.data.arrow import pa
from ridgeway.data.common_type import joined_record_batches


def count(piece: Any) -> int:
    """Return the number of rows."""
    return len(piece[1]) if isinstance(piece, tuple) else int(piece.num_rows)


def nbytes(piece: Any) -> int:
    """Return the memory of the rows."""
    if isinstance(piece, tuple):
        X, y = piece
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes)
    return int(piece.nbytes)


def between(piece: Any, first: int, last: int) -> Any:
    """Return the rows from `first` up to `last`, without the latter."""
    if isinstance(piece, tuple):
        return piece[0][first:last], piece[1][first:last]
    return piece.slice(first, last - first)


def joined(pieces: Sequence[Any]) -> Any:
    """Return all rows as one piece."""
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], tuple):
        return scipy.sparse.vstack([X for X, _ in pieces], format="csr"), np.concatenate([y for _, y in pieces])
    return joined_record_batches(pieces)


def take(pieces: Sequence[Any], rows: NDArray[np.intp]) -> Any:
    """Return these rows, in this order, of several pieces; rows are numbered across all pieces."""
    ends = np.cumsum([count(piece) for piece in pieces])
    owner = np.searchsorted(ends, rows, side="right")
    order = np.argsort(owner, kind="stable")
    found = []
    for number, piece in enumerate(pieces):
        here = rows[order[owner[order] == number]]
        if len(here):
            found.append(_taken(piece, here - (ends[number] - count(piece))))
    back = np.empty(len(rows), dtype=np.intp)
    back[order] = np.arange(len(rows))
    return _taken(joined(found), back)


def _taken(piece: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(piece, tuple):
        return piece[0][rows], piece[1][rows]
    batch = piece.take(pa.array(rows))
    return pa.record_batch([_compact(column) for column in batch.columns], names=batch.schema.names)


def _compact(column: Any) -> Any:
    """Return a column without unused levels, if it has more levels than rows."""
    if not pa.types.is_dictionary(column.type) or len(column.dictionary) <= len(column):
        return column
    return column.dictionary_decode().dictionary_encode() if column.type.index_type == pa.int32() else column
