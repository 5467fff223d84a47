"""`predict_table`: predict a table of any size, batch by batch, and write it with one more column for each target."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from pyarrow.csv import CSVWriter
from pyarrow.parquet import ParquetWriter

from ridgeway.data import DataError, Source, prefetch
from ridgeway.data.arrow import pa
from ridgeway.data.schema import type_name
from ridgeway.intervals.conformal import ConformalWidth
from ridgeway.messages.progress import Progress
from ridgeway.storage.atomic_file import atomic_file
from ridgeway.tables.size import guess_rows
from ridgeway.tables.table_model import TableModel

PREDICTION_COLUMN = "prediction"
PARQUET_ENDINGS = (".parquet", ".pq", ".parq")
CSV_ENDINGS = (".csv",)


@dataclass(frozen=True)
class Predicted:
    """The result of a prediction.

    Attributes
    ----------
    rows : number of rows.
    columns : names of the columns of predictions, the last ones: one for each target, then the ends of its interval.
    ignored : columns of the table that the model does not use, including the target.
    """

    rows: int
    columns: tuple[str, ...]
    ignored: tuple[str, ...]

    @property
    def column(self) -> str:
        """Name of the first column of predictions."""
        return self.columns[0]


def predict_table(
    model: TableModel,
    data: Any,
    out: str | os.PathLike[str] | IO[bytes] | None,
    *,
    interval: float | None = None,
    normalized: bool = False,
    progress: bool = False,
) -> Predicted:
    """Write the rows of a table with their predictions as the last column, or as the last ones for several targets.

    Parameters
    ----------
    model : the model.
    data : path of a file, of a folder, or a pattern; or a data frame or Arrow table.
    out : a file that ends in .parquet or .csv, written completely or not at all; None writes CSV to standard output.
    interval : coverage of prediction intervals, such as 0.9, which are two more columns for each target; None writes
        none.
    normalized : make intervals wider where errors are larger, as in `AveragedSGDRegressor.predict_interval`.
    progress : show a progress bar.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> from pathlib import Path
    >>> from ridgeway.tables import Request, fit_table, predict_table
    >>> table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [3.0, 5.0, 7.0, 9.0]})
    >>> model = fit_table(table, Request(target="y", averaging="last"))
    >>> file = Path(tempfile.mkdtemp()) / "predictions.parquet"
    >>> predict_table(model, table, file)
    Predicted(rows=4, columns=('prediction',), ignored=('y',))
    >>> pq.read_table(file).column_names
    ['x', 'y', 'prediction']
    """
    parquet = _is_parquet(out)
    if normalized and interval is None:
        raise ValueError("normalized=True needs intervals: expected their coverage; add interval=0.9.")
    width = None if interval is None else model.model.interval_width(interval, normalized=normalized)
    source = model.open(data)
    names = [] if source.schema is None else source.schema.names
    columns = _new_columns(model, names, ("", "_low", "_high") if width is not None else ("",))
    known = set(model.columns)
    bar = Progress(guess_rows(source), shown=progress)
    rows = 0
    with closing(bar), closing(_predicted(model, source, columns, width)) as batches, _opened(out) as file:
        writer: Any = None
        for batch in batches:
            table = batch if parquet else _plain(_shortest(batch, model, columns), source.name)
            if writer is None:
                writer = (ParquetWriter if parquet else CSVWriter)(file, table.schema)
            writer.write(table)
            rows += batch.num_rows
            bar.add(batch.num_rows)
        writer.close()  # sources without rows are refused
    return Predicted(rows, columns, tuple(name for name in names if name not in known))


def _new_columns(model: TableModel, names: Sequence[str], endings: Sequence[str]) -> tuple[str, ...]:
    """Return names for the columns of predictions that differ from those of all other columns."""
    single = isinstance(model.target, str | None)
    firsts = [PREDICTION_COLUMN] if single else [f"{PREDICTION_COLUMN}_{target}" for target in model.targets]
    wanted = [f"{first}{ending}" for first in firsts for ending in endings]
    taken, columns = set(names), []
    for name in wanted:
        column = name
        while column in taken:
            column += "_"
        taken.add(column)
        columns.append(column)
    return tuple(columns)


def _predicted(
    model: TableModel, source: Source, columns: Sequence[str], width: ConformalWidth | None
) -> Generator[Any, None, None]:
    """Yield the batches with their predictions; a thread predicts while the consumer writes."""

    def predicted(batch: Any) -> Any:
        predictions = model.predict_batch(batch, source.name, width).reshape(-1, len(columns))
        new = {column: pa.array(predictions[:, place]) for place, column in enumerate(columns)}
        if source.schema is None:
            return pa.table(new)
        table = pa.Table.from_batches([batch])
        for column, values in new.items():
            table = table.append_column(column, values)
        return table

    yield from prefetch(map(predicted, source.batches()))


def _shortest(table: Any, model: TableModel, columns: Sequence[str]) -> Any:
    """Return the table with predictions as float32 where the model computes with it: CSV then has only their digits."""
    single = model.encoder is not None and model.encoder.dtype_ == model.coef_.dtype == np.float32
    if not single or model.log_target:
        return table
    for name in columns:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table.column(place).cast(pa.float32()))
    return table


def _is_parquet(out: str | os.PathLike[str] | IO[bytes] | None) -> bool:
    if not isinstance(out, str | os.PathLike):
        return False
    ending = Path(out).suffix.lower()
    if ending not in (*PARQUET_ENDINGS, *CSV_ENDINGS):
        raise DataError(f"{out}: unknown format for predictions: expected a path that ends in .parquet or .csv.")
    return ending in PARQUET_ENDINGS


def _plain(table: Any, source_name: str) -> Any:
    """Return a table of columns that CSV can hold, with categories as texts."""
    for number, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(field.type.value_type))
        elif pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise DataError(
                f"{source_name}: column {field.name!r} ({type_name(field.type)}) cannot be written as CSV: write the "
                "predictions to a .parquet file, or drop the column from the table."
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
