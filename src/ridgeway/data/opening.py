"""`open_data`: open rows from files of any size or from memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ridgeway.data.csv_dialect import read_dialect
from ridgeway.data.csv_source import CSVSource
from ridgeway.data.external import ExternalTable, external_table
from ridgeway.data.feather import FeatherSource
from ridgeway.data.file_source import FileSource
from ridgeway.data.files import find_files, format_of
from ridgeway.data.libsvm import LibsvmSource
from ridgeway.data.memory import TableSource, arrays_source, as_table
from ridgeway.data.origin import Origin
from ridgeway.data.pandas_index import csv_index, index_columns, warn_of_index
from ridgeway.data.parquet import ParquetSource
from ridgeway.data.shuffled import shuffled
from ridgeway.data.source import Source
from ridgeway.machine.available_memory import default_memory
from ridgeway.validation.names import listed_texts


def open_data(
    source: Any,
    *,
    batch_rows: int | None = None,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    null_values: Sequence[str] = (),
    lenient: Sequence[str] = (),
    needed: Sequence[str] = (),
    index: bool = False,
    shuffle: bool = False,
    random_state: int = 0,
    memory: int | None = None,
) -> Source:
    """Open rows for reading in batches, in the order of the data or in random order.

    Parameters
    ----------
    source : path of a file (Parquet, CSV, Feather or Arrow IPC, LIBSVM text; text also compressed as .gz, .bz2, .xz,
        .zst or .zip), of a folder, or a pattern; or a tuple (X, y) of arrays; or a data frame or Arrow table; or a
        database, a remote file, a workbook or an Arrow stream, see `ridgeway.data.external_table`.
    batch_rows : rows per batch; by default as many as take about 32 MB, at most 32,768.
    columns : names of the columns to read, None for all.
    kinds : kinds of columns of CSV files, such as "text" or "number", which replace those inferred from the first rows.
    null_values : spellings of a missing value in CSV files besides the usual ones (empty, NA, null, ...).
    lenient : columns of CSV files that are read as text if they mix numbers and text; in others this is an error.
    needed : columns of CSV files that must hold numbers, as a target does: messages about texts in them do not suggest
        to leave them out.
    index : whether to read the index of a pandas data frame, or of a file that pandas wrote, as a column. By default it
        is left out, with a warning if it has a name. A model sets it for rows to predict; then messages about their
        values name no options of a fit.
    shuffle : whether to read rows in random order, each once (see `ridgeway.data.ShuffledSource`): parts of the data in
        random order, and their rows permuted in a buffer. A compressed file can only be read from start to end, so its
        rows are permuted in the buffer only.
    random_state : seed of the random order, 0 or more.
    memory : limit in bytes, of which the buffer takes half; None for a quarter of the available memory.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = open_data(pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]}), batch_rows=2)
    >>> source.schema.kinds, source.n_rows
    ({'a': 'number', 'b': 'text'}, 3)
    >>> [batch.num_rows for batch in source.batches()]
    [2, 1]
    """
    columns = None if columns is None else listed_texts("columns", columns)
    null_values, lenient = listed_texts("null_values", null_values), listed_texts("lenient", lenient)
    opened = _opened(source, batch_rows, columns, kinds, null_values, lenient, index, needed)
    if not shuffle:
        return opened
    return shuffled(opened, default_memory() if memory is None else memory, random_state)


def _opened(
    source: Any,
    batch_rows: int | None,
    columns: Sequence[str] | None,
    kinds: Mapping[str, str] | None,
    null_values: Sequence[str],
    lenient: Sequence[str],
    index: bool,
    needed: Sequence[str],
) -> Source:
    if isinstance(source, Source):
        return source
    source = located(source)
    if isinstance(source, ExternalTable):
        local = source.local(columns)
        if not isinstance(local, Path):
            return TableSource(local, columns, batch_rows, source.name)
        origin = Origin(source.name, str(local), source)
        with origin.named():
            opened: Source = _opened(local, batch_rows, columns, kinds, null_values, lenient, index, needed)
        opened.name, opened.origin = source.name, origin
        return opened
    if isinstance(source, tuple) and len(source) == 2:
        return arrays_source(*source, columns, batch_rows)
    if not isinstance(source, str | os.PathLike):
        return TableSource(as_table(source, index=index or columns is not None), columns, batch_rows)
    opened = _file_source(find_files(source), columns, batch_rows, kinds, null_values, lenient, index, needed)
    if isinstance(opened, FileSource):
        warn_of_index(opened.index_names, opened.name)
    return opened


def _file_source(
    paths: list[Path],
    columns: Sequence[str] | None = None,
    batch_rows: int | None = None,
    kinds: Mapping[str, str] | None = None,
    null_values: Sequence[str] = (),
    lenient: Sequence[str] = (),
    index: bool = False,
    needed: Sequence[str] = (),
) -> Source:
    """Return the source of files of one format; see `open_data`."""
    match format_of(paths):
        case "parquet":
            return ParquetSource(paths, columns, batch_rows, index)
        case "feather":
            return FeatherSource(paths, columns, batch_rows, index)
        case "libsvm":
            return LibsvmSource(paths, batch_rows)
        case "csv":
            return CSVSource(paths, columns, batch_rows, kinds or {}, null_values, lenient, index, needed)
        case unknown:
            raise AssertionError(f"no source reads files of format {unknown!r}")


@dataclass(frozen=True)
class ColumnNames:
    """The names of the columns of data.

    Attributes
    ----------
    source_name : name of the data in messages.
    names : the columns.
    index : columns of a pandas index, which are not among the names.
    """

    source_name: str
    names: list[str]
    index: list[str]


def column_names(source: Any) -> ColumnNames | None:
    """Return the names of the columns without reading values; None for sparse rows, which have no names.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_names(pa.table({"a": [1], "b": ["x"]})).names
    ['a', 'b']
    """
    source = located(source)
    if isinstance(source, ExternalTable):
        schema = source.schema()
        if schema is not None:
            return _names_of(schema, source.name)
        found = column_names(source.local(None))
        return None if found is None else replace(found, source_name=source.name)
    if isinstance(source, str | os.PathLike):
        paths = find_files(source)
        form = format_of(paths)
        if form == "csv":  # whose header is enough: a source would infer types from the first rows
            names = list(read_dialect(paths[0]).names)
            index = csv_index(names)
            return ColumnNames(str(paths[0]), [name for name in names if name not in index], index)
        if form == "libsvm":  # a source would read all rows
            return None
        return _names_in(_file_source(paths))
    if isinstance(source, Source):
        return None if source.schema is None else ColumnNames(source.name, source.schema.names, [])
    if isinstance(source, tuple):
        return column_names(open_data(source))
    return _names_of(as_table(source, index=True).schema, "the table")


def located(data: Any) -> Any:
    """Return the `ExternalTable` of data that are neither local files nor in memory, so that they are read only once.

    Other data are returned as they are.
    """
    return data if isinstance(data, Source) else external_table(data) or data


def _names_of(schema: Any, source_name: str) -> ColumnNames:
    index = index_columns(schema)
    return ColumnNames(source_name, [name for name in schema.names if name not in index], index)


def _names_in(source: Source) -> ColumnNames:
    assert isinstance(source, FileSource)
    assert source.schema is not None
    return ColumnNames(source.name, source.schema.names, source.index_names)
