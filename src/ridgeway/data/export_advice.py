"""Data that are not read, such as other databases and formats, and commands that export them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NoReturn

from ridgeway.data.address import as_address, shown, url_scheme
from ridgeway.data.data_error import DataError

DOWNLOADS = {
    "ftp": "curl -LO '{url}'",
    "az": "azcopy copy '{url}' .",
    "abfs": "azcopy copy '{url}' .",
    "abfss": "azcopy copy '{url}' .",
    "hdfs": "hdfs dfs -get '{url}' .",
}
SQL_EXPORTS = {
    "mysql": """mysql --batch -e "select * from TABLE" DATABASE > table.tsv""",
    "mariadb": """mariadb --batch -e "select * from TABLE" DATABASE > table.tsv""",
}
READ_DATABASES = {"postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite", "duckdb": "duckdb"}

MODEL = ".safetensors"
MODEL_HEAD = b"\0\0\0\0{"  # from the fifth byte on: the rest of the length of the header, and its start
EXCEL = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
OLD_EXCEL_HEAD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SQLITE = (".sqlite", ".sqlite3", ".db", ".db3")
DUCKDB = (".duckdb", ".ddb")
PANDAS_READERS = {
    ".json": "read_json({name})",
    ".jsonl": "read_json({name}, lines=True)",
    ".ndjson": "read_json({name}, lines=True)",
    ".dta": "read_stata({name})",
    ".sav": "read_spss({name})",
    ".sas7bdat": "read_sas({name})",
    ".xpt": "read_sas({name})",
    ".orc": "read_orc({name})",
    ".html": "read_html({name})[0]",
    ".xml": "read_xml({name})",
}


def refuse_url(path: str) -> None:
    """Raise an error for an address where only local files are read."""
    if url_scheme(path) is not None:
        refuse_address(as_address(path))


def refuse_address(address: str) -> NoReturn:
    """Raise an error for an address that is not read; the message says how to get the rows as a file."""
    scheme, name = url_scheme(address) or "", shown(address)
    if scheme == "file":
        raise DataError(f"{name}: a URL of a file: expected its path; leave out {name[: len('file://')]!r}.")
    database = scheme.partition("+")[0]
    if database in READ_DATABASES:
        raise DataError(
            f"{name}: this address of a database is not read: expected {READ_DATABASES[database]}://...; or local "
            "files, where only these are read."
        )
    if database in SQL_EXPORTS:
        raise DataError(
            f"{name}: this kind of database is not read: expected PostgreSQL, SQLite, DuckDB or a file; export the "
            f"table, for instance by: {SQL_EXPORTS[database]}"
        )
    command = DOWNLOADS.get(scheme)
    raise DataError(
        f"{name}: a URL that is not read here: expected s3://, gs://, https:// or a local file; download it first"
        + (f" ({command.replace('{url}', name)})" if command else "")
        + " and give its path."
    )


def refuse_format(path: Path, head: bytes, known: bool) -> None:
    """Raise an error for a table format that is not read as a file, by the name or the first bytes of the file.

    Parameters
    ----------
    path, head : the file, and its first bytes.
    known : whether its ending names a format that is read; then only its first bytes can show that it has another one.
    """
    ending = "" if known else path.suffix.lower()
    if ending == MODEL or head[4:9] == MODEL_HEAD:
        raise DataError(
            f"{path}: a model file: expected a table; give the model first, then the table, as in ridgeway predict "
            "MODEL DATA."
        )
    if ending in EXCEL or head.startswith(OLD_EXCEL_HEAD):
        raise workbook_among_files(path)
    if head.startswith(b"SQLite format 3") or (ending in SQLITE and head[8:12] != b"DUCK"):
        raise _alone(path, "an SQLite database")
    if head[8:12] == b"DUCK" or ending in DUCKDB:
        raise _alone(path, "a DuckDB database")
    if ending in PANDAS_READERS:
        reader = PANDAS_READERS[ending].replace("{name}", repr(str(path)))
        raise DataError(
            f"{path}: a {ending} file: expected a CSV or Parquet file; export the table: run in Python: "
            f"pandas.{reader}.to_parquet('table.parquet')"
        )


def workbook_among_files(path: Path) -> DataError:
    """Return the error for a workbook that is not given by its own name."""
    if path.suffix.lower() not in EXCEL:
        rename = f"mv {shlex.quote(str(path))} {shlex.quote(str(path.with_suffix('.xlsx')))}"
        return DataError(
            f"{path}: an Excel workbook whose name ends in {path.suffix!r}: expected the ending of a workbook; rename "
            f"it, for instance: {rename}"
        )
    return DataError(
        f"{_alone(path, 'an Excel workbook')} Or save the sheet as CSV (File > Save As > CSV UTF-8), and give it."
    )


def _alone(path: Path, what: str) -> DataError:
    return DataError(
        f"{path}: {what}: expected CSV or Parquet files in a folder or pattern, or on a cluster; give the path of this "
        "file alone, with its own ending, and --table NAME (table=)."
    )
