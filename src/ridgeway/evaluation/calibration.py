"""Calibration: actual values, errors and coverage by deciles of the prediction, from a bounded sample of the rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

N_DECILES = 10
MAX_CALIBRATION_ROWS = 100_000  # up to here all rows are kept; beyond, a random sample of that many

ROWS_SEED = 0x7E57  # data are often drawn with small seeds, and a sample must not follow the same numbers


@dataclass(frozen=True)
class Decile:
    """Rows with predictions of about the same size.

    Attributes
    ----------
    rows : number of rows.
    predicted, actual : weighted means; equal ones where the model is calibrated.
    rmse : root of the mean squared error.
    covered : share of rows within their intervals; None without intervals.
    """

    rows: int
    predicted: float
    actual: float
    rmse: float
    covered: float | None

    def values(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


@dataclass(frozen=True, eq=False, repr=False)
class DrawnRows:
    """Some rows of one target, for a picture.

    Attributes
    ----------
    actual, predicted : (n,).
    low, high : (n,), ends of the prediction intervals; NaN without intervals.
    """

    actual: Array
    predicted: Array
    low: Array
    high: Array

    def __repr__(self) -> str:
        return f"DrawnRows({len(self.actual):,} rows)"


class SampledRows:
    """Up to `MAX_CALIBRATION_ROWS` rows of one target, a random sample of all that were added.

    Parameters
    ----------
    seed : of the sample.
    """

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng([seed, ROWS_SEED])
        self._parts: list[Array] = []
        self._rows = 0

    def add(self, actual: Array, predicted: Array, weight: Array, ends: Array | None) -> None:
        """Take in rows, (n,) each, with the ends of their intervals, (n, 2); None without intervals."""
        low, high = np.full((2, len(actual)), np.nan) if ends is None else ends.T
        rows = np.column_stack([self._rng.random(len(actual)), actual, predicted, weight, low, high])
        self._parts.append(rows[weight > 0])
        self._rows += len(self._parts[-1])
        if self._rows > 2 * MAX_CALIBRATION_ROWS:
            self._joined()

    def _joined(self) -> Array:
        rows = np.concatenate(self._parts)
        if len(rows) > MAX_CALIBRATION_ROWS:  # those of the smallest random numbers are a random sample
            rows = rows[np.argpartition(rows[:, 0], MAX_CALIBRATION_ROWS)[:MAX_CALIBRATION_ROWS]]
        self._parts, self._rows = [rows], len(rows)
        return rows

    def sample(self, most: int) -> DrawnRows:
        """Return up to `most` rows, a random sample in random order."""
        rows = self._joined()
        _, actual, predicted, _, low, high = rows[np.argsort(rows[:, 0], kind="stable")[:most]].T
        return DrawnRows(actual, predicted, low, high)

    def deciles(self) -> tuple[Decile, ...]:
        """Return the deciles by prediction, smallest first; fewer where rows are few."""
        rows = self._joined()
        _, actual, predicted, weight, low, high = rows[np.argsort(rows[:, 2], kind="stable")].T
        covered = (low <= actual) & (actual <= high)
        found = []
        for some in np.array_split(np.arange(len(rows)), min(N_DECILES, len(rows))):
            share = weight[some] / weight[some].sum()
            error = predicted[some] - actual[some]
            found.append(
                Decile(
                    len(some),
                    float(share @ predicted[some]),
                    float(share @ actual[some]),
                    float(np.sqrt(share @ error**2)),
                    None if np.isnan(low[some[0]]) else float(share @ covered[some]),
                )
            )
        return tuple(found)
