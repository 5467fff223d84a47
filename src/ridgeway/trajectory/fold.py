"""How increments enter the moments of a block: gathered over a chunk of steps, then folded in.

A chunk keeps local moments of its increments: T_0, T_1 and, for degree 2, T_2 at their places in the chunk. T_0 is the
change of w over the chunk, which costs nothing; the others are in `local`. At the chunk's end every T_k of the block is
interpolated at the two or three Chebyshev nodes of the chunk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float

LOCAL = 2  # room for local moments beside the change of w; a chunk of degree 1 leaves the second at 0
NODES = np.array([[0.0, 0.0, 0.0], [0.5**0.5, -(0.5**0.5), 0.0], [0.75**0.5, 0.0, -(0.75**0.5)]])  # Chebyshev's 1, 2, 3


class Place(NamedTuple):
    """Where a run stands in its block: `offset` of `length` steps are done, in chunks of `chunk` (a power of two)."""

    offset: int
    length: int
    chunk: int
    degree: int


class Memory(NamedTuple):
    """What dense steps of one target add to: moments (m, d) of the block; of the open chunk anchor (d,), local (2, d).

    anchor is w at the start of the chunk. A run that keeps no moments has m = 0.
    """

    moments: NDArray[np.float64]
    anchor: Float
    local: Float


@compiled
def chunk_places(chunk: int) -> NDArray[np.float64]:
    """T_1 and T_2 at the places in [-1, 1] of the steps of a chunk, a power of two of them: shape (2, chunk)."""
    places = np.empty((LOCAL, chunk))
    for i in range(chunk):
        v = (2 * i + 1) / chunk - 1
        places[0, i] = v
        places[1, i] = 2 * v * v - 1
    return places


@compiled
def chunk_basis(first: int, chunk: int, length: int, degree: int, moments: int) -> NDArray[np.float64]:
    """Each T_k of the block as a sum of T_0, T_1, T_2 of the chunk that starts at its step `first`: (moments, 3).

    Interpolation at degree + 1 Chebyshev nodes of the chunk; a chunk of one step needs no interpolation.
    """
    basis = np.zeros((moments, LOCAL + 1))
    nodes = 1 if chunk == 1 else degree + 1
    for node in range(nodes):
        v = NODES[nodes - 1, node]
        u = (2 * first + chunk - 1 + v * chunk) / (length - 1) - 1
        local_previous, local_current = v, 1.0  # T_{-1} = T_1, T_0 = 1
        for i in range(nodes):
            share = (1.0 if i == 0 else 2.0) / nodes * local_current
            previous, current = u, 1.0
            for k in range(moments):
                basis[k, i] += share * current
                previous, current = current, 2 * u * current - previous
            local_previous, local_current = local_current, 2 * v * local_current - local_previous
    return basis


@compiled
def fold_chunk(memory: Memory, place: Place, w: Float) -> None:
    """Add what happened since the chunk's start to the block's moments, then start the next chunk.

    The chunk is the one that the last step done belongs to; moments gain, anchor becomes w (d,), local becomes 0.
    """
    moments, change = memory.moments, memory.anchor
    first, second = memory.local[0], memory.local[1]
    n_moments, n_columns = moments.shape
    last = place.offset - 1
    for c in range(n_columns):
        change[c] = w[c] - change[c]
    if n_moments == place.length:  # a raw block
        moments[last] = change
    else:
        first_step = last // place.chunk * place.chunk
        basis = chunk_basis(first_step, place.chunk, place.length, place.degree, n_moments)
        for k in range(0, n_moments - 2, 3):
            _add_three(moments, k, basis, change, first, second)
        for k in range(n_moments - n_moments % 3, n_moments):
            _add_one(moments, k, basis, change, first, second)
    for c in range(n_columns):  # slices assigned at once take about as long as the sums above
        change[c] = w[c]
        first[c] = 0
        second[c] = 0


@compiled
def _add_one(
    moments: NDArray[np.float64], k: int, basis: NDArray[np.float64], change: Float, first: Float, second: Float
) -> None:
    """Add to moment k: basis[k, 0] change + basis[k, 1] first + basis[k, 2] second, all (d,)."""
    a0, a1, a2 = basis[k, 0], basis[k, 1], basis[k, 2]
    for c in range(moments.shape[1]):
        moments[k, c] += a0 * change[c] + a1 * first[c] + a2 * second[c]


@compiled
def _add_three(
    moments: NDArray[np.float64], k: int, basis: NDArray[np.float64], change: Float, first: Float, second: Float
) -> None:
    """Do what `_add_one` does for moments k, k + 1 and k + 2, which share one reading of the chunk."""
    a0, a1, a2 = basis[k, 0], basis[k, 1], basis[k, 2]
    b0, b1, b2 = basis[k + 1, 0], basis[k + 1, 1], basis[k + 1, 2]
    c0, c1, c2 = basis[k + 2, 0], basis[k + 2, 1], basis[k + 2, 2]
    for c in range(moments.shape[1]):
        x, y, z = np.float64(change[c]), np.float64(first[c]), np.float64(second[c])
        moments[k, c] += a0 * x + a1 * y + a2 * z
        moments[k + 1, c] += b0 * x + b1 * y + b2 * z
        moments[k + 2, c] += c0 * x + c1 * y + c2 * z


@compiled
def fill_step_basis(basis: NDArray[np.float64], offset: int, length: int) -> None:
    """Fill basis (m,) with T_0 .. T_{m-1} at step `offset` (from 0) of a block, or with a raw block's unit vector."""
    moments = len(basis)
    if moments == length:
        basis[:] = 0.0
        basis[offset] = 1.0
        return
    u = 2 * offset / (length - 1) - 1
    previous, current = u, 1.0
    for k in range(moments):
        basis[k] = current
        previous, current = current, 2 * u * current - previous
