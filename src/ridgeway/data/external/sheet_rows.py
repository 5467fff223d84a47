"""Cells of a sheet as an Arrow table: one type for each column."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.csv_types import null_spellings
from ridgeway.data.data_error import DataError
from ridgeway.data.schema import require_distinct


def table_of_rows(rows: Sequence[Sequence[Any]], name: str) -> Any:
    """Return the Arrow table of rows of cells; the first row holds the names of the columns.

    Empty cells, and texts such as NA, are missing values. Rows without any value are left out.

    Parameters
    ----------
    rows : cells: "" for empty ones, numbers, texts, booleans, dates and times.
    name : name of the sheet in messages.

    Examples
    --------
    >>> table_of_rows([["size", "shop"], [1.5, "east"], ["", "west"]], "sales.xlsx").to_pylist()
    [{'size': 1.5, 'shop': 'east'}, {'size': None, 'shop': 'west'}]
    """
    if len(rows) == 0:
        raise DataError(f"{name}: the sheet is empty: expected names of columns in the first row, and rows below it.")
    names = [str(cell).strip() for cell in rows[0]]
    kept = [place for place, text in enumerate(names) if text]
    nameless = [place for place in range(len(names)) if place not in kept and any(row[place] != "" for row in rows[1:])]
    if nameless:
        raise DataError(
            f"{name}: column {nameless[0] + 1} has values but no name in the first row of the table: expected a name "
            "for each column, and no title above them; add it, or delete the rows above the names."
        )
    require_distinct((names[place] for place in kept), name)
    nulls = set(null_spellings(()))
    body = [[_value(row[place], nulls) for place in kept] for row in rows[1:]]
    body = [row for row in body if any(value is not None for value in row)]
    return pa.table(
        {names[place]: _column([row[i] for row in body], names[place], name) for i, place in enumerate(kept)}
    )


def _value(cell: Any, nulls: set[str]) -> Any:
    return None if isinstance(cell, str) and cell.strip() in nulls else cell


def _column(values: list[Any], column: str, name: str) -> Any:
    """Return a column; whole numbers stay so, dates beside times of day and numbers beside texts are errors."""
    kinds = {_kind(value) for value in values if value is not None}
    if kinds == {"date", "instant"}:
        values = [_instant(value) for value in values]
    elif len(kinds) > 1:
        examples = {_kind(value): value for value in reversed(values) if value is not None}
        shown = " and ".join(f"{example!r} ({kind})" for kind, example in sorted(examples.items()))
        raise DataError(
            f"{name}: column {column!r} mixes types, such as {shown}: expected one type in a column; correct the "
            "cells, or format the column as text."
        )
    return pa.array(values)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, datetime.datetime):
        return "instant"
    return {datetime.date: "date", datetime.time: "time", datetime.timedelta: "duration"}.get(type(value), "text")


def _instant(value: Any) -> Any:
    if value is None or isinstance(value, datetime.datetime):
        return value
    return datetime.datetime.combine(value, datetime.time())
