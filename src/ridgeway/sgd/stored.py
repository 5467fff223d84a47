"""The state of a run as plain values and arrays, and back.

The kernels index arrays without looking at their bounds, so everything that they index by is checked here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import readonly
from ridgeway.sgd.guard import TALLY_SIZE
from ridgeway.sgd.schedule import Schedule
from ridgeway.sgd.state import RunState
from ridgeway.state import FLOATS, State, StateError, Stored
from ridgeway.trajectory import Layout
from ridgeway.trajectory.fold import LOCAL
from ridgeway.trajectory.layout import require_even_edges

AS_THEY_ARE = ("sparse", "single_target", "n_listed", "open_rows", "n_steps")
ARRAYS = ("start", "w", "tally", "moments", "anchor", "gradient", "marked", "centre", "products")


def stored_run_state(state: RunState) -> State:
    """Return the state of a run that keeps a sketch."""
    assert state.layout is not None
    listed = state.listed.copy()
    listed[:, state.n_listed :] = 0  # what lies there was never written
    return {
        **{name: getattr(state, name) for name in (*AS_THEY_ARE, *ARRAYS)},
        "listed": listed,
        "pair_row": np.where(state.has_open_pair, state.pair_rows[:, 0], 0),  # else it depends on the batches
        "pair_opened": np.where(state.has_open_pair, state.pair_opened, 0),
        "schedule": state.schedule.state(),
        "layout": state.layout.state(),
        "chunk": state.block.chunk,
        "gathered": state.local,
        "short_batches": _table(state.short_batches),
        "split_steps": _table(state.split_steps),
        "clipped": state.clipped,
        "finished": list(state.finished),
    }


def run_state_from(stored: Stored, batch_size: int) -> RunState:
    """Return the run state that `stored_run_state` has stored, of mini-batches of this size."""
    sparse, single_target = stored.flag("sparse"), stored.flag("single_target")
    layout = Layout.from_state(stored.part("layout"))
    n_steps = stored.integer("n_steps")
    schedule = Schedule.from_state(stored.part("schedule" if "schedule" in stored else "step"))  # format 1: "step"
    require_even_edges(schedule.sizes)
    block = layout.block(n_steps, schedule.sizes)
    chunk = stored.integer("chunk", 1)
    if chunk != block.chunk:
        raise StateError(
            f"the run stands in a chunk of {chunk} steps: expected {block.chunk}. It was stored by another version, "
            "which gathers steps otherwise: go on with that one, or run anew."
        )
    for name in ("pair_row", "gathered"):
        if name not in stored:
            raise StateError(
                f"the run has no {name}: expected what it has of its open pair and chunk of steps. It was stored by "
                "another version, which gathers steps otherwise: go on with that one, or run anew."
            )
    start = stored.array("start", (1 if single_target else None, None), FLOATS)
    n_targets, n_columns = start.shape
    dtype = np.dtype(np.float64) if sparse else start.dtype
    in_chunk = 0 if sparse else n_columns
    in_batch = n_columns if batch_size > 1 else 0
    in_pair = in_chunk if batch_size == 1 else 0
    listing = (n_targets, in_batch if sparse else 0)
    centre = stored.array("centre", (None,))
    if len(centre) not in ((0, n_columns) if sparse else (0,)):
        raise StateError(f"centre has {len(centre)} numbers: expected one per column of sparse rows, or none.")
    listed = stored.array("listed", listing, "int64")
    n_listed = stored.integer("n_listed", most=listing[1])
    marked = stored.array("marked", listing, "bool")
    expected = np.zeros_like(marked)
    if n_listed:
        _require_columns(listed[:, :n_listed], n_columns)
        np.put_along_axis(expected, listed[:, :n_listed], True, axis=1)
    if (marked != expected).any() or (expected.sum(axis=1) != n_listed).any():
        raise StateError("marked and listed disagree about the columns of the open mini-batch.")
    full = [b for b in layout.blocks(n_steps, schedule.sizes) if b.stop <= n_steps]
    one_block = (n_columns, block.moments) if sparse else (block.moments, n_columns)
    return RunState(
        sparse=sparse,
        single_target=single_target,
        schedule=schedule,
        batch_size=batch_size,
        layout=layout,
        start=start,
        start_square=float(np.vdot(start, start)),
        w=stored.array("w", start.shape, dtype),
        tally=stored.array("tally", (n_targets, TALLY_SIZE)),
        block=block,
        moments=stored.array("moments", (n_targets, *one_block)),
        anchor=stored.array("anchor", (n_targets, in_chunk), dtype),
        local=stored.array("gathered", (n_targets, LOCAL, in_chunk), dtype),
        pair_rows=np.repeat(stored.array("pair_row", (n_targets, in_pair), dtype)[:, None], 2, axis=1),
        pair_opened=stored.array("pair_opened", (n_targets, 2), dtype),
        gradient=stored.array("gradient", (n_targets, in_batch), dtype),
        marked=marked,
        listed=listed,
        centre=readonly(centre),
        products=stored.array("products", (n_targets, 1)),
        n_listed=n_listed,
        open_rows=stored.integer("open_rows", most=batch_size - 1),
        n_steps=n_steps,
        finished=stored.arrays("finished", [(b.moments, *start.shape) for b in full]),
        short_batches=_counts(stored, "short_batches"),
        split_steps=_counts(stored, "split_steps"),
        clipped=stored.integer("clipped") if "clipped" in stored else 0,
    )


def _table(counts: dict[int, int]) -> NDArray[np.int64]:
    """Return counts as pairs, (n, 2)."""
    return np.array(sorted(counts.items()), np.int64).reshape(-1, 2)


def _counts(stored: Stored, name: str) -> dict[int, int]:
    """Return counts from pairs of positive numbers; format 1 had none."""
    if name not in stored:
        return {}
    table = stored.array(name, (None, 2), "int64")
    if (table < 0).any():
        raise StateError(f"{name} has negative numbers.")
    return {int(key): int(count) for key, count in table}


def _require_columns(listed: NDArray[np.int64], n_columns: int) -> None:
    if not ((listed >= 0) & (listed < n_columns)).all():
        raise StateError(f"listed names columns outside of 0..{n_columns - 1}.")
