"""CSV files, also compressed: dialect and types from the first rows, then blocks of 1 MB, larger for wide tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from ridgeway.data.arrow import pa, pc, pcsv
from ridgeway.data.broken_line import broken_line
from ridgeway.data.common_type import wider
from ridgeway.data.compression import is_compressed, open_text
from ridgeway.data.csv_dialect import Dialect, read_dialect
from ridgeway.data.csv_types import (
    AS_IN_THE_FIT,
    column_type,
    given_type,
    inferred_type,
    not_utf8,
    null_spellings,
    remedies,
)
from ridgeway.data.data_error import DataError
from ridgeway.data.file_source import FileSource, naming, require_alike
from ridgeway.data.files import reading
from ridgeway.data.line_ranges import line_ranges
from ridgeway.data.pandas_index import csv_index
from ridgeway.data.part import Part
from ridgeway.data.schema import Schema, kind_of, require_columns
from ridgeway.data.source import rows_per_batch

MIN_BLOCK_BYTES, MAX_BLOCK_BYTES = 1 << 20, 16 << 20
MIN_BLOCK_ROWS = 512  # unless the block is too large; each column of a block has a fixed cost
MIN_BLOCK_LINES = 4  # lines of the longest length that fit in a block
SAMPLE_BYTES = 8 << 20  # of the first file, from which types are inferred
OTHER_SAMPLE_BYTES = 1 << 18  # of each further file

QUOTE = "'"  # around values in messages of pyarrow
CONVERSION = re.compile(r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to ([^:]+): (.*)", re.DOTALL)


class CSVSource(FileSource):
    """Rows of one or more CSV files.

    Types are inferred from the first 8 MB. If a column of whole numbers has decimals later, its type is widened. Text
    in a column of numbers is an error that names the value.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        columns: Sequence[str] | None,
        batch_rows: int | None,
        kinds: Mapping[str, str],
        null_values: Sequence[str],
        lenient: Sequence[str] = (),
        index: bool = False,
        needed: Sequence[str] = (),
    ) -> None:
        super().__init__(paths, columns, index)
        self._needed, self._lenient = frozenset(needed), frozenset(lenient)
        self.n_rows = None
        self._nulls = null_spellings(null_values)
        self._dialects: list[Dialect] = []
        self._types: dict[str, Any] = {}
        self._ranges: dict[Path, list[tuple[int, int]] | None] = {}  # ranges of lines of files that were cut
        first: Any = None
        longest = 0
        for number, path in enumerate(self.paths):
            self._dialects.append(read_dialect(path))
            longest = max(longest, self._dialects[number].longest_line)
            size = SAMPLE_BYTES if number == 0 else OTHER_SAMPLE_BYTES
            sample = self._sample(number, max(size, MIN_BLOCK_LINES * longest))
            if first is None:
                first, row_bytes = sample.schema, sample.nbytes / max(sample.num_rows, 1)
            require_alike(sample.schema, first, path, self.paths[0])
            for name, column in zip(sample.schema.names, sample.columns, strict=True):
                if name in kinds:
                    found = given_type(kinds[name], name)
                else:
                    found = column_type(
                        column,
                        name,
                        path,
                        decimal=self._dialects[number].decimal,
                        mixed_as_text=name in lenient,
                        of_model=index,
                        needed=name in needed,
                    )
                self._types[name] = wider(self._types.get(name, found), found)
        if columns is None:
            require_columns(kinds, self._types, self.name)
        if all(rows == 0 for rows in self._rows):
            raise DataError(f"{self.name}: there is a header but no rows: expected at least one row below it.")
        self.batch_rows = rows_per_batch(batch_rows, row_bytes)
        block = min(max(MIN_BLOCK_BYTES, MIN_BLOCK_ROWS * round(row_bytes)), MAX_BLOCK_BYTES)
        self._block = max(block, MIN_BLOCK_LINES * longest)
        self._keep_zeros()
        self.schema = Schema.of(pa.schema({name: self._types[name] for name in first.names}))

    def fingerprint(self) -> dict[str, Any]:
        """Return the fingerprint of `FileSource`, and the types of the columns."""
        return {**super().fingerprint(), "nulls": self._nulls, "kinds": self.schema.kinds if self.schema else {}}

    def alone(self, number: int) -> Self:
        """Return the source of one of the files."""
        other = super().alone(number)
        other._dialects, other._types = [self._dialects[number]], dict(self._types)
        return other

    def only(self, columns: Sequence[str]) -> Self:
        """Return the source of some columns."""
        other = super().only(columns)
        other._types = {name: self._types[name] for name in columns}
        return other

    def _sample(self, number: int, size: int) -> Any:
        """Return the first rows of a file with the types that pyarrow infers, as a table."""
        path = self.paths[number]
        with naming(path):
            try:
                with self._open(number, size, {}, self.columns) as reader:
                    found = self._selected(reader.schema, path)
                    batch = reader.read_next_batch()
            except StopIteration:
                self._rows[number] = 0
                return found.empty_table()
            except pa.ArrowInvalid as error:
                raise self._explained(str(error), number, 0) from None
            return pa.Table.from_batches([batch]).select(found.names)

    def _index_in(self, schema: Any) -> list[str]:
        return csv_index(schema.names)

    def _parts_of_file(self, number: int, most_rows: int) -> list[Part]:
        """Return ranges of lines; a compressed file is one part."""
        path = self.paths[number]
        if path not in self._ranges:
            with reading(path):
                found = None if is_compressed(path) else line_ranges(path, self._dialects[number].separator)
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

        A value that does not fit the type of its column widens the type, and reading continues after the last piece.
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
                if not self._widen(str(error), number, row, text):
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
            open_text(path) if text is None else pa.BufferReader(text),
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
        """Raise an error for a file whose last quotation mark is open: its field would include all further rows."""
        path, name = self.paths[number], self._dialects[number].names[-1]
        if last is None or last.num_rows == 0 or name not in last.schema.names:
            return
        value = last.column(name)[-1].as_py()
        if not isinstance(value, str) or "\n" not in value:
            return
        tail = b""
        with open_text(path) as stream:
            while block := stream.read(MIN_BLOCK_BYTES):
                tail = (tail + block)[-100:]
        if not tail.rstrip().endswith(b'"'):
            raise DataError(
                f"{path}: column {name!r}: a quotation mark before {value[:40]!r} is never closed: expected one that "
                "ends the field; correct the row."
            )

    def _widen(self, said: str, number: int, row: int, text: bytes | None) -> bool:
        """Widen the types of columns from now on, if the values of the block after this row allow it.

        All columns of the block are checked at once, because each widening reads the file again.
        """
        found = CONVERSION.match(said)
        if found is None or "UTF8" in found[3]:
            return False
        failed = self._dialects[number].names[int(found[1])]
        before = self._types[failed]
        names = [name for name, kind in self._types.items() if _may_widen(kind) or self._becomes_text(name)]
        if failed not in names:
            return False
        try:
            piece = self._block_after(number, row, names, text)
        except pa.ArrowInvalid:
            return False
        for name, column in zip(piece.schema.names, piece.columns, strict=True):
            old = self._types[name]
            inferred = inferred_type(column, old, self._dialects[number].decimal, self._nulls)
            new = wider(old, inferred)
            if kind_of(old) in ("empty", kind_of(new)) and kind_of(inferred) in ("empty", kind_of(new)):
                self._types[name] = new
            elif self._becomes_text(name):
                self._types[name] = pa.string()
        return bool(self._types[failed] != before)

    def _becomes_text(self, name: str) -> bool:
        """Return whether a column that mixes types is text."""
        return name in self._lenient and kind_of(self._types[name]) in ("number", "boolean", "time")

    def _keep_zeros(self) -> None:
        """Let columns that are only passed on be text if a number begins with zeros, as codes do."""
        names = [name for name in self._lenient if pa.types.is_integer(self._types.get(name, pa.null()))]
        if names and self._rows[0] != 0:
            for name, column in zip(names, self._block_after(0, 0, names, None).columns, strict=True):
                if pc.any(pc.match_substring_regex(column, r"^\s*[-+]?0\d")).as_py():
                    self._types[name] = pa.string()

    def _block_after(self, number: int, row: int, names: Sequence[str], text: bytes | None) -> Any:
        """Return these columns of the block that follows a row, as text."""
        last = 0
        with self._open(number, self._block, dict.fromkeys(names, pa.string()), names, text) as reader:
            for piece in reader:
                last += piece.num_rows
                if last > row:
                    return piece
        raise pa.ArrowInvalid("the file became shorter")

    def _explained(self, said: str, number: int, row: int) -> DataError:
        path, dialect = self.paths[number], self._dialects[number]
        place = f"after row {row:,}: " if row else ""
        found = CONVERSION.match(said)
        if found is None:
            return broken_line(path, dialect) or DataError(
                f"{path}: {place}{' '.join(said.split())[:200]}: expected {len(dialect.names)} fields separated by "
                f"{dialect.separator!r} in every row; correct the row, or close its quotation mark."
            )
        name = dialect.names[int(found[1])]
        if "UTF8" in found[3]:
            return not_utf8(path, name)
        value = found[3].removeprefix("invalid value ")[:100]
        if self._index and kind_of(self._types[name]) == "number":
            return DataError(f"{path}: column {name!r}: {place}got {value}: {AS_IN_THE_FIT}")
        return DataError(
            f"{path}: column {name!r}: {place}got {value}, expected a {kind_of(self._types[name])} as in the rows "
            f"before; correct the value, or {remedies(name, [value.strip(QUOTE)], name in self._needed)}"
        )


def _may_widen(kind: Any) -> bool:
    """Return whether a column of this type may need a wider type later."""
    return kind_of(kind) in ("empty", "number", "time") and not pa.types.is_floating(kind)
