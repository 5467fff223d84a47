"""A batch: rows with their targets and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.forms import AnyRows, readonly
from ridgeway.rows.types import Float


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows with their targets and weights; rows of weight 0 are already left out.

    Attributes
    ----------
    rows : the features.
    y : (n_rows, n_targets), in the rows' precision.
    weight : (n_rows,), all positive.
    single_target : True when the user's y was 1-D.
    numbers : (n_rows,), number of each row in the user's X.
    finite : True when the squared norms are known to be finite.
    """

    rows: AnyRows
    y: Float
    weight: Float
    single_target: bool
    numbers: NDArray[np.intp] | range
    finite: bool = False

    def __len__(self) -> int:
        return self.rows.shape[0]

    def between(self, start: int, stop: int) -> Batch:
        """Rows start..stop-1, as a view."""
        part = slice(start, stop)
        rows = self.rows.between(start, stop)
        return Batch(rows, self.y[part], self.weight[part], self.single_target, self.numbers[part], self.finite)

    def take(self, order: NDArray[np.intp]) -> Batch:
        """Copy the rows of `order`, in that order."""
        numbers = order + self.numbers.start if isinstance(self.numbers, range) else self.numbers[order]
        rows, y, weight = self.rows.take(order), readonly(self.y.take(order, axis=0)), readonly(self.weight.take(order))
        return Batch(rows, y, weight, self.single_target, numbers, self.finite)
