"""Blocks of the kernel matrix: a few rows against all rows, kept in a cache of bounded size or made anew each time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ridgeway.kernel.kernel_entries import KernelEntries
from ridgeway.rows import Float

KERNEL_BLOCK_ROWS = 256  # rows: enough for BLAS, few enough for the triangle of a block


class Blocks:
    """The rows cut into blocks, each against all rows.

    The rows are laid out in a random order once (or in their own); within it block k holds `rows_of(k)`, and every
    block has its columns in that order. As many blocks as the cache holds are kept.

    Parameters
    ----------
    entries : of the kernel matrix.
    layout : (n,), the rows in the order that blocks are cut from.
    size : rows of a block at most.
    cache_bytes : memory that may be kept.
    multiple : blocks hold a multiple of so many rows, and the last one the rest; with 1 they are nearly equal.
    """

    def __init__(
        self, entries: KernelEntries, layout: NDArray[np.intp], size: int, cache_bytes: float, multiple: int = 1
    ) -> None:
        self.entries, self.layout, self.size = entries, layout, size
        n_rows = len(layout)
        n_blocks = (n_rows + size - 1) // size
        even = np.linspace(0, n_rows, n_blocks + 1).astype(int)
        self._edges = (even if multiple == 1 else np.minimum(np.arange(n_blocks + 1) * size, n_rows)).tolist()
        self._room = cache_bytes
        self._kept: dict[int, Float] = {}

    def __len__(self) -> int:
        return len(self._edges) - 1

    def place(self, k: int) -> slice:
        """Positions of the rows of block k in the layout."""
        return slice(self._edges[k], self._edges[k + 1])

    def block(self, k: int) -> Float:
        """Return the kernel of the rows of block k with all rows: (b, n), columns in the order of the layout."""
        kept = self._kept.get(k)
        if kept is not None:
            return kept
        block = self.entries.between(self.layout[self.place(k)], self.layout)
        if block.nbytes <= self._room:
            self._room -= block.nbytes
            self._kept[k] = block
        return block

    def all(self) -> Iterator[tuple[slice, Float]]:
        """Yield every block with its place."""
        for k in range(len(self)):
            yield self.place(k), self.block(k)
