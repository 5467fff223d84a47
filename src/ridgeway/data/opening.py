"""open_data: one door for rows from files of any size and from memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ridgeway.data.csv_dialect import read_dialect
from ridgeway.data.delimited import CSVSource
from ridgeway.data.feather import FeatherSource
from ridgeway.data.file_source import FileSource
from ridgeway.data.files import find_files, format_of
from ridgeway.data.libsvm import LibsvmSource
from ridgeway.data.memory import TableSource, arrays_source, as_table
from ridgeway.data.pandas_index import csv_index, index_columns, warn_of_index
from ridgeway.data.parquet import ParquetSource
from ridgeway.data.shuffled import shuffled
from ridgeway.data.source import Source
from ridgeway.machine.available_memory import default_memory


def open_data(
    source: Any,
    *,
    batch_rows: int | None = None,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    null_values: Sequence[str] = (),
    lenient: Sequence[str] = (),
    index: bool = False,
    shuffle: bool = False,
    random_state: int = 0,
    memory: int | None = None,
) -> Source:
    """Open rows for reading in batches, in the order of the data or in random order.

    Parameters
    ----------
    source : path of a file (Parquet, CSV, Feather or Arrow IPC, LIBSVM text; text also compressed as .gz, .bz2, .xz,
        .zst or .zip), of a folder, or a pattern; or a tuple (X, y) of arrays; or a data frame or Arrow table.
    batch_rows : rows per batch; by default as many as take some 32 MB, at most 32,768.
    columns : names of the columns to read, None for all.
    kinds : how to read columns of CSV files, "text" or "number", where the guess from the first rows would be wrong.
    null_values : spellings of a missing value in CSV files besides the usual ones (empty, NA, null, ...).
    lenient : columns of CSV files that are read as text, not refused, if they mix numbers and text.
    index : whether the index of a pandas data frame, or of a file that pandas wrote, is among the columns when these
        are not named. It labels rows, and is left out otherwise, with a warning if it has a name.
    shuffle : whether rows come in random order, each once (see `ridgeway.data.ShuffledSource`): parts of the data in
        random order, and their rows through a buffer. A compressed file, which can be read in one order only, has
        nothing but the buffer.
    random_state : seed of the random order, 0 or more.
    memory : bytes allowed, of which the buffer takes half; None for a quarter of what the machine has available.

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = open_data(pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]}), batch_rows=2)
    >>> source.schema.kinds, source.n_rows
    ({'a': 'number', 'b': 'text'}, 3)
    >>> [batch.num_rows for batch in source.batches()]
    [2, 1]
    """
    opened = _opened(source, batch_rows, columns, kinds, null_values, lenient, index)
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
) -> Source:
    if isinstance(source, Source):
        return source
    if isinstance(source, tuple) and len(source) == 2:
        return arrays_source(*source, columns, batch_rows)
    if not isinstance(source, str | os.PathLike):
        return TableSource(as_table(source, index=index or columns is not None), columns, batch_rows)
    opened: Source
    paths = find_files(source)
    match format_of(paths):
        case "parquet":
            opened = ParquetSource(paths, columns, batch_rows, index)
        case "feather":
            opened = FeatherSource(paths, columns, batch_rows, index)
        case "libsvm":
            opened = LibsvmSource(paths, batch_rows)
        case _:
            opened = CSVSource(paths, columns, batch_rows, kinds or {}, null_values, lenient, index)
    if isinstance(opened, FileSource):
        warn_of_index(opened.index_names, opened.name)
    return opened


@dataclass(frozen=True)
class ColumnNames:
    """The names of the columns of data.

    Attributes
    ----------
    place : what messages call the data.
    names : the columns.
    index : those of a pandas index, which are not among them.
    """

    place: str
    names: list[str]
    index: list[str]


def column_names(source: Any) -> ColumnNames | None:
    """Return the names of the columns before any value is read; None for sparse rows, which have none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_names(pa.table({"a": [1], "b": ["x"]})).names
    ['a', 'b']
    """
    if isinstance(source, str | os.PathLike):
        paths = find_files(source)
        match format_of(paths):
            case "parquet":
                return _names_in(ParquetSource(paths, None, None))
            case "feather":
                return _names_in(FeatherSource(paths, None, None))
            case "libsvm":
                return None
            case _:
                names = list(read_dialect(paths[0]).names)
                index = csv_index(names)
                return ColumnNames(str(paths[0]), [name for name in names if name not in index], index)
    if isinstance(source, Source):
        return None if source.schema is None else ColumnNames(source.name, source.schema.names, [])
    if isinstance(source, tuple):
        return column_names(open_data(source))
    schema = as_table(source, index=True).schema
    index = index_columns(schema)
    return ColumnNames("the table", [name for name in schema.names if name not in index], index)


def _names_in(source: FileSource) -> ColumnNames:
    assert source.schema is not None
    return ColumnNames(source.name, source.schema.names, source.index_names)
