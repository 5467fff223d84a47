"""Spans of kernel functions k(z, .) of centres z, and the leading directions of rows within them.

Directions are Ritz vectors: the eigenfunctions of the second moments of the rows within the span. With all rows as
centres they are the eigenfunctions themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ridgeway.kernel.blocks import Gram
from ridgeway.kernel.definiteness import BEYOND_ROUNDING, require_definite
from ridgeway.machine.blas import eigh

ROUNDS = 4
AT_A_TIME = 1024  # rows
TINY = float(np.finfo(np.float64).tiny)
ROUNDING = 4.0  # epsilons: eigenvalues below that share of the largest are noise
COPIES = 3  # of the numbers of all rows in all directions: memory that finding them takes


@dataclass(frozen=True, eq=False)
class Directions:
    """Orthonormal functions e_i, the leading ones first.

    Attributes
    ----------
    eigenvalues : (q,), mean of e_i(x)^2 over the rows that are learned from, weighted.
    values : (n, q), e_i(x), rows in the order of the layout.
    centres : (m,), places in the layout.
    coefs : (m, q), of k(z, .) for the centres z.
    """

    eigenvalues: NDArray[np.float64]
    values: NDArray[np.float64]
    centres: NDArray[np.intp]
    coefs: NDArray[np.float64]

    def above(self, least: float) -> Directions:
        """Return those with larger eigenvalues."""
        q = int((self.eigenvalues > least).sum())
        return Directions(self.eigenvalues[:q], self.values[:, :q], self.centres, self.coefs[:, :q])


class Span(Protocol):
    """Functions among which directions are looked for."""

    def directions(self, weight: NDArray[np.float64]) -> Directions:
        """Return the directions of rows with weights (n,), in the order of the layout; 0 for rows not learned from."""


@dataclass(frozen=True, eq=False)
class AllRows:
    """The span of all rows that are learned from.

    Attributes
    ----------
    gram : the kernel matrix.
    layout : (n,), the rows in the order of the blocks.
    """

    gram: Gram
    layout: NDArray[np.intp]

    def directions(self, weight: NDArray[np.float64]) -> Directions:
        """Eigenvectors u_i of the weighted kernel matrix: e_i has the coefficients c^1/2 u_i / s_i^1/2."""
        learned = np.flatnonzero(weight > 0)
        root = np.sqrt(weight[learned] / weight.sum())
        matrix = self.gram.between(self.layout[learned], self.layout[learned]).astype(np.float64)
        matrix *= root[:, None]
        matrix *= root
        size = float(np.trace(matrix)) / len(matrix)
        eigenvalues, vectors = eigh(matrix)
        require_definite(float(eigenvalues[0]), size)
        noise = ROUNDING * np.finfo(self.gram.dtype).eps * max(float(eigenvalues[-1]), TINY)
        kept = int((eigenvalues > noise).sum())
        eigenvalues, vectors = eigenvalues[: -kept - 1 : -1], vectors[:, : -kept - 1 : -1]
        values = np.empty((len(weight), kept))
        values[learned] = vectors * (np.sqrt(eigenvalues) / root[:, None])
        coefs = vectors * (root[:, None] / np.sqrt(eigenvalues))
        others = np.flatnonzero(weight == 0)
        for first in range(0, len(others), AT_A_TIME):
            part = others[first : first + AT_A_TIME]
            values[part] = self.gram.between(self.layout[part], self.layout[learned]).astype(np.float64) @ coefs
        return Directions(eigenvalues, values, learned, coefs)


@dataclass(frozen=True, eq=False)
class SomeRows:
    """The span of some rows as centres.

    Attributes
    ----------
    centres : (m,), places in the layout.
    factor : (m, m), lower Cholesky factor of their kernel matrix.
    rows : (n, m), all rows in coordinates of an orthonormal basis, in the order of the layout.
    """

    centres: NDArray[np.intp]
    factor: NDArray[np.float64]
    rows: NDArray[np.float64]

    @classmethod
    def draw(cls, gram: Gram, layout: NDArray[np.intp], n_centres: int, rng: np.random.Generator) -> SomeRows:
        """Draw centres: first any rows, then rows by how badly those before explain their k(x, x).

        So random pivots of a Cholesky factorization would be drawn. A single row left out would keep the step short.
        """
        n_rows = len(layout)
        sizes = [max(1, n_centres >> k) for k in range(ROUNDS - 1, -1, -1)]
        span = cls._at(gram, layout, rng.permutation(n_rows)[: sizes[0]])
        diagonal = gram.diagonal()[layout]
        for size in sizes[1:]:
            left = np.maximum(diagonal - np.einsum("ij,ij->i", span.rows, span.rows), 0.0)
            left[span.centres] = 0.0
            # The smallest of exponential waiting times, at rates left^2: a draw without replacement.
            rates = np.maximum((left / max(left.max(), TINY)) ** 2, 1e-100)
            waiting = rng.exponential(size=n_rows) / rates
            waiting[span.centres] = np.inf
            more = np.argsort(waiting)[: size - len(span.centres)]
            span = cls._at(gram, layout, np.concatenate([span.centres, more]))
        return span

    @classmethod
    def _at(cls, gram: Gram, layout: NDArray[np.intp], centres: NDArray[np.intp]) -> SomeRows:
        factor = _cholesky(gram, layout[centres])
        rows = np.empty((len(layout), len(centres)))
        for first in range(0, len(layout), AT_A_TIME):
            part = slice(first, first + AT_A_TIME)
            block = gram.between(layout[part], layout[centres]).astype(np.float64)
            rows[part] = scipy.linalg.solve_triangular(factor, block.T, lower=True, check_finite=False).T
        return cls(centres, factor, rows)

    def directions(self, weight: NDArray[np.float64]) -> Directions:
        """Eigenvectors of the second moments in the coordinates of the basis."""
        share = weight / weight.sum()
        moments = self.rows.T @ (share[:, None] * self.rows)
        eigenvalues, vectors = eigh(moments)
        eigenvalues, vectors = np.maximum(eigenvalues[::-1], TINY), vectors[:, ::-1]
        coefs = scipy.linalg.solve_triangular(self.factor, vectors, lower=True, trans="T", check_finite=False)
        return Directions(eigenvalues, self.rows @ vectors, self.centres, coefs)


def span_of(gram: Gram, layout: NDArray[np.intp], n_centres: int, rng: np.random.Generator) -> Span:
    """Return the span of so many centres."""
    return AllRows(gram, layout) if n_centres >= len(layout) else SomeRows.draw(gram, layout, n_centres, rng)


def _cholesky(gram: Gram, numbers: NDArray[np.intp]) -> NDArray[np.float64]:
    """Lower factor of the kernel matrix of the centres, with what rounding needs on its diagonal."""
    matrix = gram.between(numbers, numbers).astype(np.float64)
    size = max(float(np.trace(matrix)) / len(matrix), TINY)
    jitter = float(np.finfo(gram.dtype).eps) * size
    identity = np.eye(len(matrix))
    while True:
        try:
            factor: NDArray[np.float64] = scipy.linalg.cholesky(matrix + jitter * identity, lower=True)
        except np.linalg.LinAlgError:
            if jitter > BEYOND_ROUNDING * size:
                require_definite(float(scipy.linalg.eigvalsh((matrix + matrix.T) / 2)[0]), size)
            jitter *= 10
        else:
            return factor
