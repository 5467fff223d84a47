"""The centre of the rows that a model was fitted to; the intercept follows from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows.types import Float
from ridgeway.storage.state import State, Stored


class Centre:
    """Weighted means of the standardized features and targets that a model was fitted to.

    Attributes
    ----------
    x : (d,).
    y : (targets,).
    """

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self.x, self.y = x, y

    def state(self) -> State:
        """Return the means."""
        return {"x": self.x, "y": self.y}

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int, n_targets: int) -> Centre:
        """Return the means of a state."""
        return cls(stored.array("x", (n_columns,)), stored.array("y", (n_targets,)))

    def intercepts(self, directions: Float, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Intercepts (L, targets), ybar - xbar . w, of coordinates (L, r) along directions (r, targets, d)."""
        intercepts: NDArray[np.float64] = self.y - coordinates @ (directions @ self.x)
        return intercepts
