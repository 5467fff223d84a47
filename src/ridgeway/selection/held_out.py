"""Held-out predictions: a bounded sample of rows, each predicted by a run that had not learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme, scheme_of
from ridgeway.rows import Batch, numbered
from ridgeway.rows.feed import Feed
from ridgeway.selection.residual_path import ResidualPath, method_of, sample_rows
from ridgeway.selection.target_variance import variance_of_rows
from ridgeway.selection.trial import Trial
from ridgeway.storage.state import State, Stored, state_of

MAX_SAMPLE_ROWS = 2000  # more points would only cover each other in a plot
RESIDUAL_BLOCK_ROWS = 8192


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """Rows with their predictions by a run that had not learned from them, in the user's units.

    Attributes
    ----------
    scheme : the average that predicted.
    numbers : (k,), row numbers in the data or in the stream, increasing.
    actual, predicted : (k, targets).
    n_rows : number of rows from which the sample was drawn.
    mean_squared_error : (targets,), weighted, of all these rows; in a stream, of its last part, which decides.
    variance : (targets,), weighted, of the actual values of all these rows.
    path : up to 10,000 of these rows with their residuals at every alpha and scheme; None where they were not kept.
    ridge_path : the same by the run that a ridge strength is answered from, where another run was chosen.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 3))
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, X @ [1.0, 2.0, 3.0] + rng.standard_normal(400))
    >>> rows = model.held_out_
    >>> len(rows), rows.actual.shape, bool(np.std(rows.actual - rows.predicted) < 1.2)
    (400, (400, 1), True)
    """

    scheme: Scheme
    numbers: NDArray[np.int64]
    actual: NDArray[np.float64]
    predicted: NDArray[np.float64]
    n_rows: int
    mean_squared_error: NDArray[np.float64]
    variance: NDArray[np.float64]
    path: ResidualPath | None = None
    ridge_path: ResidualPath | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        some = "" if len(self) == self.n_rows else f", {len(self):,} of them kept"
        return f"HeldOut({self.n_rows:,} rows{some}, predicted by {self.scheme}: r2={self.r2}, rmse={self.rmse})"

    @property
    def r2(self) -> NDArray[np.float64]:
        """Share of the variance that was predicted, (targets,); NaN where the actual values are all the same."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share: NDArray[np.float64] = 1 - self.mean_squared_error / self.variance
        return np.where(self.variance > 0, share, np.nan)

    @property
    def rmse(self) -> NDArray[np.float64]:
        """Typical error, the root of the mean squared error: (targets,), in units of the target."""
        return np.sqrt(self.mean_squared_error)

    @property
    def rmse_of_mean(self) -> NDArray[np.float64]:
        """Typical error of always predicting the mean, (targets,)."""
        return np.sqrt(self.variance)

    def state(self) -> State:
        """Return rows and predictions."""
        paths = {"path": state_of(self.path), "ridge_path": state_of(self.ridge_path)}
        return {**vars(self), "scheme": self.scheme.state(), **paths}

    @classmethod
    def from_state(cls, stored: Stored, n_targets: int) -> HeldOut:
        """Return the rows of a state."""
        numbers = stored.array("numbers", (None,), "int64")
        shape = len(numbers), n_targets
        return cls(
            scheme_of(stored.part("scheme")),
            numbers,
            stored.array("actual", shape),
            stored.array("predicted", shape),
            stored.integer("n_rows"),
            stored.array("mean_squared_error", (n_targets,)),
            stored.array("variance", (n_targets,)),
            stored.read("path", ResidualPath.from_state, n_targets),  # files of version 0.1 have none
            stored.read("ridge_path", ResidualPath.from_state, n_targets),
        )


def predict_held_out(feed: Feed, trials: Sequence[Trial], tests: Sequence[NDArray[np.intp]], scheme: Scheme) -> HeldOut:
    """Predict the held-out rows of each trial, and keep a sample of them.

    Parameters
    ----------
    feed : all rows.
    trials : trials whose span contains the scheme.
    tests : for each trial, the numbers of its held-out rows.
    scheme : the average.
    """
    residuals = [
        predictor.residuals(feed.take(test[first : first + RESIDUAL_BLOCK_ROWS]))
        for predictor, test in zip((trial.predictor(scheme) for trial in trials), tests, strict=True)
        for first in range(0, len(test), RESIDUAL_BLOCK_ROWS)
    ]
    scale = feed.standardization.target_scale
    path = path_of_trials(feed, trials, tests)
    return sample_held_out(scheme, feed.source, np.concatenate(tests), np.concatenate(residuals) * scale, path)


def path_of_trials(feed: Feed, trials: Sequence[Trial], tests: Sequence[NDArray[np.intp]]) -> ResidualPath | None:
    """Keep held-out rows with their residuals at every alpha and scheme; None where replays need their rows.

    Parameters
    ----------
    feed : all rows.
    trials : the runs.
    tests : for each trial, numbers of the rows that its run has not learned from.
    """
    parts, kept = [], sample_rows(tests, feed.source.y.shape[1])
    for trial, rows in zip(trials, kept, strict=True):
        numbers = numbered(feed.source.numbers)[rows].astype(np.int64)
        part = trial.residual_part(feed.take(rows), numbers) if len(rows) else None
        if part is not None:
            parts.append(part)
    if not parts:
        return None
    actual = feed.source.y[np.concatenate(kept)].astype(np.float64)
    return ResidualPath(method_of(len(trials)), parts, actual, feed.standardization.target_scale)


def sample_held_out(
    scheme: Scheme,
    batch: Batch,
    rows: NDArray[np.intp],
    residuals: NDArray[np.float64],
    path: ResidualPath | None = None,
) -> HeldOut:
    """Keep a sample of held-out rows.

    Parameters
    ----------
    scheme : the average.
    batch : all rows.
    rows : (k,), numbers of the held-out rows.
    residuals : (k, targets), actual minus predicted targets.
    path : the rows with their residuals at every scheme.
    """
    y, weight = batch.y[rows].astype(np.float64), batch.weight[rows].astype(np.float64)
    share = weight / weight.sum()
    sample = np.arange(len(rows))
    if len(rows) > MAX_SAMPLE_ROWS:
        sample = np.random.default_rng(0).choice(len(rows), MAX_SAMPLE_ROWS, replace=False, shuffle=False)
    sample = sample[np.argsort(rows[sample], kind="stable")]
    return HeldOut(
        scheme,
        np.array([batch.numbers[row] for row in rows[sample].tolist()], np.int64),
        y[sample],
        y[sample] - residuals[sample],
        len(rows),
        share @ residuals**2,
        variance_of_rows(batch, rows),
        path,
    )
