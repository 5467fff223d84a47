"""`BatchLearner`: an estimator that learns from the batches of a stream."""

from __future__ import annotations

import numpy as np

from ridgeway.data import EncodedBatch
from ridgeway.estimators import RidgePathCV
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.tables.learnable_rows import joined_rows, nbytes

# A stream begins with this many rows, or bytes of rows. They set scales and step.
FIRST_BATCH_ROWS, FIRST_BATCH_BYTES = 2**18, 2**26


class BatchLearner:
    """Learns batch by batch; the first batches are gathered until they have enough rows to begin.

    Attributes
    ----------
    estimator : what learns.
    sums_up : True for Gram matrices, whose sums do not depend on the order of the rows.
    """

    def __init__(self, estimator: AnyAveraged, sums_up: bool = False) -> None:
        self.estimator, self.sums_up = estimator, sums_up
        if isinstance(estimator, RidgePathCV):
            estimator._watches_drift = False
        self._gathered: list[EncodedBatch] = []

    @property
    def begun(self) -> bool:
        """Whether the estimator has learned from some row."""
        return bool(self.estimator.__sklearn_is_fitted__())

    def learn(self, rows: EncodedBatch) -> None:
        """Learn from a batch, or gather it."""
        if len(rows.y) == 0:
            return
        self._gathered.append(rows)
        n_rows, size = sum(len(part.y) for part in self._gathered), sum(map(nbytes, self._gathered))
        if self.begun or n_rows >= FIRST_BATCH_ROWS or size >= FIRST_BATCH_BYTES:
            self.finish()

    def finish(self) -> None:
        """Learn from the batches that are still gathered, if there are any."""
        if not self._gathered:
            return
        rows = joined_rows(self._gathered)
        self._gathered.clear()
        # The first rows give the precision of the coefficients: float32 would differ in the last digit with the order
        # of the rows. Later rows are summed up in float64 as they are.
        X = rows.X.astype(np.float64, copy=False) if self.sums_up and not self.begun else rows.X
        self.estimator.partial_fit(X, rows.y, rows.weight)
