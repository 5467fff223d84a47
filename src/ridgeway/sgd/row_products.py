"""Products of rows with directions, computed while the run takes the steps of these rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ridgeway import _core
from ridgeway.rows import Float


class RowProducts(NamedTuple):
    """Products of dense rows, computed during their steps, while the rows are in the cache.

    Attributes
    ----------
    directions : (k, d).
    products : (n_rows, 2 + k), filled with 1, y and the products of each row with the directions.
    """

    directions: Float
    products: Float

    @classmethod
    def of(cls, directions: Float, n_rows: int) -> RowProducts:
        """Return arrays for the products of this many rows with the directions."""
        if directions.ndim != 2 or len(directions) == 0:
            raise ValueError(f"directions have shape {directions.shape}: expected (directions, columns), one or more.")
        return cls(directions, np.empty((n_rows, 2 + len(directions)), directions.dtype))

    def require_shapes(self, n_rows: int, n_columns: int) -> None:
        """Raise an error unless these arrays fit rows of this shape; the compiled loops do not check shapes."""
        k = len(self.directions)
        wanted = {"directions": (max(k, 1), n_columns), "products": (n_rows, 2 + k)}
        for name, shape in wanted.items():
            if (got := getattr(self, name).shape) != shape:
                raise ValueError(f"{name} have shape {got}: expected {shape}.")

    def between(self, first: int, last: int) -> RowProducts:
        """Return the products of rows first..last-1, as a view."""
        return RowProducts(self.directions, self.products[first:last])

    def for_core(self) -> _core.RowProducts:
        """Return the arrays for the compiled loops."""
        return _core.RowProducts(directions=self.directions, products=self.products)
