"""Blocks of the kernel matrix: a few rows against all rows, kept in a cache of bounded size or made anew each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.kernel.function import Kernel
from ridgeway.rows import AnyRows, Float

BLOCK = 256  # rows: enough for BLAS, few enough for the triangle of a block


class Gram(Protocol):
    """The kernel matrix of the rows that are learned from."""

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of its entries."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def between(self, numbers: NDArray[np.intp], others: NDArray[np.intp]) -> Float:
        """Return the entries of some rows with others."""

    def diagonal(self) -> NDArray[np.float64]:
        """Return k(x, x) of every row."""


class RowsGram:
    """The kernel matrix of rows, evaluated where it is asked for.

    Parameters
    ----------
    kernel : the function.
    rows : (n, d), as the kernel is to see them.
    """

    def __init__(self, kernel: Kernel, rows: AnyRows) -> None:
        self.kernel, self.rows = kernel, rows
        self._others: tuple[NDArray[np.intp], AnyRows] | None = None  # those asked for last

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the rows."""
        return self.rows.dtype

    def __len__(self) -> int:
        return self.rows.shape[0]

    def between(self, numbers: NDArray[np.intp], others: NDArray[np.intp]) -> Float:
        """Return the entries of some rows with others."""
        return self.kernel.block(self.rows.take(numbers), self._taken(others))

    def _taken(self, others: NDArray[np.intp]) -> AnyRows:
        if self._others is None or self._others[0] is not others:
            self._others = others, self.rows.take(others)
        return self._others[1]

    def diagonal(self) -> NDArray[np.float64]:
        """Return k(x, x) of every row."""
        return self.kernel.diagonal(self.rows)


class GivenGram:
    """A kernel matrix that the user has computed, (n, n)."""

    def __init__(self, matrix: Float) -> None:
        self.matrix = matrix

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the matrix."""
        return self.matrix.dtype

    def __len__(self) -> int:
        return len(self.matrix)

    def between(self, numbers: NDArray[np.intp], others: NDArray[np.intp]) -> Float:
        """Return the entries of some rows with others."""
        entries: Float = self.matrix[numbers[:, None], others]
        return entries

    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal."""
        return self.matrix.diagonal().astype(np.float64)


class Blocks:
    """The rows cut into blocks, each against all rows.

    The rows are laid out in a random order once (or in their own); within it block k holds `rows_of(k)`, and every
    block has its columns in that order. As many blocks as the cache holds are kept.

    Parameters
    ----------
    gram : the kernel matrix.
    layout : (n,), the rows in the order that blocks are cut from.
    size : rows of a block at most.
    cache_bytes : memory that may be kept.
    multiple : blocks hold a multiple of so many rows, and the last one the rest; with 1 they are nearly equal.
    """

    def __init__(self, gram: Gram, layout: NDArray[np.intp], size: int, cache_bytes: float, multiple: int = 1) -> None:
        self.gram, self.layout, self.size = gram, layout, size
        n_rows = len(layout)
        n_blocks = (n_rows + size - 1) // size
        even = np.linspace(0, n_rows, n_blocks + 1).astype(int)
        self._edges = (even if multiple == 1 else np.minimum(np.arange(n_blocks + 1) * size, n_rows)).tolist()
        self._room = self._cache_bytes = cache_bytes
        self._kept: dict[int, Float] = {}

    def __len__(self) -> int:
        return len(self._edges) - 1

    def place(self, k: int) -> slice:
        """Where the rows of block k stand in the layout."""
        return slice(self._edges[k], self._edges[k + 1])

    def block(self, k: int) -> Float:
        """Return the kernel of the rows of block k with all rows: (b, n), columns in the order of the layout."""
        kept = self._kept.get(k)
        if kept is not None:
            return kept
        block = self.gram.between(self.layout[self.place(k)], self.layout)
        if block.nbytes <= self._room:
            self._room -= block.nbytes
            self._kept[k] = block
        return block

    def spare(self, n_bytes: float) -> None:
        """From now on, leave so much of the cache to others."""
        self._room = max(0.0, self._cache_bytes - n_bytes)
        kept, self._kept = self._kept, {}
        for k, block in kept.items():
            if block.nbytes <= self._room:
                self._room -= block.nbytes
                self._kept[k] = block

    def all(self) -> Iterator[tuple[slice, Float]]:
        """Yield every block with its place."""
        for k in range(len(self)):
            yield self.place(k), self.block(k)


class Distances:
    """Blocks of distances, which serve every gamma; the last one asked for is at hand even without a cache.

    Parameters
    ----------
    kernel : an rbf or laplacian kernel.
    rows : (n, d), as the kernel is to see them.
    layout, size, cache_bytes : as in `Blocks`.
    """

    def __init__(self, kernel: Kernel, rows: AnyRows, layout: NDArray[np.intp], size: int, cache_bytes: float) -> None:
        self.blocks = Blocks(_DistanceGram(kernel, rows), layout, size, cache_bytes)
        self._last: tuple[int, Float] | None = None

    def block(self, k: int) -> Float:
        """Return the distances of the rows of block k to all rows."""
        if self._last is None or self._last[0] != k:
            self._last = k, self.blocks.block(k)
        return self._last[1]


class _DistanceGram(RowsGram):
    """Distances in the place of the kernel."""

    def between(self, numbers: NDArray[np.intp], others: NDArray[np.intp]) -> Float:
        """Return the distances of some rows to others."""
        return self.kernel.distances(self.rows.take(numbers), self._taken(others))


class BlocksOfDistances(Blocks):
    """Blocks of a kernel that are made from shared blocks of distances."""

    def __init__(self, gram: RowsGram, distances: Distances) -> None:
        super().__init__(gram, distances.blocks.layout, distances.blocks.size, 0)
        self._kernel, self._distances = gram.kernel, distances

    def block(self, k: int) -> Float:
        """Return the kernel of the rows of block k with all rows."""
        return self._kernel.at(self._distances.block(k).copy())
