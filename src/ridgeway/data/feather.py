"""Feather and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.file_source import FileSource, naming, require_alike, selected
from ridgeway.data.schema import Schema
from ridgeway.data.source import rows_per_batch


class FeatherSource(FileSource):
    """Rows of one or more Feather (version 2) or Arrow IPC files, of the file or the stream format.

    They are read one record batch at a time, so the largest one must fit in memory.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str] | None, batch_rows: int | None) -> None:
        super().__init__(paths, columns)
        self._schema: Any = None
        for number, path in enumerate(self.paths):
            with naming(path), pa.OSFile(str(path)) as file:
                reader = _reader(file)
                schema = selected(reader.schema, self.columns, path)
                if self._schema is None:
                    self._schema = schema
                require_alike(schema, self._schema, path, self.paths[0])
                if number == 0:
                    piece = next(_pieces(reader), None)
        self.n_rows = None
        self.schema = Schema.of(self._schema)
        self.batch_rows = rows_per_batch(batch_rows, piece.nbytes / max(piece.num_rows, 1) if piece else 0.0)

    def _read(self, number: int, skipped: int) -> Iterator[Any]:
        rows = 0
        with pa.OSFile(str(self.paths[number])) as file:
            for piece in _pieces(_reader(file)):
                rows += piece.num_rows
                if skipped >= piece.num_rows:
                    skipped -= piece.num_rows
                    continue
                piece.validate(full=True)  # damage: places outside the file, text that is not UTF-8
                yield piece.slice(skipped).select(self._schema.names)
                skipped = 0
        self._rows[number] = rows


def _pieces(reader: Any) -> Iterator[Any]:
    if isinstance(reader, pa.ipc.RecordBatchFileReader):
        return (reader.get_batch(number) for number in range(reader.num_record_batches))
    return iter(reader)


def _reader(file: Any) -> Any:
    try:
        return pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        return pa.ipc.open_stream(file)
