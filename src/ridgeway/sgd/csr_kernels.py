"""SGD over sparse rows: each step touches the row's own columns only.

Moments are kept column by column, shape (d, k, m), so that the m numbers a non-zero entry changes lie side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float, Scalar
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import Columns, OpenBatch, Task
from ridgeway.trajectory.fold import Place, fill_step_basis


@compiled
def _norm_and_look(
    data: Float, indices: NDArray[np.unsignedinteger[Any]], start: int, stop: int, w: Float
) -> tuple[Scalar, Scalar]:
    """|x|^2 and <x, w> of the row data[start:stop]; two accumulators each hide the latency of the gathers."""
    zero = w.dtype.type(0)
    norm0, norm1, inner0, inner1 = zero, zero, zero, zero
    e = start
    while e + 1 < stop:
        inner0 += data[e] * w[indices[e]]
        inner1 += data[e + 1] * w[indices[e + 1]]
        norm0 += data[e] * data[e]
        norm1 += data[e + 1] * data[e + 1]
        e += 2
    if e < stop:
        inner0 += data[e] * w[indices[e]]
        norm0 += data[e] * data[e]
    return norm0 + norm1, inner0 + inner1


@compiled
def csr_steps(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    moments: NDArray[np.float64],
    place: Place,
    gains: Float,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row, within one block of the layout.

    data, indices, indptr, y (n, k), weight (n,) are read. w (k, d), gains (n, k: what multiplies each row), tally
    and, if m > 0, moments (d, k, m) are changed. Returns a status and the row at which the run ended.
    """
    n_moments = moments.shape[2]
    basis = np.empty(n_moments)
    for i in range(len(indptr) - 1):
        start, stop = indptr[i], indptr[i + 1]
        rate: Scalar = 0.0
        fill_step_basis(basis, place.offset + i, place.length)
        for q in range(w.shape[0]):
            norm, prediction = _norm_and_look(data, indices, start, stop, w[q])
            if q == 0:
                if not np.isfinite(norm):
                    return NOT_FINITE, i
                rate = admit(task, weight[i], norm, tally)
            slope = descent(task.loss, y[i, q], prediction)
            if not acceptable(task, slope, y[i, q], norm, tally):
                return EXPLODED, i
            gain = rate * slope
            gains[i, q] = gain
            for e in range(start, stop):
                increment = gain * data[e]
                w[q, indices[e]] += increment
                for k in range(n_moments):
                    moments[indices[e], q, k] += basis[k] * increment
    return FINISHED, len(indptr) - 1


@compiled
def csr_batches(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    y: Float,
    weight: Float,
    task: Task,
    w: Float,
    batch: OpenBatch,
    columns: Columns,
    moments: NDArray[np.float64],
    place: Place,
    gains: Float,
    tally: NDArray[np.float64],
) -> tuple[int, int, int]:
    """Take one step per mini-batch within one block. As `csr_steps`; also returns the number of columns listed.

    The gains lack the division by the number of rows of their mini-batch.
    """
    marked, listed, count = columns.marked, columns.listed, columns.n_listed
    offset, filled = place.offset, batch.rows
    for i in range(len(indptr) - 1):
        start, stop = indptr[i], indptr[i + 1]
        rate: Scalar = 0.0
        for q in range(w.shape[0]):
            norm, prediction = _norm_and_look(data, indices, start, stop, w[q])
            if q == 0:
                if not np.isfinite(norm):
                    return NOT_FINITE, i, count
                rate = admit(task, weight[i], norm, tally)
            slope = descent(task.loss, y[i, q], prediction)
            if not acceptable(task, slope, y[i, q], norm, tally):
                return EXPLODED, i, count
            gain = rate * slope
            gains[i, q] = gain
            for e in range(start, stop):
                batch.gradient[q, indices[e]] += gain * data[e]
        for e in range(start, stop):
            if not marked[indices[e]]:
                marked[indices[e]] = True
                listed[count] = indices[e]
                count += 1
        filled += 1
        if filled == batch.size:
            full = OpenBatch(batch.size, filled, batch.gradient)
            now = Place(offset, place.length, place.chunk, place.degree)
            csr_close(w, full, Columns(marked, listed, count), moments, now)
            filled, count = 0, 0
            offset += 1
    return FINISHED, len(indptr) - 1, count


@compiled
def csr_close(w: Float, batch: OpenBatch, columns: Columns, moments: NDArray[np.float64], place: Place) -> None:
    """Take the step of the open mini-batch: w += gradient / rows; gradient and marks are cleared."""
    n_moments = moments.shape[2]
    basis = np.empty(n_moments)
    fill_step_basis(basis, place.offset, place.length)
    share = w.dtype.type(1) / w.dtype.type(batch.rows)
    for i in range(columns.n_listed):
        c = columns.listed[i]
        columns.marked[c] = False
        for q in range(w.shape[0]):
            increment = share * batch.gradient[q, c]
            batch.gradient[q, c] = 0
            w[q, c] += increment
            for k in range(n_moments):
                moments[c, q, k] += basis[k] * increment
