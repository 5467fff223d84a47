"""Squared norms of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import csr_rows, dense_rows, orders, tolerance

from ridgeway import _core
from ridgeway.rows import check_rows


def reference(X: NDArray[Any]) -> NDArray[Any]:
    """Return the squared norm of each row."""
    return np.asarray((X.astype(np.float64) ** 2).sum(axis=1))


def norms_of(X: NDArray[Any]) -> NDArray[Any]:
    """Return what the kernel finds."""
    norms = np.empty(len(X), X.dtype)
    _core.squared_norms(X, norms)
    return norms


# Law: dense norms are those of NumPy, for all rows and for some in any order.
@given(dense_rows(), st.data())
def test_dense(X: NDArray[Any], data: st.DataObject) -> None:
    norms = norms_of(X)
    np.testing.assert_allclose(norms, reference(X), rtol=tolerance(X.dtype))
    order = data.draw(orders(len(X)))
    some = np.empty(len(order), X.dtype)
    _core.squared_norms_of(X, order, some)
    np.testing.assert_array_equal(some, norms[order])


# Law: a row has the same norm to the bit wherever it lies and whatever comes after it.
@given(dense_rows(min_rows=1))
def test_dense_in_pieces(X: NDArray[Any]) -> None:
    with_nan = np.vstack([X, np.full((3, X.shape[1]), np.nan, X.dtype)])
    np.testing.assert_array_equal(norms_of(with_nan)[:-3], norms_of(X))
    np.testing.assert_array_equal(np.concatenate([norms_of(row[None].copy()) for row in X]), norms_of(X))


# Law: norms of CSR rows are those of the same rows without their zeros, also for a part of the rows.
@given(csr_rows(), st.integers(0, 70))
def test_csr(csr: Any, first: int) -> None:
    norms = np.empty(csr.shape[0], csr.dtype)
    rows = _core.Csr(csr.data, csr.indices.view(f"u{csr.indices.itemsize}"), csr.indptr)
    _core.csr_squared_norms(rows, norms)
    np.testing.assert_allclose(norms, reference(csr.toarray()), rtol=tolerance(csr.dtype))
    if first < csr.shape[0]:
        part = check_rows(csr).between(first, csr.shape[0])
        np.testing.assert_array_equal(part.squared_norms(), norms[first:])


# Law: an entry that is not finite makes its own norm not finite and no other.
@given(dense_rows(min_rows=2))
def test_not_finite(X: NDArray[Any]) -> None:
    X = X.copy()
    X[1, -1] = np.inf
    assert np.flatnonzero(~np.isfinite(norms_of(X))).tolist() == [1]
