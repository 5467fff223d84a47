"""Predicted rows of a report: held out by the fit, or given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.report.candidate_grid import candidate
from ridgeway.report.paths import rounded
from ridgeway.report.report_summary import Rows
from ridgeway.report.sentences import in_words
from ridgeway.rows import check_batch, check_rows
from ridgeway.selection import HeldOut

Array = NDArray[np.float64]

MAX_SHOWN_ROWS = 1200  # rows of all targets together
MIN_ROWS_PER_TARGET = 200


@dataclass(frozen=True, eq=False)
class Predictions:
    """Rows and their predictions.

    Attributes
    ----------
    source : as in `ReportSummary.rows_source`.
    by : the average that predicted, in words.
    numbers : (k,), the row numbers, increasing.
    actual, predicted : (k, targets).
    n_rows : the number of rows from which these were drawn.
    errors : (targets,), mean squared errors; None if the model learned from the rows.
    variance : (targets,), the variance of the actual values.
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
        """Return the rows of one target that the report shows."""
        most = max(MIN_ROWS_PER_TARGET, MAX_SHOWN_ROWS // n_targets)
        picked = np.arange(len(self.numbers))
        if len(picked) > most:
            picked = np.sort(np.random.default_rng(0).choice(len(picked), most, replace=False))
        return Rows(
            tuple(self.numbers[picked].tolist()),
            rounded(self.actual[picked, target]),
            rounded(self.predicted[picked, target]),
        )


def given_rows(fitted: Any, X: Any, y: Any, selected: str, unseen: bool) -> Predictions:
    """Predict given rows with the selected average of the model.

    Parameters
    ----------
    fitted : the estimator.
    X, y : the rows.
    selected : the selected average, in words.
    unseen : True if the model has learned from none of them.
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
    return Predictions(source, selected, numbers, actual, predicted, len(actual), errors, actual.var(axis=0))


def held_out_rows(rows: HeldOut, length: int) -> Predictions:
    """Return the held-out rows of the fit; `length` is the number of steps of its run."""
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
