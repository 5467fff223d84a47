"""The first line of a CSV file with another number of fields than the header, as a text editor counts lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ridgeway.data.compression import open_text
from ridgeway.data.csv_dialect import Dialect
from ridgeway.data.data_error import DataError

READ_BYTES = 1 << 20
MAX_SHOWN_FIELD_CHARACTERS = 60


def broken_line(path: Path, dialect: Dialect) -> DataError | None:
    """Return the error that names the first broken line and how to repair it; None if there is none.

    Parameters
    ----------
    path : of the file, which is read from its start.
    dialect : its separator and its columns.
    """
    n_fields, start = len(dialect.names), 1
    with open_text(path) as stream:
        reader = csv.reader(_lines(stream), delimiter=dialect.separator)
        try:
            for fields in reader:
                if fields and len(fields) != n_fields:
                    return _error(path, dialect, fields, start, reader.line_num)
                start = reader.line_num + 1
        except csv.Error as error:
            if "new-line character" not in str(error):  # such as a field that is too long
                return None
            return DataError(
                f"{path}: line {reader.line_num:,} holds a carriage return (\\r) within a field: expected a row in one "
                r"line, or the field in quotation marks; delete the character, for instance: tr -d '\r' < FILE > NEW"
            )
    return None


def _error(path: Path, dialect: Dialect, fields: list[str], first: int, last: int) -> DataError:
    """Return the error about a row with the wrong number of fields, between two lines."""
    found, expected = len(fields), len(dialect.names)
    place = f"line {first:,}" if first == last else f"the row of lines {first:,} to {last:,}"
    if first < last:
        remedy = f"correct it, or close the quotation mark in line {first:,}"
    elif found < expected:
        remedy = "correct it: a field is missing, or a line break within a field needs quotation marks"
    else:
        remedy = f"correct it, or put a field that holds {dialect.separator!r} in quotation marks"
    shown = dialect.separator.join(fields)[:MAX_SHOWN_FIELD_CHARACTERS]
    return DataError(
        f"{path}: {place} has {found:,} field{'' if found == 1 else 's'} ({shown!r}): expected {expected:,} as in the "
        f"header, separated by {dialect.separator!r}; {remedy}."
    )


def _lines(stream: Any) -> Iterator[str]:
    """Yield the lines of a file as they end in a line feed; a carriage return alone ends none."""
    rest = b""
    while block := stream.read(READ_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", errors="replace") + "\n"
    if rest:
        yield rest.decode("utf-8", errors="replace")
