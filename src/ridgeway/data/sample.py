"""`SampleSource`: a random sample of the rows of a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data import pieces
from ridgeway.data.part import Part
from ridgeway.data.source import Source, regroup

MAX_SAMPLED_PARTS = 64
MAX_PART_BYTES = 1 << 25  # of a part of unknown length, from which rows are drawn


class SampleSource(Source):
    """Random rows of random parts of a source, in batches; the same rows each time.

    A source of a single part, such as a compressed file, yields its first rows.

    Parameters
    ----------
    source : where the rows come from.
    n_rows : number of rows to take, or fewer if the source has fewer.
    seed : seed of the sample.
    """

    def __init__(self, source: Source, n_rows: int, seed: int) -> None:
        self.source, self.seed, self._wanted = source, seed, n_rows
        self.name, self.schema, self.n_rows = source.name, source.schema, None
        self.batch_rows = source.batch_rows

    def fingerprint(self) -> dict[str, Any]:
        """Return plain values that identify the rows."""
        return {**self.source.fingerprint(), "sample": {"rows": self._wanted, "seed": self.seed}}

    def _batches(self, first_row: int) -> Iterator[Any]:
        parts = self.source.parts(max(self._wanted // MAX_SAMPLED_PARTS, 1))
        if len(parts) == 1:
            yield from self.source.batches(first_row // self.batch_rows, ahead=0)
            return
        for number, batch in enumerate(regroup(self._chosen(parts), self.batch_rows)):
            if number * self.batch_rows >= first_row:
                yield batch

    def _chosen(self, parts: list[Part]) -> Iterator[Any]:
        rng = np.random.default_rng([self.seed, len(parts)])
        places = np.sort(rng.permutation(len(parts))[:MAX_SAMPLED_PARTS])
        for number in places:
            yield from _some_rows(parts[number], -(-self._wanted // len(places)), rng)


def _some_rows(part: Part, wanted: int, rng: np.random.Generator) -> Iterator[Any]:
    """Yield random rows of a part, in their order."""
    if part.n_rows is not None:
        rows = _chosen_rows(part.n_rows, wanted, rng)
        first = 0
        for piece in part.read():
            last = first + pieces.count(piece)
            here = rows[(rows >= first) & (rows < last)]
            if len(here):
                yield pieces.take([piece], here - first)
            first = last
        return
    held, size = [], 0
    for piece in part.read():
        held.append(piece)
        size += pieces.nbytes(piece)
        if size > MAX_PART_BYTES:
            break
    if n_rows := sum(map(pieces.count, held)):
        yield pieces.take(held, _chosen_rows(n_rows, wanted, rng))


def _chosen_rows(n_rows: int, wanted: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.permutation(n_rows)[:wanted])
