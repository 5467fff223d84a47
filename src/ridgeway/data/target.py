"""The target and the weights of a batch: one number for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.numbers import as_numbers, first_non_number
from ridgeway.data.remedy import null_remedy
from ridgeway.data.schema import kind_of, no_column

Targets: TypeAlias = str | Sequence[str]  # the name of one column, or the names of several


@dataclass(frozen=True)
class TargetRows:
    """Rows with a target.

    Attributes
    ----------
    table : the other columns, a record batch.
    y : (rows,), the target; (rows, targets) when several were named.
    weight : (rows,), or None.
    numbers : (rows,), number of each row in the batch.
    dropped : rows left out because their target or weight was missing.
    """

    table: Any
    y: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    numbers: NDArray[np.intp]
    dropped: int


def target_of(batch: Any, target: Targets, weight: str | None = None, source_name: str = "the table") -> TargetRows:
    """Split a batch into features, target and weights; rows without a target or weight are left out and counted.

    Of several targets, a row must have all.

    Parameters
    ----------
    batch : Arrow record batch.
    target : name of the column of the target: numbers (or booleans: 0 and 1); or the names of several.
    weight : name of the column of the weights, each 0 or more; None when there are none.
    source_name : name of the data in messages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = target_of(pa.record_batch({"x": [1, 2, 3], "y": [0.5, None, 1.5]}), "y")
    >>> rows.y, rows.dropped, rows.table.column_names
    (array([0.5, 1.5]), 1, ['x'])
    """
    targets = names_of(target)
    columns = [_column(batch, name, "target", source_name) for name in targets]
    y = columns[0] if isinstance(target, str) else np.column_stack(columns)
    kept = ~(np.isnan(y) if y.ndim == 1 else np.isnan(y).any(axis=1))
    weights = None
    if weight is not None:
        weights = _column(batch, weight, "weight", source_name)
        if (weights < 0).any():
            worst = float(weights[weights < 0][0])
            raise DataError(
                f"{source_name}: the weight column {weight!r} holds {worst:g}: expected 0 or more; 0 leaves a row out."
            )
        kept &= ~np.isnan(weights)
    features = [name for name in batch.schema.names if name not in (*targets, weight)]
    table = batch.select(features)
    dropped = int(len(y) - kept.sum())
    if dropped:
        table = table.filter(pa.array(kept))
        y = y[kept]
        weights = None if weights is None else weights[kept]
    return TargetRows(table, y, weights, np.flatnonzero(kept), dropped)


def names_of(target: Targets | None) -> tuple[str, ...]:
    """Return the names of the targets: none, one or several."""
    if target is None:
        return ()
    return (target,) if isinstance(target, str) else tuple(target)


def _column(batch: Any, name: str, role: str, source_name: str) -> NDArray[np.float64]:
    """Return a column as float64 with NaN for missing values."""
    if name not in batch.schema.names:
        raise no_column(name, batch.schema.names, source_name)
    column = batch.column(name)
    if kind_of(column.type) not in ("number", "boolean", "empty"):
        if (text := first_non_number(column)) is not None:
            raise DataError(
                f"{source_name}: the {role} column {name!r} holds the text {text!r} among numbers: expected numbers; "
                f"correct the value, leave such rows out, or, in a CSV file, treat it as missing with "
                f"{null_remedy([text])}."
            )
        first = next((value for value in column.to_pylist() if value is not None), None)
        raise DataError(
            f"{source_name}: the {role} column {name!r} is of kind {kind_of(column.type)!r}, with values such as "
            f"{str(first)!r}: expected numbers; choose another column or convert it."
        )
    values = as_numbers(column, name, source_name)
    if np.isinf(values).any():
        raise DataError(
            f"{source_name}: the {role} column {name!r} holds infinity: expected finite numbers; drop such rows."
        )
    return values
