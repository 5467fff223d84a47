"""PostgreSQL, a real server, and SQLite."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import Command
from tests.data.external.sales import fitted, sales, same_model
from tests.servers import PASSWORD, USER, PostgreSQLServer

import ridgeway.data.external.adbc
import ridgeway.data.external.spill
from ridgeway.data import DataError, external_table, open_data
from ridgeway.storage.checkpoint import Checkpoint


def table_of(data: Any, **how: Any) -> Any:
    """Return all rows."""
    return pa.Table.from_batches(open_data(external_table(data, **how)).batches())


# Law: rows of PostgreSQL give the model of the Parquet file that holds them, to the last bit.
def test_same_model(database: PostgreSQLServer, tmp_path: Path) -> None:
    database.load("same", sales())
    pq.write_table(sales(), tmp_path / "sales.parquet")
    expected = fitted(tmp_path / "sales.parquet")
    assert same_model(fitted(external_table(database.address, table="same")), expected)
    assert same_model(fitted(external_table(database.address, query="SELECT * FROM same;")), expected)
    model = fitted(external_table(database.address, table="public.same"), memory=0)
    assert same_model(model, fitted(tmp_path / "sales.parquet", memory=0))


# Law: numbers of any type arrive as numbers, others as what the encoder knows: text, times, booleans.
def test_types(database: PostgreSQLServer) -> None:
    database.run(
        "CREATE TYPE mood AS ENUM ('good', 'bad')",
        """CREATE TABLE kinds AS SELECT i::smallint AS small, i::numeric / 4 AS exact, i::money AS paid,
           i * interval '1 minute' AS lasted, 'good'::mood AS mood, '{"a": 1}'::jsonb AS document, i::real AS short,
           date '2024-01-01' + i AS day, i % 2 = 0 AS even, NULLIF(i, 2)::bigint AS missing, 'x'::char(3) AS padded,
           '00000000-0000-0000-0000-000000000001'::uuid AS id FROM generate_series(1, 4) AS i""",
    )
    source = open_data(external_table(database.address, table="kinds"))
    assert source.schema is not None
    assert source.schema.kinds == {
        "small": "number", "exact": "number", "paid": "number", "lasted": "number", "mood": "text", "document": "text",
        "short": "number", "day": "time", "even": "boolean", "missing": "number", "padded": "text", "id": "text",
    }  # fmt: skip
    rows = pa.Table.from_batches(source.batches())
    assert rows["exact"].to_pylist() == [0.25, 0.5, 0.75, 1.0]
    assert rows["paid"].to_pylist() == [1.0, 2.0, 3.0, 4.0]
    assert rows["lasted"].to_pylist() == [60.0, 120.0, 180.0, 240.0]
    assert rows["missing"].to_pylist() == [1, None, 3, 4]
    assert rows["id"].to_pylist()[0] == "00000000-0000-0000-0000-000000000001"


# Law: the database is asked for the needed columns only.
def test_columns_are_pushed_down(database: PostgreSQLServer) -> None:
    query = "SELECT i AS x, 1 / (i - 2) AS fails FROM generate_series(1, 3) AS i"
    rows = open_data(external_table(database.address, query=query), columns=["x"])
    assert rows.n_rows == 3
    with pytest.raises(DataError, match="division by zero"):
        open_data(external_table(database.address, query=query))


# Law: what changes data is refused, and changes nothing.
def test_reads_only(database: PostgreSQLServer) -> None:
    database.run("CREATE TABLE kept AS SELECT 1 AS x", "CREATE SEQUENCE numbers")
    for query in ("DELETE FROM kept", "SELECT 1 AS x) AS a; DROP TABLE kept; --", "SELECT nextval('numbers') AS x"):
        with pytest.raises(DataError, match=r"syntax error|read-only|cannot insert multiple"):
            table_of(database.address, query=query)
    assert table_of(database.address, table="kept").num_rows == 1


# Law: a wrong table, column, query, password or address is told with got, expected and remedy, and no password.
def test_errors(database: PostgreSQLServer) -> None:
    database.run("CREATE TABLE first AS SELECT 1 AS x", "CREATE TABLE second AS SELECT 1 AS x")
    wrong = database.address.replace(PASSWORD, "not-the-password")
    nobody = f"postgresql://{USER}:{PASSWORD}@127.0.0.1:1/shop"
    for address, how, message in (
        (database.address, {}, r"which table\? its tables are .*'first'.*--table NAME"),
        (database.address, {"table": "secnd"}, "there is no table 'secnd': did you mean 'second'"),
        (database.address, {"query": "SELECT y FROM first"}, 'column "y" does not exist.*check the address, the query'),
        (database.address, {"query": "SELECT 1", "table": "first"}, "--query and --table are both given"),
        (wrong, {"table": "first"}, "password authentication failed"),
        (nobody, {"table": "first"}, "Connection refused.*that the server runs"),
        (database.address.replace("/shop", "/nowhere"), {"table": "first"}, 'database "nowhere" does not exist'),
        (f"postgresql://{USER}:{PASSWORD}@127.0.0.1:port/shop", {"table": "first"}, "invalid integer value"),
    ):
        with pytest.raises(DataError, match=message) as caught:
            table_of(address, **how)
        assert PASSWORD not in str(caught.value)
        assert "not-the-password" not in str(caught.value)
        assert str(caught.value).startswith("postgresql://127.0.0.1:")


# Law: a connection that is killed while rows are read is an error that names the database; nothing is left behind.
def test_killed_connection(database: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch) -> None:
    others = "query LIKE '%slow_rows%' AND pid <> pg_backend_pid()"
    killing = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
    groups = ridgeway.data.external.spill.row_groups

    def kill_after_first(batches: Any, *sizes: int) -> Any:
        for number, batch in enumerate(batches):
            if number == 0:
                database.run(killing)
                time.sleep(0.2)
            yield from groups([batch], *sizes)

    monkeypatch.setattr("ridgeway.data.external.spill.row_groups", kill_after_first)
    query = "SELECT repeat('x', 1000) AS slow_rows, i FROM generate_series(1, 200000) AS i"
    table = external_table(database.address, query=query)
    with pytest.raises(DataError, match=r"postgresql://.* \(query\): .*(terminat|closed|lost|connection)"):
        open_data(table)


# Law: a fit reads rows once; a table that changes afterwards changes nothing, and one that loses a column is told.
def test_changed_table(database: PostgreSQLServer, tmp_path: Path) -> None:
    database.load("changing", sales(500))
    table = external_table(database.address, table="changing")
    source = open_data(table)
    before = source.fingerprint()
    database.run("DELETE FROM changing WHERE items > 3")
    assert open_data(table).fingerprint() == before
    assert source.n_rows == 500
    assert open_data(external_table(database.address, table="changing")).fingerprint() != before
    gone = external_table(database.address, table="changing")
    assert gone is not None
    assert "shop" in gone.schema().names
    database.run("ALTER TABLE changing DROP COLUMN shop")
    with pytest.raises(DataError, match=r"column .*shop.* does not exist"):
        open_data(gone)


# Law: an interrupted stream from a database resumes from its checkpoint, because the rows are known by their content.
def test_checkpoint(database: PostgreSQLServer, tmp_path: Path) -> None:
    database.load("resumed", sales())
    models = []
    for _ in range(2):
        checkpoint = Checkpoint(tmp_path / "state", 1_000)
        models.append(fitted(external_table(database.address, table="resumed"), memory=0, checkpoint=checkpoint))
    assert same_model(*models)


# Law: a password is in nothing that commands write or print, whatever fails, also with --debug.
def test_passwords_are_not_told(
    database: PostgreSQLServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ridgeway = Command(capsys)
    database.load("secret", sales(600))
    nobody = f"postgresql://{USER}:{PASSWORD}@127.0.0.1:1/shop"
    fit = ["fit", database.address, "--target", "price", "--debug"]
    printed = ""
    for expected, arguments in (
        (0, [*fit, "--table", "secret", "--model", "m.safetensors", "--report", "r.html"]),
        (0, [*fit, "--table", "secret", "--memory", "0", "--checkpoint", "c", "--model", "n.safetensors", "--json"]),
        (0, [*fit, "--table", "secret", "--write-config", "c.toml"]),
        (1, [*fit, "--table", "none"]),
        (1, ["fit", database.address, "--target", "prise", "--table", "secret", "--debug"]),
        (1, ["fit", nobody, "--table", "t", "--target", "y", "--debug", "--json"]),
        (2, [*fit, "--table", "secret", "--workers", "1"]),
        (2, ["fit", "a.csv", database.address]),
        (0, ["predict", "m.safetensors", database.address, "--table", "secret", "--out", "p.csv", "--debug"]),
        (0, ["show", "m.safetensors"]),
    ):
        code, out, err = ridgeway(*arguments)
        assert code == expected, err
        printed += out + err
    assert "postgresql://127.0.0.1" in printed
    assert PASSWORD not in printed
    written = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {"m.safetensors", "r.html", "p.csv", "c.toml"} <= {path.name for path in written}
    for path in written:
        assert PASSWORD.encode() not in path.read_bytes(), path
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    code, out, err = ridgeway("fit", "--config", "c.toml")
    assert (code, PASSWORD in out + err) == (0, False), err


def write_sqlite(path: Path, table: Any) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sales (shop TEXT, size REAL, items INTEGER, price REAL)")
        rows = table.select(["shop", "size", "items", "price"]).to_pylist()
        connection.executemany("INSERT INTO sales VALUES (:shop, :size, :items, :price)", rows)
    connection.close()


# Law: an SQLite file gives the rows that it holds, by its path, its address, a table or a query.
def test_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    monkeypatch.chdir(tmp_path)
    write_sqlite(tmp_path / "sales.db", sales())
    expected = sales().select(["shop", "size", "items", "price"])
    for data in ("sales.db", "sqlite:///sales.db", f"sqlite:///{tmp_path}/sales.db", tmp_path / "sales.db"):
        assert table_of(data).cast(expected.schema).equals(expected)
    some = table_of("sales.db", query="SELECT price FROM sales WHERE items > 4")
    assert some["price"].to_pylist() == expected.filter(pa.compute.field("items") > 4)["price"].to_pylist()
    np.testing.assert_array_equal(fitted(external_table("sales.db")).model.coef_, fitted(expected).model.coef_)


# Law: a column of SQLite whose type changes late is an error with the remedy; a missing file is told.
def test_sqlite_errors(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    path = tmp_path / "mixed.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mixed (x)")
        connection.executemany("INSERT INTO mixed VALUES (?)", [(i,) for i in range(70_000)])
        connection.execute("INSERT INTO mixed VALUES ('text')")
    connection.close()
    with pytest.raises(DataError, match=r"mixed\.db.*CAST"):
        open_data(path)
    with pytest.raises(DataError, match="no such file"):
        open_data("sqlite:///nowhere.db")
