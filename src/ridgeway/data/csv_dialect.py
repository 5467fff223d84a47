"""The dialect of a CSV file: separator, decimal sign and header, told from its first lines."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice

SEPARATORS = ",;\t|"
LINES = 50  # looked at
DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    Attributes
    ----------
    separator : comma, semicolon, tab or bar.
    decimal : "." or ",".
    names : names of the columns.
    """

    separator: str
    decimal: str
    names: tuple[str, ...]


def dialect_of(head: str) -> Dialect:
    r"""Tell the dialect from the first part of a file.

    The separator is the one that cuts the most of the first lines into as many fields as the header, and into most
    fields among equals.

    Examples
    --------
    >>> dialect_of("a;b\n1,5;2,5\n")
    Dialect(separator=';', decimal=',', names=('a', 'b'))
    """
    best, score = SEPARATORS[0], (0.0, 0)
    for separator in SEPARATORS:
        rows = _rows(head, separator)
        if not rows or len(rows[0]) < 2:
            continue
        share = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        if (share, len(rows[0])) > score:
            best, score = separator, (share, len(rows[0]))
    rows = _rows(head, best)
    names = tuple(rows[0]) if rows else ()
    decimal = "."
    if best != ",":
        fields = [field.strip() for row in rows[1:] for field in row]
        commas = sum(bool(DECIMAL_COMMA.fullmatch(field)) for field in fields)
        points = sum("." in field and field.replace(".", "", 1).lstrip("-").isdigit() for field in fields)
        decimal = "," if commas > points else "."
    return Dialect(best, decimal, names)


def _rows(head: str, separator: str) -> list[list[str]]:
    rows = (row for row in csv.reader(io.StringIO(head, newline=""), delimiter=separator) if row)
    return list(islice(rows, LINES + 1))
