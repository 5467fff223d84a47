"""How increments enter the moments of a block: gathered over a chunk of steps, then folded in.

The increments of a chunk have local moments: T_0, T_1 and, for degree 2, T_2 at their places in the chunk. T_0 is the
change of w over the chunk, which costs nothing. T_1 grows by the same amount from step to step, so that a sum by parts
leaves the plain sum of the w of the chunk, which takes no products: the multiplication units are what a step over some
hundred columns waits for. That sum is settled every 32 steps, what it exceeds the w of the chunk's start by being
gathered apart, or it would be too large to be exact. T_2 is gathered as it is. At the chunk's end every T_k of the
block, interpolated at three Chebyshev nodes of the chunk, is a sum of these; degree 1 leaves T_2 out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import as_written, compiled
from ridgeway.rows import Float, Scalar

LOCAL = 3  # what a chunk gathers beside the change of w; one of degree 1 leaves the last at 0
SETTLED = 32  # steps at most between two settlements
NODE = 0.75**0.5  # Chebyshev's three nodes are this, 0 and minus this


Three = tuple[float, float, float]


class Place(NamedTuple):
    """Where a run stands in its block: `offset` of `length` steps are done, in chunks of `chunk` (a power of two)."""

    offset: int
    length: int
    chunk: int
    degree: int


class Memory(NamedTuple):
    """What dense steps of one target add to: moments (m, d) of the block; of the open chunk anchor (d,), local (3, d).

    anchor is w at the start of the chunk. local has the sum of w after each step since it was settled, the sum of
    w - anchor after those before, and T_2 of the increments. A run that keeps no moments has m = 0.
    """

    moments: NDArray[np.float64]
    anchor: Float
    local: Float


@compiled
def second_at(step: int, chunk: int) -> float:
    """T_2 at the place in [-1, 1] of a step of a chunk, a power of two of them; steps count on over the chunks."""
    v = (2 * (step & (chunk - 1)) + 1) / chunk - 1
    return 2 * v * v - 1


@compiled
def steps_between(chunk: int) -> int:
    """Return after how many steps the sum over a chunk is settled."""
    return min(chunk, SETTLED)


@compiled
def settle(memory: Memory, steps: int) -> None:
    """Turn the sum of w over the last steps into that of w - anchor."""
    anchor, total, excess = memory.anchor, memory.local[0], memory.local[1]
    for c in range(len(anchor)):
        excess[c] = _settled(excess[c], total[c], np.float64(steps), anchor[c])
        total[c] = 0


@as_written
def _settled(excess: Scalar, total: Scalar, steps: float, anchor: Scalar) -> float:
    return np.float64(excess) + (np.float64(total) - steps * np.float64(anchor))


@compiled
def fold_chunk(memory: Memory, place: Place, w: Float) -> None:
    """Add what happened since the chunk's start to the block's moments, then start the next chunk.

    The chunk is the one that the last step done belongs to; moments gain, anchor becomes w (d,), local becomes 0.
    """
    moments, change = memory.moments, memory.anchor
    total, first, second = memory.local[0], memory.local[1], memory.local[2]
    n_moments, n_columns = moments.shape
    last = place.offset - 1
    done, size = last % place.chunk + 1, np.float64(place.chunk)
    waiting, left = np.float64(done % steps_between(place.chunk)), np.float64(place.chunk - done)
    for c in range(n_columns):
        excess = _settled(first[c], total[c], waiting, change[c])
        change[c], first[c] = _by_parts(w[c], change[c], excess, left, size)
    if n_moments == place.length:  # a raw block
        moments[last] = change
    else:
        middle = (2 * (last - done + 1) + place.chunk - 1) / (place.length - 1) - 1
        reach = NODE * place.chunk / (place.length - 1) if place.chunk > 1 else 0.0
        if place.degree == 2:
            _add_moments(moments, change, first, second, middle, reach)
        else:
            _add_moments(moments, change, first, None, middle, reach)
    for c in range(n_columns):  # slices assigned at once take about as long as the sums above
        change[c] = w[c]
        total[c] = 0
        first[c] = 0
        second[c] = 0


@as_written
def _by_parts(w: Scalar, anchor: Scalar, excess: float, left: float, size: float) -> tuple[float, float]:
    """T_0 and T_1 of the increments of a coefficient over a chunk, of which some steps are left that change nothing."""
    moved = np.float64(w) - np.float64(anchor)
    return moved, moved + (moved - 2 * (excess + left * moved)) / size


@compiled
def _add_moments(
    moments: NDArray[np.float64], change: Float, first: Float, second: Float | None, middle: float, reach: float
) -> None:
    """Add T_k of the block, as sums of T_0, T_1 and T_2 of the chunk, to moments (m, d), three of them at a time.

    change, first and second, each (d,), are the local moments; middle and reach tell the nodes of the chunk, where
    every T_k of the block is found by its recurrence.
    """
    n_moments, n_columns = moments.shape
    at0 = at1 = at2 = (1.0, 1.0, 1.0)
    for k in range(0, n_moments, 3):
        at0 = (1.0, 1.0, 1.0) if k == 0 else _next(middle, reach, at2, at1)
        at1 = (middle - reach, middle, middle + reach) if k == 0 else _next(middle, reach, at0, at2)
        at2 = _next(middle, reach, at1, at0)
        one, two, three = _shares(at0), _shares(at1), _shares(at2)
        last = min(k + 2, n_moments - 1)
        for c in range(n_columns):
            x, y = np.float64(change[c]), np.float64(first[c])
            z = None if second is None else np.float64(second[c])
            moments[k, c] += _mixed(one, x, y, z)
            if last > k:
                moments[k + 1, c] += _mixed(two, x, y, z)
            if last > k + 1:
                moments[k + 2, c] += _mixed(three, x, y, z)


@as_written
def _mixed(shares: Three, x: float, y: float, z: float | None) -> float:
    mixed = shares[0] * x + shares[1] * y
    return mixed if z is None else mixed + shares[2] * z


@as_written
def _next(middle: float, reach: float, now: Three, before: Three) -> Three:
    """T_{k+1} at the three nodes of a chunk, from T_k and T_{k-1}."""
    return (
        2 * (middle - reach) * now[0] - before[0],
        2 * middle * now[1] - before[1],
        2 * (middle + reach) * now[2] - before[2],
    )


@as_written
def _shares(values: Three) -> Three:
    """Coefficients of T_0, T_1 and T_2 of the chunk, from values at its three nodes."""
    low, mid, high = values
    return (low + mid + high) / 3, (high - low) * (2 / 3 * NODE), (low + high - 2 * mid) / 3


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
