"""Variances of held-out targets, from rows and from moments."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.rows import check_batch
from ridgeway.selection.target_variance import variance_of_moments, variance_of_rows


# Law: the variance is the weighted mean squared distance from the weighted mean, from rows and from moments.
def test_variance() -> None:
    rng = np.random.default_rng(0)
    y, weight = rng.normal([0.3, -0.5], 1.0, (80, 2)), rng.uniform(0.1, 3.0, 80)
    rows = np.arange(10, 70)
    expected = np.cov(y[rows].T, aweights=weight[rows], ddof=0).diagonal()
    np.testing.assert_allclose(variance_of_rows(check_batch(np.ones((80, 1)), y, weight), rows), expected)
    known = np.stack([np.ones_like(y), y], axis=2)[rows]
    moments = np.einsum("n,nqi,nqj->qij", weight[rows], known, known)
    np.testing.assert_allclose(variance_of_moments(moments), expected)


# Law: targets that are all the same have no variance, and rounding makes none below 0.
@pytest.mark.parametrize("offset", [0.1, 1.1, 1e8 + 0.1])
def test_equal_targets(offset: float) -> None:
    y = np.full((700, 1), offset)
    batch = check_batch(np.ones((700, 1)), y, np.linspace(0.1, 0.7, 700))
    assert variance_of_rows(batch, np.arange(700)) == 0.0
    known = np.concatenate([np.ones_like(y), y], axis=1)
    weights = np.linspace(0.1, 0.7, 700) * np.linspace(1.0, 3.0, 20)[:, None]
    moments = np.einsum("kn,ni,nj->kij", weights, known, known)
    assert (variance_of_moments(moments) >= 0).all()
    unbounded = moments[:, 1, 1] / moments[:, 0, 0] - (moments[:, 0, 1] / moments[:, 0, 0]) ** 2
    assert (unbounded < 0).any()  # so the bound matters
