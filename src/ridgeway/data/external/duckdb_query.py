"""Queries by DuckDB: of a DuckDB file, or of CSV, Parquet and Arrow files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.csv_types import null_spellings
from ridgeway.data.data_error import DataError
from ridgeway.data.external.database import Database, quoted
from ridgeway.data.external.extra import load_extra
from ridgeway.data.files import find_files, format_of
from ridgeway.machine.available_memory import default_memory

FILES_VIEW = "data"  # the name of the files in a query
MIN_MEMORY_BYTES = 1 << 28
TABLES = (
    "SELECT table_schema, table_name FROM information_schema.tables "
    "WHERE table_catalog = current_database() ORDER BY 1, 2"
)


class DuckDB(Database):
    """A table or a query of a DuckDB file, or a query of other files.

    DuckDB works in a quarter of the available memory, and in a temporary folder beyond it.

    Parameters
    ----------
    path : a DuckDB file; None for none.
    query, table : what to read.
    files : a file, folder or pattern that the query calls ``data``.
    """

    default_schemas = ("main",)
    remedy = "check the query."

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        query: str | None = None,
        table: str | None = None,
        files: Any = None,
    ) -> None:
        super().__init__(str(path or files or "the query"), query, table)
        self._path = None if path is None else Path(os.path.expanduser(path))
        if self._path is not None and not self._path.is_file():
            raise DataError(f"{path}: no such file: expected a DuckDB database; check the path.")
        self._files: Sequence[Path] = () if files is None else find_files(files)
        if self._files and format_of(self._files) == "libsvm":
            raise DataError(f"{files}: LIBSVM text has no columns to query: leave out --query (query=).")
        self._duckdb = load_extra("duckdb", "duckdb", "sql", "DuckDB (--query)")

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        with tempfile.TemporaryDirectory(prefix="ridgeway-") as folder:
            settings = {
                "memory_limit": f"{max(default_memory(), MIN_MEMORY_BYTES)}B",
                "temp_directory": folder,
                "python_enable_replacements": "false",  # a query names files and tables, no variables of ours
            }
            database = ":memory:" if self._path is None else str(self._path)
            with closing(self._duckdb.connect(database, read_only=self._path is not None, config=settings)) as found:
                found.execute("SET TimeZone = 'UTC'")
                if self._files:
                    self._show_files(found)
                yield found

    def _show_files(self, connection: Any) -> None:
        """Make the files a view for the query."""
        names = "[" + ", ".join(_text(str(path)) for path in self._files) + "]"
        match format_of(self._files):
            case "parquet":
                rows = f"read_parquet({names})"
            case "csv":
                spellings = "[" + ", ".join(map(_text, null_spellings(()))) + "]"
                rows = f"read_csv({names}, nullstr = {spellings})"
            case "feather":
                dataset = load_extra("pyarrow.dataset", "pyarrow", "cli", "Feather files")
                connection.register(FILES_VIEW, dataset.dataset([str(path) for path in self._files], format="feather"))
                return
            case other:
                raise DataError(f"--query cannot read {other} files: expected Parquet, CSV or Feather files.")
        connection.execute(f"CREATE VIEW {FILES_VIEW} AS SELECT * FROM {rows}")

    def _tables(self, connection: Any) -> list[tuple[str, str]]:
        return [(schema, name) for schema, name in connection.execute(TABLES).fetchall()]

    def _described(self, connection: Any, rows: str) -> Any:
        return pa.RecordBatchReader.from_stream(connection.sql(f"SELECT * FROM {rows} LIMIT 0")).schema

    @contextmanager
    def _reading(self, connection: Any, statement: str) -> Iterator[Any]:
        yield pa.RecordBatchReader.from_stream(connection.sql(statement))

    def _expression(self, field: Any) -> str:
        name = quoted(field.name)
        if pa.types.is_interval(field.type):
            return f"CAST(epoch({name}) AS DOUBLE) AS {name}"  # seconds
        if hasattr(field.type, "storage_type"):
            return f"CAST({name} AS VARCHAR) AS {name}"
        return name


def _text(value: str) -> str:
    """Return a text for SQL."""
    return "'" + value.replace("'", "''") + "'"
