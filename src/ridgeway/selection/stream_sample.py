"""A bounded sample of a stream: rows kept with what the averages of that moment predicted for them."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows import Batch, Float
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out import MOST, HeldOut, in_units

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: its multiples fill the circle evenly, and follow no period
WHOLE = 2**64


class StreamSample:
    """Between half of MOST and MOST rows, spread evenly over a stream whose length is not known.

    Row i is kept while the fractional part of i / golden ratio is below a share, which is halved whenever the sample is
    full. Which rows are kept depends on their places alone, not on how the stream is cut into batches. A kept row is
    stored along the few directions in which all candidates lie, so that the prediction of any of them can be told.
    """

    def __init__(self) -> None:
        self._share = 1.0
        self._numbers: NDArray[np.int64] = np.empty(0, np.int64)
        self._period: NDArray[np.intp] = np.empty(0, np.intp)  # which averages predicted each row
        self._actual: Float = np.empty((0, 0))  # (k, targets), standardized
        self._along: Float = np.empty((0, 0, 0))  # (k, targets, directions)
        self._averages: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._table: Float = np.empty((0, 0))
        self._seen = 0
        self._weight = 0.0
        self._sum: NDArray[np.float64] = np.zeros(1)  # of standardized targets, and of their squares
        self._squares: NDArray[np.float64] = np.zeros(1)

    def copy(self) -> StreamSample:
        """Return one that goes on by itself."""
        other = copy.copy(self)
        other._averages = list(self._averages)
        return other

    def refresh(
        self, directions: Float, coordinates: NDArray[np.float64], intercepts: NDArray[np.float64], padded: bool
    ) -> None:
        """Predict by other averages from now on.

        Parameters
        ----------
        directions : (r, targets, d), slopes of standardized features; never more of them than the first time.
        coordinates : (candidates, r).
        intercepts : (candidates, targets).
        padded : the rows have one more column, which predicts nothing.
        """
        n_columns = directions.shape[2]
        self._table = np.zeros((n_columns + padded, directions.shape[1] * len(directions)), directions.dtype)
        self._table[:n_columns] = directions.transpose(2, 1, 0).reshape(n_columns, -1)
        self._averages.append((coordinates, intercepts))

    def add(self, batch: Batch, first: int) -> None:
        """Look at standardized rows that stand at `first` and after it in the stream."""
        self._seen += len(batch)
        y, weight = batch.y.astype(np.float64), batch.weight.astype(np.float64)
        self._weight += float(weight.sum())
        self._sum, self._squares = self._sum + weight @ y, self._squares + weight @ (y * y)
        places = np.arange(first, first + len(batch))
        picked = np.flatnonzero(_within(places, self._share))
        if len(picked) == 0:
            return
        rows = batch.rows.take(picked)
        n_targets = batch.y.shape[1]
        along = rows.times(self._table.astype(rows.dtype)).reshape(len(picked), n_targets, -1)
        actual, period = batch.y[picked], np.full(len(picked), len(self._averages) - 1)
        numbers = places[picked]
        if len(self._numbers):
            width = max(along.shape[2], self._along.shape[2])
            along = np.concatenate([_widened(self._along, width), _widened(along, width)])
            actual, period = np.concatenate([self._actual, actual]), np.concatenate([self._period, period])
            numbers = np.concatenate([self._numbers, numbers])
        while len(numbers) > MOST:
            self._share /= 2
            kept = _within(numbers, self._share)
            numbers, period, actual, along = numbers[kept], period[kept], actual[kept], along[kept]
        self._numbers, self._period, self._actual, self._along = numbers, period, actual, along

    def held_out(self, scheme: Scheme, candidate: int, standardization: Standardization) -> HeldOut | None:
        """Return the rows with their predictions by a candidate; None as long as there are none."""
        if len(self._numbers) == 0:
            return None
        predicted = np.empty(self._actual.shape)
        for period in np.unique(self._period):
            mine = self._period == period
            coordinates, intercepts = self._averages[period]
            along = self._along[mine, :, : coordinates.shape[1]]
            predicted[mine] = along @ coordinates[candidate] + intercepts[candidate]
        actual = in_units(self._actual.astype(np.float64), standardization)
        mean = self._sum / self._weight
        variance = np.maximum(self._squares / self._weight - mean**2, 0.0) * standardization.target_scale**2
        predictions = in_units(predicted, standardization)
        return HeldOut(scheme, self._numbers, actual, predictions, self._seen, variance)


def _within(places: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
    """Tell which places are in an even share of all."""
    if share >= 1:
        return np.ones(len(places), bool)
    with np.errstate(over="ignore"):
        parts = places.astype(np.uint64) * np.uint64(GOLDEN)
    below: NDArray[np.bool_] = parts < np.uint64(int(share * WHOLE))
    return below


def _widened(along: Float, width: int) -> Float:
    """The same rows with directions of no length added."""
    return np.pad(along, ((0, 0), (0, 0), (0, width - along.shape[2])))
