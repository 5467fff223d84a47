"""Options that say which rows of DATA to read: a query, or a table of a database or workbook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--query`` and ``--table`` to a command."""
    function = click.option(
        "--table", metavar="NAME", help="The table of a database, or the sheet of a workbook, to read."
    )(function)
    return click.option(
        "--query",
        metavar="SQL",
        help="Read the result of this SQL query. A database uses its own dialect; files use DuckDB's, with DATA as the "
        "table 'data'.",
    )(function)


def given_data(data: str | None, query: str | None) -> dict[str, str]:
    """Return DATA as an input of the command; it may be left out if a query names its files."""
    if data is not None:
        return {"DATA": data}
    if query is None:
        raise click.UsageError("Missing argument 'DATA': expected a file, a folder, a pattern or an address.")
    return {}


def require_files(data: Any, option: str | None) -> None:
    """Refuse a table that is not in local files for an option whose processes read files.

    Parameters
    ----------
    data : what to read.
    option : the option, None if it is not given.
    """
    if option is not None and not isinstance(data, str):
        raise click.UsageError(
            f"{data.name} is read by one process, and {option} reads files in many: expected a file, a folder or a "
            f"pattern; write the rows to Parquet files, or leave out {option}."
        )
