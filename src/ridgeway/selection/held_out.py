"""Held-out predictions: a bounded sample of rows, each predicted before it was learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.trial import Trial

MOST = 2000  # rows in a sample: more would only blacken a picture


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows with their predictions by a run that had not learned from them, in the user's units.

    Attributes
    ----------
    scheme : the average that predicted.
    numbers : (k,), increasing: where each row stands in the data, or in a stream.
    actual, predicted : (k, targets).
    n_rows : how many rows the sample was drawn from.
    variance : (targets,), weighted variance of the actual values of all these rows.

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
    variance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.numbers)


def predict_held_out(feed: Feed, trials: Sequence[Trial], tests: Sequence[NDArray[np.intp]], scheme: Scheme) -> HeldOut:
    """Predict a sample of the rows that each trial was held on.

    Parameters
    ----------
    feed : all rows.
    trials : runs whose span holds the scheme.
    tests : for each trial, numbers of the rows that its run has not learned from.
    scheme : the average.
    """
    which = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    rows = np.concatenate(tests)
    sample = np.arange(len(rows))
    if len(rows) > MOST:
        sample = np.random.default_rng(0).choice(len(rows), MOST, replace=False, shuffle=False)
    sample = sample[np.argsort(rows[sample], kind="stable")]
    taken, of_trial = rows[sample], which[sample]
    predicted = np.empty((len(taken), feed.source.y.shape[1]))
    for k, trial in enumerate(trials):
        mine = np.flatnonzero(of_trial == k)
        if len(mine):
            predicted[mine] = trial.predict(feed.take(taken[mine]), scheme)
    return HeldOut(
        scheme,
        np.asarray(feed.source.numbers, np.int64)[taken],
        feed.source.y[taken].astype(np.float64),
        in_units(predicted, feed.standardization),
        len(rows),
        _variance(feed, rows),
    )


def _variance(feed: Feed, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    y, weight = feed.source.y[rows].astype(np.float64), feed.source.weight[rows].astype(np.float64)
    share = weight / weight.sum()
    variance: NDArray[np.float64] = share @ (y - share @ y) ** 2
    return variance


def in_units(targets: NDArray[np.float64], standardization: Standardization) -> NDArray[np.float64]:
    """Standardized targets (n, targets) in the user's units."""
    answer: NDArray[np.float64] = targets * standardization.target_scale + standardization.target_offset
    return answer
