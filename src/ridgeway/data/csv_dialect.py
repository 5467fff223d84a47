"""The dialect of a CSV file: separator, decimal sign and header, detected from its first lines."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ridgeway.data.compression import open_text
from ridgeway.data.csv_types import not_utf8
from ridgeway.data.data_error import DataError
from ridgeway.data.file_source import naming
from ridgeway.data.schema import require_distinct
from ridgeway.messages.quantity import quantity

DIALECT_HEAD_BYTES = 1 << 16  # the dialect is detected from these first bytes
MAX_DIALECT_HEAD_BYTES = 1 << 26  # if the header is longer than DIALECT_HEAD_BYTES
TEXT_CONTROLS = b"\t\r\n\f\v\x1b"
SEPARATORS = ",;\t|"
MAX_SAMPLED_LINES = 50
DECIMAL_COMMA, THOUSANDS = re.compile(r"-?\d+,\d+"), re.compile(r"-?[1-9]\d{0,2},\d{3}")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    Attributes
    ----------
    separator : comma, semicolon, tab or bar.
    decimal : "." or ",".
    names : names of the columns.
    longest_line : characters of the longest of the first lines, including the header.
    """

    separator: str
    decimal: str
    names: tuple[str, ...]
    longest_line: int


def dialect_of(head: str) -> Dialect:
    r"""Detect the dialect from the first part of a file.

    The separator is the one for which most of the first lines have as many fields as the header; among equals, the one
    with most fields.

    Examples
    --------
    >>> dialect_of("a;b\n1,5;2,5\n")
    Dialect(separator=';', decimal=',', names=('a', 'b'), longest_line=7)
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
    return Dialect(best, _decimal(rows[1:], best), names, max(map(len, head.splitlines()), default=0))


def _decimal(rows: list[list[str]], separator: str) -> str:
    """Return the decimal sign: a comma if more numbers have one than a point.

    Between commas, numbers with a decimal comma are quoted. Then "1,234" may as well be a thousand, so at least one of
    them must show that it is a decimal comma: "3,14".
    """
    fields = [field.strip() for row in rows for field in row]
    commas = [field for field in fields if DECIMAL_COMMA.fullmatch(field)]
    points = sum("." in field and field.replace(".", "", 1).lstrip("-").isdigit() for field in fields)
    sure = separator != "," or not all(THOUSANDS.fullmatch(field) for field in commas)
    return "," if len(commas) > points and sure else "."


def read_dialect(path: Path) -> Dialect:
    """Detect the dialect of a file; the header may be of any length."""
    with naming(path), open_text(path) as stream:
        head = stream.read(DIALECT_HEAD_BYTES)
        while not _has_whole_lines(head) and len(head) < MAX_DIALECT_HEAD_BYTES and (more := stream.read(len(head))):
            head += more
    if not head.strip():
        raise DataError(f"{path}: the file is empty: expected a header and rows.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path}: the text is UTF-16: expected UTF-8; convert it, for instance with iconv -t utf-8.")
    if not _is_utf8_header(head):
        raise not_utf8(path, None)
    _require_text(head, path)
    text = head.decode("utf-8-sig", errors="replace")
    dialect = dialect_of(text)
    if not dialect.names:
        raise DataError(
            f"{path}: the first line is not a header: expected the names of the columns; add a line with names."
        )
    require_distinct(dialect.names, str(path))
    if all(_is_number(name) for name in dialect.names):
        raise DataError(
            f"{path}: the first line holds numbers ({', '.join(dialect.names[:3])}): expected the names of the "
            "columns; add a first line with names."
        )
    _refuse_title(text, dialect, path)
    return dialect


def _require_text(head: bytes, path: Path) -> None:
    """Raise an error for a file whose first line holds bytes that no text has."""
    line = next(line for line in head.splitlines() if line.strip())
    control = next((byte for byte in line if byte < ord(" ") and byte not in TEXT_CONTROLS), None)
    if control is not None:
        raise DataError(
            f"{path}: not a text file, as its first line holds the byte 0x{control:02x}: expected CSV text; give the "
            "file the ending of its format, or export the table as CSV."
        )


def _refuse_title(head: str, dialect: Dialect, path: Path) -> None:
    """Raise an error for a file with a title above the names: no row has as many fields as its first line."""
    sizes = Counter(len(row) for row in _rows(head, dialect.separator)[1:])
    n_names = len(dialect.names)
    if n_names in sizes or not sizes or max(sizes) <= n_names or sizes.most_common(1)[0][0] < 2:
        return
    usual = sizes.most_common(1)[0][0]
    shown = ", ".join(map(repr, dialect.names[:3]))
    raise DataError(
        f"{path}: the first line has {quantity(n_names, 'field')} ({shown}), but other lines have {usual:,}: expected "
        "the names of the columns in the first line, and no title above them; delete the lines above the names, or "
        "name every column."
    )


def _is_utf8_header(head: bytes) -> bool:
    """Return whether the first line that is not blank is UTF-8; one of control characters is no text at all."""
    line = next(line for line in head.splitlines() if line.strip())
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return any(byte < ord(" ") and byte != ord("\t") for byte in line)
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _has_whole_lines(head: bytes) -> bool:
    """Return whether the first part of a file holds the header and a row."""
    return head.strip().count(b"\n") + head.strip().count(b"\r") > 1


def _rows(head: str, separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
    with suppress(csv.Error):  # a field of more than 128 KB: a long header and another separator, or a long text
        rows.extend(islice((row for row in reader if row), MAX_SAMPLED_LINES + 1))
    return rows
