"""Convert Arrow columns of any type to float64, with NaN for missing values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.schema import is_string, kind_of, type_name

types = pa.types


def as_numbers(column: Any, name: str, source_name: str = "the table") -> NDArray[np.float64]:
    """Return a column as float64, with NaN for missing values; text is read as numbers, or refused."""
    kind = column.type
    if types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if types.is_null(kind):
        return np.full(len(column), np.nan)
    if is_string(kind):
        column = _parsed(column, name, source_name)
    elif types.is_duration(kind):  # in seconds
        ticks = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[kind.unit]
        return _filled(column.cast(pa.int64())) * ticks
    elif types.is_float16(kind):
        column = column.cast(pa.float32())
    elif kind_of(kind) not in ("number", "boolean"):
        raise DataError(
            f"{source_name}: column {name!r} holds {type_name(kind)}: expected numbers, as when the model was fitted; "
            "convert it."
        )
    return _filled(column)


def first_non_number(column: Any) -> str | None:
    """Return the first text of a column that is not a number; None if no value is a number, or the column is no text.

    Examples
    --------
    >>> first_non_number(pa.array(["25", "unknown", "31"]))
    'unknown'
    """
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not is_string(column.type):
        return None
    values = column.drop_null()
    are = pc.match_substring_regex(values, number_pattern())
    if not pc.any(are).as_py() or pc.all(are).as_py():
        return None
    return str(values.filter(pc.invert(are))[0].as_py())


def number_pattern(decimal: str = ".") -> str:
    """Return the regular expression of a number with this decimal sign."""
    sign = re.escape(decimal)
    return rf"^\s*[-+]?(\d+{sign}?\d*|{sign}\d+)([eE][-+]?\d+)?\s*$"


def _filled(column: Any) -> NDArray[np.float64]:
    if not types.is_float64(column.type):
        column = column.cast(pa.float64(), safe=False)
    values: NDArray[np.float64] = column.to_numpy(zero_copy_only=False)
    return values


def _parsed(column: Any, name: str, source_name: str) -> Any:
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        distinct = column.drop_null().unique()
        for value in distinct.to_pylist():
            try:
                pa.array([value]).cast(pa.float64())
            except pa.ArrowInvalid:
                raise DataError(
                    f"{source_name}: column {name!r} holds the text {value!r}: expected numbers, as when the model was "
                    "fitted; correct the value or leave it empty."
                ) from None
        raise
