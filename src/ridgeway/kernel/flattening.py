"""Flattening: a preconditioner that shortens steps along the leading directions, so that all others can be longer.

Plain kernel SGD learns a direction of eigenvalue s in some max k(x, x) / (n s) passes: too many for targets without
noise, where small eigenvalues count. With steps eta P r k(x, .) for

    P = I - sum_i (1 - p_i) e_i e_i' ,     p_i = lam / (s_i + lam) ,

it takes max k_P(x, x) / (n s) passes, k_P(x, x) = k(x, x) - sum_i (1 - p_i) e_i(x)^2: what is left of k(x, x) when the
leading directions have been taken out. These are Ritz vectors: the eigenfunctions of the second moments of all rows
within the span of k(z, .) for some centres z. Centres are drawn in rounds, each time among the rows whose k(x, x) is
explained worst (as random pivots of a Cholesky factorization would be), because a single row left out would keep the
step short. With all rows as centres the directions are the eigenfunctions themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ridgeway.kernel.blocks import Blocks, Gram
from ridgeway.rows import Float

ROUNDS = 4
PER_PASS = 4.0  # a leading direction is learned by this many factors of e in a pass
NEGLIGIBLE = 1e-2  # directions whose steps would be shortened by less are left as they are
LEVELS = 30  # halvings of lam that are tried
SAFETY = 1.1
TRIED = 3  # blocks whose largest eigenvalue is looked at
AT_A_TIME = 1024  # rows


@dataclass(frozen=True, eq=False)
class Flattening:
    """Directions along which steps are shortened.

    Attributes
    ----------
    factors : (q,), p_i.
    eigenvalues : (q,), s_i.
    level : lam.
    values : (n, q), e_i(x) of the rows in the order of the layout.
    diagonal : (n,), k_P(x, x), likewise.
    centres : (m,), places in the layout.
    coefficients : (m, q), of e_i on the centres.
    largest : of the eigenvalues of k_P within a block.
    """

    factors: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    level: float
    values: Float
    diagonal: NDArray[np.float64]
    centres: NDArray[np.intp]
    coefficients: Float
    largest: float

    def directions_at(self, layout: NDArray[np.intp]) -> tuple[NDArray[np.float64], Float, NDArray[np.intp]]:
        """Factors, coefficients and numbers of the centres in the order of the gram matrix."""
        return self.factors, self.coefficients, layout[self.centres]

    def longest_step(self, weight: NDArray[np.float64], batch_size: int) -> float:
        """Return a step for mini-batches that no block, and no row alone, makes overshoot."""
        return batch_size / max(float((weight * self.diagonal).max()), SAFETY * self.largest * float(weight.max()))


def flatten(blocks: Blocks, n_centres: int, rng: np.random.Generator) -> Flattening:
    """Find the directions in the span of so many centres, and how far to shorten steps along them."""
    gram, layout = blocks.gram, blocks.layout
    centres = draw_centres(gram, layout, n_centres, rng)
    factor = _cholesky(gram, layout[centres])
    whitened = _whitened(gram, layout, centres, factor)  # (n, m)
    eigenvalues, vectors = scipy.linalg.eigh(whitened.T @ whitened / len(layout))
    eigenvalues, vectors = np.maximum(eigenvalues[::-1], 0.0), vectors[:, ::-1]
    values = whitened @ vectors
    diagonal = gram.diagonal()[layout]
    level = _level(eigenvalues, values, diagonal)
    kept = eigenvalues > NEGLIGIBLE * level
    factors = level / (eigenvalues[kept] + level)
    values = values[:, kept]
    coefficients = scipy.linalg.solve_triangular(factor, vectors[:, kept], lower=True, trans="T")
    left = np.maximum(diagonal - (values.astype(np.float64) ** 2) @ (1 - factors), 0.0)
    dtype = gram.dtype
    return Flattening(
        factors,
        eigenvalues[kept],
        level,
        values.astype(dtype),
        left,
        centres,
        coefficients.astype(dtype),
        _largest(blocks, values, factors, rng),
    )


def draw_centres(gram: Gram, layout: NDArray[np.intp], n_centres: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw centres, places in the layout: first any rows, then rows by how badly those before explain k(x, x)."""
    n_rows = len(layout)
    if n_centres >= n_rows:
        return np.arange(n_rows)
    sizes = [max(1, n_centres >> k) for k in range(ROUNDS - 1, -1, -1)]
    centres: NDArray[np.intp] = rng.permutation(n_rows)[: sizes[0]]
    diagonal = gram.diagonal()[layout]
    for size in sizes[1:]:
        whitened = _whitened(gram, layout, centres, _cholesky(gram, layout[centres]))
        left = np.maximum(diagonal - (whitened**2).sum(axis=1), 0.0)
        left[centres] = 0.0
        # The smallest of exponential waiting times, at rates left^2: a draw without replacement.
        waiting = rng.exponential(size=n_rows) / np.maximum(left**2, np.finfo(np.float64).tiny)
        waiting[centres] = np.inf
        centres = np.concatenate([centres, np.argsort(waiting)[: size - len(centres)]])
    return centres


def _cholesky(gram: Gram, numbers: NDArray[np.intp]) -> NDArray[np.float64]:
    """Lower factor of the kernel matrix of the centres, with what rounding needs on its diagonal."""
    matrix = gram.between(numbers, numbers).astype(np.float64)
    size = float(np.trace(matrix)) / len(matrix)
    jitter = float(np.finfo(gram.dtype).eps) * size * 10
    identity = np.eye(len(matrix))
    while True:
        try:
            factor: NDArray[np.float64] = scipy.linalg.cholesky(matrix + jitter * identity, lower=True)
        except np.linalg.LinAlgError:
            jitter *= 100
            if jitter > size:
                raise ValueError(
                    "the kernel is not positive definite: its matrix has eigenvalues below minus its mean diagonal; "
                    "use a positive definite kernel."
                ) from None
        else:
            return factor


def _whitened(
    gram: Gram, layout: NDArray[np.intp], centres: NDArray[np.intp], factor: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Rows in coordinates of an orthonormal basis of the span of the centres: (n, m)."""
    answer = np.empty((len(layout), len(centres)))
    numbers = layout[centres]
    for first in range(0, len(layout), AT_A_TIME):
        part = slice(first, first + AT_A_TIME)
        block = gram.between(numbers, layout[part]).astype(np.float64)
        answer[part] = scipy.linalg.solve_triangular(factor, block, lower=True, check_finite=False).T
    return answer


def _level(eigenvalues: NDArray[np.float64], values: NDArray[np.float64], diagonal: NDArray[np.float64]) -> float:
    """Largest lam (in halvings) at which leading directions are learned in a pass and no more is left than needed.

    A leading direction is learned by n lam / max k_P factors of e in a pass: lam is lowered, and max k_P with it, as
    long as these are PER_PASS at least.
    """
    squares = values**2
    level = float(eigenvalues[0])
    for _ in range(LEVELS):
        lower = level / 2
        left = float((diagonal - squares @ (eigenvalues / (eigenvalues + lower))).max())
        if len(diagonal) * lower < PER_PASS * left:
            break
        level = lower
    return max(level, float(np.finfo(np.float64).tiny))


def _largest(
    blocks: Blocks, values: NDArray[np.float64], factors: NDArray[np.float64], rng: np.random.Generator
) -> float:
    """Largest eigenvalue of k_P among the rows of a few blocks."""
    largest = 0.0
    for k in rng.permutation(len(blocks))[:TRIED].tolist():
        place = blocks.place(k)
        part = values[place]
        matrix = blocks.block(k)[:, place].astype(np.float64) - (part * (1 - factors)) @ part.T
        last = len(matrix) - 1
        largest = max(largest, float(scipy.linalg.eigh(matrix, eigvals_only=True, subset_by_index=[last, last])[0]))
    return largest
