"""Tables with known targets, in batches that can be compared with predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.data import DataError, prefetch, target_of
from ridgeway.data.schema import no_column
from ridgeway.data.time_order import times_in_order
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

    def compared(batch: Any) -> ComparedRows:
        if model.encoder is None:
            y = np.asarray(batch[1], np.float64).reshape(len(batch[1]), -1)
            return ComparedRows(model._widened(batch[0], source.name), y, np.ones(len(y)))
        weight = model.weight if model.weight in batch.schema.names else None
        assert model.target is not None
        found = target_of(batch, model.target, weight, source.name)
        X = model.encoder.transform(found.table, source.name)
        kept = found.numbers
        order = None if time is None else model.encoder.date_orders_.get(time)
        groups, times = (
            None if column is None else np.array(column.to_pylist(), object)[kept]
            for column in (
                None if by is None else batch.column(by),
                None if time is None else _dated(batch.column(time), time, order, source.name),
            )
        )
        if times is not None and any(one is None for one in times):
            raise DataError(f"{source.name}: column {time!r} has missing values: expected a time in each row.")
        if times is not None:
            times = _in_order(times)
        weights = np.ones(len(kept)) if found.weight is None else found.weight
        return ComparedRows(X, found.y.reshape(len(kept), -1), weights, groups, times, found.dropped)

    return prefetch(map(compared, source.batches()))


def _dated(column: Any, name: str, order: str | None, source_name: str) -> Any:
    """Return a column of times; dates that are texts in the given order (such as day-first) become numbers."""
    return column if order is None else times_in_order(column, name, source_name, order)


def _in_order(times: Any) -> Any:
    """Return times that can be compared: texts of numbers (a dropped column of a CSV file) as numbers."""
    if len(times) and isinstance(times[0], str):
        try:
            return times.astype(np.float64).astype(object)
        except ValueError:
            return times  # dates as texts, year first, have the order of time
    return times
