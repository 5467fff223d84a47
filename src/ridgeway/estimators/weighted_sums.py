"""Weighted sums of the rows of a stream, from whose means its intercepts are computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.atomic import shallow_copy
from ridgeway.rows import Batch
from ridgeway.rows.centre import Centre
from ridgeway.rows.standardization import Standardization
from ridgeway.rows.weights import all_ones
from ridgeway.selection.means import add_weighted_rows
from ridgeway.storage.state import State, Stored


class WeightedSums:
    """Sums of weights, standardized rows and targets, added row by row: other batches of the rows give the same bits.

    Parameters
    ----------
    standardization : of the rows; where it has no constant column nothing is centred, and only weights are summed.
    sparse : whether the rows are sparse.
    weight : sum of the weights of earlier rows, whose means are the offsets of the standardization.
    """

    def __init__(self, standardization: Standardization, sparse: bool, weight: float = 0.0) -> None:
        self._standardization = standardization
        self._implicit = sparse and standardization.constant != 0  # the sums are centred, not the rows in memory
        self._weight = weight
        self._x = np.zeros(standardization.n_columns)  # of the rows as they lie, constant column included
        self._y = np.zeros(len(standardization.target_scale))

    def add(self, batch: Batch) -> None:
        """Add the rows of a standardized batch."""
        weight = batch.weight.astype(np.float64)
        if self._weight.is_integer() and all_ones(batch.weight):  # then their sum has no rounding
            self._weight += len(batch)
        else:
            self._weight = float(np.add.accumulate(np.append(self._weight, weight))[-1])
        if self._standardization.constant:
            add_weighted_rows(batch.rows, weight, self._x)
            _core.weighted_sum(batch.y, weight, self._y)

    @property
    def centre(self) -> Centre:
        """Means of the rows, in standardized units."""
        weight = max(self._weight, np.finfo(np.float64).tiny)
        return Centre(self._centred() / weight, self._y / weight)

    def copy(self) -> WeightedSums:
        """Return a copy that takes further rows independently."""
        other = shallow_copy(self)
        other._x, other._y = self._x.copy(), self._y.copy()
        return other

    def state(self) -> State:
        """Return the sums; version 0.1 has those of centred rows only."""
        return {
            "weight": self._weight,
            "sum_x": self._centred(),
            "sum_y": self._y,
            "sum_stored": self._x if self._implicit else None,
        }

    @classmethod
    def from_state(cls, stored: Stored, standardization: Standardization, sparse: bool) -> WeightedSums:
        """Return the sums of a state; files of version 0.1 have no `sum_stored`."""
        sums = cls(standardization, sparse, stored.number("weight", 0.0))
        n_features = len(standardization.scale)
        if sums._implicit and "sum_stored" in stored:
            sums._x = stored.array("sum_stored", (standardization.n_columns,))
        else:
            sums._x[:n_features] = stored.array("sum_x", (n_features,))
        sums._y = stored.array("sum_y", (len(standardization.target_scale),))
        return sums

    def _centred(self) -> NDArray[np.float64]:
        """Return the sums of centred features, (d,)."""
        sums = self._x[: len(self._standardization.scale)]
        return sums - self._x[-1] * self._standardization.sparse_centre()[:-1] if self._implicit else sums
