"""SGD over dense rows: each row is read from memory once.

The sweep over the columns that applies the step of one row also takes the inner product of the next row with the new
coefficients. A call begins with a step of size 0 and ends with a look at nothing new, so every row goes through the
same arithmetic wherever a batch begins: the same rows in other batches give the same bits.

The few lines that decide a row's gain stand in each kernel: as a function that takes arrays they would cost as much as
the rest of a short row (measured: 2.6 reads of the rows instead of 1.7 at 100 columns).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import OpenBatch, Task
from ridgeway.trajectory.fold import Memory, Place, chunk_places, fold_chunk


@compiled
def dense_steps(
    X: Float,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    gains: Float,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row: w += gain x for each target.

    X (n, d), y (n, k), weight (n,) are read; w (k, d), gains (n, k: what multiplies each row) and tally are changed.
    Returns a status and the row at which the run ended.
    """
    n_rows, n_columns = X.shape
    n_targets = w.shape[0]
    zero = w.dtype.type(0)
    flat = w.reshape(-1)  # one dimension: the compiler then sees through the indices
    gain = np.zeros(n_targets, w.dtype)
    looks = np.zeros(n_targets, w.dtype)
    norm = zero
    for i in range(n_rows + 1):
        done, ahead = max(i - 1, 0), min(i, n_rows - 1)
        for q in range(n_targets):
            base, g = q * n_columns, gain[q]
            inner, norm = zero, zero
            for c in range(n_columns):
                new = flat[base + c] + g * X[done, c]
                flat[base + c] = new
                inner += X[ahead, c] * new
                norm += X[ahead, c] * X[ahead, c]
            looks[q] = inner
        if i == n_rows:
            break
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[i], norm, tally)
        for q in range(n_targets):
            slope = descent(task.loss, y[i, q], looks[q])
            if not acceptable(task, slope, y[i, q], norm, tally):
                return EXPLODED, i
            gain[q] = rate * slope
            gains[i, q] = gain[q]
    return FINISHED, n_rows


@compiled
def dense_steps_with_moments(
    X: Float,
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    memory: Memory,
    place: Place,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row within one block, and add the increments to its memory. As `dense_steps`, without gains."""
    n_rows, n_columns = X.shape
    n_targets = w.shape[0]
    zero = w.dtype.type(0)
    flat, first, second = w.reshape(-1), memory.local[0].reshape(-1), memory.local[1].reshape(-1)
    places = chunk_places(place.chunk).astype(w.dtype)
    offset, within = place.offset, place.chunk - 1
    gain = np.zeros(n_targets, w.dtype)
    looks = np.zeros(n_targets, w.dtype)
    norm = zero
    for i in range(n_rows + 1):
        done, ahead = max(i - 1, 0), min(i, n_rows - 1)
        now = offset & within
        for q in range(n_targets):
            base, g = q * n_columns, gain[q]
            g1, g2 = g * places[0, now], g * places[1, now]
            inner, norm = zero, zero
            if place.degree == 1:
                for c in range(n_columns):
                    value = X[done, c]
                    new = flat[base + c] + g * value
                    flat[base + c] = new
                    first[base + c] += g1 * value
                    inner += X[ahead, c] * new
                    norm += X[ahead, c] * X[ahead, c]
            else:
                for c in range(n_columns):
                    value = X[done, c]
                    new = flat[base + c] + g * value
                    flat[base + c] = new
                    first[base + c] += g1 * value
                    second[base + c] += g2 * value
                    inner += X[ahead, c] * new
                    norm += X[ahead, c] * X[ahead, c]
            looks[q] = inner
        if i > 0:
            offset += 1
            if offset & within == 0:
                fold_chunk(memory, Place(offset, place.length, place.chunk, place.degree), w)
        if i == n_rows:
            break
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[i], norm, tally)
        for q in range(n_targets):
            slope = descent(task.loss, y[i, q], looks[q])
            if not acceptable(task, slope, y[i, q], norm, tally):
                return EXPLODED, i
            gain[q] = rate * slope
    return FINISHED, n_rows


@compiled
def dense_batches(
    X: Float,
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
    n_rows, n_columns = X.shape
    gradient, offset, filled = batch.gradient, place.offset, batch.rows
    for i in range(n_rows):
        norm = w.dtype.type(0)
        for c in range(n_columns):
            norm += X[i, c] * X[i, c]
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[i], norm, tally)
        for q in range(w.shape[0]):
            prediction = w.dtype.type(0)
            for c in range(n_columns):
                prediction += X[i, c] * w[q, c]
            slope = descent(task.loss, y[i, q], prediction)
            if not acceptable(task, slope, y[i, q], norm, tally):
                return EXPLODED, i
            gain = w.dtype.type(rate * slope)
            gains[i, q] = gain
            for c in range(n_columns):
                gradient[q, c] += gain * X[i, c]
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
    for q in range(w.shape[0]):
        for c in range(w.shape[1]):
            increment = share * batch.gradient[q, c]
            batch.gradient[q, c] = 0
            w[q, c] += increment
            if keep:
                memory.local[0, q, c] += places[0, now] * increment
                if place.degree == 2:
                    memory.local[1, q, c] += places[1, now] * increment
    if keep and now == place.chunk - 1:
        fold_chunk(memory, Place(place.offset + 1, place.length, place.chunk, place.degree), w)
