"""Rows of a table as a run wants them: encoded features, target and weights."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ridgeway.data import DataError, Source, TableEncoder, prefetch, target_of
from ridgeway.tables.request import Request


class EncodedRows(NamedTuple):
    """Rows with a target and a weight above 0.

    Attributes
    ----------
    X : (rows, features), dense or CSR.
    y : (rows,), the target or its logarithm.
    weight : (rows,), or None.
    read : rows that were read for them.
    """

    X: Any
    y: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    read: int

    def __len__(self) -> int:
        return len(self.y)

    @property
    def nbytes(self) -> int:
        """Memory of the features."""
        X = self.X
        return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def encoded_rows(
    source: Source, encoder: TableEncoder | None, request: Request, start: int
) -> Generator[EncodedRows, None, None]:
    """Yield the batches of a source from number `start` on, encoded in the background while the consumer learns."""
    yield from prefetch(encode(batch, source.name, encoder, request) for batch in source.batches(start))


def encode(batch: Any, place: str, encoder: TableEncoder | None, request: Request) -> EncodedRows:
    """Return the rows of a batch that have a target and a weight."""
    if encoder is None:
        X, y = batch
        return EncodedRows(X, logarithm(y, "the target", place) if request.log_target else y, None, len(y))
    assert request.target is not None
    rows = target_of(batch, request.target, request.weight, place)
    table, y, weight = rows.table, rows.y, rows.weight
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        table, y, weight = table.take(kept), y[kept], weight[kept]
    if request.log_target:
        y = logarithm(y, f"the target column {request.target!r}", place)
    return EncodedRows(encoder.transform(table, place), y, weight, batch.num_rows)


def logarithm(y: NDArray[np.float64], name: str, place: str) -> NDArray[np.float64]:
    """Return log y of targets above 0."""
    if len(y) and y.min() <= 0:
        raise DataError(
            f"{place}: {name} holds {y.min():g}: expected numbers above 0, as its logarithm is to be learned; leave "
            "out --log-target (log_target), or drop such rows."
        )
    return np.log(y)


def joined(parts: list[EncodedRows]) -> EncodedRows:
    """Return all rows together."""
    if len(parts) == 1:
        return parts[0]
    rows = [part.X for part in parts]
    X = scipy.sparse.vstack(rows, format="csr") if scipy.sparse.issparse(rows[0]) else np.concatenate(rows)
    weights = [part.weight for part in parts if part.weight is not None]
    return EncodedRows(
        X,
        np.concatenate([part.y for part in parts]),
        np.concatenate(weights) if weights else None,
        sum(part.read for part in parts),
    )
