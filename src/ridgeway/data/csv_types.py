"""The types in which the columns of a CSV file are read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ridgeway.data.arrow import pa, pc, pcsv
from ridgeway.data.compression import is_compressed
from ridgeway.data.data_error import DataError
from ridgeway.data.encoding.written_dates import ORDERS
from ridgeway.data.kinds import unknown_kind
from ridgeway.data.numbers import number_pattern
from ridgeway.data.remedy import drop_remedy, kind_remedy, null_remedy
from ridgeway.data.schema import is_string

MAX_DISTINCT_SHARE = 0.5  # of strings that are read as dictionary codes
MIN_NUMBER_SHARE = 0.9  # from this share of numbers on, text in a column is an error
MIN_DISTINCT_MEASUREMENTS = 20  # fewer distinct numbers may be codes, unless most of them differ
MAX_SHOWN_TEXTS = 3  # in a message

# Missing values of pyarrow, and further spellings of pandas, R, SQL and Weka.
NULL_SPELLINGS = [*pcsv.ConvertOptions().null_values, "None", "none", "<NA>", "Null", "NAN", "?", "."]

# What to do about text in a column of numbers that a model reads.
AS_IN_THE_FIT = "expected numbers, as in the fit; correct the value or leave it empty."

CODES_TYPE = pa.dictionary(pa.int32(), pa.string())
INSTANT_TYPE = pa.timestamp("us")


def column_type(
    sample: Any,
    name: str,
    path: Path,
    *,
    decimal: str = ".",
    mixed_as_text: bool = False,
    of_model: bool = False,
    needed: bool = False,
) -> Any:
    """Return the type for a column from the type that pyarrow inferred for its first rows.

    Parameters
    ----------
    sample : the first rows.
    name, path : of the column and of its file, for messages.
    decimal : the decimal sign of the file.
    mixed_as_text : whether a column of numbers with a few texts is text; otherwise it is an error.
    of_model : whether the rows are read for a fitted model, for which the options of a fit are no remedy.
    needed : whether the column must hold numbers, as a target does; then any text beside numbers is an error.
    """
    inferred = sample.type
    if pa.types.is_binary(inferred) or pa.types.is_large_binary(inferred):
        raise not_utf8(path, name)
    if pa.types.is_null(inferred):
        return inferred
    if is_string(inferred):
        values = sample.drop_null()
        distinct = values.unique()
        if not mixed_as_text:
            _refuse_mixed(sample, number_pattern(decimal), name, path, of_model, needed)
        return CODES_TYPE if len(distinct) <= MAX_DISTINCT_SHARE * len(values) else pa.string()
    if pa.types.is_timestamp(inferred) and inferred.unit == "s":
        return pa.timestamp("us", inferred.tz)
    return inferred


def null_spellings(values: Sequence[str]) -> list[str]:
    """Return the spellings of missing values: the usual and the given ones; a whole number also as -999.0."""
    whole = [value.removesuffix(".0") for value in values if re.fullmatch(r"[-+]?\d+(\.0)?", value)]
    return list(dict.fromkeys([*NULL_SPELLINGS, *values, *whole, *(f"{value}.0" for value in whole)]))


def inferred_type(strings: Any, expected: Any, decimal: str, nulls: Sequence[str]) -> Any:
    """Return the type that pyarrow infers for values which were read as text; `expected` if that holds them all."""
    values = strings.drop_null()
    if len(values) == 0:
        return expected
    try:
        if not pa.types.is_null(expected):
            values.cast(expected)
            return expected
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    distinct = values.unique()
    sink = pa.BufferOutputStream()
    pcsv.write_csv(pa.table({"a": distinct, "b": pa.array([1] * len(distinct))}), sink)
    options = pcsv.ConvertOptions(decimal_point=decimal, null_values=list(nulls), strings_can_be_null=True)
    parsing = pcsv.ParseOptions(newlines_in_values=True)
    return pcsv.read_csv(pa.BufferReader(sink.getvalue()), parse_options=parsing, convert_options=options).schema.types[
        0
    ]


def given_type(kind: str, column: str) -> Any:
    """Return the type for a column of a kind that the user gave."""
    known = {
        "number": pa.float64(),
        "text": pa.string(),
        "category": CODES_TYPE,
        "boolean": pa.bool_(),
        "time": INSTANT_TYPE,
        **dict.fromkeys(ORDERS, pa.string()),  # the encoder reads them
    }
    if kind not in known:
        raise unknown_kind(kind, column)
    return known[kind]


def _refuse_mixed(sample: Any, number: str, name: str, path: Path, of_model: bool, needed: bool) -> None:
    """Raise an error for a column of numbers with a few texts, for which neither type is right."""
    values = sample.drop_null()
    are = pc.match_substring_regex(values, number)
    n_numbers, n_values = pc.sum(are).as_py() or 0, len(values)
    n_distinct = len(values.filter(are).unique())
    measured = n_distinct >= MIN_DISTINCT_MEASUREMENTS or 2 * n_distinct > n_numbers
    if n_numbers in (0, n_values) or not (needed or (measured and n_numbers >= MIN_NUMBER_SHARE * n_values)):
        return
    words = values.filter(pc.invert(are)).unique().to_pylist()
    row = f"row {pc.index(sample, words[0]).as_py() + 1:,} below the header"
    if of_model:
        raise DataError(f"{path}: column {name!r} holds the text {words[0]!r} ({row}): {AS_IN_THE_FIT}")
    shown = words[:MAX_SHOWN_TEXTS]
    got = ", ".join(map(repr, shown)) + (", ..." if len(words) > MAX_SHOWN_TEXTS else "")
    raise DataError(
        f"{path}: column {name!r} mixes numbers and text: got {got} ({row}) in "
        f"{n_values - n_numbers:,} of {n_values:,} values, and numbers in all others: expected numbers"
        f"{'' if needed else ' or text'}; correct the file, or {remedies(name, words, needed)}"
    )


def remedies(name: str, values: Sequence[str], needed: bool = False) -> str:
    """Return the remedies for some texts in a column of numbers, on the command line and in Python.

    Parameters
    ----------
    name : of the column.
    values : the texts.
    needed : whether the column must hold numbers, as a target does.
    """
    few = len(values) <= MAX_SHOWN_TEXTS
    it = "the value" if len(values) == 1 else "such values"
    missing = (
        f"treat {it} as missing with {null_remedy(values if few else values[:1])}{'' if few else ', one for each'}"
    )
    if needed:
        return f"{missing}."
    others = f"leave the column out with {drop_remedy(name)}, or read it as text with {kind_remedy(name, 'text')}"
    return f"{missing}, {others}." if few else f"{others}, or {missing}."


def not_utf8(path: Path, name: str | None) -> DataError:
    """Return the error for text in another encoding, in a column or, without a name, in the header."""
    place = "the header" if name is None else f"column {name!r}"
    convert = "iconv -f cp1252 -t utf-8"
    remedy = (
        f"unpack the file and convert it, for instance with {convert}."
        if is_compressed(path)
        else f"convert the file: {convert} {shlex.quote(str(path))} > NEW"
    )
    return DataError(f"{path}: {place} holds text that is not UTF-8, probably Windows-1252: expected UTF-8; {remedy}")
