"""`external_table`: find out what kind of table an address, a file or an object is."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from ridgeway.data.address import as_address, shown, url_scheme
from ridgeway.data.data_error import DataError
from ridgeway.data.export_advice import DUCKDB, EXCEL, OLD_EXCEL_HEAD, SQLITE, refuse_address
from ridgeway.data.external.base_table import ExternalTable

EXTERNAL_PACKAGE = "ridgeway.data.external"
STORES = ("s3", "gs", "gcs")
WEB = ("http", "https")
FIRST_BYTES = 16


def external_table(data: Any, *, query: str | None = None, table: str | None = None) -> ExternalTable | None:
    r"""Return a table that is not a local file of a known format or in memory; None if `data` is one of these.

    Nothing is read yet; addresses of databases and stores are not connected to.

    Parameters
    ----------
    data : ``postgresql://user@host/database``, ``sqlite:///file``, a DuckDB or SQLite file; ``s3://``, ``gs://`` or
        ``https://`` followed by the path of a file; an Excel workbook; an object with ``__arrow_c_stream__`` such as a
        DuckDB relation, an ADBC cursor or a ``pyarrow.RecordBatchReader``. With a `query` also a file, folder or
        pattern, which the query calls ``data``, or None.
    query : SQL that selects the rows, for a database (in its SQL) or for files (in that of DuckDB).
    table : name of a table of a database, or of a sheet of a workbook.

    Examples
    --------
    >>> import tempfile, ridgeway as rw
    >>> from pathlib import Path
    >>> from ridgeway.data import external_table
    >>> file = Path(tempfile.mkdtemp()) / "sales.csv"
    >>> _ = file.write_text("shop,size,price\neast,1,10\nwest,2,20\neast,3,30\n")
    >>> sales = external_table(file, query="SELECT size, price FROM data WHERE shop = 'east'")
    >>> [batch.to_pydict() for batch in rw.data.open_data(sales).batches()]
    [{'size': [1, 3], 'price': [10, 30]}]
    """
    found = _found(data, query, table)
    if found is None and (query is not None or table is not None):
        raise DataError(
            f"{_called(data)}: it has no tables: expected a database or a workbook for --table (table=); leave it out."
        )
    return found


def _found(data: Any, query: str | None, table: str | None) -> ExternalTable | None:
    if data is None and query is not None:
        return _made("duckdb_query", "DuckDB", None, query, table)
    if not isinstance(data, str | os.PathLike):
        return _of_object(data, query, table)
    text = os.fspath(data)
    scheme = url_scheme(text)
    if scheme is None:
        return _of_file(text, query, table)
    address = as_address(text)
    shown(address)  # from here on `hidden` knows the password, and no message shows it
    if scheme in ("postgresql", "postgres"):
        return _made("adbc", "PostgreSQL", address, query, table)
    if scheme == "sqlite":
        path = import_module(f"{EXTERNAL_PACKAGE}.adbc").database_path(address)
        return _made("adbc", "SQLite", path, query, table)
    if scheme == "duckdb":
        path = import_module(f"{EXTERNAL_PACKAGE}.adbc").database_path(address)
        return _made("duckdb_query", "DuckDB", path, query, table)
    if scheme not in (*STORES, *WEB):
        refuse_address(address)
    if scheme == "gcs":
        address = "gs" + address[3:]
    remote = _made("remote_files", "StoredFiles" if scheme in STORES else "WebFile", address)
    if query is None and table is None and not _names_workbook(shown(address)):
        return remote
    return _copied(remote, query, table)


def _of_object(data: Any, query: str | None, table: str | None) -> ExternalTable | None:
    if isinstance(data, ExternalTable):
        if query is not None or table is not None:
            raise DataError(f"{data.name}: an opened table: expected an address or a path for query= and table=.")
        return data
    if isinstance(data, tuple) or not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "fetch_record_batch")):
        return None
    is_stream = import_module("ridgeway.data.frames").is_stream
    return _made("arrow_stream", "ArrowStream", data) if is_stream(data) else None


def _of_file(text: str, query: str | None, table: str | None) -> ExternalTable | None:
    path = Path(os.path.expanduser(text))
    head = None
    if path.is_file():  # opening a pipe would wait for its writer
        with suppress(OSError), path.open("rb") as file:  # the reader of files reports it
            head = file.read(FIRST_BYTES)
    if head is not None:
        ending = path.suffix.lower()
        if head[8:12] == b"DUCK" or (ending in DUCKDB and not head):
            return _made("duckdb_query", "DuckDB", text, query, table)
        if head.startswith(b"SQLite format 3") or (ending in SQLITE and not head):
            return _made("adbc", "SQLite", text, query, table)
        if ending in EXCEL or head.startswith(OLD_EXCEL_HEAD):
            if query is not None:
                raise DataError(f"{text}: an Excel workbook: --query (query=) cannot read it; give a sheet (--table).")
            return _made("workbook", "Workbook", text, table)
    if query is None:
        return None
    return _made("duckdb_query", "DuckDB", None, query, table, text)


def _copied(remote: ExternalTable, query: str | None, table: str | None) -> ExternalTable:
    """Return a table of a remote file that must be copied first: a database, a workbook, or files for a query."""
    here = external_table(str(remote.local(None)), query=query, table=table)
    assert here is not None
    here.name = remote.name
    here.keeps = remote
    return here


def _names_workbook(address: str) -> bool:
    return Path(address).suffix.lower() in (*EXCEL, *DUCKDB, *SQLITE)


def _made(module: str, name: str, *arguments: Any) -> ExternalTable:
    made: ExternalTable = getattr(import_module(f"{EXTERNAL_PACKAGE}.{module}"), name)(*arguments)
    return made


def _called(data: Any) -> str:
    return shown(os.fspath(data)) if isinstance(data, str | os.PathLike) else "the table"
