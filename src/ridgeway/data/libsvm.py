"""LIBSVM or SVMlight text, also compressed: ``target index:value index:value ...``, one sparse row per line."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from ridgeway.data.compression import is_compressed, open_text
from ridgeway.data.data_error import DataError
from ridgeway.data.file_source import naming
from ridgeway.data.files import FileMark, reading
from ridgeway.data.line_ranges import line_ranges
from ridgeway.data.part import Part
from ridgeway.data.source import Source, regroup, rows_per_batch

LIBSVM_BLOCK_BYTES = 1 << 22
MAX_LINE_BYTES = 1 << 26  # bytes of a line
MAX_LIBSVM_COLUMNS = 1 << 27


class LibsvmSource(Source):
    """Rows of one or more LIBSVM files; batches are ``(csr, y)``.

    The files are read once at the start, to find the number of rows and columns, and whether columns are counted from 0
    or from 1.

    Attributes
    ----------
    n_columns : number of columns.
    zero_based : True if some row has a column 0.
    """

    def __init__(self, paths: Sequence[Path], batch_rows: int | None) -> None:
        self.paths = list(paths)
        self.name = str(paths[0]) if len(paths) == 1 else f"{paths[0].parent} ({len(paths)} files)"
        self.schema = None
        self._marks = [FileMark.of(path) for path in paths]
        lowest, highest, size, rows = 1, 0, 0, 0
        for path in self.paths:
            for X, _ in _parts(path):
                rows, size = rows + X.shape[0], size + X.nnz
                if X.nnz:
                    lowest, highest = min(lowest, int(X.indices.min())), max(highest, int(X.indices.max()))
        if rows == 0:
            raise DataError(f"{self.name}: the file is empty: expected lines such as '1.5 3:0.2 7:1'.")
        self.zero_based = lowest == 0
        self.n_rows, self.n_columns = rows, max(highest + self.zero_based, 1)
        self.batch_rows = rows_per_batch(batch_rows, 12 * size / rows)

    def fingerprint(self) -> dict[str, Any]:
        """Return names, sizes, times of change and hashes of the ends of the files."""
        if self.origin is not None:
            return {"origin": self.origin.name, "content": self.origin.content(self.paths)}
        return {"files": [mark.as_dict() for mark in self._marks]}

    def parts(self, most_rows: int) -> list[Part]:
        """Return ranges of lines; a compressed file is one part."""
        found: list[Part] = []
        for mark in self._marks:
            ranges = None if is_compressed(mark.path) else line_ranges(mark.path)
            wanted: Sequence[tuple[int, int] | None] = [None] if ranges is None else ranges
            found += [Part(partial(self._read, mark, limits)) for limits in wanted]
        return found

    def _batches(self, first_row: int) -> Iterator[Any]:
        for batch in regroup(self._all_rows(), self.batch_rows):
            if first_row >= len(batch[1]):
                first_row -= len(batch[1])
            else:
                yield batch

    def _all_rows(self) -> Iterator[tuple[Any, Any]]:
        for mark in self._marks:
            yield from self._read(mark, None)

    def _read(self, mark: FileMark, limits: tuple[int, int] | None) -> Iterator[tuple[Any, Any]]:
        """Yield the rows of a file, or of a range of its bytes, with columns counted from 0."""
        shift = 0 if self.zero_based else 1
        mark.require_same()
        for X, y in _parts(mark.path, limits):
            yield scipy.sparse.csr_matrix((X.data, X.indices - shift, X.indptr), (len(y), self.n_columns)), y
        mark.require_same()


def _parts(path: Path, limits: tuple[int, int] | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield rows of a file in parts of some megabytes, with columns as they are numbered there."""
    line = 1
    for chunk in _chunks(path) if limits is None else [_range(path, *limits)]:
        try:
            X, y = _parsed(chunk)
        except (ValueError, OverflowError, UnicodeDecodeError):
            raise _explained(chunk, path, line) from None
        if X.nnz and X.indices.max() >= MAX_LIBSVM_COLUMNS:
            raise DataError(
                f"{path}: column {X.indices.max():,} after line {line:,}: expected at most "
                f"{MAX_LIBSVM_COLUMNS:,} columns; correct the line."
            )
        if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
            raise DataError(f"{path}: NaN or infinity after line {line:,}: expected finite numbers; correct the line.")
        yield X, y
        line += chunk.count(b"\n")


def _explained(chunk: bytes, path: Path, line: int) -> DataError:
    """Find the line that cannot be read."""
    lines = chunk.splitlines()
    place = next((number for number, text in enumerate(lines) if not _readable(text)), 0)
    shown = lines[place][:60].decode("utf-8", errors="replace")
    return DataError(
        f"{path}: line {line + place:,} is {shown!r}: expected a number and pairs index:value, the indices increasing, "
        "such as '1.5 3:0.2 7:1'; correct the line."
    )


def _parsed(text: bytes) -> tuple[Any, Any]:
    """Return X and y; scikit-learn is imported here only, because other formats do not need it."""
    found: tuple[Any, Any] = import_module("sklearn.datasets").load_svmlight_file(io.BytesIO(text), zero_based=True)
    return found


def _readable(line: bytes) -> bool:
    try:
        _parsed(line + b"\n")
    except (ValueError, OverflowError, UnicodeDecodeError):
        return False
    return True


def _chunks(path: Path) -> Iterator[bytes]:
    """Yield the text in pieces of whole lines."""
    rest = b""
    with reading(path):
        stream = open_text(path)
    with naming(path), stream as file:
        while block := file.read(LIBSVM_BLOCK_BYTES):
            text = rest + block
            end = text.rfind(b"\n") + 1
            rest = text[end:]
            if len(rest) > MAX_LINE_BYTES:
                raise DataError(f"{path}: a line of more than {MAX_LINE_BYTES:,} bytes: expected LIBSVM text.")
            if end:
                yield text[:end]
    if rest.strip():
        yield rest + b"\n"


def _range(path: Path, first: int, last: int) -> bytes:
    with reading(path), path.open("rb") as file:
        file.seek(first)
        return file.read(last - first) + b"\n"
