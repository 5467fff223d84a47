"""`ReplayState`: a run that stores one number per step and refers to the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows import Batch, DenseRows, Float
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.states.run_state import End, RunState, targets_of
from ridgeway.sgd.states.sparse_parts import SparseParts
from ridgeway.trajectory import Replay, Segment, Trajectory

NO_BLOCK = _core.Place(offset=0, length=2, chunk=1, degree=1)  # a replay keeps no moments


@dataclass(kw_only=True)
class ReplayState(RunState):
    """A run between two steps that keeps gains and rows; it cannot be stored.

    Attributes
    ----------
    parts : the additional state of runs over sparse rows; None for dense ones.
    segments : the rows in turn.
    gains : of each segment, (n_rows, targets).
    """

    CHANGED_IN_PLACE: ClassVar[tuple[str, ...]] = (*RunState.CHANGED_IN_PLACE, "segments", "gains")

    parts: SparseParts | None
    segments: list[Segment] = field(default_factory=list)
    gains: list[Float] = field(default_factory=list)

    @property
    def sparse(self) -> bool:  # type: ignore[override]  # a fact of the rows here, of the class elsewhere
        """Whether the rows are sparse."""
        return self.parts is not None

    @property
    def rows_ahead(self) -> int:
        """Rows until the step changes."""
        return self.steps_of_this_size * self.batch_size - self.open_rows

    def take(self, part: Batch, order: NDArray[np.intp] | None, gains: Float, products: RowProducts | None) -> End:
        """Take the steps of some rows."""
        assert products is None, "products are taken by sketches"
        if self.parts is not None:
            ended, self.parts = self.parts.take(self, self._no_moments, NO_BLOCK, part, order, gains)
            return ended
        assert isinstance(part.rows, DenseRows)
        ended = (_core.End.FINISHED, 0)
        for target, y in enumerate(targets_of(part)):
            rows = _core.DenseRows(X=part.rows.array, y=y, weight=part.weight, order=order)
            w, tally, problem = self.w[target], self.tally[target], self.problem()
            if self.batch_size == 1:
                ended = _core.replay_steps(rows, problem, w, gains[target], tally)
            else:
                ended = _core.replay_batches(rows, problem, self.mini_batch(target), w, gains[target], tally)
            if ended[0] != _core.End.FINISHED:
                break
        return ended

    def close_batch(self) -> None:
        """Take the step of an open mini-batch."""
        if self.parts is not None:
            self.parts = self.parts.close_batch(self, self._no_moments, NO_BLOCK)
        else:
            self.w += (1.0 / self.open_rows) * self.gradient
            self.gradient[:] = 0

    def trajectory(self) -> Trajectory:
        """Return the replay."""
        gains = np.ascontiguousarray(np.concatenate(self.gains))
        rows_per_step = None
        if self.batch_size > 1:
            rows_per_step = np.full(self.n_steps, self.batch_size)
            rows_per_step[list(self.short_batches)] = list(self.short_batches.values())
            gains = gains / np.repeat(rows_per_step, rows_per_step)[:, None].astype(gains.dtype)
        return Replay(self.facts, self.segments, gains, self.start, self.single_target, rows_per_step)

    @property
    def _no_moments(self) -> NDArray[np.float64]:
        return np.zeros((*self.w.shape, 0))

    def copy(self) -> ReplayState:
        """Return an independent copy."""
        new = super().copy()
        new.parts = None if self.parts is None else self.parts.copy()
        return new
