"""Random features approximate their kernel."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernel.problems import gaussian, smooth

from ridgeway.kernel.features import FourierFeatures, NystroemFeatures, Scaling, features_of
from ridgeway.kernel.function import Kernel
from ridgeway.rows import check_rows
from ridgeway.storage.state import Stored

NONE = Scaling(None, None)


# Law: products of Fourier features tend to the rbf kernel, with an error of one over the root of their number.
def test_fourier() -> None:
    X, _ = smooth(40)
    errors = []
    for size in (500, 8000):
        features = FourierFeatures.draw(NONE, 0.7, (2, size), np.float64, np.random.default_rng(0)).of(check_rows(X))
        errors.append(np.sqrt(((features @ features.T - gaussian(X, X, 0.7)) ** 2).mean()))
    assert errors[0] < 0.08
    assert 2.5 < errors[0] / errors[1] < 6


# Law: products of Nystroem features are the kernel among the centres, and everywhere when all rows are centres.
def test_nystroem() -> None:
    X, _ = smooth(40)
    rows, kernel = check_rows(X), Kernel("laplacian", 0.7)
    exact = kernel.block(rows, rows)
    some = NystroemFeatures.at(kernel, NONE, rows.between(0, 15)).of(rows)
    np.testing.assert_allclose((some @ some.T)[:15, :15], exact[:15, :15], atol=1e-9)
    every = NystroemFeatures.at(kernel, NONE, rows).of(rows)
    np.testing.assert_allclose(every @ every.T, exact, atol=1e-9)


@pytest.mark.parametrize("kind", ["fourier", "nystroem"])
def test_state(kind: str) -> None:
    X, _ = smooth(40)
    rows = check_rows(X)
    scaling = Scaling(np.array([0.5, 0.0]), np.array([2.0, 3.0]))
    features = (
        FourierFeatures.draw(scaling, 0.7, (2, 9), np.float64, np.random.default_rng(0))
        if kind == "fourier"
        else NystroemFeatures.at(Kernel("rbf", 0.7), scaling, rows.between(0, 9))
    )
    again = features_of(Stored(features.state()), 2)
    np.testing.assert_array_equal(again.of(rows), features.of(rows))
