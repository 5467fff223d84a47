"""CSV files, also gzipped: dialect and types from the first rows, then blocks of 1 MB, larger for wide tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from ridgeway.data.arrow import pa, pcsv
from ridgeway.data.common_type import wider
from ridgeway.data.csv_dialect import Dialect, dialect_of
from ridgeway.data.csv_types import NULLS, column_type, given_type, not_utf8
from ridgeway.data.data_error import DataError
from ridgeway.data.file_source import FileSource, naming, require_alike, selected
from ridgeway.data.files import reading
from ridgeway.data.line_ranges import line_ranges
from ridgeway.data.part import Part
from ridgeway.data.schema import Schema, kind_of, require_columns, require_distinct
from ridgeway.data.source import rows_per_batch

BLOCK, LARGEST_BLOCK = 1 << 20, 16 << 20
BLOCK_ROWS = 512  # at least, unless the block would be too large: each column of a block has a cost of its own
HEAD = 1 << 16  # bytes from which the dialect is told
SAMPLE = 8 << 20  # bytes of the first file from which types are told
OTHER_SAMPLE = 1 << 18  # bytes of each further file

CONVERSION = re.compile(r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to ([^:]+): (.*)", re.DOTALL)


class CSVSource(FileSource):
    """Rows of one or more CSV files.

    Types are told from the first 8 MB. Whole numbers that turn out to have decimals later are read as such; text in a
    column of numbers is an error that names it.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        columns: Sequence[str] | None,
        batch_rows: int | None,
        kinds: Mapping[str, str],
        null_values: Sequence[str],
    ) -> None:
        super().__init__(paths, columns)
        self.n_rows = None
        self._nulls = [*NULLS, *null_values]
        self._dialects: list[Dialect] = []
        self._types: dict[str, Any] = {}
        self._ranges: dict[Path, list[tuple[int, int]] | None] = {}  # of lines, of files that were cut
        first: Any = None
        for number, path in enumerate(self.paths):
            self._dialects.append(_dialect(path))
            sample = self._sample(number, SAMPLE if number == 0 else OTHER_SAMPLE)
            if first is None:
                first, row_bytes = sample.schema, sample.nbytes / max(sample.num_rows, 1)
            require_alike(sample.schema, first, path, self.paths[0])
            for name, column in zip(sample.schema.names, sample.columns, strict=True):
                found = given_type(kinds[name]) if name in kinds else column_type(column, name, path)
                self._types[name] = wider(self._types.get(name, found), found)
        if columns is None:
            require_columns(kinds, self._types, self.name)
        if all(rows == 0 for rows in self._rows):
            raise DataError(f"{self.name}: there is a header but no rows: expected at least one row below it.")
        self.schema = Schema.of(pa.schema({name: self._types[name] for name in first.names}))
        self.batch_rows = rows_per_batch(batch_rows, row_bytes)
        self._block = min(max(BLOCK, BLOCK_ROWS * round(row_bytes)), LARGEST_BLOCK)

    def fingerprint(self) -> dict[str, Any]:
        """Return what `FileSource.fingerprint` does, and how the columns are read."""
        return {**super().fingerprint(), "nulls": self._nulls, "kinds": self.schema.kinds if self.schema else {}}

    def alone(self, number: int) -> Self:
        """Return the source of one of the files."""
        other = super().alone(number)
        other._dialects, other._types = [self._dialects[number]], dict(self._types)
        return other

    def _sample(self, number: int, size: int) -> Any:
        """Return the first rows of a file with the types that pyarrow infers, as a table."""
        path = self.paths[number]
        with naming(path):
            try:
                with self._open(number, size, {}, self.columns) as reader:
                    found = selected(reader.schema, self.columns, path)
                    batch = reader.read_next_batch()
            except StopIteration:
                self._rows[number] = 0
                return found.empty_table()
            except pa.ArrowInvalid as error:
                raise self._explained(str(error), number, 0) from None
            return pa.Table.from_batches([batch])

    def _parts_of_file(self, number: int, most_rows: int) -> list[Part]:
        """Return ranges of lines; a compressed file is one part."""
        path = self.paths[number]
        if path not in self._ranges:
            with reading(path):
                found = None if _compressed(path) else line_ranges(path, self._dialects[number].separator)
            self._ranges[path] = found
        ranges = self._ranges[path]
        if ranges is None:
            return super()._parts_of_file(number, most_rows)
        return [self._part(number, partial(self._read_range, number, *limits)) for limits in ranges]

    def _read_range(self, number: int, first: int, last: int) -> Iterator[Any]:
        with self.paths[number].open("rb") as file:
            file.seek(first)
            text = file.read(last - first)
        if text.strip():
            yield from self._converted(number, text)

    def _read(self, number: int, skipped: int) -> Iterator[Any]:
        row, last = 0, None
        for piece in self._converted(number):
            first, row, last = row, row + piece.num_rows, piece
            if row > skipped:
                yield piece.slice(max(skipped - first, 0))
        self._require_closed(number, last)
        self._rows[number] = row

    def _converted(self, number: int, text: bytes | None = None) -> Iterator[Any]:
        """Yield the rows of a file, or of a text of some of its lines.

        A value that the type of its column cannot hold widens the type, and reading goes on after the last piece.
        """
        names, done = list(self._types), 0
        while True:
            row = 0
            try:
                with self._open(number, self._block, self._types, names, text) as reader:
                    for piece in reader:
                        first, row = row, row + piece.num_rows
                        if row > done:
                            yield piece.slice(max(done - first, 0))
                            done = row
            except pa.ArrowInvalid as error:
                if not self._widen(str(error), number):
                    raise self._explained(str(error), number, row) from None
            else:
                return

    def _open(
        self,
        number: int,
        block: int,
        types: Mapping[str, Any],
        columns: Sequence[str] | None,
        text: bytes | None = None,
    ) -> Any:
        """Open a file, or a text of some of its lines without the header."""
        path, dialect = self.paths[number], self._dialects[number]
        require_columns(columns or (), dialect.names, str(path))
        names = None if text is None else list(dialect.names)
        return pcsv.open_csv(
            _stream(path) if text is None else pa.BufferReader(text),
            read_options=pcsv.ReadOptions(block_size=block, column_names=names),
            parse_options=pcsv.ParseOptions(delimiter=dialect.separator, newlines_in_values=True),
            convert_options=pcsv.ConvertOptions(
                null_values=self._nulls,
                strings_can_be_null=True,
                decimal_point=dialect.decimal,
                column_types=types,
                include_columns=list(columns or ()),
            ),
        )

    def _require_closed(self, number: int, last: Any) -> None:
        """Refuse a file whose last quotation mark is open: the field after it would have swallowed all further rows."""
        path, name = self.paths[number], self._dialects[number].names[-1]
        if last is None or last.num_rows == 0 or name not in last.schema.names:
            return
        value = last.column(name)[-1].as_py()
        if not isinstance(value, str) or "\n" not in value:
            return
        tail = b""
        with _stream(path) as stream:
            while block := stream.read(BLOCK):
                tail = (tail + block)[-100:]
        if not tail.rstrip().endswith(b'"'):
            raise DataError(
                f"{path}: column {name!r}: a quotation mark before {value[:40]!r} is never closed: expected one that "
                "ends the field; correct the row."
            )

    def _widen(self, said: str, number: int) -> bool:
        """Read a column with a wider type from now on, if its values allow that."""
        found = CONVERSION.match(said)
        if found is None:
            return False
        name = self._dialects[number].names[int(found[1])]
        value = re.search(r"invalid value '(.*)'", found[3], re.DOTALL)
        if value is None:
            return False
        old = self._types[name]
        try:
            inferred = pcsv.read_csv(
                pa.py_buffer(b"a,b\n" + value[1].encode() + b",1\n"),
                convert_options=pcsv.ConvertOptions(decimal_point=self._dialects[number].decimal),
            ).schema.types[0]
        except pa.ArrowInvalid:
            return False
        new = wider(old, inferred)
        if new == old or kind_of(old) not in ("empty", kind_of(new)):
            return False
        self._types[name] = new
        return True

    def _explained(self, said: str, number: int, row: int) -> DataError:
        path, dialect = self.paths[number], self._dialects[number]
        place = f"after row {row:,}" if row else "among the first rows"
        found = CONVERSION.match(said)
        if found is None:
            return DataError(
                f"{path}: {place}: {' '.join(said.split())[:200]}: expected {len(dialect.names)} fields separated by "
                f"{dialect.separator!r} in every row; correct the row, or close its quotation mark."
            )
        name = dialect.names[int(found[1])]
        if "UTF8" in found[3]:
            return not_utf8(path, name)
        return DataError(
            f"{path}: column {name!r}: {place}: got {found[3].removeprefix('invalid value ')[:100]}, expected a "
            f"{kind_of(self._types[name])} as in the rows before; correct the value, name it as a spelling of missing "
            f"(null_values), read the column as text (kinds={{{name!r}: 'text'}}) or leave it out."
        )


def _stream(path: Path) -> Any:
    """Open a file as a stream of plain text."""
    return pa.input_stream(str(path), compression="gzip" if _compressed(path) else None)


def _compressed(path: Path) -> bool:
    with reading(path), path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _dialect(path: Path) -> Dialect:
    with naming(path), _stream(path) as stream:
        head = stream.read(HEAD)
    if not head.strip():
        raise DataError(f"{path}: the file is empty: expected a header and rows.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path}: the text is UTF-16: expected UTF-8; convert it, for instance with iconv -t utf-8.")
    dialect = dialect_of(head.decode("utf-8-sig", errors="replace"))
    if not dialect.names:
        raise DataError(f"{path}: the first line is no header: expected the names of the columns.")
    require_distinct(dialect.names, str(path))
    if all(_is_number(name) for name in dialect.names):
        raise DataError(
            f"{path}: the first line holds numbers ({', '.join(dialect.names[:3])}): expected the names of the "
            "columns; put a line with names on top."
        )
    return dialect


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
