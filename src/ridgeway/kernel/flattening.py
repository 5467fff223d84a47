"""Flattening: a preconditioner that shortens steps along the leading directions, so that all others can be longer.

Plain kernel SGD learns a direction of eigenvalue s in some max k(x, x) / (n s) passes: too many for targets without
noise, where small eigenvalues count. With steps eta P r k(x, .) for

    P = I - sum_i (1 - p_i) e_i e_i' ,     p_i = lam / (s_i + lam) ,

it takes max k_P(x, x) / (n s) passes, k_P(x, x) = k(x, x) - sum_i (1 - p_i) e_i(x)^2: what is left of k(x, x) when the
leading directions have been taken out. With all rows as centres (see `span.py`) that is nothing, and the run is over at
its start.

The run starts at the least-squares solution along the directions, f_0 = sum_i start_i e_i. From 0, the first long steps
would stir up all other directions while the leading ones are still to be learned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from ridgeway.kernel.blocks import Blocks
from ridgeway.kernel.span import AT_A_TIME, TINY, Directions, Span
from ridgeway.rows import Float

NEGLIGIBLE = 1e-2  # directions whose steps would be shortened by less are left as they are
LEVELS = 30  # halvings of lam that are tried
START = 1e-2  # shares of lam by which the start is shrunk
SAFETY = 1.1
TRIED = 3  # blocks whose largest eigenvalue is looked at


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
    """Find the leading directions within a span, and how far to shorten steps along them.

    Parameters
    ----------
    span : of the centres.
    blocks : the kernel matrix.
    weight : (n,), in the order of the layout; 0 for rows that the run does not learn from.
    targets : (n, targets), centred, likewise.
    rng : draws the blocks that are looked at for the step.
    """
    directions = span.directions(weight)
    diagonal = blocks.gram.diagonal()[blocks.layout]
    level = _level(directions, diagonal, weight)
    directions = directions.above(NEGLIGIBLE * level)
    eigenvalues, values = directions.eigenvalues, directions.values
    factors = level / (eigenvalues + level)
    moments = values.T @ ((weight / weight.sum())[:, None] * targets)
    dtype = blocks.gram.dtype
    return Flattening(
        factors,
        eigenvalues,
        moments / (eigenvalues + START * level)[:, None],
        values.astype(dtype, copy=False),
        np.maximum(diagonal - _squares(values, 1 - factors), 0.0),
        directions.centres,
        directions.coefs.astype(dtype, copy=False),
        _largest(blocks, values, factors, weight, rng),
    )


def _level(directions: Directions, diagonal: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Smallest lam (in halvings) at which the leading directions are still learned within a pass.

    In a pass they are learned by n lam / max k_P factors of e, weighted. Where max k_P no longer falls with
    lam, it is what the centres do not explain, and a lower lam would only slow these directions down.
    """
    eigenvalues, learned = directions.eigenvalues, weight > 0
    if len(eigenvalues) == 0:
        return 1.0
    lams = eigenvalues[0] * 0.5 ** np.arange(1, LEVELS + 1)
    explained = _squares(directions.values, eigenvalues[:, None] / (eigenvalues[:, None] + lams))
    left = (weight[:, None] * (diagonal[:, None] - explained))[learned].max(axis=0)
    too_low = np.flatnonzero(weight.sum() * lams < left)
    halvings = int(too_low[0]) if len(too_low) else LEVELS
    return float(eigenvalues[0] * 0.5**halvings)


def _squares(values: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of shares_i e_i(x)^2 for each row: (n,), or (n, k) for several shares (q, k); a few rows at a time."""
    answer = np.empty((len(values), *shares.shape[1:]))
    for first in range(0, len(values), AT_A_TIME):
        part = slice(first, first + AT_A_TIME)
        answer[part] = values[part] ** 2 @ shares
    return answer


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
