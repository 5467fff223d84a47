"""Products of rows with a few directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import dense_rows, frozen, tolerance

from ridgeway import _core


def reference(X: NDArray[Any], y: NDArray[Any], directions: NDArray[Any]) -> NDArray[Any]:
    """Return 1, y and the products, (n, 2 + r)."""
    return np.column_stack([np.ones(len(X)), y, X.astype(np.float64) @ directions.T])


def products_of(X: NDArray[Any], y: NDArray[Any], directions: NDArray[Any]) -> NDArray[Any]:
    """Return what the kernel finds."""
    out = np.full((len(X), 2 + len(directions)), np.nan, X.dtype)
    _core.row_products(X, y, directions, out)
    return out


# Law: the products are those of NumPy, for any number of directions.
@given(dense_rows(), st.integers(0, 14))
def test_products(X: NDArray[Any], n_directions: int) -> None:
    rng = np.random.default_rng(0)
    y = frozen(rng.standard_normal(len(X)).astype(X.dtype))
    directions = frozen(rng.standard_normal((n_directions, X.shape[1])).astype(X.dtype))
    got = products_of(X, y, directions)
    np.testing.assert_allclose(got, reference(X, y, directions), rtol=1e-5, atol=tolerance(X.dtype))


# Law: a row has the same products to the bit in every batch, and with other directions beside them.
@given(dense_rows(min_rows=1), st.integers(1, 14), st.integers(0, 70))
def test_in_pieces(X: NDArray[Any], n_directions: int, cut: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(len(X)).astype(X.dtype)
    directions = rng.standard_normal((n_directions, X.shape[1])).astype(X.dtype)
    whole = products_of(X, y, directions)
    parts = [products_of(X[part], y[part], directions) for part in (slice(0, cut), slice(cut, None))]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    np.testing.assert_array_equal(products_of(X, y, directions[:1])[:, 2], whole[:, 2])
