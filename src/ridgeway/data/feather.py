"""Feather and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.dataset

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.file_source import FileSource, naming, require_alike, selected
from ridgeway.data.schema import Schema
from ridgeway.data.source import rows_per_batch


class FeatherSource(FileSource):
    """Rows of one or more Feather (version 2) or Arrow IPC files, of the file or the stream format."""

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None, batch_rows: int | None) -> None:
        super().__init__(paths, columns)
        self._schema: Any = None
        size = 0
        for number, path in enumerate(self.paths):
            with naming(path), pa.OSFile(str(path)) as file:
                reader = _reader(file)
                schema = selected(reader.schema, self.columns, path)
                if self._schema is None:
                    self._schema = schema
                require_alike(schema, self._schema, path, self.paths[0])
                if isinstance(reader, pa.ipc.RecordBatchFileReader):
                    self._rows[number] = pa.dataset.dataset(path, format="ipc").count_rows()
            size += self._marks[number].size
        known = [rows for rows in self._rows if rows is not None]
        self.n_rows = sum(known) if len(known) == len(self.paths) else None
        if self.n_rows == 0:
            raise DataError(f"{self.name}: there are columns but no rows: expected at least one row.")
        self.schema = Schema.of(self._schema)
        self.batch_rows = rows_per_batch(batch_rows, size / self.n_rows if self.n_rows else 0.0)

    def _read(self, number: int, skipped: int) -> Iterator[Any]:
        rows = 0
        with pa.OSFile(str(self.paths[number])) as file:
            reader = _reader(file)
            if isinstance(reader, pa.ipc.RecordBatchFileReader):
                pieces = (reader.get_batch(group) for group in range(reader.num_record_batches))
            else:
                pieces = iter(reader)
            for piece in pieces:
                rows += piece.num_rows
                if skipped >= piece.num_rows:
                    skipped -= piece.num_rows
                    continue
                yield piece.slice(skipped).select(self._schema.names)
                skipped = 0
        self._rows[number] = rows


def _reader(file: Any) -> Any:
    try:
        return pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        return pa.ipc.open_stream(file)
