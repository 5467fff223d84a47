"""Kernel matrices as functions of row numbers: evaluated on demand, or given."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.kernel.function import Kernel
from ridgeway.rows import AnyRows, Float


class KernelEntries(Protocol):
    """The kernel matrix of the rows that are learned from."""

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of its entries."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def between(self, numbers: NDArray[np.intp], others: NDArray[np.intp]) -> Float:
        """Return the kernel values k(x_i, x_j) of rows `numbers` and rows `others`."""

    def strip(self, start: int, stop: int) -> Float:
        """Return the entries of rows start..stop-1 with themselves and all rows that follow."""

    def diagonal(self) -> NDArray[np.float64]:
        """Return k(x, x) of every row."""


class EntriesOfRows:
    """The kernel matrix of rows; entries are computed on demand.

    Parameters
    ----------
    kernel : the function.
    rows : (n, d), prepared for the kernel.
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
        """Return the kernel values k(x_i, x_j) of rows `numbers` and rows `others`."""
        return self.kernel.block(self.rows.take(numbers), self._taken(others))

    def strip(self, start: int, stop: int) -> Float:
        """Return the entries of rows start..stop-1 with themselves and all rows that follow."""
        return self.kernel.block(self.rows.between(start, stop), self.rows.between(start, len(self)))

    def _taken(self, others: NDArray[np.intp]) -> AnyRows:
        if self._others is None or self._others[0] is not others:
            self._others = others, self.rows.take(others)
        return self._others[1]

    def diagonal(self) -> NDArray[np.float64]:
        """Return k(x, x) of every row."""
        return self.kernel.diagonal(self.rows)


class GivenEntries:
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
        """Return the kernel values k(x_i, x_j) of rows `numbers` and rows `others`."""
        entries: Float = self.matrix[numbers[:, None], others]
        return entries

    def strip(self, start: int, stop: int) -> Float:
        """Return the entries of rows start..stop-1 with themselves and all rows that follow, as a view."""
        return self.matrix[start:stop, start:]

    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal."""
        return self.matrix.diagonal().astype(np.float64)
