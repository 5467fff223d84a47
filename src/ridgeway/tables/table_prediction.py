"""`predict_table`: predict a table of any size, batch by batch, and write it with one more column for each target."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from pyarrow.csv import CSVWriter, WriteOptions
from pyarrow.parquet import ParquetWriter

from ridgeway.data import DataError, Source, prefetch
from ridgeway.data.arrow import pa
from ridgeway.data.common_type import wider
from ridgeway.data.schema import type_name
from ridgeway.intervals.conformal import ConformalWidth
from ridgeway.messages.progress import Progress
from ridgeway.storage.atomic_file import atomic_file
from ridgeway.tables.size import guess_rows
from ridgeway.tables.table_model import TableModel

PREDICTION_COLUMN = "prediction"
PARQUET_ENDINGS = (".parquet", ".pq", ".parq")
CSV_ENDINGS = (".csv",)

Batches: TypeAlias = Callable[[], AbstractContextManager[Generator[Any, None, None]]]


@dataclass(frozen=True)
class Predicted:
    """The result of a prediction.

    Attributes
    ----------
    rows : number of rows.
    columns : names of the columns of predictions, the last ones: one for each target, then the ends of its interval.
    ignored : columns of the table that the model does not use, including the target.
    unseen : columns with levels that the fit has not seen: the number of rows with such levels, and one of these.
    """

    rows: int
    columns: tuple[str, ...]
    ignored: tuple[str, ...]
    unseen: Mapping[str, tuple[int, str]] = field(default_factory=dict)

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
    Predicted(rows=4, columns=('prediction',), ignored=('y',), unseen={})
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
    unseen: dict[str, tuple[int, str]] = {}
    with closing(Progress(guess_rows(source), shown=progress)) as bar, _opened(out) as file:

        def batches() -> AbstractContextManager[Generator[Any, None, None]]:
            unseen.clear()
            return closing(_predicted(model, source, columns, width, _written_type(model, parquet), unseen))

        rows = _write_parquet(batches, file, bar) if parquet else _write_csv(batches, file, bar, source.name)
    return Predicted(rows, columns, tuple(name for name in names if name not in known), unseen)


def _write_csv(batches: Batches, file: IO[bytes], bar: Progress, source_name: str) -> int:
    """Write all batches, and return the number of rows; a column may change its type, as when numbers get decimals."""
    writer: Any = None
    schema: Any = None
    with batches() as found:
        for batch in found:
            table = _plain(batch, source_name)
            if table.schema != schema:
                if writer is not None:
                    writer.close()
                writer = CSVWriter(file, table.schema, write_options=WriteOptions(include_header=schema is None))
                schema = table.schema
            writer.write(table)
            bar.add(batch.num_rows)
    writer.close()  # sources without rows are refused
    return bar.done


def _write_parquet(batches: Batches, file: IO[bytes], bar: Progress) -> int:
    """Write all batches, and return the number of rows; if a column gets a wider type, start again with that type."""
    schema: Any = None
    while True:
        writer: Any = None
        with batches() as found:
            for batch in found:
                before, schema = schema, batch.schema if schema is None else _wider_schema(schema, batch.schema)
                if before is not None and schema != before:
                    break
                writer = writer or ParquetWriter(file, schema)
                writer.write(batch.cast(schema))
                bar.add(batch.num_rows)
            else:
                writer.close()  # sources without rows are refused
                return bar.done
        if writer is not None:
            writer.close()
        bar.restart(bar.total)
        file.seek(0)
        file.truncate()


def _wider_schema(one: Any, other: Any) -> Any:
    """Return the schema whose columns hold the values of both schemas."""
    return pa.schema(
        [pa.field(field.name, wider(field.type, other.field(field.name).type)) for field in one], one.metadata
    )


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
    model: TableModel,
    source: Source,
    columns: Sequence[str],
    width: ConformalWidth | None,
    number_type: type[np.floating[Any]],
    unseen: dict[str, tuple[int, str]],
) -> Generator[Any, None, None]:
    """Yield the batches with their predictions, and count unseen levels; a thread predicts while others are written."""

    def predicted(batch: Any) -> Any:
        predictions = model.predict_batch(batch, source.name, width).reshape(-1, len(columns))
        new = {column: pa.array(predictions[:, place].astype(number_type)) for place, column in enumerate(columns)}
        if source.schema is None:
            return pa.table(new)
        if model.encoder is not None:
            for column, (rows, level) in model.encoder.unseen_levels(batch).items():
                before, first = unseen.get(column, (0, level))
                unseen[column] = before + rows, first
        table = pa.Table.from_batches([batch])
        for column, values in new.items():
            table = table.append_column(column, values)
        return table

    yield from prefetch(map(predicted, source.batches()))


def _written_type(model: TableModel, parquet: bool) -> type[np.floating[Any]]:
    """Return the type of written predictions: float32 in CSV if the model computes with it, to write fewer digits."""
    single = model.encoder is not None and model.encoder.dtype_ == model.coef_.dtype == np.float32
    return np.float32 if single and not parquet and not model.log_target else np.float64


def _is_parquet(out: str | os.PathLike[str] | IO[bytes] | None) -> bool:
    if not isinstance(out, str | os.PathLike):
        return False
    ending = Path(out).suffix.lower()
    if ending not in (*PARQUET_ENDINGS, *CSV_ENDINGS):
        raise DataError(f"{out}: unknown format for predictions: expected a path that ends in .parquet or .csv.")
    return ending in PARQUET_ENDINGS


def _plain(table: Any, source_name: str) -> Any:
    """Return a table of columns that CSV can hold, with categories as texts."""
    for number, column in enumerate(table.schema):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(number, column.name, table.column(number).cast(column.type.value_type))
        elif pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
            raise DataError(
                f"{source_name}: column {column.name!r} ({type_name(column.type)}) cannot be written as CSV: write the "
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
