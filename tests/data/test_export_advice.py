"""Data that are not read as they are: the message says how to export them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ridgeway.data import DataError, open_data


# Law: an address is refused with the command that brings a file here; passwords are not shown.
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("https://host/a.csv", r"https://host/a\.csv: a URL.*curl -LO 'https://host/a\.csv'"),
        ("s3://bucket/a.parquet", r"aws s3 cp 's3://bucket/a\.parquet' \."),
        ("gs://bucket/a.parquet", "gcloud storage cp"),
        ("ssh://host/a.csv", "download it first and give its path"),
        ("file:///data/a.csv", "expected its path; leave out 'file://'"),
        ("postgresql://me@host/db", r"a database: expected a file.*psql .*copy"),
        ("postgres://me@host/db", r"a database: expected a file.*psql .*copy"),
        ("mysql+pymysql://me@host/db", "mysql --batch"),
        ("sqlite:///data/a.db", "sqlite3 -header -csv 'data/a.db'"),
        ("duckdb:///a.duckdb", "duckdb 'a.duckdb'"),
    ],
)
def test_addresses(address: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_data(address)
    with pytest.raises(DataError, match=message):
        open_data(Path(address))
    with pytest.raises(DataError) as caught:
        open_data("postgresql://me:secret@host/db")
    assert "secret" not in str(caught.value)


# Law: a workbook or a database is known by its name or its first bytes, and is refused with the way to export it.
def test_files(tmp_path: Path) -> None:
    for name, message in (
        ("a.xlsx", r"a\.xlsx: an Excel workbook: .*Save As > CSV UTF-8.*read_excel"),
        ("a.XLS", "an Excel workbook"),
        ("a.duckdb", "a DuckDB database: .*copy TABLE to 'table.parquet'"),
        ("a.sqlite", "an SQLite database: .*sqlite3 -header -csv"),
        ("a.jsonl", r"a \.jsonl file: .*read_json\(.*lines=True\)"),
    ):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(DataError, match=message):
            open_data(tmp_path / name)
    for name in ("a.db", "table"):
        with sqlite3.connect(tmp_path / name) as connection:
            connection.execute("create table t (x)")
        with pytest.raises(DataError, match="an SQLite database"):
            open_data(tmp_path / name)
    (tmp_path / "old.csv").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100)
    with pytest.raises(DataError, match=r"old\.csv: an Excel workbook"):
        open_data(tmp_path / "old.csv")
