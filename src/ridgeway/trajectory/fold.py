"""How increments enter the moments of a block: gathered over a chunk of steps, then folded in.

A chunk keeps three local moments of its increments, T_0, T_1 and T_2 at their places in the chunk. T_0 is the change
of w over the chunk, which costs nothing; the other two are in `local`. At the chunk's end every T_k of the block is
interpolated at the three Chebyshev nodes of the chunk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float

LOCAL = 2  # local moments that are kept beside the change of w


class Place(NamedTuple):
    """Where a run stands in its block: `offset` of `length` steps are done, in chunks of `chunk` (a power of two)."""

    offset: int
    length: int
    chunk: int


class Memory(NamedTuple):
    """What dense steps add to: moments (m, k, d) of the block, and of the open chunk anchor (k, d) and local (2, k, d).

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
def chunk_basis(first: int, chunk: int, length: int, moments: int) -> NDArray[np.float64]:
    """Each T_k of the block as a sum of T_0, T_1, T_2 of the chunk that starts at its step `first`: (moments, 3).

    Interpolation at the chunk's three Chebyshev nodes; a chunk of one step needs no interpolation.
    """
    basis = np.zeros((moments, LOCAL + 1))
    nodes = 1 if chunk == 1 else LOCAL + 1
    for node in range(nodes):
        v = np.cos(np.pi * (node + 0.5) / nodes)
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

    The chunk is the one that the last step done belongs to; moments gain, anchor becomes w (k, d), local becomes 0.
    """
    moments, anchor, local = memory.moments, memory.anchor, memory.local
    n_moments, n_targets, n_columns = moments.shape
    last = place.offset - 1
    if n_moments == place.length:  # a raw block
        for q in range(n_targets):
            for c in range(n_columns):
                moments[last, q, c] = w[q, c] - anchor[q, c]
    else:
        basis = chunk_basis(last // place.chunk * place.chunk, place.chunk, place.length, n_moments)
        for k in range(n_moments):
            b0, b1, b2 = basis[k, 0], basis[k, 1], basis[k, 2]
            for q in range(n_targets):
                for c in range(n_columns):
                    moments[k, q, c] += b0 * (w[q, c] - anchor[q, c]) + b1 * local[0, q, c] + b2 * local[1, q, c]
    anchor[:] = w
    local[:] = 0


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
