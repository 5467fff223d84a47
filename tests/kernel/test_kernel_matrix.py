"""Products with a kernel matrix, against the matrix as a whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernel.problems import Array, gaussian, smooth

from ridgeway.kernel import kernel_matrix
from ridgeway.kernel.function import Kernel
from ridgeway.kernel.kernel_entries import EntriesOfRows, GivenEntries, KernelEntries
from ridgeway.kernel.kernel_matrix import KernelMatrix
from ridgeway.rows import check_rows

FORMS: dict[str, Callable[[Array], KernelEntries]] = {
    "given": lambda X: GivenEntries(gaussian(X, X, 0.7)),
    "rows": lambda X: EntriesOfRows(Kernel("rbf", 0.7), check_rows(X)),
}


# Law: a product by strips is the product with the matrix, wherever strips and tiles are cut and whatever is kept.
@given(
    st.sampled_from(sorted(FORMS)),
    st.integers(1, 90),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 3),
    st.floats(0, 1),
    st.integers(1, 3),
)
def test_product(form: str, n: int, strip: int, tile: int, k: int, share: float, n_threads: int) -> None:
    X, _ = smooth(n)
    V = np.random.default_rng(n).standard_normal((k, n))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_matrix, "STRIP_ROWS", strip)
        patch.setattr(kernel_matrix, "TILE_COLUMNS", tile)
        cache_bytes = share * 8 * n**2
        matrix = KernelMatrix(FORMS[form](X), cache_bytes, n_threads)
        expected = V @ gaussian(X, X, 0.7)
        for _ in range(2):  # computed, then kept
            np.testing.assert_allclose(matrix.times(V), expected, rtol=1e-10, atol=1e-10)
        assert matrix.nbytes <= cache_bytes


# Law: neither threads nor what is kept change a bit.
def test_same_bits() -> None:
    X, _ = smooth(700)
    V = np.random.default_rng(0).standard_normal((4, 700))
    rows = check_rows(X.astype(np.float32))
    answers = [
        KernelMatrix(EntriesOfRows(Kernel("rbf", 0.7), rows), cache_bytes, n_threads).times(V)
        for cache_bytes, n_threads in ((0, 1), (0, 2), (500_000, 2), (1e9, 1))
    ]
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0], other)


# Law: one triangle of the matrix is kept, not both.
def test_half_of_the_memory() -> None:
    X, _ = smooth(1000)
    matrix = KernelMatrix(EntriesOfRows(Kernel("rbf", 0.7), check_rows(X)), 1e9)
    matrix.times(np.ones((1, 1000)))
    assert matrix.nbytes < 0.6 * 8 * 1000**2


# Law: products of float32 strips are added up in float64.
def test_float32() -> None:
    X, _ = smooth(3000)
    V = np.random.default_rng(0).standard_normal((2, 3000))
    rows = check_rows(X.astype(np.float32))
    product = KernelMatrix(EntriesOfRows(Kernel("rbf", 0.7), rows), 1e9).times(V)
    expected = V @ gaussian(X, X, 0.7)
    assert product.dtype == np.float64
    assert np.abs(product - expected).max() < 1e-5 * np.abs(V).sum()
