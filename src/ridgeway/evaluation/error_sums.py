"""Sums of errors that add up over batches, and the metrics that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Metrics:
    """Errors of predictions, one number for each target.

    Attributes
    ----------
    n_rows : rows of positive weight.
    rmse, mae : roots of mean squared errors, and mean absolute errors, (targets,).
    bias : means of predicted minus actual, (targets,).
    rmse_of_mean : errors of always predicting the mean of these rows, (targets,): the standard deviations.
    r2 : 1 - (rmse / rmse_of_mean)^2, (targets,); NaN where all actual values are the same.
    """

    n_rows: int
    rmse: Array
    mae: Array
    bias: Array
    rmse_of_mean: Array

    @property
    def r2(self) -> Array:
        """Share of the variance that is predicted, (targets,)."""
        spread = self.rmse_of_mean > 0
        share = np.divide(self.rmse, self.rmse_of_mean, out=np.zeros_like(self.rmse), where=spread)
        return np.where(spread, 1 - share**2, np.nan)

    def __repr__(self) -> str:
        names = ("r2", "rmse", "mae", "bias", "rmse_of_mean")
        return f"Metrics(n_rows={self.n_rows}, {', '.join(f'{name}={getattr(self, name)}' for name in names)})"

    def values(self) -> dict[str, Any]:
        """Return plain values, None for an R^2 that does not exist."""
        names = ("r2", "rmse", "mae", "bias", "rmse_of_mean")
        plain = {name: [float(x) if np.isfinite(x) else None for x in getattr(self, name)] for name in names}
        return {"rows": self.n_rows, **plain}


class ErrorSums:
    """Weighted sums over rows; those of parts of the rows are pooled without cancellation.

    Parameters
    ----------
    n_targets : number of targets.

    Examples
    --------
    >>> import numpy as np
    >>> sums = ErrorSums(1)
    >>> sums.add(np.array([[1.0], [3.0]]), np.array([[1.0], [2.0]]), np.ones(2))
    >>> metrics = sums.metrics()
    >>> metrics.n_rows, metrics.mae, metrics.r2
    (2, array([0.5]), array([0.5]))
    """

    def __init__(self, n_targets: int) -> None:
        self._n_rows, self._weight = 0, 0.0
        self._squares, self._sizes, self._errors, self._mean, self._spread = np.zeros((5, n_targets))

    def add(self, actual: Array, predicted: Array, weight: Array) -> None:
        """Take in rows: (n, targets), (n, targets) and (n,)."""
        counted = weight > 0
        if not counted.all():
            actual, predicted, weight = actual[counted], predicted[counted], weight[counted]
        total = float(weight.sum())
        if total <= 0:
            return
        errors = predicted - actual
        mean = weight @ actual / total
        spread = weight @ (actual - mean) ** 2
        pooled = self._weight + total
        apart = mean - self._mean
        self._spread = self._spread + spread + apart**2 * (self._weight * (total / pooled))
        self._mean = self._mean + apart * (total / pooled)
        self._squares = self._squares + weight @ errors**2
        self._sizes = self._sizes + weight @ np.abs(errors)
        self._errors = self._errors + weight @ errors
        self._n_rows, self._weight = self._n_rows + len(weight), pooled

    @property
    def n_rows(self) -> int:
        """Rows of positive weight so far."""
        return self._n_rows

    def metrics(self) -> Metrics:
        """Return the metrics of all rows so far, of which there must be one."""
        means = (sums / self._weight for sums in (self._squares, self._sizes, self._errors, self._spread))
        squares, sizes, errors, spread = means
        return Metrics(self._n_rows, np.sqrt(squares), sizes, errors, np.sqrt(spread))
