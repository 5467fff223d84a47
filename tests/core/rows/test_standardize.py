"""Dense rows, standardized in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import dense_rows, frozen, orders, tolerance

from ridgeway import _core


def reference(
    X: NDArray[Any], order: NDArray[np.intp], offset: NDArray[Any], inverse: NDArray[Any], constant: float, width: int
) -> NDArray[Any]:
    """Return (x - offset) * inverse, with constants in the columns that are left of `width`."""
    out = np.full((len(order), width), constant)
    out[:, : X.shape[1]] = (X[order] - offset) * inverse
    return out


def standardized(
    X: NDArray[Any], order: NDArray[np.intp], offset: NDArray[Any], inverse: NDArray[Any], constant: float, width: int
) -> tuple[NDArray[Any], bool]:
    """Return what the kernel makes of the rows, and whether it is finite."""
    out = np.full((len(order), width), np.nan, X.dtype)
    return out, _core.standardize_rows(X, order, offset, inverse, constant, out)


# Law: rows are standardized as NumPy does it, with a constant column or without.
@given(dense_rows(min_rows=1), st.booleans(), st.data())
def test_rows(X: NDArray[Any], constant: bool, data: st.DataObject) -> None:
    rng = np.random.default_rng(0)
    offset, inverse = frozen(rng.standard_normal(X.shape[1])), frozen(rng.uniform(0.5, 2.0, X.shape[1]))
    given_ = X, data.draw(orders(len(X))), offset, inverse, 0.25, X.shape[1] + constant
    out, finite = standardized(*given_)
    assert finite is True
    np.testing.assert_allclose(out, reference(*given_), rtol=1e-6, atol=tolerance(X.dtype))


# Law: offsets are subtracted with the digits that float32 does not hold.
def test_digits_of_offsets() -> None:
    X, offset = np.full((1, 3), 1e6, np.float32), np.full(3, 1e6 - 0.01)
    out, _ = standardized(X, np.zeros(1, np.intp), offset, np.ones(3), 0.0, 3)
    np.testing.assert_allclose(out, 0.01, rtol=1e-3)


# Law: one entry that is not finite, or is not once it is standardized, is told, wherever it stands; other rows are not.
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e38])
@given(dense_rows(min_rows=2), st.data())
def test_not_finite(value: float, X: NDArray[Any], data: st.DataObject) -> None:
    X = X.astype(np.float32)
    X[1, data.draw(st.integers(0, X.shape[1] - 1))] = value
    columns = np.zeros(X.shape[1]), np.full(X.shape[1], 10.0)
    assert not standardized(X, np.array([0, 1]), *columns, 1.0, X.shape[1] + 1)[1]
    assert standardized(X, np.array([0, 0]), *columns, 1.0, X.shape[1] + 1)[1]


# Law: squared norms of standardized rows are those of the rows that are made, to the last bit.
@given(dense_rows(min_rows=1), st.booleans())
def test_norms(X: NDArray[Any], constant: bool) -> None:
    rng = np.random.default_rng(0)
    offset, inverse = frozen(rng.standard_normal(X.shape[1])), frozen(rng.uniform(0.5, 2.0, X.shape[1]))
    value, width = (0.25, X.shape[1] + 1) if constant else (0.0, X.shape[1])
    rows, _ = standardized(X, np.arange(len(X)), offset, inverse, value, width)
    norms, expected = np.full(len(X), np.nan, X.dtype), np.empty(len(X), X.dtype)
    _core.standardized_norms(X, offset, inverse, value, norms)
    _core.squared_norms(rows, expected)
    np.testing.assert_array_equal(norms, expected)
    np.testing.assert_allclose(norms, (rows.astype(np.float64) ** 2).sum(axis=1), rtol=1e-5)
