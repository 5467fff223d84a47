"""Conformal prediction intervals: a prediction, and how far actual values lie from it in a given share of rows.

If the new row and the k held-out rows are exchangeable, and all were predicted by a model that had not learned from
them, then the r-th smallest of the held-out scores |e_i|, r = ceil((k + 1) coverage), is at least the new one with
probability `coverage` or more, whatever the model and the distribution. This holds on average over rows (marginally),
not for each kind of row: where errors are larger than elsewhere, plain intervals cover less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.intervals.coverage_share import coverage_share, largest_coverage, rank_of, required_rows
from ridgeway.intervals.residual_spread import ResidualSpread, relative_scores
from ridgeway.messages.quantity import quantity

Array = NDArray[np.float64]

SHOWN_COVERAGE = 0.9  # of the prediction interval that a fit and its report show


@dataclass(frozen=True, eq=False)
class ConformalWidth:
    """Half-widths of intervals of one coverage.

    Attributes
    ----------
    sizes : (targets,), quantiles of the scores.
    spreads : for each target what the half-width is multiplied by; None for the same width everywhere.
    """

    sizes: Array
    spreads: tuple[ResidualSpread, ...] | None

    @classmethod
    def of(cls, predicted: Array, residuals: Array, coverage: float, normalized: bool = False) -> ConformalWidth:
        """Return half-widths from held-out rows; raise an error if there are too few rows.

        Parameters
        ----------
        predicted, residuals : (k, targets), in the user's units.
        coverage : share of rows that intervals are to hold.
        normalized : divide residuals by a spread that depends on the prediction.
        """
        share = coverage_share(coverage)
        k, needed = len(residuals), required_rows(share)
        if k < needed:
            rows = quantity(k, "row was", "rows were")
            raise ValueError(
                f"{rows} held out: expected at least {needed:,} for a coverage of {share:g}; ask for at most "
                f"{largest_coverage(k)}, or fit to more rows."
            )
        scores, spreads = np.abs(residuals), None
        if normalized:
            pairs = list(zip(predicted.T, residuals.T, strict=True))
            scores = np.stack([relative_scores(*pair) for pair in pairs], axis=1)
            spreads = tuple(ResidualSpread.of(*pair) for pair in pairs)
        rank = rank_of(share, k)
        sizes = np.partition(scores, rank - 1, axis=0)[rank - 1]
        if not np.isfinite(sizes).all():
            raise ValueError(
                "the spread of the residuals is 0 in more than half of the rows: use normalized=False, which needs "
                "no spread."
            )
        return cls(sizes, spreads)

    def around(self, predicted: Array) -> Array:
        """Return lower and upper ends, (n, targets, 2), of predictions (n, targets).

        Parameters
        ----------
        predicted : (n, targets).
        """
        width = np.broadcast_to(self.sizes, predicted.shape)
        if self.spreads is not None:
            spread = np.stack([s.at(p) for s, p in zip(self.spreads, predicted.T, strict=True)], axis=1)
            width = width * spread
        with np.errstate(over="ignore"):
            ends = np.stack([predicted - width, predicted + width], axis=-1)
        if not np.isfinite(ends).all():
            raise ValueError("the ends of an interval exceed float64: scale y down.")
        return ends
