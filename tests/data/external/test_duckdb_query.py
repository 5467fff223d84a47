"""Queries by DuckDB: of its own files and of CSV, Parquet and Arrow files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from tests.data.external.sales import fitted, sales, same_model

from ridgeway.data import DataError, external_table, open_data

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(sales(), tmp_path / "sales.parquet")
    pyarrow.csv.write_csv(sales(), tmp_path / "sales.csv")
    pyarrow.feather.write_feather(sales(), tmp_path / "sales.feather")
    with duckdb.connect(tmp_path / "sales.duckdb") as connection:
        connection.execute(f"CREATE TABLE sales AS FROM '{tmp_path}/sales.parquet'")
    return tmp_path


def names_and_rows(source: Any) -> tuple[list[str], int]:
    table = pa.Table.from_batches(source.batches())
    return table.column_names, table.num_rows


# Law: a DuckDB file, and a query over files, give the model of the Parquet file with the same rows.
def test_same_model(folder: Path) -> None:
    expected = fitted(folder / "sales.parquet")
    assert same_model(fitted(folder / "sales.duckdb"), expected)
    assert same_model(fitted(f"duckdb:///{folder}/sales.duckdb"), expected)
    for name in ("sales.parquet", "sales.csv", "sales.feather"):
        assert same_model(fitted(external_table(folder / name, query="SELECT * FROM data")), expected), name


# Law: a query selects rows and columns; it may name files itself, and join them.
def test_queries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    some = external_table("*.parquet", query="SELECT size, price FROM data WHERE shop = 'east' -- those only")
    east = sum(shop == "east" for shop in sales()["shop"].to_pylist())
    assert names_and_rows(open_data(some)) == (["size", "price"], east)
    joined = external_table(
        None, query="SELECT a.price, b.size FROM 'sales.csv' a JOIN 'sales.parquet' b USING (price)"
    )
    assert names_and_rows(open_data(joined))[0] == ["price", "size"]
    kinds = open_data(external_table(None, query="SELECT sum(1) AS s, uuid() AS u, INTERVAL 1 DAY AS i")).schema
    assert kinds is not None
    assert kinds.kinds == {"s": "number", "u": "text", "i": "number"}


# Law: spellings of a missing value are the same as without a query.
def test_missing_values(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\nNA,3\n,4\n")
    rows = open_data(external_table(tmp_path / "a.csv", query="SELECT * FROM data"))
    assert next(rows.batches()).to_pydict()["x"] == [1, None, None]


# Law: errors name the data and say what to do; nothing is changed by a query, and no variable of Python is read.
def test_errors(folder: Path) -> None:
    with duckdb.connect(folder / "sales.duckdb") as connection:
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    secret_rows = pa.table({"x": [1]})
    for data, how, message in (
        ("sales.duckdb", {}, r"which table\? its tables are 'other', 'sales'"),
        ("sales.duckdb", {"table": "sale"}, "did you mean 'sales'"),
        ("sales.csv", {"table": "sales"}, "it has no tables"),
        ("sales.csv", {"query": "SELECT nothing FROM data"}, r"sales\.csv \(query\): .*nothing.*check the query"),
        ("sales.csv", {"query": "DROP VIEW data"}, "syntax error"),
        ("sales.csv", {"query": "SELECT * FROM secret_rows"}, "secret_rows does not exist"),
        ("nowhere.csv", {"query": "SELECT * FROM data"}, "no such file"),
    ):
        with pytest.raises(DataError, match=message):
            open_data(external_table(folder / data, **how))
    assert len(secret_rows) == 1
    assert names_and_rows(open_data(external_table(folder / "sales.duckdb", table="sales")))[1] == 3_000
