"""Ranges of lines: all rows of a file, cut between rows and nowhere else."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ridgeway.data import line_ranges as module
from ridgeway.data.line_ranges import line_ranges

FIELDS = st.text(st.sampled_from('ab1 ,;"\n'), max_size=6)


def written(rows: list[list[str]], quoting: Any, ending: str) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting, lineterminator=ending).writerows(rows)
    return text.getvalue().encode()


def cut(path: Path, text: bytes, separator: str | None = ",") -> list[bytes] | None:
    path.write_bytes(text)
    ranges = line_ranges(path, separator)
    return None if ranges is None else [text[first:last] for first, last in ranges]


# Law: the rows of all ranges are the rows of the file, whatever stands between quotation marks.
@settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=30),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    ending=st.sampled_from(["\n", "\r\n"]),
    block=st.integers(1, 50),
    every=st.integers(1, 40),
)
def test_rows_of_ranges(
    rows: list[list[str]],
    quoting: int,
    ending: str,
    block: int,
    every: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LINE_BLOCK_BYTES", block)
    monkeypatch.setattr(module, "MIN_RANGE_BYTES", every)
    parts = cut(tmp_path / "t.csv", written([["x", "y"], *rows], quoting, ending))
    assert parts is not None
    found = [row for part in parts for row in csv.reader(io.StringIO(part.decode(), newline=""))]
    assert found == rows
    if every == 1 and not any("\n" in field for row in rows for field in row):
        assert len(parts) == len(rows)


# Law: a header is left out whole, after a mark of the byte order, empty lines, and with line feeds in a name.
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\n\r\n", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("header", [b"a,b\n", b'"a","b"\n', b'"a\nb",c\r\n'])
def test_headers(before: bytes, header: bytes, tmp_path: Path) -> None:
    assert cut(tmp_path / "t.csv", before + header + b"1,2\n3,4") == [b"1,2\n3,4"]
    assert cut(tmp_path / "t.csv", before + header) == []


# Law: where marks may be letters, nothing is cut.
@pytest.mark.parametrize("row", [b'5" pipe,1', b'1,5"', b'a, "b"', b'"a"b,1', b'"open,1', b'"a,1\n2,b"c'])
def test_marks_within_fields(row: bytes, tmp_path: Path) -> None:
    assert cut(tmp_path / "t.csv", b"x,y\n1,2\n" + row + b"\n3,4\n") is None


# Law: lines that know no marks have no header, and all of them are there.
def test_plain_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_RANGE_BYTES", 10)
    text = b"".join(b'%d 1:2 # "odd\n' % row for row in range(50)) + b"last 1:1"
    parts = cut(tmp_path / "t.svm", text, None)
    assert parts is not None
    assert b"".join(parts) == text
    assert len(parts) > 20
    assert all(part.endswith(b"\n") for part in parts[:-1])
