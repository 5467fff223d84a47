"""Lanes: what kernels do with them is what NumPy does with the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.compiled import compiled
from ridgeway.lanes import lane_count, lane_sum, lanes, set_lanes, spread
from ridgeway.rows import Float

pytestmark = pytest.mark.kernel
FILLED = 7.0


@compiled
def _add_row(X: Float, row: int, factor: Float, w: Float) -> float:
    """Add factor times a row of X to w (d,), and return their product after that."""
    count, n_columns = lane_count(w), len(w)
    whole = n_columns - n_columns % count
    total = spread(w.dtype.type(0))
    for at in range(0, whole, count):
        x = lanes(X, row * n_columns + at, None)
        new = lanes(w, at, None) + spread(factor[0]) * x
        set_lanes(w, at, None, new)
        total = total + new * x
    if whole < n_columns:
        rest = n_columns - whole
        x = lanes(X, row * n_columns + whole, rest)
        new = lanes(w, whole, rest) + spread(factor[0]) * x
        set_lanes(w, whole, rest, new)
        total = total + new * x
    return float(lane_sum(total))


def arrays(n_columns: int, dtype: type) -> tuple[Float, Float]:
    rng = np.random.default_rng(n_columns)
    X: Float = rng.standard_normal((3, n_columns)).astype(dtype)
    room: Float = np.full(n_columns + 40, FILLED, dtype)
    room[20:-20] = rng.standard_normal(n_columns)
    return X, room


# Law: rows of any width are added and multiplied as a whole, and nothing beyond them is read into sums or written.
@settings(max_examples=60, deadline=None)
@given(n_columns=st.integers(1, 70), row=st.integers(0, 2), dtype=st.sampled_from([np.float32, np.float64]))
def test_rows_of_any_width(n_columns: int, row: int, dtype: type) -> None:
    X, room = arrays(n_columns, dtype)
    w = room[20:-20]
    expected = w + dtype(0.5) * X[row]
    product = _add_row(X, row, np.array([0.5], dtype), w)
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
    room[25:] = np.nan
    assert np.isfinite(_add_row(X, 0, np.ones(1, dtype), room[20:25]))


# Law: the halves are added to each other until one number is left.
def test_order_of_sums() -> None:
    @compiled
    def total(values: Float) -> float:
        return float(lane_sum(lanes(values, 0, None)))

    values = np.array([1e16, 1.0, -1e16, 1.0])
    assert total(values) == 2.0
    assert lane_count_of(values) == 4
    assert lane_count_of(values.astype(np.float32)) == 8


@compiled
def lane_count_of(values: Float) -> int:
    return lane_count(values)
