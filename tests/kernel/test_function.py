"""Kernel functions against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics.pairwise import pairwise_kernels

from ridgeway.kernel.function import NAMES, Kernel, takes_gamma
from ridgeway.rows import check_rows
from ridgeway.storage.state import Stored


def product(x: Any, z: Any, power: int = 1) -> float:
    return float(x @ z) ** power


# Law: every named kernel is scikit-learn's, dense and sparse, in both precisions; so is its diagonal.
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_are_those_of_scikit_learn(name: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X, Z = rng.uniform(0.1, 1, (20, 3)).astype(dtype), rng.uniform(0.1, 1, (7, 3)).astype(dtype)
    gamma = 0.3 if takes_gamma(name) else None
    expected = pairwise_kernels(X, Z, metric=name, filter_params=True, gamma=0.3, degree=2, coef0=0.5)
    kernel = Kernel(name, gamma, 2, 0.5)
    block = kernel.block(check_rows(X), check_rows(Z))
    assert block.dtype == dtype
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(block, expected, rtol=tolerance)
    diagonal = kernel.block(check_rows(X), check_rows(X)).diagonal()
    np.testing.assert_allclose(kernel.diagonal(check_rows(X)), diagonal, rtol=10 * tolerance)
    if name not in ("additive_chi2", "chi2"):
        sparse = [check_rows(scipy.sparse.csr_array(array)) for array in (X, Z)]
        np.testing.assert_allclose(kernel.block(*sparse), expected, rtol=tolerance)


def test_callable() -> None:
    X = np.random.default_rng(0).standard_normal((5, 3))
    rows = check_rows(X)
    kernel = Kernel(product, params={"power": 2})
    np.testing.assert_allclose(kernel.block(rows, rows), (X @ X.T) ** 2)
    np.testing.assert_allclose(kernel.diagonal(rows), (X**2).sum(axis=1) ** 2)
    with pytest.raises(ValueError, match=r"product is a function.*model file"):
        kernel.state()


def test_state() -> None:
    kernel = Kernel("polynomial", 0.3, 2, 0.5)
    assert Kernel.from_state(Stored(kernel.state())) == kernel


# Law: bad kernels are refused by name, and values that are not finite never leave.
def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"kernel='rfb': expected one of .*Did you mean 'rbf'\?"):
        Kernel("rfb")
    for gamma in (0.0, -1.0):
        with pytest.raises(ValueError, match=r"gamma=.* is not positive"):
            Kernel("rbf", gamma)
    rows = check_rows(np.full((2, 2), 1e200))
    with pytest.raises(ValueError, match=r"kernel='polynomial' has values that are not finite"):
        Kernel("polynomial", 1.0).block(rows, rows)
