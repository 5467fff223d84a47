"""Moments and standardization of targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.core.rows.drawn import FLOATS, dense_rows, frozen, weights_of

from ridgeway import _core

TARGETS = dense_rows(min_rows=1, max_columns=5)


def moments(y: NDArray[Any], weight: NDArray[Any], total: float) -> NDArray[np.float64]:
    """Return weighted means and sums of weighted squared deviations, (2, targets)."""
    mean = weight @ y.astype(np.float64) / total
    return np.stack([mean, weight @ (y - mean) ** 2])


# Law: means and spreads are those of NumPy, whatever the precisions of targets and weights.
@given(TARGETS, st.sampled_from(FLOATS))
def test_moments(y: NDArray[Any], dtype: Any) -> None:
    weight = frozen(weights_of(len(y)).astype(dtype))
    total = float(weight.sum(dtype=np.float64))
    mean, spread = np.empty((2, y.shape[1]))
    _core.target_moments(y, weight, total, mean, spread)
    np.testing.assert_allclose([mean, spread], moments(y, weight.astype(np.float64), total), rtol=1e-9, atol=1e-9)


# Law: the mean of targets that are all alike is exactly that, and their spread is 0.
@given(st.integers(1, 40), st.integers(1, 3), st.floats(-1e6, 1e6, width=32), st.sampled_from(FLOATS))
def test_constant_targets(n_rows: int, n_targets: int, value: float, dtype: Any) -> None:
    y, weight = np.full((n_rows, n_targets), value, dtype), weights_of(n_rows)
    mean, spread = np.empty((2, n_targets))
    _core.target_moments(y, weight, float(weight.sum()), mean, spread)
    assert (mean == value).all()
    assert (spread == 0).all()


# Law: standardized targets are those of NumPy, in the precision asked for, and their squares are summed.
@given(TARGETS, st.sampled_from(FLOATS))
def test_standardize(y: NDArray[Any], dtype: Any) -> None:
    rng = np.random.default_rng(0)
    offset, scale = frozen(rng.standard_normal(y.shape[1])), frozen(rng.uniform(0.5, 2.0, y.shape[1]))
    out = np.empty(y.shape, dtype)
    squares = _core.standardize_targets(y, offset, scale, out)
    expected = (y - offset) / scale
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(squares, (expected**2).sum(), rtol=1e-12)
