"""The types in which the columns of a CSV file are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.csv

from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.schema import is_string, kind_of

DISTINCT = 0.5  # share of distinct strings up to which a column is read as dictionary codes
MOSTLY = 0.95  # share of numbers from which text in a column is taken for an error
MANY = 100  # distinct numbers from which a column is no set of codes

# What pyarrow takes for missing, and what pandas, R, SQL and Weka write besides.
NULLS = [*pa.csv.ConvertOptions().null_values, "None", "none", "<NA>", "Null", "NAN", "?", "."]

CODES = pa.dictionary(pa.int32(), pa.string())
INSTANT = pa.timestamp("us")


def column_type(sample: Any, name: str, path: Path) -> Any:
    """Return the type for a column from the type that pyarrow inferred for its first rows."""
    inferred = sample.type
    if pa.types.is_binary(inferred) or pa.types.is_large_binary(inferred):
        raise DataError(
            f"{path}: column {name!r} holds text that is not UTF-8: expected UTF-8; convert the file, for instance with "
            "iconv -f latin1 -t utf-8."
        )
    if pa.types.is_null(inferred):
        return inferred
    if is_string(inferred):
        values = sample.drop_null()
        distinct = values.unique()
        _refuse_mixed(values, distinct, name, path)
        return CODES if len(distinct) <= DISTINCT * len(values) else pa.string()
    if pa.types.is_timestamp(inferred) and inferred.unit == "s":
        return pa.timestamp("us", inferred.tz)
    return inferred


def given_type(kind: str) -> Any:
    """Return the type for a column of a kind that the user gave."""
    known = {
        "number": pa.float64(),
        "text": pa.string(),
        "category": CODES,
        "boolean": pa.bool_(),
        "time": INSTANT,
    }
    if kind not in known:
        raise ValueError(f"kinds: {kind!r} is no kind: expected one of {', '.join(known)}.")
    return known[kind]


def wider(one: Any, other: Any) -> Any:
    """Return the type that holds the values of both, the first where there is none."""
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
    if kinds <= {"category", "text"}:
        return pa.string()
    return one


def _refuse_mixed(values: Any, distinct: Any, name: str, path: Path) -> None:
    """Refuse a column of numbers with a few words in it: neither reading would be right."""
    number = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
    if len(distinct) < MANY:
        return
    are = pc.match_substring_regex(values, number)
    share = pc.mean(are).as_py()
    if not MOSTLY <= share < 1 or pc.sum(pc.match_substring_regex(distinct, number)).as_py() < MANY:
        return
    words = values.filter(pc.invert(are)).unique()
    row = pc.index(are, False).as_py()
    shown = ", ".join(repr(word) for word in words[:3].to_pylist())
    raise DataError(
        f"{path}: column {name!r} mixes numbers and text: got {shown} (first in value {row + 1:,}) among "
        f"{share:.1%} numbers, expected one of them; correct the values, name {'them' if len(words) > 1 else 'it'} as a "
        f"spelling of missing (null_values), read the column as text (kinds={{{name!r}: 'text'}}) or leave it out."
    )
