"""The feed of standardized rows."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.rows import check_batch, feed
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization


# Law: weighted norms are those of the rows that runs see, kept or not, and follow the weights.
@pytest.mark.parametrize("kept_bytes", [0, 2**27])
def test_weighted_norms(monkeypatch: pytest.MonkeyPatch, kept_bytes: int) -> None:
    monkeypatch.setattr(feed, "KEPT_BYTES", kept_bytes)
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((500, 3)) * [1.0, 5.0, 0.1] + 2.0, rng.uniform(0.5, 2.0, 500)
    batch = check_batch(X, X[:, 0], weight)
    rows = Feed(batch, Standardization.of(batch, True, True))
    assert (rows.kept is None) == (kept_bytes == 0)
    q = np.concatenate([piece.batch.rows.squared_norms() * piece.batch.weight for piece in rows.pieces(range(500))])
    for _ in range(2):
        np.testing.assert_allclose(rows.weighted_norms(), q, rtol=1e-12)
    factors = rng.uniform(0.1, 1.0, 500)
    np.testing.assert_allclose(
        rows.reweighted(lambda weight: weight * factors).weighted_norms(), q * factors, rtol=1e-12
    )
