"""`SketchState`: a run that stores moments of its increments, block by block."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.sgd.schedule import Schedule
from ridgeway.sgd.states.run_state import RunState, common_parts
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory import Block, Layout, Sketch, TimeBlocks, Trajectory
from ridgeway.trajectory.layout import require_even_edges


@dataclass(kw_only=True)
class SketchState(RunState):
    """A run between two steps that keeps a sketch.

    Attributes
    ----------
    layout : how steps are cut into blocks.
    block : the block of the next step.
    moments : of the block in progress, for each target.
    finished : moments of full blocks, each (m, targets, d).
    """

    CHANGED_IN_PLACE: ClassVar[tuple[str, ...]] = (*RunState.CHANGED_IN_PLACE, "moments", "finished")
    # The axes of `moments` that are moments, targets and columns, and the inverse. Full blocks are stored in their
    # memory layout, because the last bits of sums over them depend on it.
    MOMENTS_FIRST: ClassVar[tuple[int, int, int]]
    AS_THEY_LIE: ClassVar[tuple[int, int, int]]

    layout: Layout
    block: Block
    moments: NDArray[np.float64]
    finished: list[NDArray[np.float64]] = field(default_factory=list)

    @staticmethod
    @abstractmethod
    def empty_moments(block: Block, n_targets: int, n_columns: int) -> NDArray[np.float64]:
        """Return the moments of a block before its first step."""

    @abstractmethod
    def moments_so_far(self) -> NDArray[np.float64]:
        """Return the moments of the block in progress, as if the run ended here, (m, targets, d)."""

    @property
    def place(self) -> _core.Place:
        """Place of the next step in the block."""
        block = self.block
        return _core.Place(offset=self.offset, length=block.length, chunk=block.chunk, degree=block.degree)

    @property
    def offset(self) -> int:
        """Steps of the block that were made."""
        return self.n_steps - self.block.start

    @property
    def rows_ahead(self) -> int:
        """Rows until the step changes or the block ends."""
        return min(self.block.stop - self.n_steps, self.steps_of_this_size) * self.batch_size - self.open_rows

    @property
    def blocks(self) -> TimeBlocks:
        """All blocks of the run."""
        return TimeBlocks.of(self.layout, self.schedule.sizes)

    def count(self, n_steps: int, open_rows: int) -> None:
        """Count steps that were made, and begin the next block when one is full."""
        before = self.n_steps
        super().count(n_steps, open_rows)
        if self.n_steps < self.block.stop:
            return
        moments, kept = self.moments.transpose(self.MOMENTS_FIRST), 0
        for block in self.blocks.ahead(before, n_steps):
            if block.stop <= self.n_steps:
                full = moments[kept : kept + block.moments]
                several = moments.shape[1] > 1 and len(full) < len(
                    moments
                )  # targets of several blocks are far apart in memory
                self.finished.append(full.copy(order="K") if several else full)
                kept += block.moments
        self.block = self.blocks.at(self.n_steps)
        if self.n_steps > self.block.start:
            self.moments = self.moments[:, kept:]
        else:
            self.moments = self.empty_moments(self.block, *self.start.shape)

    def trajectory(self) -> Trajectory:
        """Return the sketch."""
        moments = list(self.finished)
        if self.n_steps > self.block.start:
            moments.append(self.moments_so_far())
        return Sketch(self.facts, self.layout, moments, self.start, self.single_target)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "finished": [block.transpose(self.AS_THEY_LIE) for block in self.finished]}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update({**values, "finished": [block.transpose(self.MOMENTS_FIRST) for block in values["finished"]]})

    def state(self) -> State:
        """Return the stored form."""
        return {
            **super().state(),
            "layout": self.layout.state(),
            "chunk": self.block.chunk,
            "moments": self.moments,
            "finished": list(self.finished),
        }


def sketch_parts(stored: Stored, batch_size: int, dtype: Any) -> dict[str, Any]:
    """Return what `SketchState.state` has stored, checked, but for the moments of the block in progress."""
    common = common_parts(stored, batch_size, dtype)
    schedule: Schedule = common["schedule"]
    n_steps: int = common["n_steps"]
    layout = Layout.from_state(stored.part("layout"))
    require_even_edges(schedule.sizes)
    block = layout.block(n_steps, schedule.sizes)
    chunk = stored.integer("chunk", 1)
    if chunk != block.chunk:
        raise StateError(
            f"the run is within a chunk of {chunk} steps: expected {block.chunk}. It was stored by another version, "
            "which sums steps in another order: continue with that version, or start a new run."
        )
    full = [b for b in layout.blocks(n_steps, schedule.sizes) if b.stop <= n_steps]
    finished = stored.arrays("finished", [(b.moments, *common["start"].shape) for b in full])
    return {**common, "layout": layout, "block": block, "finished": finished}
