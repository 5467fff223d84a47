"""Weights of 1: equal to those of numpy, shared where they can be, and never written."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.rows.weights import MAX_SHARED_ROWS, all_ones, ones


@pytest.mark.parametrize("n_rows", [0, 1, MAX_SHARED_ROWS, MAX_SHARED_ROWS + 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ones(n_rows: int, dtype: type) -> None:
    weight = ones(n_rows, np.dtype(dtype))
    np.testing.assert_array_equal(weight, np.ones(n_rows))
    assert weight.dtype == dtype
    assert all_ones(weight)
    assert all_ones(weight[: n_rows // 2])
    assert not weight.flags.writeable


def test_shared() -> None:
    assert np.shares_memory(ones(5, np.dtype(np.float32)), ones(9, np.dtype(np.float32)))


def test_other_weights_are_looked_at() -> None:
    assert all_ones(np.ones(3))
    assert not all_ones(np.array([1.0, 1.0, 2.0]))
