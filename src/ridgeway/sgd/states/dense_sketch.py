"""DenseSketchState: a run over dense rows that keeps a sketch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows import Batch, DenseRows, Float
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.states.run_state import End, targets_of
from ridgeway.sgd.states.sketch_state import SketchState, sketch_parts
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory import Block

LOCAL_MOMENTS = 3  # moments that a chunk accumulates beside w - anchor, see core/trajectory/chunk.hpp


@dataclass(kw_only=True)
class DenseSketchState(SketchState):
    """A run over dense rows between two steps; moments are (targets, m, d).

    Rows are taken in pairs. If a batch ends within a pair, its first row is stored here, and w and the moments do not
    include its step yet.

    Attributes
    ----------
    anchor : (targets, d), w at the start of the chunk.
    local : (targets, 3, d), moments of the steps of the open chunk.
    pair_rows : (targets, 2, d), the first row of an open pair, and space for the second.
    pair_opened : (targets, 2), rate and residual of the first row.
    """

    sparse: ClassVar[bool] = False
    CHANGED_IN_PLACE: ClassVar[tuple[str, ...]] = (
        *SketchState.CHANGED_IN_PLACE, "anchor", "local", "pair_rows", "pair_opened",
    )  # fmt: skip
    MOMENTS_FIRST: ClassVar[tuple[int, int, int]] = (1, 0, 2)
    AS_THEY_LIE: ClassVar[tuple[int, int, int]] = (1, 0, 2)

    anchor: Float
    local: Float
    pair_rows: Float
    pair_opened: Float

    @staticmethod
    def empty_moments(block: Block, n_targets: int, n_columns: int) -> NDArray[np.float64]:
        """Return (targets, m, d)."""
        return np.zeros((n_targets, block.moments, n_columns))

    @property
    def rows_ahead(self) -> int:
        """Rows until the step changes; without mini-batches one call covers many blocks."""
        return self.steps_of_this_size if self.batch_size == 1 else super().rows_ahead

    def take(self, part: Batch, order: NDArray[np.intp] | None, gains: Float, products: RowProducts | None) -> End:
        """Take the steps of some rows; gains are filled for mini-batches only."""
        assert isinstance(part.rows, DenseRows)
        n_rows = len(part) if order is None else len(order)
        blocks = self._room_for(n_rows) if self.batch_size == 1 else None
        wanted = None if products is None else products.for_core()
        ended: End = (_core.End.FINISHED, n_rows)
        for target, y in enumerate(targets_of(part)):
            rows = _core.DenseRows(X=part.rows.array, y=y, weight=part.weight, order=order)
            if blocks is not None:
                ended = _core.sketch_steps(rows, self.problem(), self._arrays(target), blocks, wanted)
            else:
                batch, arrays = self.mini_batch(target), self._arrays(target)
                ended = _core.sketch_batches(rows, self.problem(), batch, arrays, self.place, gains[target])
            if ended[0] != _core.End.FINISHED:
                break
        return ended

    def close_batch(self) -> None:
        """Take the step of an open mini-batch."""
        for target in range(len(self.w)):
            _core.close_sketch_batch(self.mini_batch(target), self._arrays(target), self.place)

    @property
    def has_open_pair(self) -> bool:
        """Whether w and moments lack the last step."""
        return self.pair_rows.size > 0 and self.block.chunk > 1 and self.offset % 2 == 1

    def reached(self, target: int) -> Float:
        """Return w after all steps, (d,)."""
        w: Float = self.w[target]
        return w + self.pair_opened[target].prod() * self.pair_rows[target, 0] if self.has_open_pair else w

    def moments_so_far(self) -> NDArray[np.float64]:
        """Return the moments of the block in progress, with the steps of its open chunk."""
        closed = self.copy()
        if self.offset % self.block.chunk != 0:
            for target in range(len(self.w)):
                _core.close_chunk(closed._arrays(target), self.place, self.has_open_pair)
        return closed.moments.transpose(self.MOMENTS_FIRST)

    def state(self) -> State:
        """Return the stored form."""
        return {
            **super().state(),
            "anchor": self.anchor,
            "gathered": self.local,
            "pair_row": np.where(
                self.has_open_pair, self.pair_rows[:, 0], 0
            ),  # otherwise the stored row would depend on the batches
            "pair_opened": np.where(self.has_open_pair, self.pair_opened, 0),
        }

    @classmethod
    def from_state(cls, stored: Stored, batch_size: int) -> Self:
        """Return the state of a stored form."""
        parts = sketch_parts(stored, batch_size, None)
        for name in ("pair_row", "gathered"):
            if name not in stored:
                raise StateError(
                    f"the run has no {name}: expected the state of its open pair and chunk of steps. It was stored by "
                    "another version, which sums steps in another order: continue with that version, or start a new "
                    "run."
                )
        (n_targets, n_columns), dtype = parts["start"].shape, parts["start"].dtype
        in_pair = n_columns if batch_size == 1 else 0
        pair_row = stored.array("pair_row", (n_targets, in_pair), dtype)
        return cls(
            **parts,
            moments=stored.array("moments", (n_targets, parts["block"].moments, n_columns)),
            anchor=stored.array("anchor", (n_targets, n_columns), dtype),
            local=stored.array("gathered", (n_targets, LOCAL_MOMENTS, n_columns), dtype),
            pair_rows=np.repeat(pair_row[:, None], 2, axis=1),
            pair_opened=stored.array("pair_opened", (n_targets, 2), dtype),
        )

    def _arrays(self, target: int) -> _core.DenseSketch:
        return _core.DenseSketch(
            w=self.w[target],
            anchor=self.anchor[target],
            local=self.local[target],
            moments=self.moments[target],
            pair_rows=self.pair_rows[target],
            pair_opened=self.pair_opened[target],
            tally=self.tally[target],
        )

    def _room_for(self, n_steps: int) -> NDArray[np.int64]:
        """Allocate the moments of all blocks of the next steps, one after the other.

        Returns offset, length, chunk, degree and number of moments of each block: (n_blocks, 5).
        """
        described = self.blocks.described(self.n_steps, n_steps)
        if len(described) > 1:
            n_targets, n_columns = self.start.shape
            moments = np.zeros((n_targets, int(described[:, 4].sum()), n_columns))
            moments[:, : self.block.moments] = self.moments
            self.moments = moments
        return described
