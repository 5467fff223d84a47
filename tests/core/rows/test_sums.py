"""Sums of columns: of deviations and their squares, and in the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import dense_rows, frozen, tolerance, weights_of

from ridgeway import _core


def deviation_sums(X: NDArray[Any], weight: NDArray[Any], origin: NDArray[Any], gauge: NDArray[Any]) -> NDArray[Any]:
    """Return sums of weight times deviation and of weight times squared deviation, (2, d)."""
    deviations = (X.astype(np.float64) - origin) * gauge
    return np.stack([weight @ deviations, weight @ deviations**2])


def row_after_row(X: NDArray[Any], weight: NDArray[Any], start: NDArray[Any]) -> NDArray[Any]:
    """Return start + sum weight_i x_i, added in float64 in the order of the rows."""
    total = start.copy()
    for w, row in zip(weight, X.astype(np.float64), strict=True):
        total += w * row
    return total


# Law: sums of deviations are added to what was there.
@given(dense_rows())
def test_column_sums(X: NDArray[Any]) -> None:
    weight, rng = weights_of(len(X)), np.random.default_rng(1)
    origin, gauge = frozen(rng.uniform(-1, 1, (2, X.shape[1])).astype(X.dtype))
    sums, squares = np.ones(X.shape[1]), np.full(X.shape[1], 2.0)
    _core.column_sums(X, weight, origin, gauge, sums, squares)
    expected = deviation_sums(X, weight, origin, gauge) + np.array([[1.0], [2.0]])
    np.testing.assert_allclose([sums, squares], expected, rtol=tolerance(X.dtype), atol=10 * tolerance(X.dtype))


# Law: weighted rows are added in their order, in float64: to the bit, and in any pieces.
@given(dense_rows(), st.integers(0, 70))
def test_weighted_sum(X: NDArray[Any], cut: int) -> None:
    weight, start = weights_of(len(X)), np.random.default_rng(1).standard_normal((X.shape[1],))
    whole, pieces = start.copy(), start.copy()
    _core.weighted_sum(X, weight, whole)
    np.testing.assert_array_equal(whole, row_after_row(X, weight, start))
    for part in (slice(0, cut), slice(cut, None)):
        _core.weighted_sum(X[part], weight[part], pieces)
    np.testing.assert_array_equal(pieces, whole)
