"""Schema: the names and kinds of the columns of a table, known before its rows are read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError

types = pa.types


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : its name.
    kind : "number", "boolean", "time" (dates, times of day, instants), "category" (an Arrow dictionary), "text"
        (strings: categories or words), "empty" (no value in sight) or "other" (lists, structs, bytes).
    """

    name: str
    kind: str


@dataclass(frozen=True)
class Schema:
    """The columns of a table in their order.

    Examples
    --------
    >>> import pyarrow as pa
    >>> Schema.of(pa.schema({"age": pa.int8(), "city": pa.string()})).kinds
    {'age': 'number', 'city': 'text'}
    """

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, schema: Any) -> Schema:
        """Return the schema of an Arrow schema."""
        return cls(tuple(Column(field.name, kind_of(field.type)) for field in schema))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds of the columns by their names."""
        return {column.name: column.kind for column in self.columns}

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)


def kind_of(arrow_type: Any) -> str:
    """Return the kind of a column of this Arrow type."""
    if types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    if types.is_duration(arrow_type):
        return "number"
    if types.is_boolean(arrow_type):
        return "boolean"
    if types.is_timestamp(arrow_type) or types.is_date(arrow_type) or types.is_time(arrow_type):
        return "time"
    if types.is_dictionary(arrow_type):
        inner = kind_of(arrow_type.value_type)
        return inner if inner in ("empty", "other") else "category"
    if is_string(arrow_type):
        return "text"
    return "empty" if types.is_null(arrow_type) else "other"


def is_string(arrow_type: Any) -> bool:
    """Tell whether values of this type are strings."""
    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or getattr(types, "is_string_view", lambda _: False)(arrow_type)
    )


def require_distinct(names: Iterable[str], place: str) -> None:
    """Refuse a table in which two columns have the same name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(
                f"{place}: two columns are named {name!r}: expected different names, as models know columns by name; "
                "rename one."
            )
        seen.add(name)


def require_columns(names: Iterable[str], known: Iterable[str], place: str) -> None:
    """Refuse names of columns that are not there."""
    there = dict.fromkeys(known)
    for name in names:
        if name not in there:
            raise no_column(name, there, place)


def no_column(name: str, names: Iterable[str], place: str) -> DataError:
    """Return the error of a column that is not there; it names those spelled alike."""
    known = list(names)
    folded = {other.casefold().strip(): other for other in known}
    near = difflib.get_close_matches(name.casefold().strip(), folded, n=3, cutoff=0.6)
    if near:
        hint = "did you mean " + " or ".join(repr(folded[key]) for key in near) + "?"
    else:
        shown = ", ".join(repr(other) for other in known[:10]) + (", ..." if len(known) > 10 else "")
        hint = f"its columns are {shown}."
    return DataError(f"{place}: there is no column {name!r}: {hint}")
