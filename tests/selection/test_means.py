"""Sums of standardized rows, from which means are told."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.rows import DenseRows, readonly
from ridgeway.selection.means import weighted_sum


# Law: float32 rows are summed in float64, without their constant column, whatever pieces they come in.
@pytest.mark.parametrize("cut", [0, 1, 4, 6, 11])
def test_weighted_sum(cut: int) -> None:
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((11, 5)).astype(np.float32), rng.uniform(0.5, 2.0, 11)
    parts = [part for part in (slice(0, cut), slice(cut, None)) if len(X[part])]
    total = np.sum([weighted_sum(DenseRows(readonly(X[part])), weight[part]) for part in parts], axis=0)
    np.testing.assert_allclose(total, (weight @ X.astype(np.float64))[:-1], atol=1e-14)
