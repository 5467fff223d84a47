"""Laws of replays."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import problem

import ridgeway as rw
from ridgeway.rows import DenseRows


# Law: many schemes at once, which share moments, are answered as each one alone.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("batch_size", [1, 3])
def test_many_schemes_are_answered_like_one(form: Any, dtype: Any, batch_size: int) -> None:
    X, y = problem(9000, 5, 2, dtype)
    run = rw.run_sgd(form(X), y, 0.02, batch_size=batch_size)
    schemes: list[rw.Scheme] = [rw.Geometric(alpha) for alpha in np.logspace(-6, 4, 30)]
    schemes[3:3] = [rw.Exponential(0.99), rw.Tail(1234), rw.Poisson(500.0), rw.Last()]
    together = run.average(schemes)
    alone = np.stack([run.coef(scheme) for scheme in schemes])
    scale = np.abs(alone).max(axis=(1, 2))
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    assert (np.abs(together - alone).max(axis=(1, 2)) / scale).max() < tolerance


# Law: the average is the direct product X' (gains * S).
def test_the_direct_product() -> None:
    X, y = problem(5000, 4)
    run = rw.run_sgd(X, y, 0.02)
    assert isinstance(run, rw.Replay)
    for scheme in (rw.Geometric(0.3), rw.Exponential(0.9), rw.Tail(0.9)):
        survival = scheme.survival(np.arange(1, 5001), 5000, 0.02)
        np.testing.assert_allclose(run.coef(scheme), X.T @ (run.gains[:, 0] * survival), atol=1e-13)


# Law: L schemes on n rows need no array of n x L numbers.
@pytest.mark.parametrize("scheme", [rw.Geometric, rw.Exponential])
def test_memory_does_not_grow_with_rows_times_schemes(scheme: Any) -> None:
    X, y = problem(200_000, 2)
    run = rw.run_sgd(X, y, 0.02)
    schemes = [scheme(value) for value in np.linspace(0, 0.99, 100)]
    tracemalloc.start()
    run.average(schemes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000 * 100 * 8 / 8


# Law: the rows are referred to, not copied.
def test_rows_are_not_copied() -> None:
    X, y = problem(1000)
    run = rw.run_sgd(X, y, 0.02)
    assert isinstance(run, rw.Replay)
    (segment,) = run.segments
    assert isinstance(segment.rows, DenseRows)
    assert np.shares_memory(segment.rows.array, X)
    assert run.nbytes == 8000
    assert "n_steps=1000" in repr(run)
