"""The two forms of rows that the compiled loops read: dense and row-major, or CSR with sorted, unique indices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows.types import Float


def readonly(array: Any) -> Any:
    """Return a read-only view, so that one compiled loop takes writable and read-only input."""
    view = array.view()
    view.flags.writeable = False
    return view


NOT_CENTRED: NDArray[np.float64] = readonly(np.empty(0))


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Rows of a row-major array of shape (n_rows, n_columns), float32 or float64."""

    array: Float

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.array.shape[0], self.array.shape[1]

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Type of the entries."""
        return self.array.dtype

    @property
    def nbytes(self) -> int:
        """Memory of the entries."""
        return self.array.nbytes

    def between(self, start: int, stop: int) -> DenseRows:
        """Rows start..stop-1, as a view."""
        return DenseRows(self.array[start:stop])

    def take(self, order: NDArray[np.intp]) -> DenseRows:
        """Copy the rows of `order`, in that order."""
        return DenseRows(readonly(self.array.take(order, axis=0)))

    def followed_by(self, other: DenseRows) -> DenseRows:
        """Return these rows and then others, as a copy."""
        return DenseRows(readonly(np.concatenate([self.array, other.array])))

    def largest_entry(self) -> float:
        """Largest absolute value of an entry."""
        return float(np.abs(self.array).max())

    def squared_norms(self) -> Float:
        """|x_i|^2 of each row, in the rows' own precision; not finite where an entry is not or its square overflows."""
        norms = np.empty(self.shape[0], self.dtype)
        _core.squared_norms(self.array, norms)
        return norms

    def squared_norms_of(self, order: NDArray[np.intp]) -> Float:
        """|x_i|^2 of some rows, which are not copied."""
        norms = np.empty(len(order), self.dtype)
        _core.squared_norms_of(self.array, order, norms)
        return norms

    def times(self, coef: Float) -> Float:
        """X @ coef for coef of shape (n_columns, k)."""
        product: Float = self.array @ coef
        return product


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of a CSR matrix: row i holds `data[indptr[i]:indptr[i+1]]` in the columns `indices[...]`.

    `indices` are viewed as unsigned, so the loops need no test for negative ones. `indptr` of a part of the rows
    counts from the start of the whole matrix, so a part copies nothing.

    Rows with a `centre` c, (n_columns,), represent x_i - v c without storing it. v, the last entry of x_i, is the same
    number in every row, and c is 0 there. Coefficients of such rows are stored as u with w = u - u_last c: adding a
    multiple of x_i to u adds that multiple of x_i - v c to w.
    """

    data: Float
    indices: NDArray[np.unsignedinteger[Any]]
    indptr: NDArray[np.int64]
    n_columns: int
    centre: NDArray[np.float64] = field(default_factory=lambda: NOT_CENTRED)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.indptr) - 1, self.n_columns

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Type of the entries."""
        return self.data.dtype

    @property
    def arrays(self) -> _core.Csr:
        """The stored entries, for the compiled loops."""
        return _core.Csr(self.data, self.indices, self.indptr)

    @property
    def nbytes(self) -> int:
        """Memory of these rows' entries and their columns."""
        entries = int(self.indptr[-1] - self.indptr[0])
        return max(1, entries * (self.data.itemsize + self.indices.itemsize))

    def between(self, start: int, stop: int) -> SparseRows:
        """Rows start..stop-1, as a view."""
        return SparseRows(self.data, self.indices, self.indptr[start : stop + 1], self.n_columns, self.centre)

    def take(self, order: NDArray[np.intp]) -> SparseRows:
        """Copy the rows of `order`, in that order."""
        indptr = np.zeros(len(order) + 1, np.int64)
        np.cumsum(self.indptr[order + 1] - self.indptr[order], out=indptr[1:])
        data = np.empty(indptr[-1], self.dtype)
        indices = np.empty(indptr[-1], self.indices.dtype)
        _core.gather_csr(self.arrays, order, _core.NewCsr(data, indices, indptr))
        return SparseRows(readonly(data), readonly(indices), readonly(indptr), self.n_columns, self.centre)

    def followed_by(self, other: SparseRows) -> SparseRows:
        """Return these rows and then others, of the same centre, as a copy."""
        parts = [(rows, slice(int(rows.indptr[0]), int(rows.indptr[-1]))) for rows in (self, other)]
        data = np.concatenate([rows.data[part] for rows, part in parts])
        indices = np.concatenate([rows.indices[part] for rows, part in parts])
        first, second = self.indptr - self.indptr[0], other.indptr - other.indptr[0]
        indptr = np.concatenate([first, first[-1] + second[1:]])
        return SparseRows(readonly(data), readonly(indices), readonly(indptr), self.n_columns, self.centre)

    def largest_entry(self) -> float:
        """Largest absolute value of an entry."""
        part = self.data[self.indptr[0] : self.indptr[-1]]
        return float(np.abs(part).max()) if len(part) else 0.0

    def squared_norms(self) -> Float:
        """|x_i|^2 of each row, in the rows' own precision; not finite where an entry is not or its square overflows."""
        norms = np.empty(self.shape[0], self.dtype)
        _core.csr_squared_norms(self.arrays, norms)
        if len(self.centre):
            with np.errstate(over="ignore", invalid="ignore"):  # such norms are not finite
                cross = self._constants() * (self.matrix() @ self.centre)
                norms = norms - 2 * cross + self._constants() ** 2 * (self.centre @ self.centre)
                norms = np.maximum(norms, 0).astype(self.dtype)
        return norms

    def squared_norms_of(self, order: NDArray[np.intp]) -> Float:
        """|x_i|^2 of some rows."""
        return self.take(order).squared_norms()

    def times(self, coef: Float) -> Float:
        """X @ coef for coef of shape (n_columns, k)."""
        if len(self.centre) == 0:
            return np.asarray(self.matrix() @ coef)
        own = coef - np.outer(self.centre, coef[-1]) if coef[-1].any() else coef
        return np.asarray(self.matrix() @ own - np.outer(self._constants(), self.centre @ own))

    def _constants(self) -> Float:
        """Return the last entries of the rows, which are all equal."""
        return self.data[self.indptr[1:] - 1]

    def matrix(self) -> Any:
        """View the stored entries as a SciPy matrix."""
        first, last = self.indptr[0], self.indptr[-1]
        signed = self.indices[first:last].view(f"i{self.indices.itemsize}")
        return scipy.sparse.csr_array((self.data[first:last], signed, self.indptr - first), shape=self.shape)


AnyRows: TypeAlias = DenseRows | SparseRows
