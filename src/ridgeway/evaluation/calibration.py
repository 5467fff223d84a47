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

    def add(self, actual: Array, predicted: Array, weight: Array, covered: NDArray[np.bool_] | None) -> None:
        """Take in rows, (n,) each; covered is None without intervals."""
        within = np.full(len(actual), -1.0) if covered is None else covered.astype(np.float64)
        rows = np.column_stack([self._rng.random(len(actual)), actual, predicted, weight, within])
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

    def sample(self, most: int) -> tuple[Array, Array]:
        """Return actual and predicted values of up to `most` rows, for a picture."""
        rows = self._joined()
        rows = rows[np.argsort(rows[:, 0], kind="stable")[:most]]
        return rows[:, 1], rows[:, 2]

    def deciles(self) -> tuple[Decile, ...]:
        """Return the deciles by prediction, smallest first; fewer where rows are few."""
        rows = self._joined()
        _, actual, predicted, weight, covered = rows[np.argsort(rows[:, 2], kind="stable")].T
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
                    None if covered[some[0]] < 0 else float(share @ covered[some]),
                )
            )
        return tuple(found)
