"""SGD over sparse rows, for one target: each step touches the row's own columns only.

Moments are kept column by column, shape (d, m), so that the m numbers a non-zero entry changes lie side by side. An
empty `order` stands for all rows as they lie.

Centred rows (`SparseRows.centre`) cost one more gather per entry. A row stands for x - v c, where v is its last entry,
and the run holds u with w = u - u_last c, so that a step of gain g is u += g x. Then

    <x - v c, w> = <x, u> - u_last <x, c> - v <u, c> + v u_last |c|^2 ,

and <u, c> is kept up to date beside u.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled
from ridgeway.rows import Float, Scalar
from ridgeway.sgd.guard import EXPLODED, FINISHED, NOT_FINITE, acceptable, admit
from ridgeway.sgd.losses import descent
from ridgeway.sgd.task import Centre, Columns, OpenBatch, Task
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
def _centred_look(
    data: Float, indices: NDArray[np.unsignedinteger[Any]], start: int, stop: int, w: Float, centre: Centre
) -> tuple[Scalar, Scalar, Scalar]:
    """|x - v c|^2, <x - v c, w> and <x, c>; the last is 0 when the rows are not centred."""
    norm, inner = _norm_and_look(data, indices, start, stop, w)
    if len(centre.mean) == 0:
        return norm, inner, 0.0
    cross = 0.0
    for e in range(start, stop):
        cross += data[e] * centre.mean[indices[e]]
    v, last = data[stop - 1], w[len(w) - 1]
    norm = max(norm - 2 * v * cross + v * v * centre.square, 0.0)
    return norm, inner - last * cross - v * centre.product[0] + v * last * centre.square, cross


@compiled
def csr_steps(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    order: NDArray[np.intp],
    y: Float,
    weight: Float,
    task: Task,
    w: NDArray[np.float64],
    centre: Centre,
    moments: NDArray[np.float64],
    place: Place,
    gains: Float,
    tally: NDArray[np.float64],
) -> tuple[int, int]:
    """Take one step per row of `order`, or per row if it is empty, within one block of the layout.

    data, indices, indptr, y (n,), weight (n,) are read. w (d,), centre.product, gains (of each step: what multiplies
    its row), tally and, if m > 0, moments (d, m) are changed. Returns a status and the number of rows after which the
    run ended.
    """
    n_moments = moments.shape[1]
    basis = np.empty(n_moments)
    n_rows = len(order) or len(y)
    for i in range(n_rows):
        row = order[i] if len(order) else i
        start, stop = indptr[row], indptr[row + 1]
        fill_step_basis(basis, place.offset + i, place.length)
        norm, prediction, cross = _centred_look(data, indices, start, stop, w, centre)
        if not np.isfinite(norm):
            return NOT_FINITE, i
        rate = admit(task, weight[row], norm, tally)
        slope = descent(task.loss, y[row] - prediction)
        if not acceptable(task, slope, y[row], norm, tally):
            return EXPLODED, i
        gain = rate * slope
        gains[i] = gain
        centre.product[0] += gain * cross
        for e in range(start, stop):
            increment = gain * data[e]
            w[indices[e]] += increment
            for k in range(n_moments):
                moments[indices[e], k] += basis[k] * increment
    return FINISHED, n_rows


@compiled
def csr_batches(
    data: Float,
    indices: NDArray[np.unsignedinteger[Any]],
    indptr: NDArray[np.int64],
    order: NDArray[np.intp],
    y: Float,
    weight: Float,
    task: Task,
    w: NDArray[np.float64],
    centre: Centre,
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
    n_rows = len(order) or len(y)
    for i in range(n_rows):
        row = order[i] if len(order) else i
        start, stop = indptr[row], indptr[row + 1]
        norm, prediction, _ = _centred_look(data, indices, start, stop, w, centre)
        if not np.isfinite(norm):
            return NOT_FINITE, i, count
        rate = admit(task, weight[row], norm, tally)
        slope = descent(task.loss, y[row] - prediction)
        if not acceptable(task, slope, y[row], norm, tally):
            return EXPLODED, i, count
        gain = rate * slope
        gains[i] = gain
        for e in range(start, stop):
            batch.gradient[indices[e]] += gain * data[e]
            if not marked[indices[e]]:
                marked[indices[e]] = True
                listed[count] = indices[e]
                count += 1
        filled += 1
        if filled == batch.size:
            full = OpenBatch(batch.size, filled, batch.gradient)
            now = Place(offset, place.length, place.chunk, place.degree)
            csr_close(w, centre, full, Columns(marked, listed, count), moments, now)
            filled, count = 0, 0
            offset += 1
    return FINISHED, n_rows, count


@compiled
def csr_close(
    w: NDArray[np.float64],
    centre: Centre,
    batch: OpenBatch,
    columns: Columns,
    moments: NDArray[np.float64],
    place: Place,
) -> None:
    """Take the step of the open mini-batch: w += gradient / rows; gradient and marks are cleared."""
    n_moments = moments.shape[1]
    basis = np.empty(n_moments)
    fill_step_basis(basis, place.offset, place.length)
    share = w.dtype.type(1) / w.dtype.type(batch.rows)
    for i in range(columns.n_listed):
        c = columns.listed[i]
        columns.marked[c] = False
        increment = share * batch.gradient[c]
        batch.gradient[c] = 0
        w[c] += increment
        if len(centre.mean):
            centre.product[0] += increment * centre.mean[c]
        for k in range(n_moments):
            moments[c, k] += basis[k] * increment
