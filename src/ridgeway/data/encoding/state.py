"""Read values from an untrusted dictionary; an error names the wrong value."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

MAX_LEVELS = 1 << 16
MAX_STORED_CHARACTERS = 1 << 12  # characters of a name or level
MAX_BUCKETS = 1 << 20


def text(state: Mapping[str, Any], name: str, longest: int = MAX_STORED_CHARACTERS) -> str:
    """Return a string."""
    value = state.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise refused(name, value, f"a string of at most {longest:,} characters")
    return value


def one_of(state: Mapping[str, Any], name: str, among: Collection[str]) -> str:
    """Return one of a few strings."""
    value = text(state, name)
    if value not in among:
        raise refused(name, value, f"one of {', '.join(among)}")
    return value


def texts(state: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of different strings."""
    values = state.get(name)
    if (
        not isinstance(values, list)
        or len(values) > MAX_LEVELS
        or not all(isinstance(value, str) and len(value) <= MAX_STORED_CHARACTERS for value in values)
        or len(set(values)) != len(values)
    ):
        raise refused(name, values, f"a list of at most {MAX_LEVELS:,} different strings")
    return tuple(values)


def number(state: Mapping[str, Any], name: str) -> float:
    """Return a finite float."""
    value = state.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e308 or not math.isfinite(value):
        raise refused(name, value, "a finite number")
    return float(value)


def whole(state: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """Return an int between two bounds."""
    value = state.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise refused(name, value, f"an integer from {low:,} to {high:,}")
    return value


def flag(state: Mapping[str, Any], name: str) -> bool:
    """Return a bool."""
    value = state.get(name)
    if not isinstance(value, bool):
        raise refused(name, value, "true or false")
    return value


def refused(name: str, value: object, expected: str) -> ValueError:
    """Return the error for a value."""
    return ValueError(f"encoder: {name} is {str(value)[:60]!r}: expected {expected}; the file is damaged, fit again.")
