"""SGD over dense rows, for one target, that adds the increments to the moments of a sketch on its way.

The sweep over the columns that applies a step also takes the inner products of the rows that come next, so every row
is read from memory once. A call begins with a step of size 0 and ends with a look at nothing new, so every row goes
through the same arithmetic wherever a batch begins: the same rows in other batches give the same bits. Where there is
no `order`, rows are gone through as they lie.

The first steps of a run, which are kept one by one, are taken one by one (`_single_steps`), the others two by two
(`pair_kernels`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.pair_kernels import BOTH, half_pair, pair_steps
from ridgeway.sgd.task import Look, OpenPair, Task
from ridgeway.trajectory.fold import Memory, Place, fold_chunk


@compiled
def dense_blocks(
    X: Float,
    order: NDArray[np.intp] | None,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    pair: OpenPair,
    blocks: NDArray[np.int64],
    look: Look | None,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row through one or more blocks, and add the increments to their memory, without gains.

    The moments of the blocks lie behind each other in memory; blocks (n_blocks, 5) tells the place in each and how
    many moments it keeps. A call for each block would cost 30 microseconds, as much as a thousand short rows. What
    look is says `pair_steps`.
    """
    n_steps = len(y) if order is None else len(order)
    first, kept = int(np.intp(0)), 0  # for a literal 0 Numba would compile all that follows once more
    for b in range(len(blocks)):
        place = Place(blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3])
        last = min(first + place.length - place.offset, n_steps)
        own = Memory(memory.moments[kept : kept + blocks[b, 4]], memory.anchor, memory.local)
        if place.chunk == 1:
            status, step = _single_steps(X, order, first, last, y, weight, task, w, own, place, look, tally)
        elif place.degree == 1:
            status, step = _paired_steps(X, order, first, last, y, weight, task, w, own, place, pair, None, look, tally)
        else:
            second = memory.local[2]
            status, step = _paired_steps(
                X, order, first, last, y, weight, task, w, own, place, pair, second, look, tally
            )
        if status != FINISHED:
            return status, step
        first = last
        kept += blocks[b, 4]
    return FINISHED, first


@compiled
def _single_steps(
    X: Float,
    order: NDArray[np.intp] | None,
    first_step: int,
    last_step: int,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    place: Place,
    look: Look | None,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take the steps from one to another, within a block whose chunks are single steps."""
    n_columns = X.shape[1]
    zero = w.dtype.type(0)
    offset, gain = place.offset, zero
    for i in range(first_step, last_step + 1):
        done, ahead = max(i - 1, first_step), min(i, last_step - 1)
        if order is not None:
            done, ahead = order[done], order[ahead]
        inner, norm = zero, zero
        for c in range(n_columns):
            new = w[c] + gain * X[done, c]
            w[c] = new
            inner += X[ahead, c] * new
            norm += X[ahead, c] * X[ahead, c]
        if i > first_step:
            offset += 1
            fold_chunk(memory, Place(offset, place.length, 1, place.degree), w)
        if i == last_step:
            break
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[ahead], norm, tally)
        slope = descent(task.loss, y[ahead] - inner)
        if not acceptable(task, slope, y[ahead], norm, tally):
            return EXPLODED, i
        gain = w.dtype.type(rate * slope)
        if look is not None:
            directions, seen = look.directions, look.seen
            seen[ahead, 0], seen[ahead, 1] = 1, y[ahead]
            for k in range(len(directions)):
                product = zero
                for c in range(n_columns):
                    product += X[ahead, c] * directions[k, c]
                seen[ahead, k + 2] = product
    return FINISHED, last_step


@compiled
def _paired_steps(
    X: Float,
    order: NDArray[np.intp] | None,
    first_step: int,
    last_step: int,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    place: Place,
    pair: OpenPair,
    second: Float | None,
    look: Look | None,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take the steps from one to another, within a block of longer chunks: the pairs are those of the block."""
    offset, step = place.offset, first_step
    if offset & 1:
        status = half_pair(X, order, step, y, weight, task, w, memory, place, pair, second, look, tally)
        if status != FINISHED:
            return status, step
        offset, step = offset + 1, step + 1
    until = last_step - (last_step - step) % 2
    if until > step:
        now = Place(offset, place.length, place.chunk, place.degree)
        rows, turn = (X, order, step, until, y, weight), int(np.intp(BOTH))  # no literal, as above
        status, reached = pair_steps(*rows, task, w, memory, now, turn, pair.opened, second, look, tally)
        if status != FINISHED:
            return status, reached
        offset, step = offset + reached - step, reached
    if last_step > step:
        now = Place(offset, place.length, place.chunk, place.degree)
        status = half_pair(X, order, step, y, weight, task, w, memory, now, pair, second, look, tally)
        if status != FINISHED:
            return status, step
    return FINISHED, last_step
