"""Dense rows about their means, in blocks for BLAS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import dense_rows, frozen, orders, weights_of

from ridgeway import _core


def centred(X: NDArray[Any], order: Any, offset: Any, inverse: Any, weight: Any) -> tuple[Any, ...]:
    """Return what the kernel fills, and whether it is finite."""
    n, d = len(order), X.shape[1]
    out, origin, shift, largest = np.full((n, d), np.nan), np.full(d, np.nan), np.full(d, np.nan), np.zeros(d)
    share, root = weight / weight.sum(), np.sqrt(weight)
    finite = _core.centre_rows(X, order, offset, inverse, share, root, out, origin, shift, largest)
    return out, origin, shift, largest, finite


# Law: the block holds root * (z - mean), z being the standardized rows in float64; the origin is the first of them.
@given(dense_rows(min_rows=1), st.data())
def test_rows(X: NDArray[Any], data: st.DataObject) -> None:
    order = data.draw(orders(len(X)).filter(len))
    rng = np.random.default_rng(0)
    offset, inverse = frozen(rng.standard_normal(X.shape[1])), frozen(rng.uniform(0.5, 2.0, X.shape[1]))
    weight = weights_of(len(order))
    out, origin, shift, largest, finite = centred(X, order, offset, inverse, weight)
    Z = (X[order].astype(np.float64) - offset) * inverse
    mean = np.average(Z, axis=0, weights=weight)
    assert finite is True
    np.testing.assert_array_equal(origin, Z[0])
    np.testing.assert_allclose(origin + shift, mean, rtol=0, atol=1e-14)
    np.testing.assert_allclose(out, np.sqrt(weight)[:, None] * (Z - mean), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(largest, np.abs(out).max(axis=0))


# Law: a constant column far from 0 has deviations of exactly 0, and one far from 0 keeps the digits of its deviations.
def test_far_from_zero() -> None:
    X = np.array([[1e9 + 0.1, 1e9], [1e9 + 0.1, 1e9 + 1], [1e9 + 0.1, 1e9 + 2]])
    out, *_ = centred(X, np.arange(3), np.zeros(2), np.full(2, 1 / 3), np.ones(3))
    np.testing.assert_array_equal(out[:, 0], 0.0)
    np.testing.assert_allclose(out[:, 1], [-1 / 3, 0, 1 / 3], rtol=1e-6, atol=1e-7)


# Law: an entry that is not finite is told, wherever it stands; other rows are not looked at.
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@given(dense_rows(min_rows=2), st.data())
def test_not_finite(value: float, X: NDArray[Any], data: st.DataObject) -> None:
    X = X.copy()
    X[1, data.draw(st.integers(0, X.shape[1] - 1))] = value
    columns = np.zeros(X.shape[1]), np.ones(X.shape[1])
    for order, finite in (([0, 1], False), ([1, 0], False), ([0, 0], True)):
        assert centred(X, np.array(order), *columns, np.ones(2))[-1] is finite
