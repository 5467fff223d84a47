"""Flattening: a preconditioner that shortens steps along the leading directions, so that all others can be longer.

Plain kernel SGD learns a direction of eigenvalue s in some max k(x, x) / (n s) passes: too many for targets without
noise, where small eigenvalues count. With steps eta P r k(x, .) for

    P = I - sum_i (1 - p_i) e_i e_i' ,     p_i = lam / (s_i + lam) ,

it takes max k_P(x, x) / (n s) passes, k_P(x, x) = k(x, x) - sum_i (1 - p_i) e_i(x)^2: what is left of k(x, x) when the
leading directions have been taken out. These are Ritz vectors: the eigenfunctions of the second moments of the rows
within the span of k(z, .) for some centres z. Centres are drawn in rounds, each time among the rows whose k(x, x) is
explained worst (as random pivots of a Cholesky factorization would be), because a single row left out would keep the
step short. With all rows as centres the directions are the eigenfunctions themselves, and the run is over at its start.

The run starts at the least-squares solution along the directions, f_0 = sum_i start_i e_i. From 0, the first long steps
would stir up all other directions while the leading ones are still to be learned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ridgeway.kernel.blocks import Blocks, Gram
from ridgeway.kernel.definiteness import BEYOND_ROUNDING, require_definite
from ridgeway.rows import Float

ROUNDS = 4
NEGLIGIBLE = 1e-2  # directions whose steps would be shortened by less are left as they are
LEVELS = 30  # halvings of lam that are tried
START = 1e-2  # shares of lam by which the start is shrunk
SAFETY = 1.1
TRIED = 3  # blocks whose largest eigenvalue is looked at
AT_A_TIME = 1024  # rows
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Span:
    """The span of k(z, .) for some centres z.

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
    def of(cls, gram: Gram, layout: NDArray[np.intp], n_centres: int, rng: np.random.Generator) -> Span:
        """Draw centres: first any rows, then rows by how badly those before explain their k(x, x)."""
        n_rows = len(layout)
        if n_centres >= n_rows:
            return _span(gram, layout, np.arange(n_rows))
        sizes = [max(1, n_centres >> k) for k in range(ROUNDS - 1, -1, -1)]
        span = _span(gram, layout, rng.permutation(n_rows)[: sizes[0]])
        diagonal = gram.diagonal()[layout]
        for size in sizes[1:]:
            left = np.maximum(diagonal - (span.rows**2).sum(axis=1), 0.0)
            left[span.centres] = 0.0
            # The smallest of exponential waiting times, at rates left^2: a draw without replacement.
            rates = np.maximum((left / max(left.max(), TINY)) ** 2, 1e-100)
            waiting = rng.exponential(size=n_rows) / rates
            waiting[span.centres] = np.inf
            more = np.argsort(waiting)[: size - len(span.centres)]
            span = _span(gram, layout, np.concatenate([span.centres, more]))
        return span


@dataclass(frozen=True, eq=False)
class Flattening:
    """Directions along which the steps of a run are shortened, and where it starts.

    Attributes
    ----------
    factors : (q,), p_i.
    eigenvalues : (q,), s_i, of the rows that the run learns from.
    start : (q, targets), coordinates of f_0.
    values : (n, q), e_i(x) of all rows, in the order of the layout.
    diagonal : (n,), k_P(x, x), likewise.
    centres : (m,), places in the layout.
    directions : (m, q), coefficients of e_i on the centres.
    largest : of the eigenvalues of k_P within a block, weighted.
    """

    factors: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    start: NDArray[np.float64]
    values: Float
    diagonal: NDArray[np.float64]
    centres: NDArray[np.intp]
    directions: Float
    largest: float

    def longest_step(self, weight: NDArray[np.float64], batch_size: int) -> float:
        """Return a step for mini-batches that no block, and no row alone, makes overshoot."""
        alone = float((weight * self.diagonal).max())
        return batch_size / max(alone, SAFETY * self.largest, TINY)


def flatten(
    span: Span, blocks: Blocks, weight: NDArray[np.float64], targets: NDArray[np.float64], rng: np.random.Generator
) -> Flattening:
    """Find the eigenfunctions within a span, and how far to shorten steps along them.

    Parameters
    ----------
    span : of the centres.
    blocks : the kernel matrix.
    weight : (n,), in the order of the layout; 0 for rows that the run does not learn from.
    targets : (n, targets), centred, likewise.
    """
    share = weight / weight.sum()
    eigenvalues, vectors = scipy.linalg.eigh(span.rows.T @ (share[:, None] * span.rows))
    eigenvalues, vectors = np.maximum(eigenvalues[::-1], TINY), vectors[:, ::-1]
    values = span.rows @ vectors
    diagonal = blocks.gram.diagonal()[blocks.layout]
    level = _level(eigenvalues, values, diagonal, weight)
    kept = eigenvalues > NEGLIGIBLE * level
    eigenvalues, values = eigenvalues[kept], values[:, kept]
    factors = level / (eigenvalues + level)
    start = values.T @ (share[:, None] * targets) / (eigenvalues + START * level)[:, None]
    dtype = blocks.gram.dtype
    return Flattening(
        factors,
        eigenvalues,
        start,
        values.astype(dtype),
        np.maximum(diagonal - values**2 @ (1 - factors), 0.0),
        span.centres,
        scipy.linalg.solve_triangular(span.factor, vectors[:, kept], lower=True, trans="T").astype(dtype),
        _largest(blocks, values, factors, weight, rng),
    )


def _span(gram: Gram, layout: NDArray[np.intp], centres: NDArray[np.intp]) -> Span:
    factor = _cholesky(gram, layout[centres])
    rows = np.empty((len(layout), len(centres)))
    for first in range(0, len(layout), AT_A_TIME):
        part = slice(first, first + AT_A_TIME)
        block = gram.between(layout[part], layout[centres]).astype(np.float64)
        rows[part] = scipy.linalg.solve_triangular(factor, block.T, lower=True, check_finite=False).T
    return Span(centres, factor, rows)


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


def _level(
    eigenvalues: NDArray[np.float64],
    values: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> float:
    """Smallest lam (in halvings) at which the leading directions are still learned within a pass.

    In a pass they are learned by n lam / max k_P factors of e, weighted. Where max k_P no longer falls with
    lam, it is what the centres do not explain, and a lower lam would only slow these directions down.
    """
    squares = values**2
    level = float(eigenvalues[0])
    for _ in range(LEVELS):
        left = float((weight * (diagonal - squares @ (eigenvalues / (eigenvalues + level / 2)))).max())
        if weight.sum() * level / 2 < left:
            break
        level /= 2
    return level


def _largest(
    blocks: Blocks,
    values: NDArray[np.float64],
    factors: NDArray[np.float64],
    weight: NDArray[np.float64],
    rng: np.random.Generator,
) -> float:
    """Largest eigenvalue of k_P among the rows of a few blocks, weighted."""
    largest = 0.0
    for k in rng.permutation(len(blocks))[:TRIED].tolist():
        place = blocks.place(k)
        part, root = values[place], np.sqrt(weight[place])
        matrix = blocks.block(k)[:, place].astype(np.float64) - (part * (1 - factors)) @ part.T
        matrix *= root[:, None] * root
        last = len(matrix) - 1
        largest = max(largest, float(scipy.linalg.eigh(matrix, eigvals_only=True, subset_by_index=[last, last])[0]))
    return largest
