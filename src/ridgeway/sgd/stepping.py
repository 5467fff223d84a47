"""How a state takes the steps of a batch: which kernel, over which rows, and what its end means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, DenseRows, Float, largest_norm, require_finite_rows
from ridgeway.sgd.csr_kernels import csr_batches, csr_close, csr_steps
from ridgeway.sgd.dense_kernels import dense_batches, dense_close, dense_steps, dense_steps_with_moments
from ridgeway.sgd.divergence import DivergenceError
from ridgeway.sgd.guard import EXPLODED, EXPLOSION, LARGEST_Q, LARGEST_T2, NOT_FINITE, SAFE
from ridgeway.sgd.losses import SQUARED
from ridgeway.sgd.state import RunState
from ridgeway.sgd.task import Task

PIECE_BYTES = 2**18  # rows in a random order are gathered into pieces of this size


def take_steps(state: RunState, batch: Batch, order: NDArray[np.intp] | None = None) -> Float:
    """Take the steps of the rows in their order, or in `order`, and return the gains, (n_rows, targets).

    A failure leaves the state half changed.
    """
    n_rows = len(batch) if order is None else len(order)
    gains = np.empty((n_rows, batch.y.shape[1]), batch.rows.dtype)
    if order is None:
        _in_sequence(state, batch, gains, batch)
    else:
        piece = max(1, PIECE_BYTES * len(batch) // batch.rows.nbytes)
        for first in range(0, n_rows, piece):
            part = slice(first, first + piece)
            _in_sequence(state, batch.take(order[part]), gains[part], batch)
    if has_exploded(state):
        raise _divergence(state, batch)
    return gains


def close_batch(state: RunState) -> None:
    """Take the step of an open mini-batch with the rows it has. A failure leaves the state half changed."""
    if state.open_rows == 0:
        return
    if state.sparse:
        csr_close(state.w, state.open_batch, state.columns, state.moments, state.place)
        state.n_listed = 0
    else:
        dense_close(state.w, state.open_batch, state.memory, state.place)
    state.short_batches[state.n_steps] = state.open_rows
    state.after(n_steps=1, open_rows=0)
    if has_exploded(state):
        raise DivergenceError(state.step.size, 1 / float(state.tally[LARGEST_Q]), state.n_steps)


def has_exploded(state: RunState) -> bool:
    """Tell whether w has overflown or, after an unsafe step, predicts far more than the rows had to explain.

    The kernels look at w when the next row comes; this looks at it when there is none.
    """
    size = float(np.abs(state.w).max())
    if not np.isfinite(size):
        return True
    largest_q, largest_t2 = float(state.tally[LARGEST_Q]), float(state.tally[LARGEST_T2])
    unsafe = min(state.step.size * largest_q, state.step.limit) > SAFE
    return unsafe and size * math.sqrt(largest_q) > EXPLOSION * math.sqrt(largest_t2)


def _in_sequence(state: RunState, piece: Batch, gains: Float, batch: Batch) -> None:
    """Take the steps of a piece of the batch, block by block of the layout."""
    first, b = 0, state.batch_size
    while first < len(piece):
        room = (state.block.stop - state.n_steps) * b - state.open_rows
        last = min(len(piece), first + room)
        status, row = _run_kernel(state, piece.between(first, last), gains[first:last])
        if status == NOT_FINITE:
            require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
        if status == EXPLODED:
            raise _divergence(state, batch, (state.open_rows + row) // b)
        rows = state.open_rows + last - first
        state.after(n_steps=rows // b, open_rows=rows % b)
        first = last


def _run_kernel(state: RunState, part: Batch, gains: Float) -> tuple[int, int]:
    """Run the compiled loop over rows that stay within the current block."""
    task = Task(SQUARED, state.step.size, state.step.limit, float(np.vdot(state.start, state.start)))
    rows, y, weight, w, tally = part.rows, part.y, part.weight, state.w, state.tally
    if isinstance(rows, DenseRows):
        X = rows.array
        if state.batch_size > 1:
            return dense_batches(X, y, weight, task, w, state.open_batch, state.memory, state.place, gains, tally)
        if state.layout is None:
            return dense_steps(X, y, weight, task, w, gains, tally)
        return dense_steps_with_moments(X, y, weight, task, w, state.memory, state.place, tally)
    csr = (rows.data, rows.indices, rows.indptr)
    if state.batch_size == 1:
        return csr_steps(*csr, y, weight, task, w, state.moments, state.place, gains, tally)
    status, row, state.n_listed = csr_batches(
        *csr, y, weight, task, w, state.open_batch, state.columns, state.moments, state.place, gains, tally
    )
    return status, row


def _divergence(state: RunState, batch: Batch, more_steps: int = 0) -> DivergenceError:
    """Return the error of a run that exploded on this batch, or raise that of rows which are not finite."""
    largest = max(largest_norm(batch), float(state.tally[LARGEST_Q]))
    return DivergenceError(state.step.size, 1 / largest, state.n_steps + more_steps)
