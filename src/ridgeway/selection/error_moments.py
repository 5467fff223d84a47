"""Errors of many candidates on the same rows, without a prediction per row and candidate.

The coefficients of candidate l are a_l1 B_1 + .. + a_lr B_r, with few directions B (`Span`). Each row is multiplied by
the directions once, z = (x . B_1, .., x . B_r). The residual of candidate l is v_l . u with u = [1, y, z] and
v_l = [-b_l, 1, -a_l]. So the moments

    M = sum_i c_i u_i u_i' ,   with row weights c_i,

give its weighted squared error v_l' M v_l, and that of any other candidate in the same span. `row_vectors` are the u.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.atomic import shallow_copy
from ridgeway.rows import Batch, DenseRows, Float
from ridgeway.rows.weights import all_ones
from ridgeway.sgd.row_products import RowProducts
from ridgeway.storage.state import FLOATS, State, Stored

MAX_CORE_DIRECTIONS = 6  # the core multiplies rows by up to this many directions, also during their steps; else BLAS
LARGEST_SQUARE = 1e150  # largest squared error that is accepted: squares of squared errors are summed, too


class ErrorMoments:
    """Moments M of groups of rows along a few directions, which give the squared errors of linear models.

    Parameters
    ----------
    directions : (r, targets, d), slopes of standardized features.
    padded : True if the rows have a constant column at the end; its coefficient is 0 here.
    """

    def __init__(self, directions: Float, padded: bool) -> None:
        r, self._n_targets, n_columns = directions.shape
        self._width = r + 2
        table = np.zeros((n_columns + padded, self._n_targets, r))
        table[:n_columns] = directions.transpose(2, 1, 0)
        self._table: Float = table.reshape(n_columns + padded, -1)
        in_core = 0 < r <= MAX_CORE_DIRECTIONS and self._n_targets == 1
        self._core_directions: Float | None = table[:, 0].T.copy() if in_core else None
        self._moments: list[NDArray[np.float64]] = []  # one (targets, r + 2, r + 2) per group

    def emptied(self) -> ErrorMoments:
        """Return moments along the same directions, of no rows."""
        return self.holding([])

    def holding(self, moments: Sequence[NDArray[np.float64]]) -> ErrorMoments:
        """Return moments along the same directions, of groups with these values."""
        other = shallow_copy(self)
        other._moments = list(moments)
        return other

    @property
    def moments(self) -> list[NDArray[np.float64]]:
        """Moments of each group, (targets, r + 2, r + 2)."""
        return self._moments

    def copy(self) -> ErrorMoments:
        """Return an independent copy."""
        other = shallow_copy(self)
        other._moments = list(self._moments)
        return other

    def state(self) -> State:
        """Return the table of directions, and the moments of each group."""
        return {"table": self._table, "moments": list(self._moments)}

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int, n_targets: int) -> ErrorMoments:
        """Return the moments of a state, for rows of this many columns, the constant one included."""
        r = stored.array("table", (n_columns, None), FLOATS).shape[1] // n_targets
        table = stored.array("table", (n_columns, r * n_targets), FLOATS)
        restored = cls(table.reshape(n_columns, n_targets, r).transpose(2, 1, 0), padded=False)
        restored._convert(table.dtype)
        moments = stored.raw("moments")
        n_groups = len(moments) if isinstance(moments, list) else 0
        restored._moments = stored.arrays("moments", [(n_targets, r + 2, r + 2)] * n_groups)
        return restored

    def add(self, batch: Batch, to_last: bool = False) -> None:
        """Add rows as a new group, or to the last group; refuse rows whose squared errors would overflow."""
        self.add_row_vectors(self.row_vectors(batch), batch.weight, to_last)

    def row_products(self, batch: Batch) -> RowProducts | None:
        """Return arrays for what `row_vectors` returns, which a run can fill during its steps; None if it cannot."""
        self._convert(batch.rows.dtype)
        if self._core_directions is None or not isinstance(batch.rows, DenseRows):
            return None
        return RowProducts.of(self._core_directions, len(batch))

    def row_vectors(self, batch: Batch) -> Float:
        """Return u = [1, y, products with the directions] of each row, (n, targets, r + 2)."""
        self._convert(batch.rows.dtype)
        row_vectors = np.empty((len(batch), self._n_targets, self._width), self._table.dtype)
        if self._core_directions is not None and isinstance(batch.rows, DenseRows):
            targets = np.ascontiguousarray(batch.y, row_vectors.dtype)
            _core.row_products(batch.rows.array, targets, self._core_directions, row_vectors)
        else:
            row_vectors[:, :, 0] = 1
            row_vectors[:, :, 1] = batch.y
            row_vectors[:, :, 2:] = batch.rows.times(self._table).reshape(len(batch), self._n_targets, -1)
        return row_vectors

    def _convert(self, dtype: np.dtype[np.floating[Any]]) -> None:
        """Convert the directions to the precision of the rows."""
        if self._table.dtype != dtype:
            self._table = self._table.astype(dtype)
            if self._core_directions is not None:
                self._core_directions = self._core_directions.astype(dtype)

    def add_row_vectors(
        self, vectors: Float, weight: Float | None, to_last: bool = False, most: float = LARGEST_SQUARE
    ) -> None:
        """Add rows by their vectors u, (n, targets, r + 2), and weights, None if all are 1; see `add`.

        Rows whose moments exceed `most` are refused.
        """
        if weight is not None and all_ones(weight):
            weight = None
        moments = np.empty((self._n_targets, self._width, self._width))
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            for q in range(self._n_targets):
                moments[q] = vectors[:, q].T @ (vectors[:, q] if weight is None else vectors[:, q] * weight[:, None])
        if not (np.abs(moments) < most).all():  # an overflow of float32 is infinite here
            raise ValueError(
                f"some rows of X, y or the weights are so much larger than the others that {vectors.dtype} cannot hold "
                "their squared errors: drop such rows, or begin the stream with similar rows."
            )
        if to_last and self._moments:
            self._moments[-1] = self._moments[-1] + moments
        else:
            self._moments.append(moments)

    @property
    def width(self) -> int:
        """Length of u: 2 + number of directions."""
        return int(self._width)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of the rows of each group, (groups,)."""
        return np.array([moments[0, 0, 0] for moments in self._moments])

    @property
    def last_weight(self) -> float:
        """Weight of the rows of the last group; 0 if there is none."""
        return float(self._moments[-1][0, 0, 0]) if self._moments else 0.0

    def errors(self, models: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of weight times squared residual, (L, targets, groups), of `models_of` candidates."""
        moments = np.stack(self._moments)
        answer = np.empty((models.shape[1], self._n_targets, len(moments)))
        with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses errors that are not finite
            for q, v in enumerate(models):
                answer[:, q] = ((v @ moments[:, q]) * v).sum(axis=-1).T
        return np.maximum(answer, 0.0)

    def target_sums(self) -> NDArray[np.float64]:
        """Sums of weight times 1, y and y^2 over all rows, (targets, 2, 2): entries (0, 0), (0, 1) and (1, 1)."""
        sums: NDArray[np.float64] = self._total()[:, :2, :2]
        return sums

    def covariances(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over all rows of weight times y times the prediction without intercept: (L, targets)."""
        covariances: NDArray[np.float64] = coordinates @ self._total()[:, 2:, 1].T
        return covariances

    def _total(self) -> NDArray[np.float64]:
        """Sum of the moments of all groups, (targets, r + 2, r + 2)."""
        total: NDArray[np.float64] = self._moments[0] if len(self._moments) == 1 else np.sum(self._moments, axis=0)
        return total


def models_of(coordinates: NDArray[np.float64], intercepts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors v = [-b, 1, -a] of candidates, (targets, L, r + 2).

    Parameters
    ----------
    coordinates : (L, r), along the directions.
    intercepts : (L, targets).
    """
    ones = np.ones(len(coordinates))
    return np.stack([np.column_stack([-intercept, ones, -coordinates]) for intercept in intercepts.T])
