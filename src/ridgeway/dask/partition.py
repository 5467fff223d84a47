"""Partition: rows that one task loads by itself, and the form in which the runs read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ridgeway.data import DataError, TableEncoder, target_of
from ridgeway.data.arrow import pa
from ridgeway.data.memory import as_table
from ridgeway.data.numbers import as_numbers
from ridgeway.data.record_batch import as_batch
from ridgeway.data.schema import kind_of, no_column, type_name
from ridgeway.data.target import Targets, names_of
from ridgeway.kernel.features import Features
from ridgeway.machine.available_memory import require_memory
from ridgeway.rows import FLOAT64, Batch, DenseRows, Float, check_batch, numbered, readonly, require_finite_rows

BYTES_PER_NUMBER = 8  # of rows in memory, at most
TABLE_BLOCK_ROWS = 4096  # rows of a table whose columns are laid side by side while they are in the cache


@runtime_checkable
class Loader(Protocol):
    """Something that a worker can load; it is small, because every task carries it."""

    def load(self) -> Any:
        """Return an Arrow table."""


@runtime_checkable
class Glimpsed(Loader, Protocol):
    """A loader that can load less."""

    def glimpse(self) -> Loader:
        """Return a loader of some of the rows."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Rows that one task loads.

    Attributes
    ----------
    number : its place among all.
    name : what messages call it.
    source : a `Loader`, a dask `Delayed`, or rows that a task has kept on a worker.
    """

    number: int
    name: str
    source: Any

    def glimpse(self) -> Partition:
        """Return a partition with a cheap sample of its rows if its source offers one, else this partition."""
        if hasattr(self.source, "__dask_graph__") or not isinstance(self.source, Glimpsed):
            return self  # a Delayed seems to have every attribute
        return replace(self, source=self.source.glimpse())


@dataclass(frozen=True, eq=False)
class Form:
    """How loaded rows become a checked batch.

    Attributes
    ----------
    target : name of the target's column, or names of several; None where rows come as arrays with their targets.
    weight : name of the column of the weights; None when there are none, or for arrays.
    features : names of the columns to learn from; None for arrays.
    dtype : precision of the rows; None for arrays, where that of the first partition counts.
    encoder : makes features of columns; None when all of them are numbers.
    transform : a function of the target's values and the partition's name whose result is learned; None for none.
    components : of a kernel, made from the features; None learns from the features themselves.
    """

    target: Targets | None = None
    weight: str | None = None
    features: tuple[str, ...] | None = None
    dtype: str | None = None
    encoder: TableEncoder | None = None
    transform: Callable[[Float, str], Float] | None = None
    components: Features | None = None

    def table(self, loaded: Any, source_name: str) -> Any:
        """Return the columns to learn from as a record batch, and check that they are those of the data."""
        return as_batch(self._columns(loaded, source_name).select(list(self.features or ())))

    def batch(self, loaded: Any, source_name: str) -> Batch | None:
        """Return the rows of a partition, None if it has none of positive weight and with a target."""
        batch = self._of_arrays(loaded) if self.features is None else self._of_table(loaded, source_name)
        return batch if self.components is None or batch is None else _in_components(batch, self.components)

    def _of_table(self, loaded: Any, source_name: str) -> Batch | None:
        table = self._columns(loaded, source_name)
        assert self.target is not None
        assert self.features is not None
        rows = target_of(as_batch(table), self.target, self.weight, source_name)
        if len(rows.y) == 0:
            return None
        if self.encoder is not None:
            X = self.encoder.transform(rows.table.select(list(self.features)), source_name)
        else:
            X = _numbers(rows.table, self.features, np.dtype(self.dtype), source_name)
        y = rows.y if self.transform is None else self.transform(rows.y, source_name)
        batch = _checked(X, y, rows.weight, None)
        if batch is None or rows.dropped == 0:
            return batch
        return replace(batch, numbers=rows.numbers[numbered(batch.numbers)])

    def _of_arrays(self, loaded: Any) -> Batch | None:
        X, y, weight = loaded
        if X.shape[0] == 0:
            return None
        return _checked(X, y, weight, None if self.dtype is None else np.dtype(self.dtype))

    def _columns(self, loaded: Any, source_name: str) -> Any:
        table = as_table(loaded)
        found = table.column_names
        expected = dict.fromkeys(
            name for name in (*(self.features or ()), *names_of(self.target), self.weight) if name is not None
        )
        here = set(found)
        for name in expected:
            if name not in here:
                raise no_column(name, found, source_name)
        new = [name for name in found if name not in expected]
        if new:
            raise DataError(
                f"{source_name}: it has the column {new[0]!r}, which other partitions lack: expected the same columns "
                "in every partition; write it again, or select the common columns first."
            )
        return table


def _checked(X: Any, y: Any, weight: Any, dtype: np.dtype[np.floating[Any]] | None) -> Batch | None:
    batch = check_batch(X, y, weight, dtype=dtype, target_dtype=FLOAT64)
    return batch if len(batch) else None


def _in_components(batch: Batch, components: Features) -> Batch:
    """Return the components of the rows: all of them at once, so partitions must be small."""
    require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
    needed = 2.0 * len(batch) * components.n_features * batch.rows.dtype.itemsize
    require_memory(needed, f"{components.n_features:,} components of {len(batch):,} rows", "make smaller partitions")
    return replace(batch, rows=DenseRows(readonly(components.of(batch.rows))))


def _numbers(table: Any, features: Sequence[str], dtype: np.dtype[np.floating[Any]], source_name: str) -> Any:
    """Lay columns of numbers side by side, (rows, features)."""
    columns = []
    for name in features:
        column = table.column(name)
        if kind_of(column.type) not in ("number", "boolean"):
            raise DataError(
                f"{source_name}: column {name!r} holds {type_name(column.type)}: expected a number in every "
                "partition; convert it, leave it out, or pass encoder=TableEncoder()."
            )
        if column.null_count:
            raise DataError(
                f"{source_name}: column {name!r} has {column.null_count} missing values: expected numbers; fill or "
                "drop them, or pass encoder=TableEncoder()."
            )
        plain = column.type in (pa.float32(), pa.float64())
        columns.append(column.to_numpy(zero_copy_only=True) if plain else as_numbers(column, name, source_name))
    out = np.empty((table.num_rows, len(columns)), dtype)
    for first in range(0, table.num_rows, TABLE_BLOCK_ROWS):
        part = slice(first, first + TABLE_BLOCK_ROWS)
        for place_of, column in enumerate(columns):
            out[part, place_of] = column[part]
    return out
