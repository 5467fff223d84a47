"""Lanczos recurrences of several problems at once, which share every product.

For a symmetric A and a start b the recurrence builds an orthonormal basis Q of span(b, Ab, A^2 b, ..) in which A is
tridiagonal, T = Q'AQ. Then (A + alpha)^-1 b is close to Q (T + alpha)^-1 e_1 |b| for every alpha at once. Rounding
would make the basis lose its orthogonality, so each new vector is made orthogonal to all before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MIN_SHARE_LEFT = 0.7  # of a vector after it is made orthogonal; if less is left, that is repeated
ROUNDING_SHARE = 1e-13  # of the largest entry of T; a smaller rest is rounding, and the space is exhausted

# Takes vectors (columns, p), returns their images under the A of each column, and the parts of the products to keep.
Apply = Callable[["Array"], tuple["Array", Sequence["Array"]]]


class Ritz(NamedTuple):
    """Eigenvalues (m,), 0 or more, and vectors (m, m), columns, of T."""

    values: Array
    vectors: Array


@dataclass(frozen=True, eq=False)
class Tridiagonal:
    """The problem of a column within its Krylov space: T w = |b| e_1.

    Attributes
    ----------
    diagonal, beside : (m,) and (m - 1,), entries of T.
    norm : |b|.
    beyond : the entry of T that would come next; 0 once the space is invariant.
    """

    diagonal: Array
    beside: Array
    norm: float
    beyond: float

    @cached_property
    def largest(self) -> float:
        """Largest eigenvalue of T."""
        last = len(self.diagonal) - 1
        if last < 0:
            return 0.0
        values = scipy.linalg.eigvalsh_tridiagonal(self.diagonal, self.beside, select="i", select_range=(last, last))
        return max(0.0, float(values[0]))

    @cached_property
    def ritz(self) -> Ritz:
        """Eigenvalues and vectors of T: time m^2 to m^3."""
        if len(self.diagonal) == 0:
            return Ritz(np.zeros(0), np.zeros((0, 0)))
        values, vectors = scipy.linalg.eigh_tridiagonal(self.diagonal, self.beside, check_finite=False)
        return Ritz(np.maximum(values, 0.0), np.asarray(vectors, np.float64))

    def solve(self, alphas: Array) -> Array:
        """Return (T + alpha)^-1 |b| e_1 for every alpha (L,) above 0, by substitution: (L, m)."""
        m = len(self.diagonal)
        if m == 1:  # LAPACK asks for an entry beside the diagonal
            return self.norm / (self.diagonal + alphas[:, None])
        answers = np.zeros((len(alphas), m))
        right = np.zeros(m)
        right[:1] = self.norm
        for place, alpha in enumerate(alphas.tolist() if m else []):
            *_, answer, failed = scipy.linalg.lapack.dptsv(self.diagonal + alpha, self.beside, right)
            if failed:  # rounding has made T + alpha indefinite
                values, vectors = self.ritz
                answer = vectors @ (self.norm * vectors[0] / (values + alpha))
            answers[place] = answer
        return answers


class Lanczos:
    """Recurrences of several columns, which advance together.

    Parameters
    ----------
    apply : the products.
    start : (columns, p), the b of each.
    """

    def __init__(self, apply: Apply, start: Array) -> None:
        self._apply = apply
        n_columns, p = start.shape
        self._norms = np.linalg.norm(start, axis=1)
        self._lengths = np.zeros(n_columns, int)  # of each space; it ends when the space is invariant
        self._alive = self._norms > 0
        self._basis = np.zeros((n_columns, 8, p))
        self._basis[self._alive, 0] = start[self._alive] / self._norms[self._alive, None]
        self._diagonal, self._beside = np.zeros((2, n_columns, 8))
        self._kept: list[list[Array]] = [[] for _ in range(n_columns)]
        self.n_products = 0

    @property
    def exhausted(self) -> bool:
        """Whether all spaces are invariant: then every answer is exact."""
        return not self._alive.any()

    def advance(self, n_products: int) -> None:
        """Make so many more products, fewer if all spaces are exhausted."""
        for _ in range(n_products):
            if self.exhausted:
                return
            self._step()

    def _step(self) -> None:
        j = self.n_products
        if j + 1 >= self._basis.shape[1]:
            self._grow()
        now = self._basis[:, j]
        image, kept = self._apply(now)
        for column in np.flatnonzero(self._alive).tolist():
            self._kept[column].append(kept[column])
        self._diagonal[:, j] = np.einsum("cp,cp->c", now, image)
        rest = image - self._diagonal[:, j, None] * now
        if j:
            rest -= self._beside[:, j - 1, None] * self._basis[:, j - 1]
        local = np.linalg.norm(rest, axis=1)
        size = self._orthogonalize(rest)
        if (size < MIN_SHARE_LEFT * local).any():
            size = self._orthogonalize(rest)
        self._lengths[self._alive] = j + 1
        largest = np.maximum(self._diagonal[:, : j + 1].max(axis=1), self._beside[:, : j + 1].max(axis=1))
        self._alive &= size > ROUNDING_SHARE * largest
        self._beside[:, j] = np.where(self._alive, size, 0.0)
        self._basis[self._alive, j + 1] = rest[self._alive] / size[self._alive, None]
        self.n_products = j + 1

    def _orthogonalize(self, rest: Array) -> Array:
        """Subtract from `rest` (columns, p) its parts along all vectors so far, in place; return its norms."""
        before = self._basis[:, : self.n_products + 1]
        parts = np.matmul(before, rest[:, :, None])  # (columns, m, 1)
        rest -= np.matmul(parts.transpose(0, 2, 1), before)[:, 0]
        left: Array = np.linalg.norm(rest, axis=1)
        return left

    def _grow(self) -> None:
        n_columns, length, p = self._basis.shape
        grown = np.zeros((n_columns, 2 * length, p))  # pages that are not written to take no memory
        grown[:, :length] = self._basis
        self._basis = grown
        self._diagonal, self._beside = (
            np.concatenate([part, np.zeros((n_columns, length))], axis=1) for part in (self._diagonal, self._beside)
        )

    def problem(self, column: int) -> Tridiagonal:
        """Return the problem of a column within its space."""
        m = int(self._lengths[column])
        beyond = float(self._beside[column, m - 1]) if m else 0.0
        norm = float(self._norms[column])
        return Tridiagonal(self._diagonal[column, :m], self._beside[column, : max(m - 1, 0)], norm, beyond)

    def basis(self, column: int) -> Array:
        """Return the orthonormal vectors of a column, (m, p), as a view."""
        view: Array = self._basis[column, : self._lengths[column]]
        return view

    def kept(self, column: int) -> Array:
        """Return the kept parts of the products of a column, (m, k)."""
        return np.array(self._kept[column])
