"""Tables with known targets, in batches that can be compared with predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data import DataError, prefetch, target_of
from ridgeway.data.schema import no_column
from ridgeway.data.time_order import time_ranks
from ridgeway.evaluation.compared_rows import ComparedRows
from ridgeway.tables.table_model import TableModel

if TYPE_CHECKING:
    from ridgeway.data import Source


def opened_table(model: TableModel, data: Any, by: str | None, time: str | None) -> Source:
    """Open a table, after checking that it has the target and the columns to group and to order by."""
    source = model.open(data)
    if source.schema is None:
        if by is not None or time is not None:
            raise DataError(f"{source.name}: sparse rows have no columns with names: leave out by and time.")
        return source
    names = source.schema.names
    for name in (*model.targets, *(given for given in (by, time) if given is not None)):
        if name not in names:
            raise no_column(name, names, source.name)
    return source


def table_batches(model: TableModel, source: Source, by: str | None, time: str | None) -> Iterator[ComparedRows]:
    """Yield the rows of a table that have a target; a thread reads and encodes the next ones."""
    ranks = None if time is None else _ranks(model, source, time)

    def compared(batch: Any, first: int) -> ComparedRows:
        if model.encoder is None:
            y = np.asarray(batch[1], np.float64).reshape(len(batch[1]), -1)
            return ComparedRows(model._widened(batch[0], source.name), y, np.ones(len(y)))
        weight = model.weight if model.weight in batch.schema.names else None
        assert model.target is not None
        found = target_of(batch, model.target, weight, source.name)
        X = model.encoder.transform(found.table, source.name)
        kept = found.numbers
        groups = None if by is None else np.array(batch.column(by).to_pylist(), object)[kept]
        times = None if ranks is None else ranks[first : first + batch.num_rows][kept]
        if times is not None and (times < 0).any():
            raise DataError(f"{source.name}: column {time!r} has missing values: expected a time in each row.")
        weights = np.ones(len(kept)) if found.weight is None else found.weight
        return ComparedRows(X, found.y.reshape(len(kept), -1), weights, groups, times, found.dropped)

    def all_compared() -> Iterator[ComparedRows]:
        first = 0
        for batch in source.batches():
            yield compared(batch, first)
            first += len(batch[1]) if model.encoder is None else batch.num_rows

    return prefetch(all_compared())


def _ranks(model: TableModel, source: Source, time: str) -> NDArray[np.int64]:
    """Return the places of all rows in the order of time: one more read of the table, which need not be sorted."""
    assert model.encoder is not None
    return time_ranks(source.column(time), time, source.name, model.encoder.date_orders_.get(time))
