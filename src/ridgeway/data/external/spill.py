"""Spill: rows of a stream in a temporary Parquet file, whose size has a bound."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ridgeway.data.address import hidden
from ridgeway.data.arrow import pa, pq
from ridgeway.data.data_error import DataError
from ridgeway.data.schema import require_columns, require_distinct, type_name
from ridgeway.machine.free_disk import usable_bytes

GROUP_ROWS = 1 << 17  # rows of a row group of the file
MAX_GROUP_BYTES = 1 << 27


class SpillFolder:
    """A temporary folder for the rows of one table; it is removed with this object.

    Parameters
    ----------
    name : name of the table in messages.
    """

    def __init__(self, name: str) -> None:
        self.path, self._name = Path(tempfile.mkdtemp(prefix="ridgeway-")), name
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)  # also when the process ends
        self._most_bytes = usable_bytes(self.path)
        self._held_bytes = 0

    def require_room(self, n_bytes: int) -> None:
        """Raise an error if this many bytes more would exceed the bound."""
        if self._held_bytes + n_bytes > self._most_bytes:
            raise DataError(
                f"{self._name}: its rows take more than {self._most_bytes:,} bytes, half of the free space in "
                f"{self.path.parent}: expected less; use fewer columns or rows (--only, --query), or set TMPDIR to a "
                "folder on a larger disk."
            )

    def hold(self, n_bytes: int) -> None:
        """Count bytes that were written."""
        self.require_room(n_bytes)
        self._held_bytes += n_bytes


def spilled(reader: Any, folder: SpillFolder, name: str, columns: Sequence[str] | None = None) -> Path:
    """Write the record batches of a reader to a Parquet file, and return its path.

    Parameters
    ----------
    reader : a ``pyarrow.RecordBatchReader``.
    folder : where the file goes.
    name : name of the table in messages.
    columns : names of the columns to keep, None for all.
    """
    require_distinct(reader.schema.names, name)
    require_columns(columns or (), reader.schema.names, name)
    kept = reader.schema.names if columns is None else list(columns)
    schema = pa.schema([reader.schema.field(column) for column in kept], reader.schema.metadata)
    _require_storable(schema, name)
    path = folder.path / "rows.parquet"
    with path.open("wb") as file, pq.ParquetWriter(file, schema) as writer:
        place = 0
        for group in row_groups(batch.select(kept) for batch in reader):
            writer.write_table(group.cast(schema), row_group_size=max(group.num_rows, 1))
            folder.hold(file.tell() - place)
            place = file.tell()
    return path


def row_groups(batches: Iterable[Any], rows: int = GROUP_ROWS) -> Iterator[Any]:
    """Yield tables of `rows` rows, or of fewer if they take much memory; the last one has the rest."""
    held: list[Any] = []
    count = size = 0
    for batch in batches:
        left = batch
        while left.num_rows:
            part = left.slice(0, rows - count)
            left = left.slice(part.num_rows)
            held.append(part)
            count += part.num_rows
            size += part.nbytes
            if count == rows or size > MAX_GROUP_BYTES:
                yield pa.Table.from_batches(held)
                held, count, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)


@contextmanager
def naming_source(name: str, remedy: str) -> Iterator[None]:
    """Turn errors of a driver or of a connection into errors that name the table and show no password.

    Parameters
    ----------
    name : name of the table.
    remedy : what to do, the end of the message.
    """
    try:
        yield
    except (DataError, KeyboardInterrupt, MemoryError, ModuleNotFoundError):
        raise
    except Exception as error:  # drivers raise classes of their own
        said = hidden(" ".join(str(error).split()))[:400].rstrip(". ")
        raise DataError(f"{name}: {said or type(error).__name__}: {remedy}") from None


def _require_storable(schema: Any, name: str) -> None:
    """Raise an error for types that Parquet files cannot hold."""
    for field in schema:
        try:
            pq.write_table(pa.schema([field]).empty_table(), pa.BufferOutputStream())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise DataError(
                f"{name}: column {field.name!r} holds {type_name(field.type)} ({field.type}), which cannot be stored: "
                "expected numbers, texts, dates or times; drop the column (--drop), or cast it in the query."
            ) from None
