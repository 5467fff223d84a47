"""Arrow streams as tables: DuckDB relations, ADBC cursors, polars frames, readers that can be read once."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tests.data.external.sales import fitted, sales, same_model

import ridgeway as rw
from ridgeway.data import DataError, column_names, external_table, open_data

duckdb = pytest.importorskip("duckdb")


class Bare:
    """Nothing but the one method of the protocol."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


@contextmanager
def cursor(table: Any) -> Iterator[Any]:
    dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with dbapi.connect() as connection, connection.cursor() as made:
        made.adbc_ingest("sales", table)
        made.execute("SELECT shop, size, items, sold, gift, price FROM sales")
        yield made


FORMS: dict[str, Callable[[Any], Any]] = {
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
    "reader": lambda table: table.to_reader(max_chunksize=700),
    "polars": pl.from_arrow,
    "bare": Bare,
}


# Law: a stream gives the model of the table that it streams, to the last bit, in memory and streamed by the fit.
@pytest.mark.parametrize("form", FORMS)
def test_same_model(form: str) -> None:
    table = sales()
    assert same_model(fitted(FORMS[form](table)), fitted(table))


# Law: a fit that makes several passes over rows beyond its memory reads a stream only once.
def test_streamed_passes(tmp_path: Path) -> None:
    table = sales()
    options: dict[str, Any] = {"memory": 0}
    request = rw.tables.Request(target="price", passes=3)
    from_reader = rw.tables.fit_table(table.to_reader(), request, **options)
    pa.parquet.write_table(table, tmp_path / "sales.parquet")
    assert same_model(from_reader, rw.tables.fit_table(tmp_path / "sales.parquet", request, **options))


# Law: predictions and features of a stream are those of its table; an ADBC cursor is a stream after execute.
def test_predictions_and_features() -> None:
    table = sales()
    model = fitted(table)
    expected = model.predict(table)
    for make in FORMS.values():
        np.testing.assert_array_equal(model.predict(make(table)), expected)
    encoder = rw.TableEncoder().fit(table.to_reader())
    np.testing.assert_array_equal(encoder.transform(duckdb.from_arrow(table)), encoder.transform(table))
    with cursor(table) as executed:
        rows = open_data(executed)
    assert (rows.n_rows, rows.schema and rows.schema.names) == (len(table), table.column_names)


# Law: names are known before a stream is read; columns that are read later must be among those read first.
def test_read_once() -> None:
    reader = external_table(sales().to_reader())
    names = column_names(reader)
    assert names is not None
    assert names.names == sales().column_names
    assert open_data(reader, columns=["size", "price"]).n_rows == 3_000
    assert open_data(reader, columns=["price"]).n_rows == 3_000
    with pytest.raises(DataError, match=r"'shop' was not kept.*make the stream again"):
        open_data(reader, columns=["shop"])


# Law: temporary files end with the table that they belong to.
def test_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = open_data(sales().to_reader())
    assert len(list(tmp_path.iterdir())) == 1
    del source
    gc.collect()
    assert list(tmp_path.iterdir()) == []


# Law: a stream that takes more than half of the free disk is refused with the remedy; one that breaks names itself.
def test_bound_and_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.machine.free_disk.MAX_SHARE_OF_FREE_DISK", 0.0)
    with pytest.raises(DataError, match=r"half of the free space.*set TMPDIR"):
        open_data(sales().to_reader())
    monkeypatch.undo()

    def broken() -> Any:
        yield from sales(500).to_batches()
        raise OSError("the other side is gone")

    reader = pa.RecordBatchReader.from_batches(sales().schema, broken())
    with pytest.raises(DataError, match=r"the RecordBatchReader: .*the other side is gone"):
        open_data(reader)


# Law: a column that no temporary file can hold is named, with what to do.
def test_types() -> None:
    table = pa.table({"a": [1.0], "b": pa.array([(1, 2, 3)], pa.month_day_nano_interval())})
    with pytest.raises(DataError, match=r"column 'b' holds durations.*drop the column"):
        open_data(table.to_reader())
    assert open_data(table.to_reader(), columns=["a"]).n_rows == 1
