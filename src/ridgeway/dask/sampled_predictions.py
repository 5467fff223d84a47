"""A sample of held-out rows on a cluster, with their predictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.dask.partition_folds import PartitionFolds, spread_over
from ridgeway.dask.scoring import JointTrial
from ridgeway.rows import Batch, numbered
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import HeldOut
from ridgeway.selection.held_out import MAX_SAMPLE_ROWS
from ridgeway.selection.target_variance import variance_of_moments
from ridgeway.selection.trial import Predictor

SAMPLE_PARTITIONS = 16  # partitions that the sample is taken from


class Predicted(NamedTuple):
    """Held-out rows of a sample: their numbers in the data (k,), targets and residuals (k, targets)."""

    numbers: NDArray[np.int64]
    actual: NDArray[np.float64]
    residuals: NDArray[np.float64]


def predict_rows(
    batch: Batch | None,
    predictors: list[Predictor],
    folds: PartitionFolds,
    standardization: Standardization,
    number: int,
    start: int,
    most: int,
) -> list[Predicted]:
    """Predict some held-out rows of a partition, each by the predictor of its fold."""
    if batch is None:
        return []
    fold_ids = folds.fold_ids(number, len(batch))
    held = np.flatnonzero(fold_ids >= 0)
    sample = np.sort(np.random.default_rng(number).permutation(held)[:most])
    found = []
    for fold, predictor in enumerate(predictors):
        rows = sample[fold_ids[sample] == fold]
        if len(rows):
            residuals = predictor.residuals(standardization.batch(batch, rows))
            numbers = start + numbered(batch.numbers)[rows]
            actual = batch.y[rows].astype(np.float64)
            found.append(Predicted(numbers, actual, residuals * standardization.target_scale))
    return found


def add_predicted(*parts: list[Predicted]) -> list[Predicted]:
    """Join samples of different rows."""
    return [one for part in parts for one in part]


def predict_sample(joint: JointTrial, starts: NDArray[np.int64], n_held: int, scheme: Scheme) -> HeldOut:
    """Return a sample of held-out rows with their predictions, by an average in the span of the trials.

    Parameters
    ----------
    joint : the trials, with all held-out rows gathered.
    starts : number of the first row of each partition in the data.
    n_held : number of all held-out rows.
    scheme : the average.
    """
    executor, standardization, trials = joint.executor, joint.standardization, joint.trials
    by_number = {partition.number: partition for partition in joint.partitions}
    chosen = [
        by_number[number] for number in spread_over(np.array(sorted(by_number), np.int64), SAMPLE_PARTITIONS, None)
    ]
    predictors, sent = [trial.predictor(scheme) for trial in trials], joint.folds.without_starts()
    most = -(-MAX_SAMPLE_ROWS // len(chosen))
    parts: list[Predicted] = executor.total(
        predict_rows,
        chosen,
        joint.form,
        lambda part: (part.number, int(starts[part.number]), most),
        add_predicted,
        common=(predictors, sent, standardization),
    )
    numbers, actual, residuals = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")[:MAX_SAMPLE_ROWS]
    moments = np.sum([trial.target_moments() for trial in trials], axis=0)
    variance = variance_of_moments(moments)
    squares = joint.errors([scheme]).uncapped[0].sum(axis=1) / moments[:, 0, 0]
    unit = standardization.target_scale**2
    predicted = actual[order] - residuals[order]
    return HeldOut(scheme, numbers[order], actual[order], predicted, n_held, squares * unit, variance * unit)
