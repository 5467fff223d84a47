"""Data that are not read as they are: the message says how to export them, or how to give them."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import pytest

from ridgeway.data import DataError, open_data
from ridgeway.data.files import FORMATS, find_files, format_of


# Law: an address that is not read is refused with the command that brings a file here; passwords are not shown.
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("ftp://host/a.csv", r"ftp://host/a\.csv: a URL that is not read here.*curl -LO 'ftp://host/a\.csv'"),
        ("abfs://container/a.parquet", "azcopy copy"),
        ("ssh://host/a.csv", "download it first and give its path"),
        ("file:///data/a.csv", "expected its path; leave out 'file://'"),
        ("mysql+pymysql://me@host/db", "this kind of database is not read.*mysql --batch"),
        ("postgresql+psycopg://me@host/db", r"expected postgresql://"),
    ],
)
def test_addresses(address: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        open_data(address)
    with pytest.raises(DataError, match=message):
        open_data(Path(address))
    with pytest.raises(DataError) as caught:
        open_data(address.replace("://", "://me:secret@"))
    assert "secret" not in str(caught.value)


# Law: where only local files are read, as on a cluster, every address is refused.
@pytest.mark.parametrize("address", ["s3://bucket/a.parquet", "https://host/a.csv", "postgresql://me:secret@host/db"])
def test_files_only(address: str) -> None:
    with pytest.raises(DataError, match="local file") as caught:
        find_files(address)
    assert "secret" not in str(caught.value)


# Law: a workbook or a database among files is known by its name or first bytes, and the message says how to give it.
def test_files(tmp_path: Path) -> None:
    for name, message in (
        ("a.xlsx", r"a\.xlsx: an Excel workbook: .*give the path of this file alone.*--table"),
        ("a.XLS", "an Excel workbook"),
        ("a.duckdb", "a DuckDB database: .*--table"),
        ("a.sqlite", "an SQLite database: .*--table"),
        ("a.safetensors", "a model file: expected a table; give the model first"),
        ("a.jsonl", r"a \.jsonl file: .*read_json\(.*lines=True\)"),
    ):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(DataError, match=message):
            format_of([tmp_path / name])
    for name in ("a.db", "table"):
        with sqlite3.connect(tmp_path / name) as connection:
            connection.execute("create table t (x)")
        connection.close()
        with pytest.raises(DataError, match="an SQLite database"):
            format_of([tmp_path / name])
    with zipfile.ZipFile(tmp_path / "new.csv", "w") as archive:
        for member in ("xl/workbook.xml", "[Content_Types].xml"):
            archive.writestr(member, "")
    with pytest.raises(DataError, match=r"new\.csv: an Excel workbook whose name ends in '\.csv'.*mv .*new\.xlsx"):
        open_data(tmp_path / "new.csv")
    (tmp_path / "old.csv").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100)
    with pytest.raises(DataError, match=r"old\.csv: an Excel workbook"):
        open_data(tmp_path / "old.csv")


# Law: a format that is read is not refused for its ending, so a new one needs its line in FORMATS alone.
def test_known_endings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.orc").write_bytes(b"ORC")
    with pytest.raises(DataError, match=r"a \.orc file"):
        format_of([tmp_path / "a.orc"])
    monkeypatch.setitem(FORMATS, "orc", (".orc",))
    assert format_of([tmp_path / "a.orc"]) == "orc"
