"""Make the state of a run, from its first batch or from its stored form."""

from __future__ import annotations

from typing import Any

import numpy as np

from ridgeway.rows import Batch, DenseRows, Float
from ridgeway.sgd.guard import TALLY_SIZE
from ridgeway.sgd.schedule import Schedule
from ridgeway.sgd.states.dense_sketch import LOCAL_MOMENTS, DenseSketchState
from ridgeway.sgd.states.replay_state import ReplayState
from ridgeway.sgd.states.run_state import RunState
from ridgeway.sgd.states.sparse_parts import SparseParts
from ridgeway.sgd.states.sparse_sketch import SparseSketchState
from ridgeway.storage.state import Stored
from ridgeway.trajectory import Layout
from ridgeway.trajectory.layout import require_even_edges
from ridgeway.trajectory.time_blocks import ONE_STAIR


def begin_state(batch: Batch, schedule: Schedule, store: str | Layout, batch_size: int, w0: Float | None) -> RunState:
    """Return the state that the first batch determines: precision, shape and layout."""
    rows, n_targets = batch.rows, batch.y.shape[1]
    n_columns, dtype = rows.shape[1], rows.dtype
    start = _start_from(w0, n_targets, n_columns, batch.single_target, dtype)
    dense_sketch = store != "replay" and isinstance(rows, DenseRows)
    w = start.astype(dtype if dense_sketch else np.float64)
    common: dict[str, Any] = {
        "single_target": batch.single_target,
        "schedule": schedule,
        "batch_size": batch_size,
        "start": start,
        "w": w,
        "tally": np.zeros((n_targets, TALLY_SIZE)),
        "gradient": np.zeros((n_targets, n_columns if batch_size > 1 else 0), w.dtype),
    }
    parts = None if isinstance(rows, DenseRows) else SparseParts.begin(rows, w, batch_size)
    if store == "replay":
        return ReplayState(**common, parts=parts)
    if isinstance(store, Layout):
        layout = store
    else:
        stairs = ONE_STAIR if schedule.sizes.constant else schedule.sizes
        layout = Layout.choose(dtype, n_targets * n_columns, steps=stairs)
    require_even_edges(schedule.sizes)
    block = layout.block(0, schedule.sizes)
    if parts is not None:
        moments = SparseSketchState.empty_moments(block, n_targets, n_columns)
        return SparseSketchState(**common, layout=layout, block=block, moments=moments, parts=parts)
    in_pair = n_columns if batch_size == 1 else 0
    return DenseSketchState(
        **common,
        layout=layout,
        block=block,
        moments=DenseSketchState.empty_moments(block, n_targets, n_columns),
        anchor=w.copy(),
        local=np.zeros((n_targets, LOCAL_MOMENTS, n_columns), w.dtype),
        pair_rows=np.zeros((n_targets, 2, in_pair), w.dtype),
        pair_opened=np.zeros((n_targets, 2), w.dtype),
    )


def state_from(stored: Stored, batch_size: int) -> RunState:
    """Return the state of a run that keeps a sketch, from its stored form."""
    kind = SparseSketchState if stored.flag("sparse") else DenseSketchState
    return kind.from_state(stored, batch_size)


def _start_from(
    w0: Float | None, n_targets: int, n_columns: int, single_target: bool, dtype: np.dtype[np.floating[Any]]
) -> Float:
    """Return w_0 as an array of shape (targets, d)."""
    if w0 is None:
        return np.zeros((n_targets, n_columns), dtype)
    expected = (n_columns,) if single_target else (n_targets, n_columns)
    if w0.shape != expected:
        raise ValueError(f"w0 has shape {w0.shape}: expected {expected}, the shape of the coefficients.")
    with np.errstate(over="ignore"):
        start = w0.astype(dtype)
    if not np.isfinite(start).all():
        raise ValueError(f"w0 has entries that are not finite in {dtype}: expected finite start coefficients.")
    return start.reshape(n_targets, n_columns)
