"""Records: conversion of frozen dataclasses to plain JSON values and back, with a check of each field's type."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ridgeway.storage.state import Stored

T = TypeVar("T")

MAX_RECORD_NUMBER = 1e300  # largest number in a record: sums of a few of them stay finite
MAX_RECORD_INTEGER = 2**53


def to_plain(value: Any) -> Any:
    """Return dataclasses as dictionaries and tuples as lists; everything else stays as it is."""
    if dataclasses.is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(entry) for entry in value]
    return value


def from_plain(kind: type[T], value: Any, place: str, remedy: str = "") -> T:
    """Return a dataclass of class `kind` from the result of `to_plain`; an error names the first wrong entry.

    Parameters
    ----------
    kind : a frozen dataclass whose fields are numbers, texts, None, tuples of these, or such dataclasses.
    value : the plain value that was read.
    place : name of the value, for errors.
    remedy : what the user can do, for errors.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place:
    ...     name: str
    ...     height: float
    >>> from_plain(Place, to_plain(Place("Uffington", 261.0)), "place")
    Place(name='Uffington', height=261.0)
    >>> from_plain(Place, {"name": "Uffington", "height": "high"}, "place", "measure it again")
    Traceback (most recent call last):
    ridgeway.storage.state.StateError: place.height is 'high': expected a finite number; measure it again.
    """
    answer: T = _entry(kind, Stored({place: value}, remedy=remedy), place)
    return answer


def _entry(kind: Any, stored: Stored, name: str) -> Any:
    """Return an entry of a state, checked against its type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _entry(next(part for part in inner if part is not type(None)), stored, name) if name in stored else None
    if origin is tuple:
        entries, names = stored.entries(name)
        parts = inner[:1] * len(names) if inner[-1] is Ellipsis else inner
        stored.require(len(parts) == len(names), name, f"{len(parts)} entries")
        return tuple(_entry(part, entries, entry) for part, entry in zip(parts, names, strict=True))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        part, hints = stored.part(name), get_type_hints(kind)
        part.require_names(hints)
        return kind(**{field: _entry(hint, part, field) for field, hint in hints.items()})
    if kind is float:
        return stored.number(name, -MAX_RECORD_NUMBER, MAX_RECORD_NUMBER)
    if kind is int:
        return stored.integer(name, -MAX_RECORD_INTEGER, MAX_RECORD_INTEGER)
    return stored.flag(name) if kind is bool else stored.text(name)
