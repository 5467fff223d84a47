"""Feather and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from ridgeway.data.arrow import pa
from ridgeway.data.file_source import FileSource, naming, require_alike
from ridgeway.data.part import MIN_PARTS, Part
from ridgeway.data.schema import Schema
from ridgeway.data.source import rows_per_batch


class FeatherSource(FileSource):
    """Rows of one or more Feather (version 2) or Arrow IPC files, of the file or the stream format.

    They are read one record batch at a time, so the largest one must fit in memory.
    """

    def __init__(
        self, paths: Sequence[Path], columns: Sequence[str] | None, batch_rows: int | None, index: bool = False
    ) -> None:
        super().__init__(paths, columns, index)
        self._schema: Any = None
        for number, path in enumerate(self.paths):
            with naming(path), pa.OSFile(str(path)) as file:
                reader = _reader(file)
                schema = self._selected(reader.schema, path)
                if self._schema is None:
                    self._schema = schema
                require_alike(schema, self._schema, path, self.paths[0])
                if number == 0:
                    piece = next(_pieces(reader), None)
        self.n_rows = None
        self._first_rows = piece.num_rows if piece else 0  # rows of the first record batch
        self.schema = Schema.of(self._schema)
        self.batch_rows = rows_per_batch(batch_rows, piece.nbytes / max(piece.num_rows, 1) if piece else 0.0)

    def only(self, columns: Sequence[str]) -> Self:
        """Return the source of some columns."""
        other = super().only(columns)
        other._schema = pa.schema([self._schema.field(name) for name in columns])
        return other

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

    def _parts_of_file(self, number: int, most_rows: int) -> list[Part]:
        """Return runs of record batches; a file of the stream format is one part."""
        with naming(self.paths[number]), pa.OSFile(str(self.paths[number])) as file:
            reader = _reader(file)
            if not isinstance(reader, pa.ipc.RecordBatchFileReader):
                return super()._parts_of_file(number, most_rows)
            n_batches = reader.num_record_batches
        few = max(n_batches * len(self.paths) // MIN_PARTS, 1)
        run = min(few, max(most_rows // max(self._first_rows, 1), 1))
        return [
            self._part(number, partial(self._read_run, number, first, min(first + run, n_batches)))
            for first in range(0, n_batches, run)
        ]

    def _read_run(self, number: int, first: int, last: int) -> Iterator[Any]:
        with pa.OSFile(str(self.paths[number])) as file:
            reader = _reader(file)
            for place in range(first, last):
                piece = reader.get_batch(place)
                piece.validate(full=True)
                yield piece.select(self._schema.names)


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
