"""Spread: the size of residuals as a function of the prediction, for intervals as wide as errors are large."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MIN_BIN_ROWS = 50  # rows whose mean absolute residual is taken
MAX_BINS = 20
HALVES_SEED = 0x4A1F  # data are often drawn with small seeds, and halves must not follow the same numbers
MIN_SPREAD_SHARE = 0.1  # of the mean spread: where residuals are smaller by chance, intervals stay that wide


@dataclass(frozen=True, eq=False)
class ResidualSpread:
    """Mean absolute residual as a function of the prediction: linear between the bins' means, constant beyond.

    Attributes
    ----------
    places : (bins,), mean predictions, increasing.
    sizes : (bins,), mean absolute residuals, above 0 unless all residuals are 0.

    Examples
    --------
    >>> import numpy as np
    >>> predicted = np.linspace(0, 1, 400)
    >>> spread = ResidualSpread.of(predicted, predicted * (-1.0) ** np.arange(400))
    >>> spread.at(np.array([0.25, 0.75])).round(2)
    array([0.25, 0.75])
    """

    places: Array
    sizes: Array

    @classmethod
    def of(cls, predicted: Array, residuals: Array) -> ResidualSpread:
        """Fit the spread to held-out rows; with fewer than twice `MIN_BIN_ROWS` it is the same everywhere.

        Parameters
        ----------
        predicted, residuals : (k,).
        """
        n_bins = max(1, min(MAX_BINS, len(predicted) // MIN_BIN_ROWS))
        order = np.argsort(predicted, kind="stable")
        bins = np.array_split(order, n_bins)
        places = np.array([predicted[rows].mean() for rows in bins])
        sizes = np.array([np.abs(residuals[rows]).mean() for rows in bins])
        new = np.concatenate([[True], np.diff(places) > 0])  # predictions that are all alike make one bin
        if not new.all():
            places, sizes = places[:1], sizes.mean(keepdims=True)
        return cls(places, np.maximum(sizes, MIN_SPREAD_SHARE * sizes.mean()))

    def at(self, predicted: Array) -> Array:
        """Return the spread at predictions, in their shape."""
        spread: Array = np.interp(predicted, self.places, self.sizes)
        return spread


def relative_scores(predicted: Array, residuals: Array) -> Array:
    """Return absolute residuals over the spread, each half of the rows by the spread of the other: (k,).

    A spread that has seen a row would make its score too small.

    Parameters
    ----------
    predicted, residuals : (k,).
    """
    if len(predicted) < 2:
        return np.ones_like(residuals)
    half = np.zeros(len(predicted), bool)
    half[np.random.default_rng(HALVES_SEED).permutation(len(predicted))[: len(predicted) // 2]] = True
    scores = np.empty_like(residuals)
    for mine in (half, ~half):
        spread = ResidualSpread.of(predicted[~mine], residuals[~mine]).at(predicted[mine])
        size = np.abs(residuals[mine])
        scores[mine] = np.divide(size, spread, out=np.where(size > 0, np.inf, 0.0), where=spread > 0)
    return scores
