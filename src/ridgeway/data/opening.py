"""open_data: one door for rows from files of any size and from memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ridgeway.available_memory import default_memory
from ridgeway.data.delimited import CSVSource
from ridgeway.data.feather import FeatherSource
from ridgeway.data.files import find_files, format_of
from ridgeway.data.libsvm import LibsvmSource
from ridgeway.data.memory import TableSource, arrays_source, as_table
from ridgeway.data.parquet import ParquetSource
from ridgeway.data.shuffled import shuffled
from ridgeway.data.source import Source


def open_data(
    source: Any,
    *,
    batch_rows: int | None = None,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    null_values: Sequence[str] = (),
    shuffle: bool = False,
    random_state: int = 0,
    memory: int | None = None,
) -> Source:
    """Open rows for reading in batches, in the order of the data or in random order.

    Parameters
    ----------
    source : path of a file (Parquet, CSV, CSV.gz, Feather or Arrow IPC, LIBSVM text), of a folder, or a pattern; or
        a tuple (X, y) of arrays; or a data frame or Arrow table.
    batch_rows : rows per batch; by default as many as take some 32 MB, at most 32,768.
    columns : names of the columns to read, None for all.
    kinds : how to read columns of CSV files, "text" or "number", where the guess from the first rows would be wrong.
    null_values : spellings of a missing value in CSV files besides the usual ones (empty, NA, null, ...).
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
    opened = _opened(source, batch_rows, columns, kinds, null_values)
    if not shuffle:
        return opened
    return shuffled(opened, default_memory() if memory is None else memory, random_state)


def _opened(
    source: Any,
    batch_rows: int | None,
    columns: Sequence[str] | None,
    kinds: Mapping[str, str] | None,
    null_values: Sequence[str],
) -> Source:
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        paths = find_files(source)
        match format_of(paths):
            case "parquet":
                return ParquetSource(paths, columns, batch_rows)
            case "feather":
                return FeatherSource(paths, columns, batch_rows)
            case "libsvm":
                return LibsvmSource(paths, batch_rows)
            case _:
                return CSVSource(paths, columns, batch_rows, kinds or {}, null_values)
    if isinstance(source, tuple) and len(source) == 2:
        return arrays_source(*source, columns, batch_rows)
    return TableSource(as_table(source), columns, batch_rows)
