"""Fits of rows in memory by the Krylov engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.exact.krylov import MAX_PRODUCTS, KrylovFit, KrylovSettings, fit_krylov
from ridgeway.exact.krylov_products import FoldColumns, NormalEquationProducts
from ridgeway.rows import FLOAT64, AnyRows, Batch, DenseRows, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.averaging import Scheme
    from ridgeway.rows.standardization import Standardization
    from ridgeway.selection.folds import Fold

    Array = NDArray[np.float64]


MIN_ROW_SQUARED_NORM, MAX_ROW_SQUARED_NORM = 1e-100, 1e100  # squared norms of rows whose squares in turn are float64


def fold_columns(weight: Array, y: Array, folds: Sequence[Fold], centre: bool) -> tuple[FoldColumns, list[Array]]:
    """Return the columns of these folds and of all rows, and the weights of the held-out rows of each.

    Parameters
    ----------
    weight : (n,), positive.
    y : (n, targets), standardized.
    folds : which rows each learns from, and which it is tried on.
    centre : learn about the means of the rows learned from.
    """
    shares = np.repeat(weight[:, None], len(folds) + 1, axis=1)
    for k, fold in enumerate(folds):
        shares[~fold.train, k] = 0.0
    shares /= shares.sum(axis=0)
    tests = [*(np.asarray(fold.test) for fold in folds), np.zeros(0, np.intp)]
    return FoldColumns(shares, tests, y, centre), [weight[fold.test] for fold in folds]


def fit_rows(
    batch: Batch,
    standardization: Standardization,
    folds: Sequence[Fold],
    family: str | None,
    scheme: Scheme | None,
    max_products: int = MAX_PRODUCTS,
) -> KrylovFit:
    """Fit rows in memory; dense rows are standardized in a copy, sparse ones are centred within the products.

    Parameters
    ----------
    batch : the rows.
    standardization : of these rows.
    folds : what to choose by.
    family : "auto", "geometric" or "tail", what competes; None where `scheme` is given.
    scheme : the average, where it is given.
    max_products : after which the fit ends, settled or not.
    """
    centre = standardization.constant != 0
    rows = replace(standardization, constant=0.0).rows(batch.rows, numbered(range(len(batch))))
    if (standardization.scale == 1).all():
        _require_squares(rows)
    dense = isinstance(rows, DenseRows)
    offset = np.zeros(rows.shape[1]) if dense or not centre else standardization.offset / standardization.scale
    y = np.asarray(standardization.targets(batch.y, FLOAT64), np.float64)
    weight = np.asarray(batch.weight, np.float64) / standardization.weight_scale
    columns, weights = fold_columns(weight, y, folds if family else [], centre)
    form = batch.single_target, batch.rows.dtype, standardization.unit
    settings = KrylovSettings(family, scheme, *form, padded=centre, max_products=max_products)
    return fit_krylov(NormalEquationProducts(rows, offset, columns), weights, settings)


def _require_squares(rows: AnyRows) -> None:
    """Refuse rows that are not scaled and so large or small that squares of their squared norms are no float64."""
    largest = float(rows.squared_norms().max())
    if largest > 0 and not MIN_ROW_SQUARED_NORM < largest < MAX_ROW_SQUARED_NORM:
        raise ValueError(
            f"rows of X have squared norms up to {largest:.3g}: expected numbers between {MIN_ROW_SQUARED_NORM:g} and "
            f"{MAX_ROW_SQUARED_NORM:g}; scale the columns, or set scale=True."
        )
