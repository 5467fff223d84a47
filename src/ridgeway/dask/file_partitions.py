"""Partitions of files: ranges of row groups of Parquet files, and other files one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ridgeway.dask.partition import BYTES_PER_NUMBER, Partition
from ridgeway.data import DataError, open_data
from ridgeway.data.arrow import pa, pq
from ridgeway.data.common_type import joined_record_batches
from ridgeway.data.file_source import FileSource, naming
from ridgeway.data.files import FileMark
from ridgeway.data.parquet import ParquetSource

SINGLE_PRECISION_TYPES = (pa.float32(), pa.float16())


@dataclass(frozen=True)
class RowGroups:
    """Neighbouring row groups of a Parquet file."""

    mark: FileMark
    first: int
    last: int
    columns: tuple[str, ...]
    texts: tuple[str, ...]  # those among them that are read as codes

    def glimpse(self) -> RowGroups:
        """Return the first of these row groups."""
        return replace(self, last=self.first)

    def load(self) -> Any:
        """Read these row groups."""
        path = self.mark.path
        self.mark.require_same()
        with naming(path), pq.ParquetFile(path, pre_buffer=False, read_dictionary=list(self.texts)) as file:
            groups = list(range(self.first, self.last + 1))
            return file.read_row_groups(groups, columns=list(self.columns), use_threads=False)


@dataclass(frozen=True, eq=False)
class WholeFile:
    """A file that is read from its beginning to its end."""

    source: FileSource

    def load(self) -> Any:
        """Read it."""
        pieces = list(self.source.pieces())
        if not pieces:
            assert self.source.schema is not None
            return pa.table({name: pa.array([], pa.float64()) for name in self.source.schema.names})
        return pa.Table.from_batches([joined_record_batches(pieces)])


class FileTable(NamedTuple):
    """Files of a table: their source, their partitions, and the columns that are float32 in all of them."""

    source: FileSource
    partitions: list[Partition]
    singles: frozenset[str]


def file_table(data: Any, partition_bytes: int, columns: Sequence[str] | None = None, **reading: Any) -> FileTable:
    """Return the table of a path, folder or pattern, in partitions of about so many bytes once loaded."""
    source = open_data(data, columns=columns, **reading)
    if not isinstance(source, FileSource):
        raise DataError(
            f"{source.name}: LIBSVM text cannot be split into partitions: expected Parquet, CSV or Feather files; "
            "convert it, or pass a dask array of CSR blocks."
        )
    assert source.schema is not None
    found: list[tuple[str, Any]] = []
    singles = frozenset(source.schema.names)
    for number, path in enumerate(source.paths):
        if isinstance(source, ParquetSource):
            with naming(path), pq.ParquetFile(path, pre_buffer=False) as file:
                found += _ranges(source.alone(number), file, path, partition_bytes)
                singles &= {field.name for field in file.schema_arrow if field.type in SINGLE_PRECISION_TYPES}
        else:
            found.append((str(path), WholeFile(source.alone(number))))
            singles = frozenset()
    partitions = [Partition(number, name, loader) for number, (name, loader) in enumerate(found)]
    return FileTable(source, partitions, singles)


def _ranges(source: FileSource, file: Any, path: Path, partition_bytes: int) -> list[tuple[str, RowGroups]]:
    assert source.schema is not None
    columns = tuple(source.schema.names)
    texts = tuple(column.name for column in source.schema if column.kind == "text")
    rows = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
    most = max(1, partition_bytes // (BYTES_PER_NUMBER * len(columns)))
    ranges: list[tuple[str, RowGroups]] = []
    first = 0
    for last in range(len(rows)):
        if last + 1 == len(rows) or sum(rows[first : last + 2]) > most:
            name = f"{path}, row groups {first} to {last}" if len(rows) > 1 else str(path)
            ranges.append((name, RowGroups(source.marks[0], first, last, columns, texts)))
            first = last + 1
    return ranges
