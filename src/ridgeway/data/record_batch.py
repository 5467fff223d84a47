"""Tables of several chunks as one record batch, whatever the length of their texts."""

from __future__ import annotations

from typing import Any

from ridgeway.data.arrow import pa

# Types whose values lie at offsets of 32 bits, so that one array holds 2 GB, and the same with offsets of 64 bits.
LONG_TYPES = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


def as_batch(table: Any) -> Any:
    """Return a table as one record batch; texts of more than 2 GB become `large_string`."""
    return unchunked(table.combine_chunks())


def unchunked(table: Any) -> Any:
    """Return a table whose chunks were combined as one record batch.

    Arrow leaves several chunks where the texts of a column exceed the 2 GB that offsets of 32 bits reach.

    Parameters
    ----------
    table : what ``combine_chunks`` returned.
    """
    if any(column.num_chunks > 1 for column in table.columns):
        table = table.cast(pa.schema([_long(field) for field in table.schema], table.schema.metadata)).combine_chunks()
    columns = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)


def _long(field: Any) -> Any:
    """Return a field with offsets of 64 bits."""
    return field.with_type(LONG_TYPES.get(field.type, field.type))
