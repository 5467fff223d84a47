"""Parquet files: row groups are skipped by their counts, strings are read as dictionary codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from ridgeway.data.arrow import pa, pq
from ridgeway.data.data_error import DataError
from ridgeway.data.file_source import FileSource, naming, require_alike
from ridgeway.data.part import MIN_PARTS, Part
from ridgeway.data.schema import Schema, is_string
from ridgeway.data.source import rows_per_batch

# A large row group is cut into at most this many parts; reading a part decodes all rows before it.
MAX_PARTS_OF_GROUP = 8


class ParquetSource(FileSource):
    """Rows of one or more Parquet files.

    The footers of all files are read first, so differing columns and visible damage are errors before the first row.
    """

    def __init__(
        self, paths: Sequence[Path], columns: Sequence[str] | None, batch_rows: int | None, index: bool = False
    ) -> None:
        super().__init__(paths, columns, index)
        self._schema: Any = None
        size = 0
        for number, path in enumerate(self.paths):
            with naming(path):
                file = _opened(path)
                schema = self._selected(file.schema_arrow, path)
                if self._schema is None:
                    self._schema = schema
                require_alike(schema, self._schema, path, self.paths[0])
                # Row groups only: pyarrow aborts the process on some damaged metadata of their columns.
                groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
                rows = sum(group.num_rows for group in groups)
                if rows != file.metadata.num_rows or any(group.num_rows < 0 for group in groups):
                    raise DataError(
                        f"{path}: the file is damaged: its row groups have {rows:,} rows, but its footer says "
                        f"{file.metadata.num_rows:,}; write or download it again."
                    )
                self._rows[number] = rows
                size += sum(group.total_byte_size for group in groups) * len(schema) // len(file.schema_arrow)
                file.close()
        self.n_rows = sum(rows or 0 for rows in self._rows)
        if self.n_rows == 0:
            raise DataError(f"{self.name}: there are columns but no rows: expected at least one row.")
        self.schema = Schema.of(self._schema)
        self.batch_rows = rows_per_batch(batch_rows, size / self.n_rows)

    def only(self, columns: Sequence[str]) -> Self:
        """Return the source of some columns."""
        other = super().only(columns)
        other._schema = pa.schema([self._schema.field(name) for name in columns])
        return other

    def _read(self, number: int, skipped: int) -> Iterator[Any]:
        with self._opened(number) as file:
            groups: list[int] = []
            for group in range(file.metadata.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if not groups and skipped >= rows:
                    skipped -= rows
                else:
                    groups.append(group)
            yield from self._rows_of(file, groups, skipped, None)

    def _parts_of_file(self, number: int, most_rows: int) -> list[Part]:
        """Return the row groups, cut into parts if they are large or few; reading a part decodes the rows before it."""
        parts = []
        with naming(self.paths[number]), _opened(self.paths[number]) as file:
            n_groups = file.metadata.num_row_groups
            needed = -(-MIN_PARTS // (n_groups * len(self.paths)))
            for group in range(n_groups):
                rows = file.metadata.row_group(group).num_rows
                cuts = max(needed, min(-(-rows // most_rows), MAX_PARTS_OF_GROUP))
                step = max(-(-rows // cuts), 1)
                for first in range(0, rows, step):
                    n_rows = min(step, rows - first)
                    parts.append(self._part(number, partial(self._read_group, number, group, first, n_rows), n_rows))
        return parts

    def _read_group(self, number: int, group: int, skipped: int, n_rows: int) -> Iterator[Any]:
        with self._opened(number) as file:
            yield from self._rows_of(file, [group], skipped, n_rows)

    def _rows_of(self, file: Any, groups: list[int], skipped: int, n_rows: int | None) -> Iterator[Any]:
        """Yield rows of row groups without the first `skipped`, and no more than `n_rows` of them."""
        for piece in file.iter_batches(self.batch_rows, row_groups=groups, columns=self._schema.names):
            if skipped >= piece.num_rows:
                skipped -= piece.num_rows
                continue
            piece.validate(full=True)  # damage that decodes: text that is not UTF-8, codes without a level
            rows = piece.slice(skipped, n_rows).select(self._schema.names)
            skipped = 0
            yield rows
            if n_rows is not None:
                n_rows -= rows.num_rows
                if n_rows == 0:
                    return

    def _opened(self, number: int) -> Any:
        return _opened(self.paths[number], [field.name for field in self._schema if is_string(field.type)])


def _opened(path: Path, dictionaries: Sequence[str] = ()) -> Any:
    return pq.ParquetFile(path, pre_buffer=False, read_dictionary=list(dictionaries), page_checksum_verification=True)
