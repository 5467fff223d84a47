"""Standardized rows: against plain numpy, dense and sparse, in pieces and whole."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ridgeway.averaging import Geometric, Last, Uniform
from ridgeway.rows import FLOAT64, DenseRows, Order, SparseRows, check_batch
from ridgeway.rows.feed import Feed
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.standardization import CONSTANT_SHARE, Standardization
from ridgeway.sgd import SGDRun


def data(n: int = 90, d: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * np.geomspace(1e-3, 1e3, d) + np.geomspace(1, 1e4, d)
    X[:, 3] = 7.0
    return X, rng.standard_normal((n, 2)) + 5, rng.uniform(0.5, 2, n)


# Law: weighted means 0 and standard deviations 1; a constant column becomes 0; y and weights alike.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_columns(dtype: type) -> None:
    X, y, weight = data()
    batch = check_batch(X.astype(dtype), y, weight, target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=True, centre=True)
    seen = standard.batch(batch)
    assert isinstance(seen.rows, DenseRows)
    Z = seen.rows.array[:, :-1].astype(np.float64)
    tolerance = 1e-3 if dtype is np.float32 else 1e-9
    share = weight / weight.sum()
    np.testing.assert_allclose(share @ Z, 0, atol=tolerance)
    expected = np.array([1.0, 1.0, 1.0, 0.0, 1.0])
    np.testing.assert_allclose(share @ Z**2, expected, atol=tolerance)
    np.testing.assert_allclose(share @ seen.y**2, 1, rtol=1e-5)
    np.testing.assert_allclose(seen.weight.mean(), 1, rtol=1e-6)
    np.testing.assert_allclose(seen.rows.array[:, -1], np.sqrt(CONSTANT_SHARE * 4), rtol=1e-5)


# Law: sparse rows, centred without being stored, are the dense rows they stand for.
def test_sparse_rows_stand_for_centred_ones() -> None:
    X, y, weight = data()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.4, X, 0.0)
    batch = check_batch(scipy.sparse.csr_array(X), y, weight, target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=True, centre=True)
    seen = standard.batch(batch).rows
    assert isinstance(seen, SparseRows)
    largest = np.abs(X).max(axis=0)
    dense = np.column_stack([(X - weight @ X / weight.sum()) / largest, np.full(len(X), standard.constant)])
    np.testing.assert_allclose(seen.squared_norms(), (dense**2).sum(axis=1), rtol=1e-10)
    u = np.random.default_rng(2).standard_normal((6, 3))
    w = u - np.outer(seen.centre, u[-1])
    np.testing.assert_allclose(seen.times(u), dense @ w, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(standard.slopes(u.T, sparse=True), w[:-1].T, rtol=1e-12)
    np.testing.assert_array_equal(seen.take(np.array([3, 1])).squared_norms(), seen.squared_norms()[[3, 1]])


# Law: a run over sparse rows that are centred without being stored is the run over the dense rows they stand for.
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("store", ["sketch", "replay"])
def test_runs_over_centred_sparse_rows(store: str, batch_size: int) -> None:
    X, y, weight = data()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.4, X, 0.0)
    batch = check_batch(scipy.sparse.csr_array(X), y, weight, target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=True, centre=True)
    seen = standard.batch(batch)
    largest = np.abs(X).max(axis=0)
    dense = np.column_stack([(X - weight @ X / weight.sum()) / largest, np.full(len(X), standard.constant)])
    sparse_run, dense_run = (SGDRun(0.05, store, batch_size=batch_size) for _ in range(2))
    sparse_run.advance(seen)
    dense_run.update(dense, seen.y, seen.weight)
    assert isinstance(seen.rows, SparseRows)
    for scheme in (Uniform(), Last(), Geometric(0.3)):
        u = sparse_run.trajectory().coef(scheme)
        w = u - np.outer(u[:, -1], seen.rows.centre)
        np.testing.assert_allclose(w, dense_run.trajectory().coef(scheme), rtol=1e-7, atol=1e-9)


# Law: sparse rows that are scaled and not centred are the entries over the largest of their column.
def test_sparse_rows_that_are_only_scaled() -> None:
    X, y, _ = data()
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.4, X, 0.0)
    batch = check_batch(scipy.sparse.csr_array(X), y, target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=True, centre=False)
    seen, order = standard.batch(batch, np.array([5, 2, 2])).rows, [5, 2, 2]
    np.testing.assert_allclose(seen.times(np.eye(5)), (X / np.abs(X).max(axis=0))[order], rtol=1e-12)


# Law: without centring and scaling the rows stay as they are, uncopied.
def test_nothing_to_do() -> None:
    X, y, weight = data()
    batch = check_batch(X, y, weight, target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=False, centre=False)
    assert standard.leaves_rows
    seen = standard.batch(batch).rows
    assert isinstance(seen, DenseRows)
    assert np.shares_memory(seen.array, X)


# Law: columns without entries, or constant, leave everything else as it was.
def test_empty_columns_change_nothing() -> None:
    X, y, _ = data()
    X = np.where(X.mean(axis=0) < X, X, 0.0)
    for form in (np.asarray, scipy.sparse.csr_array):
        narrow = check_batch(form(X), y, target_dtype=FLOAT64)
        wide = check_batch(form(np.column_stack([X, np.zeros((len(X), 40))])), y, target_dtype=FLOAT64)
        one, other = (Standardization.of(batch, scale=True, centre=True) for batch in (narrow, wide))
        np.testing.assert_allclose(other.constant, one.constant)
        np.testing.assert_allclose(other.batch(wide).rows.squared_norms(), one.batch(narrow).rows.squared_norms())


# Law: columns of any scale and offset are resolved.
@settings(max_examples=30, deadline=None, derandomize=True)
@given(arrays(np.float64, (12, 3), elements=st.floats(-1, 1, width=32)), st.integers(-12, 12), st.integers(-3, 6))
def test_any_scale(table: np.ndarray, scale: int, offset: int) -> None:
    X = (table + 10.0**offset) * 10.0**scale
    batch = check_batch(X, table[:, 0], target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=True, centre=True)
    seen = standard.batch(batch).rows
    assert isinstance(seen, DenseRows)
    deviation = seen.array[:, :-1].std(axis=0)
    assert np.isfinite(seen.array).all()
    assert ((np.abs(deviation - 1) < 1e-3) | (deviation < 1e-3)).all()


# Law: pieces are the rows of the order, whatever its size and whether rows are kept.
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("order", [np.random.default_rng(0).integers(0, 90, 250), range(90)], ids=["any", "range"])
def test_pieces(order: Order, keep: bool, sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, weight = data()
    monkeypatch.setattr("ridgeway.rows.feed.PIECE_BYTES", 600)
    monkeypatch.setattr("ridgeway.rows.feed.MAX_UNCOPIED_BYTES", 100)
    monkeypatch.setattr("ridgeway.rows.feed.KEPT_BYTES", 10**9 if keep else 0)
    batch = check_batch(scipy.sparse.csr_array(X) if sparse else X, y, weight, target_dtype=FLOAT64)
    standard = Standardization.of(batch, scale=True, centre=True)
    feed = Feed(batch, standard)
    whole = standard.batch(batch)
    pieces = list(feed.pieces(order))
    assert len(pieces) > 3
    np.testing.assert_array_equal(np.concatenate([piece.numbers for piece in pieces]), order)
    norms = np.concatenate([piece.batch.rows.squared_norms()[piece.places] for piece in pieces])
    np.testing.assert_allclose(norms, whole.rows.squared_norms()[order], rtol=1e-12)
    targets = np.concatenate([piece.batch.y[piece.places] for piece in pieces])
    np.testing.assert_array_equal(targets, whole.y[order])


# Law: an entry that is not finite is named, at the first sight of the rows and later.
@pytest.mark.parametrize("sparse", [True, False])
def test_bad_entries_are_named(sparse: bool) -> None:
    X, y, _ = data()
    good = check_batch(scipy.sparse.csr_array(X) if sparse else X, y, target_dtype=FLOAT64)
    X[4, 2] = np.nan
    bad = check_batch(scipy.sparse.csr_array(X) if sparse else X, y, target_dtype=FLOAT64)
    with pytest.raises(ValueError, match=r"X\[4, 2\] is NaN"):
        Standardization.of(bad, scale=True, centre=True)
    with pytest.raises(ValueError, match=r"X\[4, 2\] is NaN"):
        Standardization.of(good, scale=True, centre=True).batch(bad)


# Law: a sparse column that is not 0 in most rows is divided by its standard deviation, a rare one by its largest value;
# moments of parts give the same scales as all rows.
def test_filled_sparse_columns() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([1970 + 30 * rng.standard_normal(200), np.where(rng.random(200) < 0.2, 3.0, 0.0)])
    y = rng.standard_normal(200)
    batch = check_batch(scipy.sparse.csr_array(X), y, None)
    whole = Standardization.of(batch, scale=True, centre=True)
    np.testing.assert_allclose(whole.scale, [X[:, 0].std(), 3.0])
    parts = RowMoments.of(batch.between(0, 50)) + RowMoments.of(batch.between(50, 200))
    np.testing.assert_allclose(Standardization.from_moments(parts, True, True).scale, whole.scale)
