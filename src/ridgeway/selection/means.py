"""Means of the rows that a fold learns from, computed from the rows that it does not learn from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.rows import AnyRows, DenseRows
from ridgeway.rows.centre import Centre
from ridgeway.rows.feed import Feed

MEANS_BLOCK_ROWS = 8192


def centre_without(feed: Feed, left_out: NDArray[np.bool_]) -> Centre:
    """Means of standardized features and targets over the rows that are not left out; 0 if nothing is centred.

    The means over all rows are 0, so these means follow from sums over the rows left out. If the rows left out have
    most of the weight, that difference would cancel, so the other rows are summed instead.
    """
    standardization = feed.standardization
    n_targets, n_columns = len(standardization.target_scale), len(standardization.scale)
    x, y = np.zeros(n_columns), np.zeros(n_targets)
    if standardization.constant == 0:
        return Centre(x, y)
    weight = feed.source.weight.astype(np.float64) / standardization.weight_scale
    kept = float(weight[~left_out].sum())
    few = kept < float(weight[left_out].sum())
    rows = np.flatnonzero(~left_out if few else left_out)
    for first in range(0, len(rows), MEANS_BLOCK_ROWS):
        batch = feed.take(rows[first : first + MEANS_BLOCK_ROWS])
        share = batch.weight.astype(np.float64)
        y += share @ batch.y
        x += weighted_sum(batch.rows, share)
    signed = kept if few else -kept
    return Centre(x / signed, y / signed)


def weighted_sum(rows: AnyRows, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of weight_i x_i over standardized features (d,), centred and without the constant column."""
    sums = np.zeros(rows.shape[1])
    add_weighted_rows(rows, weight, sums)
    return sums[:-1] if isinstance(rows, DenseRows) else sums[:-1] - sums[-1] * rows.centre[:-1]


def add_weighted_rows(rows: AnyRows, weight: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Add weight_i x_i to sums (columns,), row by row, so that any division into pieces gives the same bits."""
    if isinstance(rows, DenseRows):
        _core.weighted_sum(rows.array, weight, sums)
    else:
        _core.csr_weighted_sum(rows.arrays, weight, sums)
