"""Held-out predictions on a cluster: errors of the chosen average, and a bounded sample of targets beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.split import Split
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import HeldOut
from ridgeway.selection.groups import HeldOutErrors
from ridgeway.selection.held_out import AT_A_TIME, MOST
from ridgeway.selection.trial import Trial


@dataclass(frozen=True, eq=False)
class Predicted:
    """Sums over held-out rows and a sample of them, in the user's units; they add up.

    Attributes
    ----------
    n_rows, weight : of all rows.
    squares : (targets,), weighted sum of squared residuals.
    sums, sums2 : (targets,), weighted sums of y and of y^2, around the mean of all rows.
    numbers : (k,), where the rows of the sample stand in the data.
    actual, residuals : (k, targets).
    """

    n_rows: int
    weight: float
    squares: NDArray[np.float64]
    sums: NDArray[np.float64]
    sums2: NDArray[np.float64]
    numbers: NDArray[np.int64]
    actual: NDArray[np.float64]
    residuals: NDArray[np.float64]

    def __add__(self, other: Predicted) -> Predicted:
        return Predicted(
            self.n_rows + other.n_rows,
            self.weight + other.weight,
            self.squares + other.squares,
            self.sums + other.sums,
            self.sums2 + other.sums2,
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.actual, other.actual]),
            np.concatenate([self.residuals, other.residuals]),
        )


def add_predicted(*parts: Predicted | None) -> Predicted | None:
    """Join predictions of different rows."""
    total: Predicted | None = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


def predict_rows(
    batch: Batch | None,
    models: list[tuple[HeldOutErrors, NDArray[np.float64]]],
    split: Split,
    standardization: Standardization,
    number: int,
    start: int,
    share: float,
) -> Predicted | None:
    """Predict the held-out rows of a partition by the model of their fold, and keep a share of them."""
    if batch is None:
        return None
    hands = split.hands(number, len(batch))
    found: list[Predicted] = []
    for fold, (held, model) in enumerate(models):
        rows = np.flatnonzero(hands == fold)
        for first in range(0, len(rows), AT_A_TIME):
            part = batch.take(rows[first : first + AT_A_TIME])
            residuals = np.einsum("nqs,qs->nq", held.known(standardization.batch(part)), model)
            residuals = residuals.astype(np.float64) * standardization.target_scale
            weight, y = part.weight.astype(np.float64), part.y.astype(np.float64)
            around = y - standardization.target_offset
            rng = np.random.default_rng([number, fold, first])
            sample = np.sort(rng.permutation(len(part))[: int(np.ceil(share * len(part)))])
            found.append(
                Predicted(
                    len(part),
                    float(weight.sum()),
                    weight @ residuals**2,
                    weight @ around,
                    weight @ around**2,
                    start + np.asarray(part.numbers, np.int64)[sample],
                    y[sample],
                    residuals[sample],
                )
            )
    return add_predicted(*found)


def predict_held_out(
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form | None,
    trials: Sequence[Trial],
    split: Split,
    standardization: Standardization,
    starts: NDArray[np.int64],
    n_held: int,
    scheme: Scheme,
) -> HeldOut | None:
    """Predict all held-out rows by an average in the span of the trials, one of each fold."""
    models = [trial.residual_model(scheme) for trial in trials]
    sent, share = split.without_starts(), min(1.0, MOST / n_held)
    total: Predicted | None = executor.total(
        predict_rows,
        partitions,
        form,
        lambda part: (models, sent, standardization, part.number, int(starts[part.number]), share),
        add_predicted,
    )
    if total is None:
        return None
    chosen = np.sort(np.random.default_rng(0).permutation(len(total.numbers))[:MOST])
    order = chosen[np.argsort(total.numbers[chosen], kind="stable")]
    mean = total.sums / total.weight
    return HeldOut(
        scheme,
        total.numbers[order],
        total.actual[order],
        total.actual[order] - total.residuals[order],
        total.n_rows,
        total.squares / total.weight,
        total.sums2 / total.weight - mean**2,
    )
