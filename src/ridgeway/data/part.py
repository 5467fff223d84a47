"""`Part`: a range of rows of a source that can be read without the rows before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MIN_PARTS = 32  # if cutting is cheap; the order of the rows is then practically random


@dataclass(frozen=True)
class Part:
    """Rows that can be read on their own.

    Attributes
    ----------
    read : yields the rows in pieces of any size: record batches, or ``(csr, y)`` of sparse rows.
    n_rows : number of rows; None if it is known only after reading.
    """

    read: Callable[[], Iterator[Any]]
    n_rows: int | None = None


def rows_per_part(n_rows: int, most: int) -> int:
    """Return the rows per part for data that can be cut anywhere: at most `most`, and at least MIN_PARTS parts."""
    return max(1, min(most, -(-n_rows // MIN_PARTS)))
