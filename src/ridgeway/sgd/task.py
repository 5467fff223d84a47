"""What the kernels are told about a run, bundled into few arguments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Float

LOOK_DIRECTIONS = 6  # that compiled loops take


class Task(NamedTuple):
    """The problem that the steps solve.

    Attributes
    ----------
    loss : code of the loss.
    step : the step eta.
    limit : largest eta * weight * |x|^2 that a row may have before its own step is limited.
    start : |w_0|^2.
    """

    loss: int
    step: float
    limit: float
    start: float


class Look(NamedTuple):
    """What is found out about dense rows in passing, while a step is taken for them.

    Attributes
    ----------
    directions : (6, d): kernels read so many without a test.
    seen : (n_rows, 8), filled with 1, y and the row's products with the directions.
    """

    directions: Float
    seen: Float

    @classmethod
    def of(cls, directions: Float, n_rows: int) -> Look:
        """Return room for what is seen of so many rows along the directions."""
        if directions.ndim != 2 or len(directions) != LOOK_DIRECTIONS:
            raise ValueError(f"directions have shape {directions.shape}: expected ({LOOK_DIRECTIONS}, columns).")
        return cls(directions, np.empty((n_rows, 2 + LOOK_DIRECTIONS), directions.dtype))

    def require_shapes(self, n_rows: int, n_columns: int) -> None:
        """Raise an error unless kernels may read and write this look beside rows of this shape: they do not test it."""
        wanted = {"directions": (LOOK_DIRECTIONS, n_columns), "seen": (n_rows, 2 + LOOK_DIRECTIONS)}
        for name, shape in wanted.items():
            if (got := getattr(self, name).shape) != shape:
                raise ValueError(f"{name} of a look has shape {got}: expected {shape}.")


class OpenBatch(NamedTuple):
    """A mini-batch being filled: `rows` of its `size` rows are in gradient (d,), the sum of gains times x."""

    size: int
    rows: int
    gradient: Float


class OpenPair(NamedTuple):
    """A pair of dense rows whose first step is known but not made: w and moments lack it until the second one comes.

    Attributes
    ----------
    rows : (2, d), the first row of the pair, and room for the second.
    labels : (2, 2), room for their targets and weights.
    opened : (2,), rate and slope of the first row: their product is what multiplies it.
    read : rows, targets and weights as kernels get those of all rows, not to be written: they are compiled for such.
    """

    rows: Float
    labels: Float
    opened: Float
    read: tuple[Float, Float, Float]


class Columns(NamedTuple):
    """Columns that the open mini-batch of sparse rows has touched: flagged in marked (d,), and listed."""

    marked: NDArray[np.bool_]
    listed: NDArray[np.int64]
    n_listed: int


class Centre(NamedTuple):
    """What sparse rows are centred at, without storing it in them (`SparseRows.centre`).

    Attributes
    ----------
    mean : (d,), or empty when the rows are taken as they are.
    square : |mean|^2.
    product : (1,), <w, mean> for the stored coordinates w of the run; changed with w.
    """

    mean: NDArray[np.float64]
    square: float
    product: NDArray[np.float64]
