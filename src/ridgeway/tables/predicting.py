"""`predict_table`: predictions for a table of any size, batch by batch, as a table with one more column."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pyarrow.csv import CSVWriter
from pyarrow.parquet import ParquetWriter

from ridgeway.data import DataError, Source, prefetch
from ridgeway.data.arrow import pa
from ridgeway.files import atomic_file
from ridgeway.progress import Progress
from ridgeway.tables.size import guess_rows
from ridgeway.tables.table_model import TableModel

NAME = "prediction"
PARQUET = (".parquet", ".pq", ".parq")
CSV = (".csv",)


@dataclass(frozen=True)
class Predicted:
    """What was predicted.

    Attributes
    ----------
    rows : how many.
    column : name of the column of predictions, the last one.
    ignored : columns of the table that the model does not know; the target is among them when it is there.
    """

    rows: int
    column: str
    ignored: tuple[str, ...]


def predict_table(
    model: TableModel, data: Any, out: str | os.PathLike[str] | IO[bytes] | None, *, progress: bool = False
) -> Predicted:
    """Write the rows of a table with their predictions as the last column.

    Parameters
    ----------
    model : the model.
    data : path of a file, of a folder, or a pattern; or a data frame or Arrow table.
    out : a file that ends in .parquet or .csv, which is there as a whole or not at all; None writes CSV to standard
        output.
    progress : show a bar.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> from pathlib import Path
    >>> from ridgeway.tables import Request, fit_table, predict_table
    >>> table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [3.0, 5.0, 7.0, 9.0]})
    >>> model = fit_table(table, Request(target="y", averaging="last"))
    >>> file = Path(tempfile.mkdtemp()) / "predictions.parquet"
    >>> predict_table(model, table, file)
    Predicted(rows=4, column='prediction', ignored=('y',))
    >>> pq.read_table(file).column_names
    ['x', 'y', 'prediction']
    """
    parquet = _is_parquet(out)
    source = model.open(data)
    names = [] if source.schema is None else source.schema.names
    column = NAME
    while column in names:
        column += "_"
    known = set(model.columns)
    bar = Progress(guess_rows(source), shown=progress)
    rows = 0
    with closing(bar), closing(_predicted(model, source, column)) as batches, _opened(out) as file:
        writer: Any = None
        for batch in batches:
            table = batch if parquet else _plain(batch, source.name)
            if writer is None:
                writer = (ParquetWriter if parquet else CSVWriter)(file, table.schema)
            writer.write(table)
            rows += batch.num_rows
            bar.add(batch.num_rows)
        writer.close()  # sources without rows are refused
    return Predicted(rows, column, tuple(name for name in names if name not in known))


def _predicted(model: TableModel, source: Source, column: str) -> Generator[Any, None, None]:
    """Yield the batches with their predictions, made in the background while the consumer writes."""

    def predicted(batch: Any) -> Any:
        predictions = pa.array(model.predict_batch(batch, source.name))
        if source.schema is None:
            return pa.table({column: predictions})
        return pa.Table.from_batches([batch]).append_column(column, predictions)

    yield from prefetch(map(predicted, source.batches()))


def _is_parquet(out: str | os.PathLike[str] | IO[bytes] | None) -> bool:
    if not isinstance(out, str | os.PathLike):
        return False
    ending = Path(out).suffix.lower()
    if ending not in (*PARQUET, *CSV):
        raise DataError(f"{out}: unknown format of predictions: expected a name that ends in .parquet or .csv.")
    return ending in PARQUET


def _plain(table: Any, place: str) -> Any:
    """Return a table of columns that CSV can hold: categories as their texts."""
    for number, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(field.type.value_type))
        elif pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise DataError(
                f"{place}: column {field.name!r} ({field.type}) has no form in CSV: write the predictions to a "
                ".parquet file, or leave the column out of the table."
            )
    return table


@contextmanager
def _opened(out: str | os.PathLike[str] | IO[bytes] | None) -> Iterator[IO[bytes]]:
    if isinstance(out, str | os.PathLike):
        with atomic_file(out) as file:
            yield file
        return
    file = sys.stdout.buffer if out is None else out
    yield file
    file.flush()
