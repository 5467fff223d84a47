"""Convert frozen dataclasses to plain values that JSON can hold, and back with checks."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

MAX_NUMBER, MAX_INTEGER = 1e300, 2**53


def to_plain(value: Any) -> Any:
    """Return dataclasses as dictionaries and tuples as lists; other values are unchanged."""
    if dataclasses.is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(entry) for entry in value]
    return value


def from_plain(kind: type[T], value: Any, place: str) -> T:
    """Return the dataclass `kind` that `to_plain` converted; an error names the wrong entry.

    Parameters
    ----------
    kind : a frozen dataclass whose fields are numbers, texts, None, tuples of these, or such dataclasses.
    value : the plain value.
    place : the name of the value in error messages.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place:
    ...     name: str
    ...     height: float
    >>> from_plain(Place, to_plain(Place("Uffington", 261.0)), "place")
    Place(name='Uffington', height=261.0)
    >>> from_plain(Place, {"name": "Uffington", "height": "high"}, "place")
    Traceback (most recent call last):
    ValueError: place.height is 'high': expected a finite number; write the report again from the model.
    """
    answer: T = _read(kind, value, place)
    return answer


def _read(kind: Any, value: Any, place: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(next(part for part in inner if part is not type(None)), value, place)
    if origin is tuple:
        if not isinstance(value, list):
            raise _unexpected(value, place, "a list")
        if inner[-1] is Ellipsis:
            return tuple(_read(inner[0], entry, f"{place}[{i}]") for i, entry in enumerate(value))
        if len(value) != len(inner):
            raise _unexpected(value, place, f"{len(inner)} entries")
        return tuple(
            _read(part, entry, f"{place}[{i}]") for i, (part, entry) in enumerate(zip(inner, value, strict=True))
        )
    if dataclasses.is_dataclass(kind):
        return _read_fields(kind, value, place)
    return _read_number_or_text(kind, value, place)


def _read_fields(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise _unexpected(value, place, "named entries")
    hints = get_type_hints(kind)
    if set(value) != set(hints):
        unlike = ", ".join(sorted(map(str, set(value) ^ set(hints))))
        raise ValueError(f"{place} has other entries than expected ({unlike}): write the report again from the model.")
    return kind(**{name: _read(hint, value[name], f"{place}.{name}") for name, hint in hints.items()})


def _read_number_or_text(kind: Any, value: Any, place: str) -> Any:
    if kind is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_NUMBER:
            raise _unexpected(value, place, "a finite number")
        return float(value)
    if type(value) is not kind or (kind is int and abs(value) > MAX_INTEGER):
        raise _unexpected(value, place, {int: "a whole number", str: "a text", bool: "true or false"}[kind])
    return value


def _unexpected(value: Any, place: str, expected: str) -> ValueError:
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    return ValueError(f"{place} is {shown}: expected {expected}; write the report again from the model.")
