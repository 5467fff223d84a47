"""How a state takes the steps of a batch: which kernel, over which rows, and what its end means."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, DenseRows, Float, largest_norm, readonly, require_finite_rows
from ridgeway.sgd.csr_kernels import csr_batches, csr_close, csr_steps
from ridgeway.sgd.dense_kernels import dense_batches, dense_close, dense_steps
from ridgeway.sgd.divergence import DivergenceError
from ridgeway.sgd.guard import EXPLODED, EXPLOSION, LARGEST_Q, LARGEST_T2, NOT_FINITE, SAFE, SUM_Q2
from ridgeway.sgd.losses import SQUARED
from ridgeway.sgd.sketch_kernels import dense_blocks
from ridgeway.sgd.state import RunState
from ridgeway.sgd.task import Look, Task

IN_CACHE = 2**22  # bytes of rows that may be read in any order
PIECE_BYTES = 2**18  # bytes of a piece of larger rows: gathered from a random order, or gone through by target
AT_ONCE = 2**29  # bytes of rows per call of a kernel, which nothing interrupts: some tens of milliseconds
AS_THEY_LIE: NDArray[np.intp] = readonly(np.empty(0, np.intp))  # the places of a piece that is gone through as it is


def take_steps(state: RunState, batch: Batch, order: NDArray[np.intp] | None = None, look: Look | None = None) -> Float:
    """Take the steps of the rows in their order, or in `order`, and return the gains, (n_rows, targets).

    A failure leaves the state half changed. A look is for dense rows in their order, see `SGDRun.looks`.
    """
    n_rows = len(batch) if order is None else len(order)
    gains = np.empty((len(state.w), n_rows), batch.rows.dtype)
    first = 0
    for piece, places in _pieces(batch, order):
        last = first + (len(places) or len(piece))
        if state.layout is not None and state.batch_size == 1 and isinstance(piece.rows, DenseRows):
            part = None if look is None else Look(look.directions, look.seen[first:last])
            _stair_by_stair(state, piece, places, batch, part)
        else:
            _block_by_block(state, piece, places, gains[:, first:last], batch)
        first = last
    if not math.isfinite(state.tally[0, SUM_Q2]):  # the same for all targets
        raise ValueError(
            f"the sum of (weight * |x|^2)^2 over the rows exceeds float64 (largest so far "
            f"{state.tally[:, LARGEST_Q].max():g}^2): scale the columns or the weights down."
        )
    safe = batch.finite and state.schedule.limit <= SAFE
    if not safe and has_exploded(state):
        raise _divergence(state, batch)
    return gains.T


def close_batch(state: RunState) -> None:
    """Take the step of an open mini-batch with the rows it has. A failure leaves the state half changed."""
    if state.open_rows == 0:
        return
    for q, w in enumerate(state.w):
        if state.sparse:
            csr_close(w, state.centre_of(q), state.open_batch(q), state.columns(q), state.moments[q], state.place)
        else:
            dense_close(w, state.open_batch(q), state.memory(q), state.place)
    state.n_listed = 0
    state.short_batches[state.n_steps] = state.open_rows
    state.after(n_steps=1, open_rows=0)
    if has_exploded(state):
        raise DivergenceError(state.schedule.sizes.largest, 1 / float(state.tally[0, LARGEST_Q]), state.n_steps)


def has_exploded(state: RunState) -> bool:
    """Tell whether w has overflown or, after an unsafe step, predicts far more than the rows had to explain.

    The kernels look at w when the next row comes; this looks at it when there is none.
    """
    size = max(float(np.abs(state.reached(target)).max()) for target in range(len(state.w)))
    if not np.isfinite(size):
        return True
    largest_q, largest_t2 = float(state.tally[0, LARGEST_Q]), float(state.tally[:, LARGEST_T2].max())
    unsafe = min(state.schedule.sizes.largest * largest_q, state.schedule.limit) > SAFE
    return unsafe and size * math.sqrt(largest_q) > EXPLOSION * math.sqrt(largest_t2)


def _pieces(batch: Batch, order: NDArray[np.intp] | None) -> Iterator[tuple[Batch, NDArray[np.intp]]]:
    """Yield parts of the rows that a kernel reads well, each with the places in it to go through, in turn."""
    n_rows = len(batch) if order is None else len(order)
    in_cache, by_target = batch.rows.nbytes <= IN_CACHE, batch.y.shape[1] > 1
    most = PIECE_BYTES if not in_cache and (by_target or order is not None) else AT_ONCE
    size = max(1, most * len(batch) // batch.rows.nbytes)
    for first in range(0, n_rows, size):
        last = min(first + size, n_rows)
        if order is None:
            yield batch.between(first, last), AS_THEY_LIE
        elif in_cache:
            yield batch, readonly(order[first:last])
        else:
            yield batch.take(order[first:last]), AS_THEY_LIE


def _stair_by_stair(state: RunState, piece: Batch, places: NDArray[np.intp], batch: Batch, look: Look | None) -> None:
    """Take the steps of a piece of the batch, of dense rows, with a call for each step size."""
    n_steps, first = len(places) or len(piece), 0
    while first < n_steps:
        last = min(n_steps, first + state.steps_of_this_size)
        if len(places):
            part, of_part, seen = piece, places[first:last], slice(None)
        else:
            part, of_part, seen = piece.between(first, last), places, slice(first, last)
        _through_blocks(state, part, of_part, batch, None if look is None else Look(look.directions, look.seen[seen]))
        first = last


def _through_blocks(state: RunState, piece: Batch, places: NDArray[np.intp], batch: Batch, look: Look | None) -> None:
    """Take the steps of a piece of the batch, of dense rows and one size, through all blocks of a sketch at once."""
    rows, n_steps = piece.rows, len(places) or len(piece)
    assert isinstance(rows, DenseRows)
    blocks = state.room_for(n_steps)
    for target, y in enumerate(_targets(piece)):
        given = (rows.array, places if len(places) else None, y, piece.weight, _task(state), state.w[target])
        memory, pair = state.memory(target), state.pair(target, y.dtype)
        ended = dense_blocks(*given, memory, pair, blocks, look, state.tally[target])
        _require_finished(state, batch, *ended)
    state.after(n_steps=n_steps, open_rows=0)


def _block_by_block(state: RunState, piece: Batch, places: NDArray[np.intp], gains: Float, batch: Batch) -> None:
    """Take the steps of a piece of the batch, block by block of the layout, each target in turn."""
    n_rows, b = len(places) or len(piece), state.batch_size
    targets = _targets(piece)
    first = 0
    while first < n_rows:
        room = min(state.block.stop - state.n_steps, state.steps_of_this_size) * b - state.open_rows
        last = min(first + room, n_rows)
        part = piece if len(places) else piece.between(first, last)
        n_listed = state.n_listed
        for target, whole in enumerate(targets):
            state.n_listed = n_listed
            y = whole if len(places) else whole[first:last]
            ended = _run_kernel(state, target, part, places[first:last], y, gains[target, first:last])
            _require_finished(state, batch, *ended)
        rows = state.open_rows + last - first
        state.after(n_steps=rows // b, open_rows=rows % b)
        first = last


def _targets(piece: Batch) -> list[Float]:
    return [readonly(np.ascontiguousarray(y)) for y in piece.y.T]


def _task(state: RunState) -> Task:
    return Task(SQUARED, state.step_size, state.schedule.limit, state.start_square)


def _run_kernel(
    state: RunState, target: int, piece: Batch, places: NDArray[np.intp], y: Float, gains: Float
) -> tuple[int, int]:
    """Run the compiled loop over rows that stay within the current block."""
    rows, weight, w, place, tally = piece.rows, piece.weight, state.w[target], state.place, state.tally[target]
    task = _task(state)
    if isinstance(rows, DenseRows):
        given = (rows.array, places, y, weight, task, w)
        if state.batch_size == 1:
            return dense_steps(*given, gains, tally)
        return dense_batches(*given, state.open_batch(target), state.memory(target), place, gains, tally)
    csr = (rows.data, rows.indices, rows.indptr, places, y, weight, task, w, state.centre_of(target))
    moments = state.moments[target]
    if state.batch_size == 1:
        return csr_steps(*csr, moments, place, gains, tally)
    open_batch, columns = state.open_batch(target), state.columns(target)
    status, row, state.n_listed = csr_batches(*csr, open_batch, columns, moments, place, gains, tally)
    return status, row


def _require_finished(state: RunState, batch: Batch, status: int, row: int) -> None:
    """Raise the error of a kernel that ended at a row."""
    if status == NOT_FINITE:
        require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
    if status == EXPLODED:
        raise _divergence(state, batch, (state.open_rows + row) // state.batch_size)


def _divergence(state: RunState, batch: Batch, more_steps: int = 0) -> DivergenceError:
    """Return the error of a run that exploded on this batch, or raise that of rows which are not finite."""
    largest = max(largest_norm(batch), float(state.tally[0, LARGEST_Q]))
    return DivergenceError(state.schedule.sizes.largest, 1 / largest, state.n_steps + more_steps)
