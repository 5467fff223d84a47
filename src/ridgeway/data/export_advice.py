"""Data that are not read, such as Excel sheets, URLs and databases, and commands that export them."""

from __future__ import annotations

import re
from pathlib import Path

from ridgeway.data.data_error import DataError

URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/")  # one slash: pathlib joins two; a drive has one letter
DOWNLOADS = {
    "http": "curl -LO '{url}'",
    "https": "curl -LO '{url}'",
    "ftp": "curl -LO '{url}'",
    "s3": "aws s3 cp '{url}' .",
    "gs": "gcloud storage cp '{url}' .",
    "gcs": "gcloud storage cp '{url}' .",
    "az": "azcopy copy '{url}' .",
    "abfs": "azcopy copy '{url}' .",
    "abfss": "azcopy copy '{url}' .",
    "hdfs": "hdfs dfs -get '{url}' .",
}
SQL_EXPORTS = {
    "postgresql": """psql '{url}' -c "\\copy (select * from TABLE) to 'table.csv' csv header\"""",
    "mysql": """mysql --batch -e "select * from TABLE" DATABASE > table.tsv""",
    "sqlite": """sqlite3 -header -csv '{url}' "select * from TABLE" > table.csv""",
    "duckdb": """duckdb '{url}' "copy TABLE to 'table.parquet'\"""",
}
SQL_NAMES = {"postgres": "postgresql", "mariadb": "mysql"}

EXCEL = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
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
    """Raise an error for an address that is not a local file; the message names a command to download it."""
    found = URL.match(path)
    if found is None:
        return
    scheme = found[1].lower()
    url = re.sub(r":/+", "://", path, count=1)
    if scheme == "file":
        raise DataError(f"{url}: a URL of a file: expected its path; leave out {url[: len('file://')]!r}.")
    database = scheme.partition("+")[0]
    database = SQL_NAMES.get(database, database)
    if database in SQL_EXPORTS:
        raise DataError(
            f"{_without_password(url)}: a database: expected a file; export the table to CSV or Parquet, for instance "
            f"by: {_filled(SQL_EXPORTS[database], _database_file(url) if database in ('sqlite', 'duckdb') else 'URL')}"
        )
    command = DOWNLOADS.get(scheme)
    raise DataError(
        f"{_without_password(url)}: a URL: expected a local file; download it first"
        + (f" ({_filled(command, _without_password(url))})" if command else "")
        + " and give its path."
    )


def refuse_format(path: Path, head: bytes) -> None:
    """Raise an error for a table format that is not supported, by the name or the first bytes of the file."""
    ending = path.suffix.lower()
    if ending in EXCEL or head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise not_read(path, *excel(path))
    if head.startswith(b"SQLite format 3") or (ending in SQLITE and head[8:12] != b"DUCK"):
        raise not_read(path, "an SQLite database", _filled(SQL_EXPORTS["sqlite"], str(path)))
    if head[8:12] == b"DUCK" or ending in DUCKDB:
        raise not_read(path, "a DuckDB database", _filled(SQL_EXPORTS["duckdb"], str(path)))
    if ending in PANDAS_READERS:
        raise not_read(path, f"a {ending} file", _by_pandas(path, PANDAS_READERS[ending]))


def excel(path: Path) -> tuple[str, str]:
    """Return the name of the format of an Excel workbook, and how to export a sheet."""
    how = "save the sheet as CSV (File > Save As > CSV UTF-8), or " + _by_pandas(path, "read_excel({name})")
    return "an Excel workbook", how


def not_read(path: Path, what: str, how: str) -> DataError:
    """Return the error for a file of an unsupported format."""
    return DataError(f"{path}: {what}: expected a CSV or Parquet file; export the table: {how}")


def _by_pandas(path: Path, reader: str) -> str:
    return f"run in Python: pandas.{reader.replace('{name}', repr(str(path)))}.to_parquet('table.parquet')"


def _filled(command: str, name: str) -> str:
    return command.replace("{url}", name)


def _without_password(url: str) -> str:
    """Return an address without its password."""
    return re.sub(r"://([^/@:]+):[^/@]*@", r"://\1:***@", url)


def _database_file(url: str) -> str:
    """Return the path in an address such as sqlite:///folder/file.db."""
    return re.sub(r"^[^:]+:///?", "", url)
