"""Schema: the names and kinds of the columns of a table, known before its rows are read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError

types = pa.types
MAX_SHOWN_NAMES = 10  # in a message

MAX_SUGGESTIONS = 3
MIN_NAME_SIMILARITY = 0.75  # of difflib, from which names are alike
TYPE_NAMES = (
    (types.is_boolean, "true or false"),
    (types.is_integer, "whole numbers"),
    (types.is_floating, "decimal numbers"),
    (types.is_decimal, "decimal numbers"),
    (types.is_duration, "durations"),
    (types.is_date, "dates"),
    (types.is_timestamp, "dates and times"),
    (types.is_time, "times of day"),
    (types.is_null, "missing values"),
    (types.is_struct, "structs"),
    (types.is_map, "maps"),
    (types.is_union, "unions"),
    (types.is_binary, "bytes"),
    (types.is_large_binary, "bytes"),
    (types.is_fixed_size_binary, "bytes"),
    (types.is_interval, "durations"),
)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : its name.
    kind : "number", "boolean", "time" (dates, times of day, instants), "category" (an Arrow dictionary), "text"
        (strings: categories or words), "empty" (no values) or "other" (lists, structs, bytes).
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


def type_name(arrow_type: Any) -> str:
    """Return an Arrow type in plain words."""
    if types.is_dictionary(arrow_type):
        return f"categories of {type_name(arrow_type.value_type)}"
    if is_string(arrow_type):
        return "text"
    if types.is_list(arrow_type) or types.is_large_list(arrow_type) or types.is_fixed_size_list(arrow_type):
        return f"lists of {type_name(arrow_type.value_type)}"
    for found, name in TYPE_NAMES:
        if found(arrow_type):
            return name
    extension = getattr(arrow_type, "extension_name", "")
    return f"{extension.removeprefix('pandas.')}s" if extension else "another type"


def is_string(arrow_type: Any) -> bool:
    """Return whether values of this type are strings."""
    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or getattr(types, "is_string_view", lambda _: False)(arrow_type)
    )


def require_distinct(names: Iterable[str], source_name: str) -> None:
    """Raise an error if two columns have the same name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(
                f"{source_name}: two columns are named {name!r}: expected different names, because models identify "
                "columns by name; rename one."
            )
        seen.add(name)


def require_columns(names: Iterable[str], known: Iterable[str], source_name: str) -> None:
    """Raise an error for names of columns that do not exist."""
    there = dict.fromkeys(known)
    for name in names:
        if name not in there:
            raise no_column(name, there, source_name)


def listed_names(names: Sequence[str]) -> str:
    """Return names of columns for a message, shortened if there are many."""
    more = f", ... ({len(names):,} in all)" if len(names) > MAX_SHOWN_NAMES else ""
    return ", ".join(repr(name) for name in names[:MAX_SHOWN_NAMES]) + more


def no_column(name: str, names: Iterable[str], source_name: str) -> DataError:
    """Return the error for a missing column; it suggests similar names."""
    known = list(names)
    near = similar_names(name, known)
    hint = "did you mean " + " or ".join(map(repr, near)) + "?" if near else f"its columns are {listed_names(known)}."
    return DataError(f"{source_name}: there is no column {name!r}: {hint}")


def similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the most similar names, for which this one may be a typing error."""
    wanted = name.casefold().strip()
    matcher = difflib.SequenceMatcher(b=wanted, autojunk=False)
    found: list[tuple[float, str]] = []
    for other in names:
        folded = other.casefold().strip()
        matcher.set_seq1(folded)
        longer = max(len(folded), len(wanted))
        one_letter = 2 * (longer - 1) / max(len(folded) + len(wanted), 1) if longer > 2 else 1.0
        least = min(MIN_NAME_SIMILARITY, one_letter)
        if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and matcher.ratio() >= least:
            found.append((-matcher.ratio(), other))
    return [other for _, other in sorted(found)[:MAX_SUGGESTIONS]]
