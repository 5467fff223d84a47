"""Queries of PostgreSQL and SQLite through their ADBC drivers, which return Arrow record batches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from ridgeway.data.address import shown
from ridgeway.data.data_error import DataError
from ridgeway.data.external.database import Database, quoted
from ridgeway.data.external.extra import load_extra

# Rows come in the order in which the table holds them, in every reading: no shared scans, no parallel workers.
POSTGRESQL_SETTINGS = (
    "SET default_transaction_read_only = on",
    "SET synchronize_seqscans = off",
    "SET max_parallel_workers_per_gather = 0",
)
POSTGRESQL_TABLES = (
    "SELECT table_schema::text, table_name::text FROM information_schema.tables "
    "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
)
POSTGRESQL_CASTS = {
    "numeric": "CAST({} AS double precision)",
    "money": "CAST(CAST({} AS numeric) AS double precision)",
    "interval": "CAST(EXTRACT(EPOCH FROM {}) AS double precision)",  # seconds
}
POSTGRESQL_TYPE = b"POSTGRESQL:type"  # the driver's note of the type in the database
EXTENSION_NAME = b"ARROW:extension:name"
SQLITE_TABLES = (
    "SELECT 'main', name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 2"
)
SQLITE_TYPED_ROWS = 1 << 16  # rows of a batch; the driver takes types from the first one


class AdbcDatabase(Database):
    """A database that is read through an ADBC driver.

    Attributes
    ----------
    tables_query : lists schema and name of every table.
    statement_options : options of the driver for each statement.
    """

    tables_query: ClassVar[str]
    statement_options: ClassVar[dict[str, str]] = {}

    def _tables(self, connection: Any) -> list[tuple[str, str]]:
        with closing(connection.cursor()) as cursor:
            cursor.execute(self.tables_query)
            return [(schema, name) for schema, name in cursor.fetchall()]

    def _described(self, connection: Any, rows: str) -> Any:
        with self._reading(connection, f"SELECT * FROM {rows} LIMIT 0") as reader:
            return reader.schema

    @contextmanager
    def _reading(self, connection: Any, statement: str) -> Iterator[Any]:
        with closing(connection.cursor()) as cursor:
            if self.statement_options:
                cursor.adbc_statement.set_options(**self.statement_options)
            cursor.execute(statement)
            yield cursor.fetch_record_batch()


class PostgreSQL(AdbcDatabase):
    """A table or a query of a PostgreSQL server.

    Parameters
    ----------
    address : ``postgresql://user@host:port/database``. A password is better kept in PGPASSWORD or ~/.pgpass.
    query, table : what to read.
    """

    default_schemas = ("public",)
    tables_query = POSTGRESQL_TABLES
    remedy = "check the address, the query and that the server runs, and start again."

    def __init__(self, address: str, query: str | None = None, table: str | None = None) -> None:
        super().__init__(shown(address), query, table)
        self._address = address
        self._driver = load_extra("adbc_driver_postgresql.dbapi", "adbc-driver-postgresql", "sql", "PostgreSQL")

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        with closing(self._driver.connect(self._address, autocommit=True)) as connection:
            with closing(connection.cursor()) as cursor:
                for setting in POSTGRESQL_SETTINGS:
                    cursor.execute(setting)
            yield connection

    def _expression(self, field: Any) -> str:
        notes = field.metadata or {}
        name, kind = quoted(field.name), notes.get(POSTGRESQL_TYPE, b"").decode()
        if kind in POSTGRESQL_CASTS:
            return f"{POSTGRESQL_CASTS[kind].format(name)} AS {name}"
        # Enums, UUIDs, JSON, addresses, ...: a type of their own, or a note where pyarrow does not know the type.
        if hasattr(field.type, "storage_type") or EXTENSION_NAME in notes:
            return f"CAST({name} AS text) AS {name}"
        return name


class SQLite(AdbcDatabase):
    """A table or a query of an SQLite file.

    Parameters
    ----------
    path : the file, or ``sqlite:///path``.
    query, table : what to read.
    """

    default_schemas = ("main",)
    tables_query = SQLITE_TABLES
    statement_options: ClassVar[dict[str, str]] = {"adbc.sqlite.query.batch_rows": str(SQLITE_TYPED_ROWS)}
    remedy = (
        "check the query; if a column mixes types, cast it there, for instance "
        "SELECT CAST(size AS REAL) AS size, price FROM sales."
    )

    def __init__(self, path: str | os.PathLike[str], query: str | None = None, table: str | None = None) -> None:
        super().__init__(str(path), query, table)
        self._path = Path(os.path.expanduser(path))
        if not self._path.is_file():
            raise DataError(f"{path}: no such file: expected an SQLite database; check the path.")
        self._driver = load_extra("adbc_driver_sqlite.dbapi", "adbc-driver-sqlite", "sql", "SQLite")

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        uri = f"file:{quote(str(self._path.resolve()))}?mode=ro"
        with closing(self._driver.connect(uri, autocommit=True)) as connection:
            yield connection


def database_path(address: str) -> str:
    """Return the path of a database in a file: ``sqlite:///relative.db``, ``duckdb:////absolute.db``.

    Examples
    --------
    >>> database_path("sqlite:///shop.db"), database_path("duckdb:////data/shop.db"), database_path("sqlite://shop.db")
    ('shop.db', '/data/shop.db', 'shop.db')
    """
    rest = address.partition("://")[2].partition("?")[0]
    return unquote(rest.removeprefix("/"))
