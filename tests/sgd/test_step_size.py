"""Laws of the automatic step."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import problem

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.sgd.step_size import auto_step

ALPHAS = (0.0, 1e-9, 1e-3, 1.0, 1e3, 1e9)


# Law: the step is 0.5 sum q / sum q^2 with q = weight |x|^2, rounded down to an eighth of an octave.
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rule(weighted: bool, form: Any) -> None:
    X, y = problem(n=500)
    weight = np.random.default_rng(0).uniform(0.1, 5, 500) if weighted else None
    q = (X**2).sum(axis=1) * (1.0 if weight is None else weight)
    run = rw.run_sgd(form(X), y, sample_weight=weight)
    exact = 0.5 * q.sum() / (q**2).sum()
    assert exact / 2 ** (1 / 8) < run.step <= exact
    assert np.isclose(run.r2, (q**2).sum() / q.sum())
    assert np.isclose(np.log2(run.step) * 8 % 1, 0)
    assert run.limited == (run.step * q > 1).sum()


# Law: however large the data, the step is that of all rows: a sample of them only guesses it.
@pytest.mark.parametrize("tails", ["light", "heavy", "one outlier"])
def test_large_data(tails: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300_000, 30), dtype=np.float32)
    if tails == "heavy":
        X *= rng.standard_t(2, (300_000, 1)).astype(np.float32)
    if tails == "one outlier":
        X[123_456] *= 1e4
    y = X[:, 0]
    batch = check_batch(X, y)
    run = rw.run_sgd(X, y, store="sketch")
    assert run.step == auto_step(batch).size


# Law: few rows are too few for a sample: all of them are read.
def test_wide_and_short_data() -> None:
    X = np.random.default_rng(0).standard_normal((1000, 5000))
    assert rw.run_sgd(X, X[:, 0], store="sketch").step == auto_step(check_batch(X, X[:, 0])).size


# Law: rows whose squares vanish are not taken for rows of zeros.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_vanishing_squares(form: Any) -> None:
    X, y = problem(dtype=np.float32)
    with pytest.raises(ValueError, match=r"squared norms of X are all 0 in float32.*scale the columns up"):
        rw.run_sgd(form(1e-30 * X), y)
    with pytest.raises(ValueError, match=r"step=1e-60 is 0\.0 in float32"):
        rw.run_sgd(form(X), y, step=1e-60)


def test_steps_beyond_float32() -> None:
    X, y = problem(dtype=np.float32)
    with pytest.raises(ValueError, match=r"step=1e\+60 is inf in float32"):
        rw.run_sgd(X, y, step=1e60)
    for bad in ("a", None, True):
        with pytest.raises(TypeError, match="step="):
            rw.LimitedStep(bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit=0: expected a positive number"):
        rw.LimitedStep(0.1, limit=0)


# Law: clipped steps cannot diverge, whatever the rows are.
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_heavy_tails_are_safe(scale: float) -> None:
    rng = np.random.default_rng(0)
    X = scale * rng.standard_normal((3000, 5)) * rng.standard_cauchy((3000, 1)) ** 2
    y = X @ np.ones(5) + rng.standard_normal(3000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = rw.run_sgd(X, y, passes=20, store="sketch")
        path = run.path(ALPHAS)
    assert np.isfinite(path).all()
    assert run.limited > 0


# Law: a few huge rows do not decide the step: R^2 is at most 256 medians.
def test_one_monstrous_row() -> None:
    X, y = problem(n=500)
    X[17] *= 1e6
    run = rw.run_sgd(X, y)
    exact = 0.5 / (256 * np.median((X**2).sum(axis=1)))
    assert exact / 2 ** (1 / 8) < run.step <= exact
    assert run.limited == 1


def test_equal_norms_are_not_limited() -> None:
    X, y = problem(n=300, dtype=np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    assert rw.run_sgd(X, y, passes=3).limited == 0
