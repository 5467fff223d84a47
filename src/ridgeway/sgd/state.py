"""The state of a run: everything that a step changes, and everything that the trajectory is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.atomic import shallow_copy
from ridgeway.rows import Batch, DenseRows, Float, SparseRows, readonly
from ridgeway.sgd.guard import LIMITED, SUM_Q, SUM_Q2, TALLY_SIZE
from ridgeway.sgd.schedule import Schedule
from ridgeway.sgd.task import Centre, Columns, OpenBatch, OpenPair
from ridgeway.trajectory import Block, Layout, Replay, RunFacts, Segment, Sketch, TimeBlocks, Trajectory
from ridgeway.trajectory.fold import LOCAL, Memory, Place, fold_chunk, second_at
from ridgeway.trajectory.layout import require_even_edges
from ridgeway.trajectory.time_blocks import ONE_STAIR

NOTHING_KEPT = Block(start=0, length=2**62, moments=0, chunk=1, degree=1)  # the one block of a replay

CHANGED_IN_PLACE = {
    *("w", "tally", "moments", "anchor", "local", "pair_rows", "pair_opened"),
    *("gradient", "marked", "listed", "products", "finished", "segments", "gains", "short_batches", "split_steps"),
}


@dataclass
class RunState:
    """A run between two steps.

    Dense rows keep moments as (targets, m, d), sparse ones as (targets, d, m). A replay has no layout and keeps
    segments and gains instead of moments.

    w is in float64, for what it loses by rounding would be missing from gains and moments and make their sums drift
    away from it over a long run. Only a dense sketch lets w have the precision of the rows: its moments begin with the
    change of w itself. There an increment below 6e-8 of its coefficient is lost, as in any float32 sum.
    """

    sparse: bool
    single_target: bool
    schedule: Schedule
    batch_size: int
    layout: Layout | None
    start: Float  # w_0, (targets, d)
    start_square: float
    w: Float  # (targets, d)
    tally: NDArray[np.float64]  # (targets, TALLY_SIZE)
    block: Block
    moments: NDArray[np.float64]
    anchor: Float  # w at the start of the chunk, (targets, d)
    local: Float  # what the chunk gathers of its steps, (targets, 3, d); see `Memory`
    pair_rows: Float  # the first row of an open pair, and room for the second, (targets, 2, d); see `OpenPair`
    pair_opened: Float  # rate and slope of the first row, (targets, 2)
    gradient: Float  # sum over the rows of the open mini-batch, (targets, d)
    marked: NDArray[np.bool_]  # columns that the open mini-batch touched, (targets, d) if sparse
    listed: NDArray[np.int64]
    centre: NDArray[np.float64]  # of sparse rows, (d,) or empty
    products: NDArray[np.float64]  # <w, centre>, (targets, 1)
    n_listed: int = 0
    open_rows: int = 0  # rows of the open mini-batch
    n_steps: int = 0
    finished: list[NDArray[np.float64]] = field(default_factory=list)  # moments of full blocks
    segments: list[Segment] = field(default_factory=list)
    gains: list[Float] = field(default_factory=list)
    short_batches: dict[int, int] = field(default_factory=dict)  # step -> rows, where a pass ended early
    clipped: int = 0  # rows that were split into fewer steps than they needed
    split_steps: dict[int, int] = field(default_factory=dict)  # m -> steps made that are one of m of a split row

    @classmethod
    def begin(
        cls, batch: Batch, schedule: Schedule, store: str | Layout, batch_size: int, w0: Float | None
    ) -> RunState:
        """Fix what the first batch decides: precision, shape and layout."""
        n_targets, n_columns, dtype = batch.y.shape[1], batch.rows.shape[1], batch.rows.dtype
        sparse = not isinstance(batch.rows, DenseRows)
        if isinstance(store, Layout):
            layout: Layout | None = store
        else:
            stairs = ONE_STAIR if schedule.sizes.constant else schedule.sizes
            layout = Layout.choose(dtype, n_targets * n_columns, steps=stairs) if store == "sketch" else None
        if layout is not None:
            require_even_edges(schedule.sizes)
        start = _start_from(w0, n_targets, n_columns, batch.single_target, dtype)
        w = start.astype(dtype if layout and not sparse else np.float64)
        block = layout.block(0, schedule.sizes) if layout else NOTHING_KEPT
        in_chunk = n_columns if layout and not sparse else 0
        in_batch = n_columns if batch_size > 1 else 0
        in_pair = in_chunk if batch_size == 1 else 0
        centre = batch.rows.centre if isinstance(batch.rows, SparseRows) else np.empty(0)
        return cls(
            sparse=sparse,
            single_target=batch.single_target,
            schedule=schedule,
            batch_size=batch_size,
            layout=layout,
            start=start,
            start_square=float(np.vdot(start, start)),
            w=w,
            tally=np.zeros((n_targets, TALLY_SIZE)),
            block=block,
            moments=_empty_moments(block, n_targets, n_columns, sparse),
            anchor=w[:, :in_chunk].copy(),
            local=np.zeros((n_targets, LOCAL, in_chunk), w.dtype),
            pair_rows=np.zeros((n_targets, 2, in_pair), w.dtype),
            pair_opened=np.zeros((n_targets, 2), w.dtype),
            gradient=np.zeros((n_targets, in_batch), w.dtype),
            marked=np.zeros((n_targets, in_batch if sparse else 0), np.bool_),
            listed=np.zeros((n_targets, in_batch if sparse else 0), np.int64),
            centre=centre,
            products=w @ centre[:, None] if len(centre) else np.zeros((n_targets, 1)),
        )

    @property
    def limited(self) -> int:
        """Rows whose own step was limited."""
        return int(self.tally[0, LIMITED]) + self.clipped

    @property
    def _blocks(self) -> TimeBlocks:
        assert self.layout is not None
        return TimeBlocks.of(self.layout, self.schedule.sizes)

    @property
    def step_size(self) -> float:
        """Size of the next step."""
        return self.schedule.sizes.size_after(self.n_steps)

    @property
    def steps_of_this_size(self) -> int:
        """How many steps in turn, from the next one on, have its size."""
        edge = self.schedule.sizes.edge_after(self.n_steps)
        return 2**62 if edge is None else edge - self.n_steps

    @property
    def place(self) -> Place:
        """Where the next step falls in the block."""
        block = self.block
        return Place(self.n_steps - block.start, block.length, block.chunk, block.degree)

    def memory(self, target: int) -> Memory:
        """What a dense kernel adds the increments of a target to."""
        return Memory(self.moments[target], self.anchor[target], self.local[target])

    def pair(self, target: int, dtype: np.dtype[np.floating[Any]]) -> OpenPair:
        """The pair of rows whose first step may be known already; targets and weights are of this type."""
        rows, labels = self.pair_rows[target], np.empty((2, 2), dtype)
        return OpenPair(rows, labels, self.pair_opened[target], (readonly(rows), *map(readonly, labels)))

    def open_batch(self, target: int) -> OpenBatch:
        """The mini-batch that is being filled."""
        return OpenBatch(self.batch_size, self.open_rows, self.gradient[target])

    def columns(self, target: int) -> Columns:
        """Columns that the open mini-batch touched."""
        return Columns(self.marked[target], self.listed[target], self.n_listed)

    def centre_of(self, target: int) -> Centre:
        """What sparse rows are centred at."""
        with np.errstate(over="ignore"):  # rows so far from 0 are refused by their norms
            square = float(self.centre @ self.centre)
        return Centre(self.centre, square, self.products[target])

    def __getstate__(self) -> dict[str, Any]:
        """Full blocks are pickled as they lie in memory: the last bits of sums over them depend on it."""
        axes = (1, 2, 0) if self.sparse else (1, 0, 2)
        return {**vars(self), "finished": [block.transpose(axes) for block in self.finished]}

    def __setstate__(self, values: dict[str, Any]) -> None:
        axes = (2, 0, 1) if values["sparse"] else (1, 0, 2)
        vars(self).update({**values, "finished": [block.transpose(axes) for block in values["finished"]]})

    def copy(self) -> RunState:
        """Return a state that can go on while this one stays as it is; rows, gains and full blocks are shared."""
        new = shallow_copy(self)
        for name, value in vars(self).items():
            if name in CHANGED_IN_PLACE:
                setattr(new, name, value.copy())
        return new

    @property
    def has_open_pair(self) -> bool:
        """Whether w and moments lack the last step."""
        return self.pair_rows.size > 0 and self.block.chunk > 1 and self.place.offset % 2 == 1

    def reached(self, target: int) -> Float:
        """Return w after all steps, (d,)."""
        w: Float = self.w[target]
        return w + self.pair_opened[target].prod() * self.pair_rows[target, 0] if self.has_open_pair else w

    def room_for(self, n_steps: int) -> NDArray[np.int64]:
        """Make room for the moments of all blocks that the next steps, over dense rows, fall into; see `dense_blocks`.

        Returns offset, length, chunk, degree and number of moments of each block: (n_blocks, 5).
        """
        described = self._blocks.described(self.n_steps, n_steps)
        if len(described) > 1:
            n_targets, n_columns = self.start.shape
            moments = np.zeros((n_targets, int(described[:, 4].sum()), n_columns))
            moments[:, : self.block.moments] = self.moments
            self.moments = moments
        return described

    def after(self, n_steps: int, open_rows: int) -> None:
        """Count steps that were made, and begin the next block when one is full."""
        before, self.n_steps, self.open_rows = self.n_steps, self.n_steps + n_steps, open_rows
        if self.layout is None or self.n_steps < self.block.stop:
            return
        moments, kept = self._moments_first(), 0
        for block in self._blocks.ahead(before, n_steps):
            if block.stop <= self.n_steps:
                full = moments[kept : kept + block.moments]
                several = moments.shape[1] > 1 and len(full) < len(moments)  # targets in a row of blocks, far apart
                self.finished.append(full.copy(order="K") if several else full)
                kept += block.moments
        self.block = self._blocks.at(self.n_steps)
        if self.n_steps > self.block.start:
            self.moments = self.moments[:, kept:]
        else:
            n_targets, n_columns = self.start.shape
            self.moments = _empty_moments(self.block, n_targets, n_columns, self.sparse)

    def count_split(self, counts: NDArray[np.int64]) -> None:
        """Count steps of split rows; counts are the numbers of steps of their rows."""
        for m, n_steps in zip(*np.unique(counts[counts > 1], return_counts=True), strict=True):
            self.split_steps[int(m)] = self.split_steps.get(int(m), 0) + int(n_steps)

    @property
    def mean_weight(self) -> float:
        """Mean over the steps of the share of a row that each was. It does not depend on how the rows were cut."""
        if not self.split_steps:
            return 1.0
        missing = sum(self.batch_size - rows for rows in self.short_batches.values())
        visits = self.n_steps * self.batch_size - missing + self.open_rows
        lost = sum(n_steps * (m - 1) / m for m, n_steps in sorted(self.split_steps.items()))
        return 1.0 - lost / visits

    def trajectory(self) -> Trajectory:
        """Return what the run leaves behind; no mini-batch may be open."""
        facts = RunFacts(
            sizes=self.schedule.sizes,
            n_steps=self.n_steps,
            length=self.n_steps,
            limited=self.limited,
            sum_q=float(self.tally[0, SUM_Q]),
            sum_q2=float(self.tally[0, SUM_Q2]),
            split=round(sum(n_steps / m for m, n_steps in sorted(self.split_steps.items()))),
            mean_weight=self.mean_weight,
        )
        if self.layout is None:
            return self._replay(facts)
        moments = list(self.finished)
        if self.n_steps > self.block.start:
            moments.append(self._moments_so_far())
        return Sketch(facts, self.layout, moments, self.start, self.single_target)

    def _replay(self, facts: RunFacts) -> Replay:
        gains = np.ascontiguousarray(np.concatenate(self.gains))
        rows_per_step = None
        if self.batch_size > 1:
            rows_per_step = np.full(self.n_steps, self.batch_size)
            rows_per_step[list(self.short_batches)] = list(self.short_batches.values())
            gains = gains / np.repeat(rows_per_step, rows_per_step)[:, None].astype(gains.dtype)
        return Replay(facts, self.segments, gains, self.start, self.single_target, rows_per_step)

    def _moments_first(self) -> NDArray[np.float64]:
        """Moments as (m, targets, d)."""
        return self.moments.transpose(2, 0, 1) if self.sparse else self.moments.transpose(1, 0, 2)

    def _moments_so_far(self) -> NDArray[np.float64]:
        """Moments of the block in progress, with the steps of its open chunk."""
        if self.sparse or self.place.offset % self.block.chunk == 0:
            return self._moments_first().copy(order="K")
        moments, local = self.moments.copy(), self.local.copy()
        if self.has_open_pair:
            increment = self.pair_opened.prod(axis=1, keepdims=True) * self.pair_rows[:, 0]
            local[:, 0] += self.w + increment
            if self.block.degree == 2:
                local[:, 2] += second_at(self.place.offset - 1, self.block.chunk) * increment
        for target in range(len(self.w)):
            memory = Memory(moments[target], self.anchor[target].copy(), local[target])
            fold_chunk(memory, self.place, self.reached(target))
        return moments.transpose(1, 0, 2)


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
        raise ValueError(f"w0 has entries that are not finite in {dtype}: expected the coefficients to start from.")
    return start.reshape(n_targets, n_columns)


def _empty_moments(block: Block, n_targets: int, n_columns: int, sparse: bool) -> NDArray[np.float64]:
    shape = (n_columns, block.moments) if sparse else (block.moments, n_columns)
    return np.zeros((n_targets, *shape))
