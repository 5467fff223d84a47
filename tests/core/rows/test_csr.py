"""CSR rows: whether they are sound, gathering, sums, standardizing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import csr_rows, frozen, orders, weights_of

from ridgeway import _core
from ridgeway.rows import check_rows

INTEGERS = (np.int32, np.int64)


def arrays(csr: Any) -> _core.Csr:
    """Return the arrays as kernels read them."""
    return _core.Csr(frozen(csr.data), frozen(csr.indices.view(f"u{csr.indices.itemsize}")), frozen(csr.indptr))


def fault(indices: list[int], indptr: list[int], n_entries: int, n_columns: int) -> int:
    """Return 2 if something points outside, 1 if columns of a row do not increase, 0 if all is well."""
    ends = [0, *indptr, min(n_entries, len(indices))]
    if not indptr or indptr[0] != 0 or sorted(ends) != ends:
        return 2
    if any(not 0 <= column < n_columns for column in indices[: indptr[-1]]):
        return 2
    rows = [indices[a:b] for a, b in pairwise(indptr)]
    return int(any(sorted(set(row)) != row for row in rows))


def gathered(csr: Any, order: NDArray[np.intp], extra: int, n_columns: int) -> tuple[_core.NewCsr, Any]:
    """Return room for some rows, with so many further entries in each, and the matrix that they will be."""
    indptr = np.append(0, np.cumsum(np.diff(csr.indptr)[order] + extra)).astype(np.int64)
    data, indices = np.full(indptr[-1], np.nan, csr.dtype), np.zeros(indptr[-1], f"u{csr.indices.itemsize}")
    matrix: Any = scipy.sparse.csr_array((len(order), n_columns), dtype=csr.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices.view(csr.indices.dtype), indptr
    return _core.NewCsr(data, indices, indptr), matrix


# Law: a matrix is sound exactly if all columns lie within it and increase in each row, whatever integers tell them.
@given(
    st.lists(st.integers(-2, 4) | st.sampled_from((2**31 - 1, -(2**31))), max_size=6),
    st.lists(st.integers(-2, 8) | st.sampled_from((2**31 - 1, -(2**31))), max_size=5),
    st.sampled_from(INTEGERS),
    st.sampled_from(INTEGERS),
    st.integers(0, 7),
    st.booleans(),
)
def test_fault(indices: list[int], indptr: list[int], index: Any, pointer: Any, n_entries: int, ordered: bool) -> None:
    if ordered:
        indptr = [0, *sorted(abs(number) % (len(indices) + 1) for number in indptr)]
    got = _core.csr_fault(np.array(indices, index), np.array(indptr, pointer), n_entries, 4)
    assert got == fault(indices, indptr, n_entries, 4)


# Law: pointers that leave the arrays in the middle and come back are outside; nothing is read there.
def test_pointers_that_come_back() -> None:
    for pointer in INTEGERS:
        assert _core.csr_fault(np.zeros(3, np.int32), np.array([0, 2**31 - 1, 3], pointer), 3, 4) == 2


# Law: whatever integers a matrix of SciPy holds, its rows are the same.
@pytest.mark.parametrize("index", [np.int8, np.uint16, np.int32, np.int64, np.uint64, ">i4", ">i8", np.longlong])
@pytest.mark.parametrize("pointer", [np.uint8, np.int32, np.int64, ">i8"])
def test_any_integers(index: Any, pointer: Any) -> None:
    X = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 4.0]])
    csr = scipy.sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(pointer)
    np.testing.assert_array_equal(check_rows(csr).times(np.eye(3)), X)
    csr.indptr = np.array([0, 2, 9, 4], pointer)
    with pytest.raises(ValueError, match="damaged CSR"):
        check_rows(csr)


# Law: rows are gathered in any order.
@given(csr_rows(), st.data())
def test_gather(csr: Any, data: st.DataObject) -> None:
    order = data.draw(orders(csr.shape[0]))
    room, matrix = gathered(csr, order, 0, csr.shape[1])
    _core.gather_csr(arrays(csr), order, room)
    np.testing.assert_array_equal(matrix.toarray(), csr.toarray()[order])


# Law: rows are gathered and each column scaled, with a constant entry at the end of each row or without.
@given(csr_rows(), st.sampled_from((0.0, 0.25)), st.data())
def test_standardize(csr: Any, constant: float, data: st.DataObject) -> None:
    order, n_columns = data.draw(orders(csr.shape[0])), csr.shape[1]
    inverse = frozen(np.random.default_rng(0).uniform(0.5, 2.0, n_columns))
    room, matrix = gathered(csr, order, int(constant != 0), n_columns + 1)
    _core.standardize_csr(arrays(csr), order, inverse, constant, room)
    expected = np.column_stack([csr.toarray()[order] * inverse, np.full(len(order), constant)])
    np.testing.assert_array_equal(matrix.toarray(), expected.astype(csr.dtype))


# Law: weighted rows are added in their order, in float64, to the bit; largest entries are raised.
@given(csr_rows())
def test_sums(csr: Any) -> None:
    weight, start = weights_of(csr.shape[0]), np.random.default_rng(1).standard_normal(csr.shape[1])
    expected, dense = start.copy(), csr.toarray().astype(np.float64)
    for w, row in zip(weight, dense, strict=True):
        expected += w * row
    plain, sums, largest = start.copy(), start.copy(), np.full(csr.shape[1], 0.5)
    _core.csr_weighted_sum(arrays(csr), weight, plain)
    _core.csr_column_sums(arrays(csr), weight, sums, largest)
    np.testing.assert_array_equal(plain, expected)
    np.testing.assert_array_equal(sums, expected)
    np.testing.assert_array_equal(largest, np.abs(dense).max(axis=0, initial=0.5))
