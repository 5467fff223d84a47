"""The common type of a column whose types differ between files, or between parts of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ridgeway.data.arrow import pa
from ridgeway.data.record_batch import as_batch
from ridgeway.data.schema import kind_of


def wider(one: Any, other: Any) -> Any:
    """Return a type that holds the values of both types, or the first type if there is none."""
    kinds = {kind_of(one), kind_of(other)}
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if kinds == {"number"}:
        return pa.float64()
    if kinds == {"time"}:
        dates = pa.types.is_date(one) or pa.types.is_timestamp(one)
        others = pa.types.is_date(other) or pa.types.is_timestamp(other)
        zones = {getattr(side, "tz", None) for side in (one, other)}
        if not (dates and others) or (len(zones) > 1 and not pa.types.is_date(one) and not pa.types.is_date(other)):
            return one
        units = {getattr(side, "unit", "s") for side in (one, other)}
        return pa.timestamp("ns" if "ns" in units else "us", next(iter(zones - {None}), None))
    if kinds <= {"category", "text"} or ("text" in kinds and kinds <= {"text", "number", "boolean", "time"}):
        return pa.string()
    return one


def joined_record_batches(parts: Sequence[Any]) -> Any:
    """Join record batches of the same columns into one; types that differ become their common type."""
    if len(parts) == 1:
        return parts[0]
    schema = parts[0].schema
    if any(part.schema != schema for part in parts):
        for part in parts:
            schema = pa.schema(
                {name: wider(schema.field(name).type, part.schema.field(name).type) for name in schema.names}
            )
        parts = [
            pa.record_batch([part.column(field.name).cast(field.type) for field in schema], schema=schema)
            for part in parts
        ]
    return as_batch(pa.Table.from_batches(parts))
