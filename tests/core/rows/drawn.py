"""Rows that the laws of the kernels are tried on: of any shape, read-only, dense or CSR."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st
from numpy.typing import NDArray

FLOATS = (np.float32, np.float64)


def tolerance(dtype: Any) -> float:
    """Return a few roundings of sums of some hundred numbers near 1."""
    return 300 * float(np.finfo(dtype).eps)


def frozen(array: Any) -> Any:
    """Return the array, which cannot be written any more."""
    array.flags.writeable = False
    return array


@st.composite
def dense_rows(draw: st.DrawFn, min_rows: int = 0, max_columns: int = 41) -> NDArray[Any]:
    """Draw an array (n, d) of normal numbers; columns fill whole lanes or not."""
    n_rows, n_columns = draw(st.integers(min_rows, 70)), draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    X = rng.standard_normal((n_rows, n_columns)).astype(draw(st.sampled_from(FLOATS)))
    return np.asarray(frozen(X))


@st.composite
def csr_rows(draw: st.DrawFn, min_rows: int = 0) -> Any:
    """Draw a CSR array with sorted columns, empty rows among them, its column numbers int32 or int64."""
    X = draw(dense_rows(min_rows))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    csr = scipy.sparse.csr_array(np.where(rng.random(X.shape) < draw(st.sampled_from((0.0, 0.3, 1.0))), X, 0))
    index = draw(st.sampled_from((np.int32, np.int64)))
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(np.int64)
    return csr


def orders(n_rows: int) -> st.SearchStrategy[NDArray[np.intp]]:
    """Draw numbers of rows, in any order, some of them repeated."""
    numbers = st.lists(st.integers(0, n_rows - 1), max_size=40) if n_rows else st.just([])
    return numbers.map(lambda order: frozen(np.array(order, np.intp)))


def weights_of(n_rows: int, seed: int = 0) -> NDArray[np.float64]:
    """Return weights (n_rows,) around 1."""
    return np.asarray(frozen(np.random.default_rng(seed).uniform(0.5, 2.0, n_rows)))
