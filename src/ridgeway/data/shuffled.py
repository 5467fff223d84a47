"""ShuffledSource: the rows of a source in random order, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import count, islice
from typing import Any, Self

import numpy as np

from ridgeway.data import pieces
from ridgeway.data.data_error import DataError
from ridgeway.data.part import Part
from ridgeway.data.source import Source, regroup
from ridgeway.validation.scalars import counted, whole_number

MIN_PARTS_PER_BUFFER = 16  # if the source can be cut: then few neighbours in the file are in one buffer
MAX_SEGMENTS = 8  # of a buffer; rows are joined segment by segment, so few of them are in memory twice
MIN_BUFFER_BYTES, MAX_BUFFER_BYTES = 2**26, 2**30  # the latter for sources of many parts
MIN_MIXED_PARTS = 8  # a source of fewer parts keeps much of its order
PARTS, BUFFER = 0, 1  # what is put in random order: part of the seed


class ShuffledSource(Source):
    """The rows of a source in random order: each once, in an order that depends only on the seed and the pass.

    Parts of the source (row groups and record batches, ranges of lines, files) are read in random order into a buffer.
    When the buffer is full, its rows are permuted and yielded, and it is filled again. Rows that are far apart in the
    file mix if the source has many parts, or if all rows fit in the buffer. A compressed text file is a single part, so
    rows that are further apart than the buffer length keep their order.

    Parameters
    ----------
    source : where the rows come from.
    buffer_rows : rows to hold at most; rounded to whole batches, at least one.
    seed : seed of the order.
    pass_number : each pass has an order of its own.

    Attributes
    ----------
    buffer_rows : rows held at most.
    n_parts : parts that are read in random order; if they are few, distant rows keep the order of the file.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from ridgeway.data import open_data
    >>> shuffled = ShuffledSource(open_data(pa.table({"a": np.arange(6)}), batch_rows=3), buffer_rows=6, seed=0)
    >>> [batch.column("a").to_pylist() for batch in shuffled.batches()]
    [[1, 4, 5], [3, 2, 0]]
    >>> [batch.column("a").to_pylist() for batch in shuffled.of_pass(1).batches()]
    [[0, 5, 4], [1, 3, 2]]
    """

    def __init__(self, source: Source, buffer_rows: int, seed: int = 0, pass_number: int = 0) -> None:
        self.source = source
        self.name, self.schema, self.n_rows = source.name, source.schema, source.n_rows
        self.batch_rows = source.batch_rows
        self.buffer_rows = max(counted("buffer_rows", buffer_rows) // self.batch_rows, 1) * self.batch_rows
        self.seed = whole_number("seed", seed, "expected an integer, 0 or more")
        if self.seed < 0:
            raise ValueError(f"seed={self.seed}: expected an integer, 0 or more.")
        self.pass_number = pass_number
        if self.n_rows is not None and self.n_rows <= self.buffer_rows:  # the buffer mixes all of them
            self._parts = [Part(lambda: source.batches(ahead=0), self.n_rows)]
        else:
            self._parts = source.parts(max(self.buffer_rows // MIN_PARTS_PER_BUFFER, 1))
        self.n_parts = len(self._parts)

    def of_pass(self, number: int) -> Self:
        """Return the same rows in the order of another pass."""
        other = copy(self)
        other.pass_number = number
        return other

    def fingerprint(self) -> dict[str, Any]:
        """Return plain values that identify the rows and their order."""
        order = {"seed": self.seed, "pass": self.pass_number, "buffer_rows": self.buffer_rows}
        return {**self.source.fingerprint(), "shuffled": order}

    def _batches(self, first_row: int) -> Iterator[Any]:
        first, place = divmod(first_row, self.buffer_rows)
        n_segments = next(number for number in range(MAX_SEGMENTS, 0, -1) if self.buffer_rows % number == 0)
        segments = regroup(self._rows(first * self.buffer_rows), self.buffer_rows // n_segments)
        for number in count(first):
            buffer = list(islice(segments, n_segments))
            n_rows = sum(map(pieces.count, buffer))
            if n_rows == 0:
                break
            order = self._generator(BUFFER, number).permutation(n_rows)
            for start in range(place, n_rows, self.batch_rows):
                yield pieces.take(buffer, order[start : start + self.batch_rows])
            place = 0
            del buffer  # before it is filled again
        if first_row == 0 and number == 0:
            raise DataError(f"{self.name}: there are columns but no rows: expected at least one row.")

    def _rows(self, skipped: int) -> Iterator[Any]:
        """Yield the rows of the parts, which come in random order, without the first `skipped`."""
        for number in self._generator(PARTS).permutation(self.n_parts):
            part = self._parts[number]
            if part.n_rows is not None and part.n_rows <= skipped:
                skipped -= part.n_rows
                continue
            for piece in part.read():
                n_rows = pieces.count(piece)
                if skipped < n_rows:
                    yield pieces.between(piece, skipped, n_rows)
                skipped = max(skipped - n_rows, 0)

    def _generator(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.pass_number, *purpose])


def shuffled(source: Source, memory: int, seed: int = 0) -> ShuffledSource:
    """Return the rows of a source in random order, with a buffer that takes up to half of the memory limit.

    For a source of many parts the buffer takes at most 1 GiB; for a source of few parts it takes the whole half. Sizes
    are powers of two, so slightly different memory gives the same order.

    Parameters
    ----------
    source : where the rows come from.
    memory : bytes allowed; a buffer of 64 MiB is the smallest.
    seed : seed of the order.
    """
    first = next(source.batches(ahead=0))
    row_bytes = max(pieces.nbytes(first) / pieces.count(first), 1.0)
    allowed = max(memory // 2, MIN_BUFFER_BYTES)
    usual = ShuffledSource(source, _rows_in(min(allowed, MAX_BUFFER_BYTES), row_bytes), seed)
    if usual.n_parts >= MIN_MIXED_PARTS or allowed <= MAX_BUFFER_BYTES:
        return usual
    return ShuffledSource(source, _rows_in(allowed, row_bytes), seed)


def _rows_in(size: int, row_bytes: float) -> int:
    return max(int(2 ** (size.bit_length() - 1) / row_bytes), 1)
