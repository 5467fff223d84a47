"""Take the steps of a batch: read its rows in pieces, and handle the end of each loop."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows import Batch, DenseRows, Float, largest_norm, readonly, require_finite_rows
from ridgeway.sgd.divergence import DivergenceError
from ridgeway.sgd.guard import EXPLOSION_FACTOR, LARGEST_Q, LARGEST_T2, SAFE_RATIO, SUM_Q2
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.states import RunState

CACHED_ROWS_BYTES = 2**22  # rows that stay in the cache
COPIED_PIECE_BYTES = 2**18  # of larger batches, if a piece is copied, or read once for each target
CALL_BYTES = 2**29  # per call of a loop, which cannot be interrupted: some tens of milliseconds


def take_steps(
    state: RunState, batch: Batch, order: NDArray[np.intp] | None = None, products: RowProducts | None = None
) -> Float:
    """Take the steps of the rows in their order, or in `order`, and return the gains, (n_rows, targets).

    If it fails, the state is half changed. Products are for dense rows in their order, see `SGDRun.takes_row_products`.
    """
    n_rows = len(batch) if order is None else len(order)
    gains = np.empty((len(state.w), n_rows), batch.rows.dtype)
    first = 0
    for piece, places in _pieces(batch, order):
        n_steps, done = len(piece) if places is None else len(places), 0
        while done < n_steps:
            until = min(n_steps, done + state.rows_ahead)
            part = piece.between(done, until) if places is None else piece
            of_part = None if places is None else places[done:until]
            own = slice(first + done, first + until)
            wanted = None if products is None else products.between(own.start, own.stop)
            end, step = state.take(part, of_part, gains[:, own], wanted)
            if end == _core.End.NOT_FINITE:
                require_finite_rows(batch.rows, batch.rows.squared_norms(), batch.numbers)
            if end == _core.End.EXPLODED:
                raise _divergence(state, batch, (state.open_rows + step) // state.batch_size)
            state.after(until - done)
            done = until
        first += n_steps
    if not math.isfinite(state.tally[0, SUM_Q2]):  # the same for all targets
        raise ValueError(
            f"the rows are too large for float64: weight * |x|^2 reaches {state.tally[:, LARGEST_Q].max():g}, and the "
            "sum of its squares overflows: scale the columns or the weights down."
        )
    safe = batch.finite and state.schedule.limit <= SAFE_RATIO
    if not safe and has_exploded(state):
        raise _divergence(state, batch)
    return gains.T


def close_batch(state: RunState) -> None:
    """Take the step of an open mini-batch with the rows it has. If it fails, the state is half changed."""
    if state.open_rows == 0:
        return
    state.close_batch()
    state.short_batches[state.n_steps] = state.open_rows
    state.count(n_steps=1, open_rows=0)
    if has_exploded(state):
        raise DivergenceError(state.schedule.sizes.largest, 1 / float(state.tally[0, LARGEST_Q]), state.n_steps)


def has_exploded(state: RunState) -> bool:
    """Return whether w has overflowed or, after an unsafe step, predicts far more than the targets.

    The loops check w at the next row; this function checks it after the last row.
    """
    size = max(float(np.abs(state.reached(target)).max()) for target in range(len(state.w)))
    if not np.isfinite(size):
        return True
    largest_q, largest_t2 = float(state.tally[0, LARGEST_Q]), float(state.tally[:, LARGEST_T2].max())
    unsafe = min(state.schedule.sizes.largest * largest_q, state.schedule.limit) > SAFE_RATIO
    return unsafe and size * math.sqrt(largest_q) > EXPLOSION_FACTOR * math.sqrt(largest_t2)


def _pieces(batch: Batch, order: NDArray[np.intp] | None) -> Iterator[tuple[Batch, NDArray[np.intp] | None]]:
    """Yield parts of the rows for the loops, each with its order, or None for consecutive rows.

    Dense rows are read in place in any order, because the loops prefetch them. Sparse rows in random order are copied
    first, which takes a fifth less time.
    """
    n_rows, in_cache = len(batch) if order is None else len(order), batch.rows.nbytes <= CACHED_ROWS_BYTES
    gathers = order is not None and not in_cache and not isinstance(batch.rows, DenseRows)
    by_target = batch.y.shape[1] > 1 and not in_cache  # a piece is read from the cache once for each target
    size = max(1, (COPIED_PIECE_BYTES if gathers or by_target else CALL_BYTES) * len(batch) // batch.rows.nbytes)
    for first in range(0, n_rows, size):
        last = min(first + size, n_rows)
        if order is None:
            yield batch.between(first, last), None
        elif gathers:
            yield batch.take(order[first:last]), None
        else:
            yield batch, readonly(order[first:last])


def _divergence(state: RunState, batch: Batch, more_steps: int = 0) -> DivergenceError:
    """Return the error for a run that diverged on this batch, or raise the one for rows that are not finite."""
    largest = max(largest_norm(batch), float(state.tally[0, LARGEST_Q]))
    return DivergenceError(state.schedule.sizes.largest, 1 / largest, state.n_steps + more_steps)
