"""Lengths of sparse rows: against NumPy, in parts and whole, at the ends of float64, and in states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import normalize

from ridgeway.rows import FLOAT64, check_batch
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.row_lengths import LENGTHS_BLOCK_ROWS, UNEQUAL_LENGTHS, RowLengths
from ridgeway.rows.standardization import MIN_FILLED_SHARE, Standardization
from ridgeway.storage.state import StateError, Stored


def rows(X: Any) -> Any:
    return check_batch(scipy.sparse.csr_array(X), np.arange(float(X.shape[0]))).rows


def normalised(n: int = 40, d: int = 9, seed: int = 0, dtype: Any = np.float64) -> Any:
    X = scipy.sparse.random_array((n, d), density=0.4, rng=np.random.default_rng(seed), format="csr", dtype=dtype)
    return normalize(X)


# Law: the lengths of rows that differ in none are those of NumPy, whatever the parts; rows of zeros do not count.
@settings(deadline=None, max_examples=60)
@given(
    arrays(np.float64, (7, 3), elements=st.sampled_from([0.0, 0.5, -2.0, 1e-9])),
    st.integers(0, 7),
    st.permutations(range(7)),
)
def test_lengths_are_those_of_numpy(X: np.ndarray, cut: int, order: list[int]) -> None:
    found = [RowLengths.of(rows(part)) for part in (X[:cut], X[cut:]) if len(part)]
    total = found[0] + found[-1]
    assert RowLengths.of(rows(X), np.array(order)) == RowLengths.of(rows(X)) == total
    lengths = np.linalg.norm(X, axis=1)
    if lengths.any():
        lengths = lengths[lengths > 0]
        np.testing.assert_allclose([total.shortest, total.longest], [lengths.min(), lengths.max()], rtol=1e-15)
    assert total.equal == (lengths.any() and lengths.min() > 1e-6 and bool(np.ptp(lengths) < 1e-9))


# Law: normalised rows are of one length in both precisions, and in any unit that is no extreme number.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("unit", [2.0**-18, 1.0, 3.0, 2.0**18])
def test_normalised_rows_are_of_one_length(dtype: Any, unit: float) -> None:
    X = normalised(LENGTHS_BLOCK_ROWS + 50, dtype=dtype) * dtype(unit)
    assert X.dtype == dtype
    assert RowLengths.of(rows(X)).equal
    X.data[-1] *= dtype(1.1)
    assert not RowLengths.of(rows(X)).equal
    X.data[0] *= dtype(1.1)
    assert not RowLengths.of(rows(X)).equal


# Law: float32 rows of very many entries are of one length.
def test_long_float32_rows() -> None:
    X = np.random.default_rng(0).exponential(size=(4, 200_000)).astype(np.float32)
    assert RowLengths.of(rows(normalize(scipy.sparse.csr_array(X)))).equal


# Law: squares beyond float64 are no lengths to rely on: such columns are divided, as those of other sparse rows are.
@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e30, 1e200])
def test_extreme_rows_are_divided(unit: float) -> None:
    X = normalised() * unit
    batch = check_batch(X, np.arange(40.0), target_dtype=FLOAT64)
    largest, filled = abs(X).max(axis=0).toarray().reshape(-1), (X.toarray() != 0).mean(axis=0)
    deviation = (X.toarray() / unit).std(axis=0) * unit
    expected = np.where(filled > MIN_FILLED_SHARE, deviation, largest)
    np.testing.assert_allclose(Standardization.of(batch, True, True).scale, expected, rtol=1e-12)


# Law: a row whose squares underflow is not empty.
def test_a_tiny_row_has_another_length() -> None:
    X = scipy.sparse.vstack([normalised(), normalised(1) * 1e-200], format="csr")
    assert not RowLengths.of(rows(X)).equal
    assert not RowLengths.of(rows(X[-1:])).equal
    assert RowLengths.of(rows(X[:-1])).equal


# Law: no rows but empty ones are of no length, and change none.
def test_empty_rows() -> None:
    none = RowLengths.of(rows(np.zeros((3, 2))))
    assert not none.equal
    assert none + RowLengths(1.0, 1.0) == RowLengths(1.0, 1.0)
    assert not RowLengths.of(check_batch(np.eye(3), np.arange(3.0)).rows).equal


# Law: normalised rows keep their columns, in one piece and by moments of parts; without the flag nothing changes.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("centre", [True, False])
def test_normalised_rows_keep_their_scales(dtype: Any, centre: bool) -> None:
    X, y = normalised(dtype=dtype), np.random.default_rng(1).standard_normal(40)
    batch = check_batch(X, y, target_dtype=FLOAT64)
    total = RowMoments.of(batch.between(0, 13)) + RowMoments.of(batch.between(13, 40))
    stored = RowMoments.from_state(Stored(total.state()))
    plain = Standardization.of(batch, False, centre)
    for found in (
        Standardization.of(batch, True, centre),
        *(Standardization.from_moments(m, True, centre) for m in (total, stored)),
    ):
        np.testing.assert_array_equal(found.scale, 1.0)
        np.testing.assert_allclose(found.offset, plain.offset, rtol=1e-6)
        np.testing.assert_allclose(found.constant, plain.constant, rtol=1e-6)


# Law: moments that were stored without lengths divide columns, as they did when they were stored.
def test_states_without_lengths() -> None:
    batch = check_batch(normalised(), np.arange(40.0), target_dtype=FLOAT64)
    state = RowMoments.of(batch).state()
    assert state["lengths"] == pytest.approx({"shortest": 1.0, "longest": 1.0})
    del state["lengths"], state["filled"]
    old = RowMoments.from_state(Stored(state))
    assert old.lengths == UNEQUAL_LENGTHS
    np.testing.assert_array_equal(Standardization.from_moments(old, True, True).scale, old.largest)
    with pytest.raises(StateError, match="shortest is -1"):
        RowLengths.from_state(Stored({"shortest": -1.0, "longest": 1.0}))
