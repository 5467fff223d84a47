"""Rows made of entries, dense and CSR."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core

N_COLUMNS, N_BUCKETS = 9, 5
Drawn = tuple[NDArray[np.int32], NDArray[Any], list[NDArray[Any]]]


def reference(codes: NDArray[np.int32], values: NDArray[Any], words: list[NDArray[Any]]) -> NDArray[Any]:
    """Return entries, and words behind them, as a dense array."""
    starts, ends, buckets, counts = words
    out = np.zeros((codes.shape[1], N_COLUMNS + N_BUCKETS), values.dtype)
    for s, i in np.argwhere(codes >= 0):
        out[i, codes[s, i]] = values[s, i]
    for i, (first, end) in enumerate(zip(starts[:-1], ends, strict=True)):
        out[i, N_COLUMNS + buckets[first:end]] = counts[first:end]
    return out


@st.composite
def entries(draw: st.DrawFn) -> Drawn:
    """Draw codes and values (slots, n), in increasing columns, and words: starts, ends, buckets, values."""
    n_slots, n_rows = draw(st.integers(0, 4)), draw(st.integers(0, 600))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = draw(st.sampled_from((np.float32, np.float64)))
    columns = np.argsort(rng.random((n_rows, N_COLUMNS)), axis=1)[:, :n_slots]
    codes = np.where(rng.random((n_slots, n_rows)) < 0.8, np.sort(columns, axis=1).T, -1).astype(np.int32)
    values = rng.integers(-1, 3, (n_slots, n_rows)).astype(dtype)
    starts = np.append(0, np.cumsum(rng.integers(0, N_BUCKETS, n_rows))).astype(np.int64)
    ends = starts[:-1] + rng.integers(0, np.diff(starts) + 1)  # rows end before the next one starts
    buckets = np.concatenate([np.arange(count) for count in [0, *np.diff(starts)]]).astype(np.int32)
    drawn = codes, values, starts, ends, buckets, rng.uniform(0.5, 2.0, len(buckets)).astype(dtype)
    for array in drawn:
        array.flags.writeable = False
    return codes, values, list(drawn[2:])


# Law: entries are written where their codes say, those of -1 nowhere, and words behind them.
@given(entries())
def test_dense(drawn: Drawn) -> None:
    codes, values, words = drawn
    out = np.zeros((codes.shape[1], N_COLUMNS + N_BUCKETS), values.dtype)
    _core.fill_dense(codes, values, out)
    _core.fill_dense_words(_core.Words(*words), N_COLUMNS, out)
    np.testing.assert_array_equal(out, reference(*drawn))


# Law: CSR rows hold the same entries in increasing columns, without those that are 0.
@given(entries())
def test_sparse(drawn: Drawn) -> None:
    codes, values, words = drawn
    expected = reference(*drawn)
    pointers = np.append(0, np.cumsum(np.count_nonzero(expected, axis=1))).astype(np.int64)
    indices, data = np.full(pointers[-1], -1, np.int32), np.full(pointers[-1], np.nan, values.dtype)
    rows = _core.OpenRows(pointers[:-1].copy(), indices, data)
    _core.fill_sparse(codes, values, rows)
    _core.fill_sparse_words(_core.Words(*words), N_COLUMNS, rows)
    made = scipy.sparse.csr_array((data, indices, pointers), expected.shape)
    np.testing.assert_array_equal(made.toarray(), expected)
    assert made.has_canonical_format
