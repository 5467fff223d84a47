"""`ArrowStream`: any object with ``__arrow_c_stream__``, such as a DuckDB relation or a ``RecordBatchReader``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ridgeway.data.data_error import DataError
from ridgeway.data.external.base_table import ExternalTable
from ridgeway.data.external.spill import SpillFolder, naming_source, spilled
from ridgeway.data.frames import stream_reader

REMEDY = "expected a stream of record batches; check the program that makes it."


class ArrowStream(ExternalTable):
    """The rows of an Arrow stream, which may be readable only once.

    Parameters
    ----------
    data : object with ``__arrow_c_stream__``, or an ADBC cursor after ``execute``.
    """

    def __init__(self, data: Any) -> None:
        self.name = f"the {type(data).__name__}"
        with naming_source(self.name, REMEDY):
            self._reader: Any = stream_reader(data)
        self._schema = self._reader.schema
        self._folder: SpillFolder | None = None
        self._kept: set[str] = set()

    def schema(self) -> Any:
        """Return the Arrow schema of the stream."""
        return self._schema

    def local(self, columns: Sequence[str] | None) -> Any:
        """Write the columns to a temporary file. The first call reads the stream; later ones find its columns."""
        wanted = set(self._schema.names if columns is None else columns)
        if self._folder is None:
            folder = SpillFolder(self.name)
            if self._reader is None:
                raise DataError(f"{self.name}: reading it has failed before: expected a new stream; create it again.")
            reader, self._reader = self._reader, None
            with naming_source(self.name, REMEDY):
                spilled(reader, folder, self.name, columns)
            self._folder, self._kept = folder, wanted
        lost = sorted(wanted - self._kept)
        if lost:
            raise DataError(
                f"{self.name}: a stream can be read only once, and {lost[0]!r} was not kept: expected the columns of "
                "the first reading; make the stream again."
            )
        return self._folder.path / "rows.parquet"
