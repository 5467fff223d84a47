"""SparseSketchState: a run over sparse rows that keeps a sketch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, Float
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.states.run_state import End
from ridgeway.sgd.states.sketch_state import SketchState, sketch_parts
from ridgeway.sgd.states.sparse_parts import SparseParts
from ridgeway.storage.state import State, Stored
from ridgeway.trajectory import Block


@dataclass(kw_only=True)
class SparseSketchState(SketchState):
    """A run over sparse rows between two steps; moments are (targets, d, m)."""

    sparse: ClassVar[bool] = True
    CHANGED_IN_PLACE: ClassVar[tuple[str, ...]] = (*SketchState.CHANGED_IN_PLACE, "parts")
    MOMENTS_FIRST: ClassVar[tuple[int, int, int]] = (2, 0, 1)
    AS_THEY_LIE: ClassVar[tuple[int, int, int]] = (1, 2, 0)

    parts: SparseParts

    @staticmethod
    def empty_moments(block: Block, n_targets: int, n_columns: int) -> NDArray[np.float64]:
        """Return (targets, d, m)."""
        return np.zeros((n_targets, n_columns, block.moments))

    def take(self, part: Batch, order: NDArray[np.intp] | None, gains: Float, products: RowProducts | None) -> End:
        """Take the steps of some rows."""
        assert products is None, "products are of dense rows"
        ended, self.parts = self.parts.take(self, self.moments, self.place, part, order, gains)
        return ended

    def close_batch(self) -> None:
        """Take the step of an open mini-batch."""
        self.parts = self.parts.close_batch(self, self.moments, self.place)

    def moments_so_far(self) -> NDArray[np.float64]:
        """Return the moments of the block in progress."""
        return self.moments.transpose(self.MOMENTS_FIRST).copy(order="K")

    def state(self) -> State:
        """Return the stored form."""
        return {**super().state(), **self.parts.state()}

    @classmethod
    def from_state(cls, stored: Stored, batch_size: int) -> Self:
        """Return the state of a stored form."""
        known = sketch_parts(stored, batch_size, np.dtype(np.float64))
        n_targets, n_columns = known["start"].shape
        return cls(
            **known,
            moments=stored.array("moments", (n_targets, n_columns, known["block"].moments)),
            parts=SparseParts.from_state(stored, batch_size, n_targets, n_columns),
        )
