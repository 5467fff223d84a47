"""How many rows a source has: known, or guessed from the first of them for a progress bar."""

from __future__ import annotations

import gzip
import zlib

from ridgeway.data import Source
from ridgeway.data.delimited import CSVSource

HEAD = 1 << 20


def guess_rows(source: Source) -> int | None:
    """Return the number of rows, that of a CSV file guessed from its size and the length of its first lines."""
    if source.n_rows is not None or not isinstance(source, CSVSource):
        return source.n_rows
    path = source.paths[0]
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        try:
            lines = (gzip.GzipFile(fileobj=file) if zipped else file).read(HEAD).count(b"\n")
        except (OSError, EOFError, zlib.error):  # found again, and reported, by the reader
            return None
        read = file.tell()
    size = sum(path.stat().st_size for path in source.paths)
    return max(1, round(size * lines / read) - 1) if lines and read else None
