"""Encoded batches: a thread reads and encodes the next rows while the consumer learns from the last ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.prefetching import prefetch
from ridgeway.data.source import Source
from ridgeway.data.table_encoder import TableEncoder
from ridgeway.data.target import Targets, target_of


@dataclass(frozen=True)
class EncodedBatch:
    """A batch of a source, ready to learn from.

    Attributes
    ----------
    X : (rows, features), dense or CSR; it may have no rows.
    y : (rows,), the target; (rows, targets) when several were named.
    weight : (rows,), or None.
    read : rows of the batch before those without a target or weight were left out.
    """

    X: Any
    y: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    read: int

    @property
    def dropped(self) -> int:
        """Rows left out because their target or weight was missing."""
        return self.read - len(self.y)


def encoded_batches(
    source: Source,
    encoder: TableEncoder | None,
    target: Targets,
    weight: str | None = None,
    *,
    start: int = 0,
    ahead: int = 1,
) -> Iterator[EncodedBatch]:
    """Yield the batches of a source from number `start` on as features, target and weights.

    Parameters
    ----------
    source : where the rows come from.
    encoder : fitted on the columns without target and weight; None for sparse sources, whose rows are features already.
    target : name of the column of the target, or names of several; sparse sources have their own.
    weight : name of the column of the weights, None when there are none.
    start : number of the first batch.
    ahead : most batches to hold ready; 0 reads and encodes in this thread.

    Examples
    --------
    >>> import pyarrow as pa, ridgeway as rw
    >>> from ridgeway.data import open_data
    >>> table = pa.table({"x": [1.0, 2.0, 4.0], "y": [1.0, None, 3.0]})
    >>> encoder = rw.TableEncoder().fit(table, leave_out=["y"])
    >>> for batch in encoded_batches(open_data(table), encoder, "y"):
    ...     print(batch.X.ravel(), batch.y, batch.dropped)
    [1. 4.] [1. 3.] 1
    """
    batches = _encoded(source, encoder, target, weight, start)
    return prefetch(batches, ahead) if ahead else batches


def _encoded(
    source: Source, encoder: TableEncoder | None, target: Targets, weight: str | None, start: int
) -> Iterator[EncodedBatch]:
    for batch in source.batches(start, ahead=0):
        if encoder is None:
            yield EncodedBatch(batch[0], batch[1], None, len(batch[1]))
            continue
        rows = target_of(batch, target, weight, source.name)
        yield EncodedBatch(encoder.transform(rows.table, source.name), rows.y, rows.weight, batch.num_rows)
