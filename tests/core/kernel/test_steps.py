"""Steps within a block of kernel rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core


def reference(
    gram: NDArray[Any], order: NDArray[np.intp], begins: NDArray[np.intp], rates: NDArray[Any], residuals: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the residuals after the steps before them, and the gains."""
    left, gains = residuals.copy(), np.zeros_like(residuals)
    for place, i in enumerate(order):
        before = order[: begins[place]]
        left[i] -= np.tensordot(gram[i, before], gains[before], axes=1)
        gains[i] = rates[i][:, None] * left[i]
    return left, gains


# Law: forward substitution is stepping through the rows in turn: any order, mini-batches, runs and targets.
@given(
    st.integers(0, 40), st.integers(0, 9), st.integers(1, 7), st.integers(1, 3), st.integers(1, 9), st.integers(0, 99)
)
def test_substitute(n_rows: int, others: int, n_runs: int, n_targets: int, batch_size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = int(rng.integers(0, others + 1))
    dtype = (np.float32, np.float64)[seed % 2]
    gram = (0.3 * rng.standard_normal((n_rows, n_rows + others))).astype(dtype)
    order, begins = rng.permutation(n_rows), np.arange(n_rows) // batch_size * batch_size
    rates = (rng.uniform(0, 1, (n_rows, n_runs)) * rng.integers(0, 2, (n_rows, n_runs))).astype(dtype)
    residuals = rng.standard_normal((n_rows, n_runs, n_targets)).astype(dtype)
    for array in (gram, order, begins, rates):
        array.flags.writeable = False
    own = gram[:, first : first + n_rows].astype(np.float64)
    expected = reference(own, order, begins, rates, residuals.astype(np.float64))
    gains = np.full_like(residuals, np.nan)
    _core.substitute(_core.BlockSteps(gram, first, order, begins, rates), residuals, gains)
    size = 1 + max((float(np.abs(part).max(initial=0)) for part in expected), default=0.0)
    for got, wanted in zip((residuals, gains), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=2e3 * float(np.finfo(dtype).eps) * size)
