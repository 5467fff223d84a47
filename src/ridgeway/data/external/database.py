"""What queries of all databases share: the table or query to read, and names in SQL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ridgeway.data.data_error import DataError
from ridgeway.data.external.base_table import ExternalTable
from ridgeway.data.external.spill import SpillFolder, naming_source, spilled
from ridgeway.data.schema import listed_names, require_columns, similar_names

ALIAS = "ridgeway_rows"
GIVE_ONE = "give one with --table NAME (table=), or a query with --query SQL (query=)"


class Database(ExternalTable):
    """A table or a query of a database.

    The query is a part of ``SELECT columns FROM (query)``, so the database reads no other columns, and a statement
    that changes data is a syntax error.

    Parameters
    ----------
    place : name of the database in messages, without user and password.
    query : SQL that selects the rows; None for a table.
    table : name of the table or view, also with its schema; None if there is a query, or a single table.
    """

    def __init__(self, place: str, query: str | None, table: str | None) -> None:
        if query is not None and table is not None:
            raise DataError(f"{place}: --query and --table are both given (query=, table=): expected one of them.")
        self.place = place
        self.name = f"{place} (query)" if query is not None else f"{place} ({table})" if table else place
        self._query = None if query is None else query.strip().removesuffix(";")
        self._wanted = table
        self._folders: dict[tuple[str, ...] | None, SpillFolder] = {}
        self._schema: Any = None

    def schema(self) -> Any:
        """Return the Arrow schema of the rows; the database plans the query, and reads no row."""
        if self._schema is None:
            with self._connected() as connection:
                self._schema = self._described(connection, self._rows(connection))
        return self._schema

    def local(self, columns: Sequence[str] | None) -> Path:
        """Write the result to a temporary file."""
        key = None if columns is None else tuple(columns)
        if key not in self._folders:
            schema = self.schema()
            require_columns(columns or (), schema.names, self.name)
            folder = SpillFolder(self.name)
            with self._connected() as connection:
                fields = [schema.field(name) for name in (schema.names if columns is None else columns)]
                chosen = ", ".join(self._expression(field) for field in fields)
                with self._reading(connection, f"SELECT {chosen} FROM {self._rows(connection)}") as reader:
                    spilled(reader, folder, self.name)
            self._folders[key] = folder
        return self._folders[key].path / "rows.parquet"

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        with naming_source(self.name, self.remedy), self._connection() as connection:
            yield connection

    def _rows(self, connection: Any) -> str:
        """Return the rows as an item of a FROM clause."""
        if self._query is not None:
            return f"(\n{self._query}\n) AS {ALIAS}"
        return f"{self._table(connection)} AS {ALIAS}"

    def _table(self, connection: Any) -> str:
        """Return the quoted name of the table to read."""
        found = self._tables(connection)
        known = [name if schema in self.default_schemas else f"{schema}.{name}" for schema, name in found]
        if self._wanted is None:
            if len(found) != 1:
                listed = f"its tables are {listed_names(known)}" if known else "it has no tables"
                raise DataError(f"{self.place}: which table? {listed}: {GIVE_ONE}.")
            return ".".join(map(quoted, found[0]))
        for (schema, name), spelled in zip(found, known, strict=True):
            if self._wanted in (spelled, f"{schema}.{name}"):
                return f"{quoted(schema)}.{quoted(name)}"
        near = similar_names(self._wanted, known)
        hint = (
            "did you mean " + " or ".join(map(repr, near)) + "?" if near else f"its tables are {listed_names(known)}."
        )
        raise DataError(f"{self.place}: there is no table {self._wanted!r}: {hint}")

    remedy: str
    default_schemas: tuple[str, ...]

    @abstractmethod
    def _connection(self) -> AbstractContextManager[Any]:
        """Connect to the database, for reading only."""

    @abstractmethod
    def _tables(self, connection: Any) -> list[tuple[str, str]]:
        """Return schema and name of the tables and views."""

    @abstractmethod
    def _described(self, connection: Any, rows: str) -> Any:
        """Return the Arrow schema of an item of a FROM clause."""

    @abstractmethod
    def _reading(self, connection: Any, statement: str) -> AbstractContextManager[Any]:
        """Yield a reader of the record batches of a statement."""

    def _expression(self, field: Any) -> str:
        """Return SQL for a column, with a cast if its type would not arrive as a number or text."""
        return quoted(field.name)


def quoted(name: str) -> str:
    """Return a name for SQL.

    Examples
    --------
    >>> print(quoted("sales"))
    "sales"
    """
    return '"' + name.replace('"', '""') + '"'
