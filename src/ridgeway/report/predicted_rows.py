"""Rows of a report with their predictions: held out by the fit, or given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.report.candidate_grid import candidate
from ridgeway.report.paths import rounded
from ridgeway.report.sentences import in_words
from ridgeway.report.summary import Rows
from ridgeway.rows import check_batch, check_rows
from ridgeway.selection import HeldOut

Array = NDArray[np.float64]

SHOWN = 1200  # rows of all targets together
FEWEST_SHOWN = 200  # rows of each


@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows and their predictions.

    Attributes
    ----------
    source : as in `ReportSummary.rows_source`.
    by : the average, in words.
    numbers : (k,), increasing.
    actual, predicted : (k, targets).
    n_rows : how many rows these were drawn from.
    errors : (targets,), mean squared errors; None where the rows were learned from.
    variance : (targets,), of the actual values.
    """

    source: str
    by: str
    numbers: NDArray[np.int64]
    actual: Array
    predicted: Array
    n_rows: int
    errors: Array | None
    variance: Array

    def rows(self, target: int, n_targets: int) -> Rows:
        """Return those of one target, as many as the report shows."""
        most = max(FEWEST_SHOWN, SHOWN // n_targets)
        picked = np.arange(len(self.numbers))
        if len(picked) > most:
            picked = np.sort(np.random.default_rng(0).choice(len(picked), most, replace=False))
        return Rows(
            tuple(self.numbers[picked].tolist()),
            rounded(self.actual[picked, target]),
            rounded(self.predicted[picked, target]),
        )


def given_rows(fitted: Any, X: Any, y: Any, standing: str, unseen: bool) -> Predictions:
    """Predict rows that were given, where the model stands.

    Parameters
    ----------
    fitted : the estimator.
    X, y : the rows.
    standing : the average, in words.
    unseen : True when none of them was learned from.
    """
    batch = check_batch(X, y, target_dtype=np.dtype(np.float64))
    actual = batch.y.astype(np.float64)
    predicted = np.asarray(fitted.predict(X), np.float64).reshape(len(actual), -1)
    if predicted.shape != actual.shape:
        raise ValueError(
            f"y has {actual.shape[1]} targets: expected {predicted.shape[1]}, those of the fit; pass the same columns."
        )
    errors = ((actual - predicted) ** 2).mean(axis=0) if unseen else None
    source = "given" if unseen else "learned"
    numbers = np.arange(len(actual))
    return Predictions(source, standing, numbers, actual, predicted, len(actual), errors, actual.var(axis=0))


def held_out_rows(rows: HeldOut, length: int) -> Predictions:
    """Return the rows that the fit held out; `length` is that of its run."""
    errors, variance = np.asarray(rows.mean_squared_error), np.asarray(rows.variance)
    by = in_words(candidate(rows.scheme, length))
    return Predictions("held-out", by, rows.numbers, rows.actual, rows.predicted, rows.n_rows, errors, variance)


def require_both(X: Any, y: Any) -> None:
    """Raise an error unless X and y are given together."""
    if (X is None) != (y is None):
        got, missing = ("y", "X") if X is None else ("X", "y")
        raise ValueError(f"{got} is given without {missing}: expected both, the rows to predict and their targets.")
    if X is not None:
        check_rows(X)
