"""SGD over dense rows, for one target: each row is read from memory once.

The sweep over the columns that applies the step of one row also takes the inner product of the next row with the new
coefficients. A call begins with a step of size 0 and ends with a look at nothing new, so every row goes through the
same arithmetic wherever a batch begins: the same rows in other batches give the same bits. An empty `order` stands
for all rows as they lie.

Several targets go through a piece of the rows one after the other while it lies in the cache (`stepping`); a loop over
them inside the kernel made each row a tenth slower. The few lines that decide a row's gain stand in each kernel: as a
function that takes arrays they would cost as much as the rest of a short row (measured: 2.6 reads of the rows instead
of 1.7 at 100 columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import Look, OpenBatch, Task
from ridgeway.trajectory.fold import Memory, Place, chunk_places, fold_chunk


@compiled
def dense_steps(
    X: Float,
    order: NDArray[np.intp],
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    gains: Float,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row of `order`, or per row if it is empty: w += gain x.

    X (n, d), y (n,), weight (n,) are read; w (d,), gains (of each step: what multiplies its row) and tally are changed.
    Returns a status and the number of steps after which the run ended.
    """
    n_steps, n_columns = len(order) or len(y), X.shape[1]
    zero = w.dtype.type(0)
    gain = zero
    done = order[0] if len(order) else 0
    for i in range(n_steps + 1):
        ahead = min(i, n_steps - 1)
        if len(order):
            ahead = order[ahead]
        inner, norm = zero, zero
        for c in range(n_columns):
            new = w[c] + gain * X[done, c]
            w[c] = new
            inner += X[ahead, c] * new
            norm += X[ahead, c] * X[ahead, c]
        if i == n_steps:
            break
        if not np.isfinite(norm):
            return NOT_FINITE, i
        slope = descent(task.loss, y[ahead], inner)
        rate = admit(task, weight[ahead], norm, tally)
        if not acceptable(task, slope, y[ahead], norm, tally):
            return EXPLODED, i
        gain = w.dtype.type(rate * slope)
        gains[i] = gain
        done = ahead
    return FINISHED, n_steps


@compiled
def dense_blocks(
    X: Float,
    order: NDArray[np.intp],
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    blocks: NDArray[np.int64],
    look: Look,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row through one or more blocks, and add the increments to their memory, without gains.

    The moments of the blocks lie behind each other in memory; blocks (n_blocks, 5) tells the place in each and how
    many moments it keeps. A call for each block would cost 30 microseconds, as much as a thousand short rows.
    """
    n_steps = len(order) or len(y)
    first, kept = 0, 0
    for b in range(len(blocks)):
        place = Place(blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3])
        last = min(first + place.length - place.offset, n_steps)
        own = Memory(memory.moments[kept : kept + blocks[b, 4]], memory.anchor, memory.local)
        status, step = _dense_block(X, order, first, last, y, weight, task, w, own, place, look, tally)
        if status != FINISHED:
            return status, step
        first = last
        kept += blocks[b, 4]
    return FINISHED, first


@compiled
def _dense_block(
    X: Float,
    order: NDArray[np.intp],
    first_step: int,
    last_step: int,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    place: Place,
    look: Look,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take the steps from one to another, within one block, and add the increments to its memory.

    Six more products of a row cost less here than in a loop of their own (67 ns for a row of 100, 55 together): the row
    is at hand, and there is time while the step waits for its sum.
    """
    n_columns = X.shape[1]
    zero = w.dtype.type(0)
    first, second = memory.local[0], memory.local[1]
    directions, seen = look.directions, look.seen
    places = chunk_places(place.chunk).astype(w.dtype)
    offset, within = place.offset, place.chunk - 1
    gain = zero
    done = order[first_step] if len(order) else first_step
    for i in range(first_step, last_step + 1):
        ahead = min(i, last_step - 1)
        if len(order):
            ahead = order[ahead]
        now = offset & within
        gain1, gain2 = gain * places[0, now], gain * places[1, now]
        inner, norm = zero, zero
        if place.degree == 1:
            for c in range(n_columns):
                value = X[done, c]
                new = w[c] + gain * value
                w[c] = new
                first[c] += gain1 * value
                inner += X[ahead, c] * new
                norm += X[ahead, c] * X[ahead, c]
        else:
            for c in range(n_columns):
                value = X[done, c]
                new = w[c] + gain * value
                w[c] = new
                first[c] += gain1 * value
                second[c] += gain2 * value
                inner += X[ahead, c] * new
                norm += X[ahead, c] * X[ahead, c]
        if i > first_step:
            offset += 1
            if offset & within == 0:
                fold_chunk(memory, Place(offset, place.length, place.chunk, place.degree), w)
        if i == last_step:
            break
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[ahead], norm, tally)
        slope = descent(task.loss, y[ahead], inner)
        if not acceptable(task, slope, y[ahead], norm, tally):
            return EXPLODED, i
        gain = w.dtype.type(rate * slope)
        done = ahead
        if len(directions):
            s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
            for c in range(n_columns):
                value = X[ahead, c]
                s0 += value * directions[0, c]
                s1 += value * directions[1, c]
                s2 += value * directions[2, c]
                s3 += value * directions[3, c]
                s4 += value * directions[4, c]
                s5 += value * directions[5, c]
            seen[ahead, 0], seen[ahead, 1], seen[ahead, 2], seen[ahead, 3] = 1, y[ahead], s0, s1
            seen[ahead, 4], seen[ahead, 5], seen[ahead, 6], seen[ahead, 7] = s2, s3, s4, s5
    return FINISHED, last_step


@compiled
def dense_batches(
    X: Float,
    order: NDArray[np.intp],
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    batch: OpenBatch,
    memory: Memory,
    place: Place,
    gains: Float,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per mini-batch within one block, and add the increments to its memory if it keeps moments.

    As `dense_steps`; the gains lack the division by the number of rows of their mini-batch.
    """
    n_columns = X.shape[1]
    gradient, offset, filled = batch.gradient, place.offset, batch.rows
    n_rows = len(order) or len(y)
    for i in range(n_rows):
        row = order[i] if len(order) else i
        norm, prediction = w.dtype.type(0), w.dtype.type(0)
        for c in range(n_columns):
            norm += X[row, c] * X[row, c]
            prediction += X[row, c] * w[c]
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[row], norm, tally)
        slope = descent(task.loss, y[row], prediction)
        if not acceptable(task, slope, y[row], norm, tally):
            return EXPLODED, i
        gain = w.dtype.type(rate * slope)
        gains[i] = gain
        for c in range(n_columns):
            gradient[c] += gain * X[row, c]
        filled += 1
        if filled == batch.size:
            now = Place(offset, place.length, place.chunk, place.degree)
            dense_close(w, OpenBatch(batch.size, filled, gradient), memory, now)
            filled = 0
            offset += 1
    return FINISHED, n_rows


@compiled
def dense_close(w: Float, batch: OpenBatch, memory: Memory, place: Place) -> None:
    """Take the step of the open mini-batch: w += gradient / rows; gradient becomes 0."""
    keep = memory.moments.shape[0] > 0
    share = w.dtype.type(1) / w.dtype.type(batch.rows)
    now = place.offset & (place.chunk - 1)
    places = chunk_places(place.chunk).astype(w.dtype)
    for c in range(len(w)):
        increment = share * batch.gradient[c]
        batch.gradient[c] = 0
        w[c] += increment
        if keep:
            memory.local[0, c] += places[0, now] * increment
            if place.degree == 2:
                memory.local[1, c] += places[1, now] * increment
    if keep and now == place.chunk - 1:
        fold_chunk(memory, Place(place.offset + 1, place.length, place.chunk, place.degree), w)
