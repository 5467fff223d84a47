"""Ranges of whole lines of a text file, which can be read in any order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.part import MIN_PARTS

LINE_BLOCK_BYTES = 1 << 22
MIN_RANGE_BYTES, MAX_RANGE_BYTES = 1 << 14, 1 << 22
BOM = b"\xef\xbb\xbf"


def line_ranges(path: Path, separator: str | None = None) -> list[tuple[int, int]] | None:
    """Return ranges of bytes that cover all lines of a file; None if it cannot be cut with certainty.

    The whole file is scanned once. A row of a CSV file ends at a line feed outside of quotation marks. If there are
    quotation marks within a field, which readers treat as letters, the result is None.

    Parameters
    ----------
    path : the file, plain text.
    separator : separator of a CSV file, whose header is left out; None for lines without quotation marks.
    """
    size = path.stat().st_size
    every = min(max(size // (4 * MIN_PARTS), MIN_RANGE_BYTES), MAX_RANGE_BYTES)
    start = 0 if separator is None else _first_letter(path)
    cuts, wanted = ([0], every) if separator is None else ([], start)  # a header ends at the first cut
    marks, before = 0, b"\n"
    for offset, block, after in _blocks(path, start):
        found = np.zeros(0, dtype=np.intp)
        if separator is not None and b'"' in block:
            found = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord('"'))
            if not _pair_up(before + block + after, found + 1, marks, separator):
                return None
        while wanted < offset + len(block):
            end = block.find(b"\n", max(wanted - offset, 0))
            while end >= 0 and (marks + int(np.searchsorted(found, end))) % 2:  # within quotation marks
                end = block.find(b"\n", end + 1)
            if end < 0:
                break
            cuts.append(offset + end + 1)
            wanted = cuts[-1] + every
        marks, before = marks + len(found), block[-1:]
    if marks % 2:
        return None
    return [(first, last) for first, last in zip(cuts, [*cuts[1:], size], strict=True) if last > first]


def _blocks(path: Path, start: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield place and bytes of the blocks of a file, and the byte after each, a line feed at the end."""
    with path.open("rb") as file:
        file.seek(start)
        block = file.read(LINE_BLOCK_BYTES)
        while block:
            following = file.read(LINE_BLOCK_BYTES)
            yield start, block, following[:1] or b"\n"
            start, block = start + len(block), following


def _first_letter(path: Path) -> int:
    """Return the start of the first line that is not empty."""
    with path.open("rb") as file:
        head = file.read(LINE_BLOCK_BYTES)
    place = len(BOM) if head.startswith(BOM) else 0
    return len(head) - len(head[place:].lstrip(b"\r\n"))


def _pair_up(text: bytes, found: NDArray[np.intp], marks: int, separator: str) -> bool:
    """Return whether the quotation marks at these places, after this many others, open and close fields in turn.

    A mark that opens a field is at its beginning, one that closes it at its end; two in a row are one literal mark.
    """
    letters = np.frombuffer(text, dtype=np.uint8)
    borders = np.frombuffer(separator.encode() + b'\r\n"', dtype=np.uint8)
    opening = found[marks % 2 :: 2]
    closing = found[1 - marks % 2 :: 2]
    return bool(np.isin(letters[opening - 1], borders).all() and np.isin(letters[closing + 1], borders).all())
