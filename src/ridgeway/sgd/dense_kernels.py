"""SGD over dense rows, for one target: each row is read from memory once. `sketch_kernels` has what sketches do.

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
from ridgeway.sgd.task import OpenBatch, Task
from ridgeway.trajectory.fold import Memory, Place, fold_chunk, second_at, settle, steps_between


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
        slope = descent(task.loss, y[ahead] - inner)
        rate = admit(task, weight[ahead], norm, tally)
        if not acceptable(task, slope, y[ahead], norm, tally):
            return EXPLODED, i
        gain = w.dtype.type(rate * slope)
        gains[i] = gain
        done = ahead
    return FINISHED, n_steps


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
        slope = descent(task.loss, y[row] - prediction)
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
    second = w.dtype.type(second_at(place.offset, place.chunk))
    for c in range(len(w)):
        increment = share * batch.gradient[c]
        batch.gradient[c] = 0
        w[c] += increment
        if keep:
            memory.local[0, c] += w[c]
            if place.degree == 2:
                memory.local[2, c] += second * increment
    between = steps_between(place.chunk)
    if keep and (now + 1) % between == 0:
        settle(memory, between)
    if keep and now == place.chunk - 1:
        fold_chunk(memory, Place(place.offset + 1, place.length, place.chunk, place.degree), w)
