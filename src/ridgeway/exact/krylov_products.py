"""Products of a Krylov engine: one read of the rows, or of the kernel matrix, serves all folds and all targets.

Column (f, t) belongs to fold f, which learns from some of the rows, and target t. The weights c_fi / W_f are 0 for the
rows that fold f holds out, so one product with all rows serves every fold. Its entries at the held-out rows, from which
these are predicted, cost nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ridgeway.rows import AnyRows, DenseRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PRODUCT_BLOCK_BYTES = 2**21  # of rows that stay in the cache between the product with them and with their transpose


@dataclass(frozen=True, eq=False)
class FoldColumns:
    """Rows that each fold learns from, and those it is tried on; the last fold learns from all rows.

    Attributes
    ----------
    shares : (n, folds), weights of the rows learned from, of sum 1 in each fold; 0 for others.
    tests : for each fold the numbers of the rows it is tried on; none for the last.
    y : (n, targets), standardized.
    centre : learn and predict about the means of the rows learned from.
    """

    shares: Array
    tests: Sequence[NDArray[np.intp]]
    y: Array
    centre: bool

    @cached_property
    def mean_y(self) -> Array:
        """Means of the targets over the rows learned from, (folds, targets); 0 where nothing is centred."""
        return self.shares.T @ self.y if self.centre else np.zeros((self.shares.shape[1], self.y.shape[1]))

    @property
    def n_folds(self) -> int:
        """Number of folds, with the one of all rows."""
        return int(self.shares.shape[1])

    def centred(self) -> Array:
        """Return targets about the means of each fold, (n, folds, targets)."""
        return self.y[:, None, :] - self.mean_y

    def held_out(self, fold: int) -> Array:
        """Return the targets of the held-out rows about the means learned, (k, targets)."""
        held_out: Array = self.y[self.tests[fold]] - self.mean_y[fold]
        return held_out


class Products(Protocol):
    """A problem A w = b for every column."""

    @property
    def columns(self) -> FoldColumns:
        """The folds."""

    def start(self) -> Array:
        """Return b of each column, (columns, p)."""

    def apply(self, V: Array) -> tuple[Array, list[Array]]:
        """Return A v of each column, (columns, p), and the entries of the product at its held-out rows."""

    def directions(self, V: Array) -> Array:
        """Return vectors (m, p) of the column of all rows as coefficients, (m, d)."""


@dataclass(frozen=True, eq=False)
class NormalEquationProducts:
    """Normal equations of rows: A = sum_i c_i (x_i - m)(x_i - m)', with the means m of the rows learned from.

    Attributes
    ----------
    rows : standardized; products are made in their precision.
    offset : (d,), what is taken off every row: 0 for dense rows, which are centred; the means of sparse ones.
    columns : the folds.
    """

    rows: AnyRows
    offset: Array
    columns: FoldColumns

    @cached_property
    def _matrix(self) -> Any:
        return self.rows.array if isinstance(self.rows, DenseRows) else self.rows.matrix()

    @cached_property
    def mean_x(self) -> Array:
        """Means of the rows learned from, (folds, d), beyond `offset`; 0 where nothing is centred."""
        if not self.columns.centre:
            return np.zeros((self.columns.n_folds, len(self.offset)))
        return self._transposed(self.columns.shares).T

    def _transposed(self, U: Array) -> Array:
        """Return (X - offset)' U, (d, k)."""
        product = np.asarray(self._matrix.T @ U.astype(self.rows.dtype), np.float64)
        return product - np.outer(self.offset, U.sum(axis=0))

    def start(self) -> Array:
        """Return b of each column, (columns, d)."""
        columns = self.columns
        weighted = columns.shares[:, :, None] * columns.centred()  # (n, folds, targets)
        return self._transposed(weighted.reshape(len(weighted), -1)).T

    def apply(self, V: Array) -> tuple[Array, list[Array]]:
        """Return A v of each column, and (x - m) . v of its held-out rows."""
        columns, n_targets = self.columns, self.columns.y.shape[1]
        owner = np.repeat(np.arange(columns.n_folds), n_targets)  # the fold of each column
        shift = np.einsum("cd,cd->c", self.mean_x[owner] + self.offset, V)
        W = V.T.astype(self.rows.dtype)
        image, P = np.zeros((len(self.offset), len(V))), np.empty((self.rows.shape[0], len(V)))
        sums = np.zeros(len(V))
        for part in self._blocks():
            matrix = self._matrix if part is None else self._matrix[part]
            rows = slice(None) if part is None else part
            P[rows] = matrix @ W
            P[rows] -= shift
            U = columns.shares[rows][:, owner] * P[rows]
            image += matrix.T @ U.astype(self.rows.dtype)
            sums += U.sum(axis=0)
        image -= np.outer(self.offset, sums)
        image -= (self.mean_x[owner] * sums[:, None]).T
        return image.T, [P[columns.tests[fold], column] for column, fold in enumerate(owner.tolist())]

    def _blocks(self) -> list[slice | None]:
        """Pieces of dense rows that stay in the cache; sparse rows at once."""
        if not isinstance(self.rows, DenseRows):
            return [None]
        n, d = self.rows.shape
        size = max(64, PRODUCT_BLOCK_BYTES // (d * self.rows.dtype.itemsize))
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def directions(self, V: Array) -> Array:
        """Return the vectors themselves: coefficients of standardized features."""
        return V


class SymmetricMatrix(Protocol):
    """A symmetric matrix that vectors are multiplied by."""

    def times(self, V: Array) -> Array:
        """Return V K, (k, n), for vectors V (k, n)."""


@dataclass(frozen=True, eq=False)
class KernelProducts:
    """The kernel matrix: A = R K R with R^2 = diag(c), and coefficients R w on the rows.

    Ridge in the space of the kernel minimises sum_i c_i (y_i - f(x_i))^2 + alpha |f|^2 by f = sum_i a_i k(x_i, .),
    a = R (R K R + alpha)^-1 R y.

    Attributes
    ----------
    kernel : K, symmetric and positive semidefinite.
    columns : the folds.
    """

    kernel: SymmetricMatrix
    columns: FoldColumns

    @cached_property
    def _roots(self) -> Array:
        """Roots of the shares, (columns, n)."""
        return np.repeat(np.sqrt(self.columns.shares).T, self.columns.y.shape[1], axis=0)

    def start(self) -> Array:
        """Return b of each column, (columns, n)."""
        return self._roots * self.columns.centred().transpose(1, 2, 0).reshape(self._roots.shape)

    def apply(self, V: Array) -> tuple[Array, list[Array]]:
        """Return A v of each column, and the function of its coefficients at the held-out rows."""
        P = self.kernel.times(self._roots * V)  # (columns, n)
        n_targets = self.columns.y.shape[1]
        tests = [self.columns.tests[column // n_targets] for column in range(len(V))]
        return self._roots * P, [P[column, test] for column, test in enumerate(tests)]

    def directions(self, V: Array) -> Array:
        """Return coefficients on the rows."""
        coefs: Array = V * self._roots[-1]
        return coefs
