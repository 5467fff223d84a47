"""Comparison of two estimators, bit for bit."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, bytes, type)


def differences(one: Any, other: Any, place: str = "", seen: set[tuple[int, int]] | None = None) -> list[str]:
    """Return the places where two objects differ; none if they are the same."""
    seen = set() if seen is None else seen
    if one is other or (id(one), id(other)) in seen:
        return []
    seen.add((id(one), id(other)))
    if type(one) is not type(other):
        return [f"{place}: {type(one).__name__} and {type(other).__name__}"]
    if isinstance(one, PLAIN):
        return [] if repr(one) == repr(other) else [f"{place}: {one!r} and {other!r}"]
    if isinstance(one, np.ndarray):
        return _arrays(one, other, place, seen)
    if isinstance(one, np.generic):
        return [] if one.tobytes() == other.tobytes() else [f"{place}: {one!r} and {other!r}"]
    parts = _parts(one), _parts(other)
    if parts[0] is None or parts[1] is None:
        return [] if one == other else [f"{place}: {one!r} and {other!r}"]
    if parts[0].keys() != parts[1].keys():
        return [f"{place}: parts {sorted(map(str, parts[0].keys() ^ parts[1].keys()))}"]
    return [
        found for name in parts[0] for found in differences(parts[0][name], parts[1][name], f"{place}.{name}", seen)
    ]


def _arrays(one: Any, other: Any, place: str, seen: set[tuple[int, int]]) -> list[str]:
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return [f"{place}: {one.dtype}{one.shape} and {other.dtype}{other.shape}"]
    if one.dtype == object:
        return differences(one.tolist(), other.tolist(), place, seen)
    return [] if one.tobytes() == other.tobytes() else [f"{place}: other numbers"]


def _parts(value: Any) -> dict[Any, Any] | None:
    """Return the parts of an object; None if it has none and must be compared as a whole."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if isinstance(value, partial):
        return {"func": value.func, "args": value.args, "keywords": value.keywords}
    if isinstance(value, np.random.Generator):
        return {"state": str(value.bit_generator.state)}
    return vars(value) if hasattr(value, "__dict__") and not callable(value) else None
