from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from ridgeway import _core

sizes = st.tuples(st.integers(0, 40), st.integers(1, 35), st.integers(1, 3), st.integers(1, 9))
dtypes = st.sampled_from([np.float32, np.float64])
seeds = st.integers(0, 2**32)


def normal(rng: np.random.Generator, *shape: int, dtype: type) -> NDArray[Any]:
    return rng.standard_normal(shape).astype(dtype)


# Law: dense sums add up factor * gain * row, with the same bits for rows in two batches.
@given(sizes, dtypes, seeds, st.integers(0, 40))
def test_dense(shape: tuple[int, int, int, int], dtype: type, seed: int, cut: int) -> None:
    n, d, k, m = shape
    rng = np.random.default_rng(seed)
    X, gains = normal(rng, n, d, dtype=dtype), normal(rng, n, k, dtype=dtype)
    factors, start = rng.standard_normal((n, m)), rng.standard_normal((m, k, d))
    sums, parts = start.copy(), start.copy()
    for array in (X, gains, factors):
        array.flags.writeable = False
    _core.add_dense_rows(X=X, gains=gains, factors=factors, sums=sums)
    for part in (slice(cut), slice(cut, None)):
        _core.add_dense_rows(X=X[part], gains=gains[part], factors=factors[part], sums=parts)
    np.testing.assert_array_equal(parts, sums)
    expected = start + np.einsum("is,iq,ic->sqc", factors, gains.astype(float), X.astype(float))
    np.testing.assert_allclose(sums, expected, atol=1e-12)


# Law: sparse sums of either precision add up factor * gain * entry, with the same bits for rows in two batches.
@given(sizes, dtypes, seeds, st.integers(0, 40), st.sampled_from([np.uint32, np.uint64]), st.booleans())
def test_csr(shape: tuple[int, int, int, int], dtype: type, seed: int, cut: int, index: type, wide: bool) -> None:
    n, d, k, m = shape
    rng = np.random.default_rng(seed)
    X: Any = sparse.random_array((n, d), density=0.3, format="csr", dtype=dtype, rng=rng)
    gains, factors = normal(rng, n, k, dtype=dtype), rng.standard_normal((n, m))
    start = normal(rng, d, k, m, dtype=np.float64 if wide else dtype)
    sums, parts = start.copy(), start.copy()
    rows: dict[str, Any] = {"data": X.data, "indices": X.indices.astype(index)}
    for array in (*rows.values(), gains, factors):
        array.flags.writeable = False
    indptr, cut = X.indptr.astype(np.int64), min(cut, n)
    _core.add_csr_rows(**rows, indptr=indptr, gains=gains, factors=factors, sums=sums)
    for first, last in ((0, cut), (cut, n)):
        _core.add_csr_rows(
            **rows, indptr=indptr[first : last + 1], gains=gains[first:last], factors=factors[first:last], sums=parts
        )
    np.testing.assert_array_equal(parts, sums)
    expected = start + np.einsum("is,iq,ic->cqs", factors, gains.astype(float), X.toarray().astype(float))
    np.testing.assert_allclose(sums, expected, atol=1e-12 if sums.dtype == np.float64 else 1e-4)


# Law: float64 rows are not summed in float32.
def test_narrow_sums() -> None:
    with pytest.raises(TypeError, match="float64"):
        _core.add_csr_rows(
            data=np.ones(1), indices=np.zeros(1, np.uint32), indptr=np.array([0, 1]), gains=np.ones((1, 1)),
            factors=np.ones((1, 1)), sums=np.zeros((1, 1, 1), np.float32),
        )  # fmt: skip


# Law: sums add the product part @ mix, each row by itself.
@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 75), dtypes, seeds)
def test_mixed(n: int, m: int, n_sums: int, dtype: type, seed: int) -> None:
    rng = np.random.default_rng(seed)
    part, mix = normal(rng, n, m, dtype=dtype), normal(rng, m, n_sums, dtype=dtype)
    part[rng.random(n) < 0.3] = 0
    start = normal(rng, n, n_sums, dtype=dtype)
    sums = start.copy()
    part.flags.writeable = mix.flags.writeable = False
    _core.add_mixed(part=part, mix=mix, sums=sums)
    np.testing.assert_allclose(sums, start + part @ mix, atol=1e-13 if dtype is np.float64 else 1e-5)
    for i in range(n):
        alone = start[i : i + 1].copy()
        _core.add_mixed(part=part[i : i + 1], mix=mix, sums=alone)
        np.testing.assert_array_equal(alone[0], sums[i])
