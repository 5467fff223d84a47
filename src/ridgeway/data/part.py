"""Part: a stretch of rows of a source that can be read without the rows before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MIN_PARTS = 32  # into which data are cut where that costs little: their order is then as good as random


@dataclass(frozen=True)
class Part:
    """Rows that can be read on their own.

    Attributes
    ----------
    read : yields the rows in pieces of any size: record batches, or ``(csr, y)`` of sparse rows.
    n_rows : number of rows, None when only reading would tell.
    """

    read: Callable[[], Iterator[Any]]
    n_rows: int | None = None


def rows_per_part(n_rows: int, most: int) -> int:
    """Return the rows of a part of data that can be cut anywhere: at most `most`, and not fewer parts than needed."""
    return max(1, min(most, -(-n_rows // MIN_PARTS)))
