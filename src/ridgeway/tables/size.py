"""The number of rows of a source: known, or estimated from its first lines for a progress bar."""

from __future__ import annotations

from ridgeway.data import DataError, Source
from ridgeway.data.arrow import pa
from ridgeway.data.compression import open_text
from ridgeway.data.csv_source import CSVSource

COUNTED_HEAD_BYTES = 1 << 20


def guess_rows(source: Source) -> int | None:
    """Return the number of rows; that of a CSV file is estimated from its size and the length of its first lines."""
    if source.n_rows is not None or not isinstance(source, CSVSource):
        return source.n_rows
    path = source.paths[0]
    try:
        with pa.OSFile(str(path)) as file, open_text(path, file) as text:
            lines = text.read(COUNTED_HEAD_BYTES).count(b"\n")
            read = file.tell()
    except (OSError, DataError, pa.ArrowException):  # the reader finds and reports it
        return None
    size = sum(path.stat().st_size for path in source.paths)
    return max(1, round(size * lines / read) - 1) if lines and read else None
