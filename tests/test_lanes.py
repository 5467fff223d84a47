"""Lanes: what kernels do with them is what NumPy does with the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.compiled import compiled
from ridgeway.lanes import lane_count, lane_sum, lane_sums, lanes, set_lanes, spread
from ridgeway.rows import Float

pytestmark = pytest.mark.kernel
FILLED = 7.0


@compiled
def _add_row(X: Float, row: int, factor: Float, w: Float) -> float:
    """Add factor times a row of X to w, which is longer by up to all lanes, and return their product after that."""
    count, n_columns = lane_count(w), X.shape[1]
    whole = n_columns - n_columns % count
    total = spread(w.dtype.type(0))
    for at in range(0, whole, count):
        x = lanes(X, row * n_columns + at, None)
        new = lanes(w, at, None) + spread(factor[0]) * x
        set_lanes(w, at, new)
        total = total + new * x
    if whole < n_columns:
        rest = n_columns - whole
        x = lanes(X, row * n_columns + whole, rest)
        new = lanes(w, whole, None) + spread(factor[0]) * x
        set_lanes(w, whole, new)
        total = total + new * x
    return float(lane_sum(total))


def arrays(n_columns: int, dtype: type) -> tuple[Float, Float]:
    rng = np.random.default_rng(n_columns)
    X: Float = rng.standard_normal((3, n_columns)).astype(dtype)
    room: Float = np.full(n_columns + 40, FILLED, dtype)
    room[20:-20] = rng.standard_normal(n_columns)
    return X, room


# Law: rows of any width are added and multiplied as a whole, and nothing beyond them is read into sums or changed.
@settings(max_examples=60, deadline=None)
@given(n_columns=st.integers(1, 70), row=st.integers(0, 2), dtype=st.sampled_from([np.float32, np.float64]))
def test_rows_of_any_width(n_columns: int, row: int, dtype: type) -> None:
    X, room = arrays(n_columns, dtype)
    w = room[20:-20]
    expected = w + dtype(0.5) * X[row]
    product = _add_row(X, row, np.array([0.5], dtype), room[20:])
    tolerance = 1e-5 if dtype is np.float32 else 1e-13
    np.testing.assert_allclose(w, expected, atol=tolerance)
    np.testing.assert_allclose(product, expected.astype(np.float64) @ X[row], atol=tolerance * n_columns)
    assert (room[:20] == FILLED).all()
    assert (room[-20:] == FILLED).all()


# Law: what lies beyond a row is not a number of it, be it one or not.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_are_left_out(dtype: type) -> None:
    X, room = arrays(5, dtype)
    X[1:] = np.nan
    assert np.isfinite(_add_row(X, 0, np.ones(1, dtype), room[20:]))


# Law: the halves are added to each other until one number is left.
def test_order_of_sums() -> None:
    @compiled
    def total(values: Float) -> float:
        return float(lane_sum(lanes(values, 0, None)))

    values = np.array([1e16, 1.0, -1e16, 1.0])
    assert total(values) == 2.0
    assert lane_count_of(values) == 4
    assert lane_count_of(values.astype(np.float32)) == 8


# Law: four sums at once are the four sums, each in its place.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_four_sums(dtype: type) -> None:
    @compiled
    def totals(values: Float) -> Any:
        n = lane_count(values)
        return lane_sums(
            lanes(values, 0, None), lanes(values, n, None), lanes(values, 2 * n, None), lanes(values, 3 * n, None)
        )

    values = 2.0 ** np.arange(4 * 32 // np.dtype(dtype).itemsize).astype(dtype) % 8191
    np.testing.assert_array_equal(totals(values.astype(dtype)), values.reshape(4, -1).sum(axis=1))


@compiled
def lane_count_of(values: Float) -> int:
    return lane_count(values)
