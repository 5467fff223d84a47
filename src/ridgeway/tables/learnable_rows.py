"""Rows of a table for a run: encoded features, targets and weights above 0."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ridgeway.data import DataError, EncodedBatch, Source, TableEncoder, encoded_batches
from ridgeway.rows import Float
from ridgeway.tables.request import Request


def learnable_rows(
    source: Source, encoder: TableEncoder | None, request: Request, start: int
) -> Generator[EncodedBatch, None, None]:
    """Yield the batches of a source from number `start` on; a thread encodes while the consumer learns."""
    for batch in encoded_batches(source, encoder, request.target or (), request.weight, start=start):
        rows = batch
        if rows.weight is not None and not rows.weight.all():
            kept = np.flatnonzero(rows.weight)
            rows = replace(rows, X=rows.X[kept], y=rows.y[kept], weight=rows.weight[kept])
        if request.log_target:
            rows = replace(rows, y=logarithm(rows.y, request.targets, source.name))
        yield rows


def nbytes(rows: EncodedBatch) -> int:
    """Return the bytes of the features."""
    X = rows.X
    return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def joined_rows(parts: Sequence[EncodedBatch]) -> EncodedBatch:
    """Return all rows together."""
    if len(parts) == 1:
        return parts[0]
    rows = [part.X for part in parts]
    X = scipy.sparse.vstack(rows, format="csr") if scipy.sparse.issparse(rows[0]) else np.concatenate(rows)
    weights = [part.weight for part in parts if part.weight is not None]
    return EncodedBatch(
        X,
        np.concatenate([part.y for part in parts]),
        np.concatenate(weights) if weights else None,
        sum(part.read for part in parts),
    )


def logarithm(y: Float, targets: Sequence[str], source_name: str) -> NDArray[np.float64]:
    """Return the logarithm of targets, (rows,) or (rows, targets), which must be above 0."""
    if y.size and y.min() <= 0:
        worst = int(np.argmin(y.reshape(len(y), -1).min(axis=0)))
        name = f"the target column {targets[worst]!r}" if targets else "the target"
        raise DataError(
            f"{source_name}: {name} holds {y.min():g}: expected numbers above 0 for --log-target (log_target); leave "
            "that out, or drop such rows."
        )
    return np.log(y)
