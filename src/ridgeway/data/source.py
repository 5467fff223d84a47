"""`Source`: rows in batches whose order and boundaries are the same in each reading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from ridgeway.data import pieces
from ridgeway.data.arrow import pa
from ridgeway.data.common_type import wider
from ridgeway.data.origin import Origin
from ridgeway.data.part import Part
from ridgeway.data.prefetching import prefetch
from ridgeway.data.schema import Schema
from ridgeway.messages.quantity import quantity
from ridgeway.validation.scalars import counted, whole_number

MAX_BATCH_ROWS = 32_768
MIN_BATCH_ROWS = 1_024
BATCH_BYTES = 32 << 20


class Source(ABC):
    """Rows in batches: every batch has `batch_rows` rows, the last one has the rest.

    The boundaries do not depend on files or row groups, so the same rows come in the same batches from any format.

    Attributes
    ----------
    name : name of the source in messages.
    schema : names and kinds of the columns; None for sparse rows, which have numbers instead of names.
    n_rows : number of rows; None if it is known only after reading.
    batch_rows : rows per batch.
    origin : where the rows of temporary files come from; None for other rows.
    """

    name: str
    schema: Schema | None
    n_rows: int | None
    batch_rows: int
    origin: Origin | None = None

    def batches(self, start: int = 0, *, ahead: int = 2) -> Iterator[Any]:
        """Yield the batches from number `start` on: Arrow record batches, or ``(csr, y)`` of sparse rows.

        A background thread reads while the consumer works.

        Parameters
        ----------
        start : number of the first batch, counted from 0.
        ahead : largest number of batches read ahead; 0 reads in this thread.
        """
        first = whole_number("start", start, "expected the number of a batch, 0 or more")
        if first < 0:
            raise ValueError(f"start={first}: expected the number of a batch, 0 or more.")
        batches = self._batches(first * self.batch_rows)
        return prefetch(batches, ahead) if ahead else batches

    def parts(self, most_rows: int) -> list[Part]:
        """Return all rows in parts that can be read in any order.

        A file that can only be read from start to end is one part.

        Parameters
        ----------
        most_rows : largest number of rows of a part, if cutting is cheap.
        """
        return [Part(lambda: self._batches(0), self.n_rows)]

    def only(self, columns: Sequence[str]) -> Source:
        """Return the source of the same rows in the same batches with some columns; the others need not be read.

        Parameters
        ----------
        columns : their names, which must be known.
        """
        return self

    def column(self, name: str) -> Any:
        """Return all values of a column as an Arrow chunked array; files are read without their other columns.

        Parameters
        ----------
        name : of the column, which must be known.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from ridgeway.data import open_data
        >>> open_data(pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]}), batch_rows=2).column("a").to_pylist()
        [1, 2, 3]
        """
        chunks = [batch.column(name) for batch in self.only([name]).batches()]
        common = reduce(wider, (chunk.type for chunk in chunks))  # a file of text may widen its types as it is read
        return pa.chunked_array([chunk if chunk.type == common else chunk.cast(common) for chunk in chunks])

    @abstractmethod
    def fingerprint(self) -> dict[str, Any]:
        """Return plain values for JSON that identify these data, and change if the data change."""

    @abstractmethod
    def _batches(self, first_row: int) -> Iterator[Any]:
        """Yield batches from this row on, the first of a batch."""

    def __repr__(self) -> str:
        rows = "unknown number of" if self.n_rows is None else f"{self.n_rows:,}"
        columns = "" if self.schema is None else f" x {quantity(len(self.schema), 'column')}"
        return f"{type(self).__name__}({self.name}: {rows} rows{columns}, batches of {self.batch_rows:,})"


def rows_per_batch(batch_rows: int | None, row_bytes: float) -> int:
    """Return the rows of a batch: as given, or a power of two that takes about 32 MB, at most 32,768."""
    if batch_rows is not None:
        return counted("batch_rows", batch_rows)
    rows = MAX_BATCH_ROWS
    while rows > MIN_BATCH_ROWS and rows * row_bytes > BATCH_BYTES:
        rows //= 2
    return rows


def regroup(found: Iterator[Any], rows: int) -> Iterator[Any]:
    """Cut and join pieces of any sizes into batches of `rows` rows, the last one shorter."""
    held: list[Any] = []
    count = 0
    for piece in found:
        place, n_rows = 0, pieces.count(piece)
        while place < n_rows:
            part = pieces.between(piece, place, min(place + rows - count, n_rows))
            held.append(part)
            count += pieces.count(part)
            place += pieces.count(part)
            if count == rows:
                yield pieces.joined(held)
                held, count = [], 0
    if held:
        yield pieces.joined(held)
