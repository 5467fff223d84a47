"""Sources in memory: arrays, data frames, Arrow tables, sparse matrices."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.frames import frame_table, is_stream, stream_reader
from ridgeway.data.pandas_index import index_columns, warn_of_index
from ridgeway.data.part import Part, rows_per_part
from ridgeway.data.record_batch import as_batch
from ridgeway.data.schema import Schema, require_columns, require_distinct
from ridgeway.data.source import Source, rows_per_batch


class TableSource(Source):
    """Rows of an Arrow table, or of a converted data frame.

    Parameters
    ----------
    table : Arrow table.
    columns : names of the columns to read, None for all.
    batch_rows : rows per batch, None for as many as take some 32 MB.
    name : name of the table in messages.
    """

    def __init__(
        self,
        table: Any,
        columns: Sequence[str] | None = None,
        batch_rows: int | None = None,
        name: str = "the table",
    ) -> None:
        self.name = name
        require_distinct(table.column_names, self.name)
        require_columns(columns or (), table.column_names, self.name)
        self._table = table if columns is None else table.select(list(columns))
        self.n_rows = table.num_rows
        if self.n_rows == 0:
            raise DataError(f"{self.name}: it has no rows: expected at least one.")
        self.schema = Schema.of(self._table.schema)
        self.batch_rows = rows_per_batch(batch_rows, self._table.nbytes / self.n_rows)

    def fingerprint(self) -> dict[str, Any]:
        """Return the columns, the number of rows and a hash of the values."""
        digest = hashlib.blake2b(digest_size=16)
        for batch in self._batches(0):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            digest.update(sink.getvalue())
        return {"columns": self._table.column_names, "rows": self.n_rows, "values": digest.hexdigest()}

    def only(self, columns: Sequence[str]) -> TableSource:
        """Return the source of some columns."""
        return TableSource(self._table, columns, self.batch_rows, self.name)

    def parts(self, most_rows: int) -> list[Part]:
        """Return stretches of rows."""
        assert self.n_rows is not None
        step = rows_per_part(self.n_rows, most_rows)
        return [
            Part(partial(self._slice, first, step), min(step, self.n_rows - first))
            for first in range(0, self.n_rows, step)
        ]

    def _slice(self, first: int, rows: int) -> Iterator[Any]:
        yield as_batch(self._table.slice(first, rows))

    def _batches(self, first_row: int) -> Iterator[Any]:
        for first in range(first_row, self._table.num_rows, self.batch_rows):
            yield as_batch(self._table.slice(first, self.batch_rows))


class SparseSource(Source):
    """Rows of a sparse matrix with their targets; batches are ``(csr, y)``."""

    def __init__(self, X: Any, y: Any, batch_rows: int | None = None) -> None:
        self.name = "the matrix"
        self._rows, self._targets = X.tocsr(), np.asarray(y, dtype=np.float64)
        self.schema = None
        self.n_rows, self.n_columns = (int(size) for size in X.shape)
        if self._targets.shape != (self.n_rows,):
            raise DataError(f"y has shape {self._targets.shape}: expected ({self.n_rows},), one number per row of X.")
        if self.n_rows == 0:
            raise DataError(f"{self.name}: it has no rows: expected at least one.")
        self.batch_rows = rows_per_batch(batch_rows, 12 * self._rows.nnz / self.n_rows)

    def fingerprint(self) -> dict[str, Any]:
        """Return the shape and a hash of the values."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self._rows.data, self._rows.indices, self._rows.indptr, self._targets):
            digest.update(np.ascontiguousarray(part).data)
        return {"shape": [self.n_rows, self.n_columns], "values": digest.hexdigest()}

    def parts(self, most_rows: int) -> list[Part]:
        """Return stretches of rows."""
        assert self.n_rows is not None
        step = rows_per_part(self.n_rows, most_rows)
        return [
            Part(partial(self._slice, first, first + step), min(step, self.n_rows - first))
            for first in range(0, self.n_rows, step)
        ]

    def _slice(self, first: int, last: int) -> Iterator[Any]:
        yield self._rows[first:last], self._targets[first:last]

    def _batches(self, first_row: int) -> Iterator[Any]:
        for first in range(first_row, self._rows.shape[0], self.batch_rows):
            part = slice(first, first + self.batch_rows)
            yield self._rows[part], self._targets[part]


def as_table(data: Any, *, index: bool = False) -> Any:
    """Return an Arrow table of an array, a data frame or Arrow data; columns of an array are named x0, x1, ...

    Parameters
    ----------
    data : the rows.
    index : whether the index of a pandas data frame is kept; otherwise it is left out, with a warning if it has a name.
    """
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return data if index else _without_index(data)
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise DataError(f"X has shape {data.shape}: expected (rows, columns); reshape it.")
        return pa.table({f"x{place}": _array(data[:, place], place) for place in range(data.shape[1])})
    if is_stream(data):
        return stream_reader(data).read_all()
    return frame_table(data, index)


def _without_index(table: Any) -> Any:
    names = index_columns(table.schema)
    if not names:
        return table
    warn_of_index(names, "the table")
    return table.drop_columns(names)


def _array(values: Any, place: int) -> Any:
    try:
        return pa.array(np.ascontiguousarray(values), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"column {place} of X mixes types: {error}: expected one type in a column; convert it with astype."
        ) from None


def arrays_source(X: Any, y: Any, columns: Sequence[str] | None, batch_rows: int | None) -> Source:
    """Return the source of rows and targets; the target becomes the last column, named y."""
    if scipy.sparse.issparse(X):
        return SparseSource(X, y, batch_rows)
    table = as_table(np.asarray(X) if isinstance(X, list) else X)
    targets = np.asarray(y)
    if targets.shape != (table.num_rows,):
        raise DataError(f"y has shape {targets.shape}: expected ({table.num_rows},), one number per row of X.")
    return TableSource(table.append_column("y", pa.array(targets)), columns, batch_rows)
