"""Runs over kernel blocks: forward substitution is SGD."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from tests.kernel.problems import brute_coefficients, gaussian, smooth, sweep_of
from tests.oracles import problem

import ridgeway as rw
from ridgeway.kernel.coordinates import Coordinates
from ridgeway.kernel.definiteness import NotPositiveDefiniteError

SCHEMES: list[rw.Scheme] = [rw.Geometric(0.0), rw.Geometric(0.01), rw.Geometric(3.0), rw.Tail(0.5), rw.Last()]


# Law: with the linear kernel the functions are those of run_sgd, for every average.
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("targets", [None, 2])
def test_linear_kernel_is_run_sgd(batch_size: int, targets: int | None) -> None:
    X, y = problem(103, 4, targets)
    weight = np.random.default_rng(1).uniform(0.5, 2, 103)
    plain = rw.run_sgd(X, y, step=0.03, passes=3, batch_size=batch_size, sample_weight=weight)
    sweep = sweep_of(X @ X.T, y, 0.03, batch_size=batch_size, weight=weight)
    sweep.advance(3 * 103)
    run = sweep.trajectory(0, single_target=targets is None)
    assert (run.n_steps, run.shape) == (plain.n_steps, (103,) if targets is None else (targets, 103))
    for scheme in SCHEMES:
        np.testing.assert_allclose(run.coef(scheme) @ X, plain.coef(scheme), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.iterate(50) @ X, plain.iterate(50), rtol=1e-9, atol=1e-12)


# Law: a run is functional SGD, whatever the order, the weights and the mini-batches.
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("shuffle", [False, True])
def test_functional_sgd(batch_size: int, shuffle: bool) -> None:
    X, y = smooth(64)
    K = gaussian(X, X, 0.7)
    weight = np.random.default_rng(2).uniform(0.5, 1.5, 64)
    sweep = sweep_of(K, y, 0.5, batch_size=batch_size, weight=weight, shuffle=shuffle)
    sweep.advance(2 * 64)
    run = cast("Coordinates", sweep.trajectory(0, single_target=True))
    coefs = brute_coefficients(K, y, 0.5, run._orders, batch_size, weight)
    assert all(sorted(order) == list(range(64)) for order in run._orders)
    assert len({tuple(order) for order in run._orders}) == (2 if shuffle else 1)
    for scheme in SCHEMES:
        expected = scheme.weights(run.n_steps, run.step) @ coefs
        np.testing.assert_allclose(run.coef(scheme), expected, rtol=1e-9, atol=1e-12)


# Law: a fold is a run over its own rows alone; the others neither learn nor count as steps.
@pytest.mark.parametrize("batch_size", [1, 4])
def test_folds_are_runs_of_their_own(batch_size: int) -> None:
    X, y = smooth(64)
    K = gaussian(X, X, 0.7)
    train = np.arange(64) % 5 != 0
    sweep = sweep_of(K, y, 0.5, [np.ones(64, bool), train], batch_size)
    sweep.advance(64)
    run = sweep.trajectory(1, single_target=True)
    kept = np.flatnonzero(train)
    if batch_size == 1:
        alone = sweep_of(K[np.ix_(kept, kept)], y[kept], 0.5)
        alone.advance(len(kept))
        expected = alone.trajectory(0, single_target=True).coef(rw.Geometric(0.1))
        np.testing.assert_allclose(run.coef(rw.Geometric(0.1))[kept], expected, rtol=1e-9)
        assert run.n_steps == len(kept)
    else:
        assert run.n_steps == 16
    np.testing.assert_array_equal(run.coef(rw.Last())[~train], 0.0)


# Law: what is kept of the kernel matrix changes nothing but the time.
def test_cache_changes_nothing() -> None:
    X, y = smooth(64)
    K = gaussian(X, X, 0.7)
    answers = []
    for cache_bytes in (0.0, 20_000.0, 1e9):
        sweep = sweep_of(K, y, 0.5, cache_bytes=cache_bytes, shuffle=True)
        sweep.advance(3 * 64)
        answers.append(sweep.trajectory(0, single_target=True).coef(rw.Geometric(0.01)))
        assert sum(block.nbytes for block in sweep._blocks._kept.values()) <= cache_bytes
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


# Law: float32 stays float32 and agrees with float64 to its digits.
def test_float32() -> None:
    X, y = smooth(64)
    K = gaussian(X, X, 0.7)
    coefs = []
    for dtype in (np.float32, np.float64):
        sweep = sweep_of(K.astype(dtype), y, 0.5)
        sweep.advance(64)
        coefs.append(sweep.trajectory(0, single_target=True).coef(rw.Tail(0.5)))
    assert coefs[0].dtype == np.float32
    np.testing.assert_allclose(coefs[0], coefs[1], atol=2e-5)


# Law: a step that is far too long is told, with one that is safe.
def test_divergence() -> None:
    X, y = smooth(64)
    sweep = sweep_of(gaussian(X, X, 0.7), y, 30.0)
    with pytest.raises(rw.DivergenceError, match="step=1 is safe"):
        sweep.advance(20 * 64)


# Law: a run that explodes at a step which is safe for every positive definite kernel tells that this one is not.
def test_indefinite_kernel() -> None:
    X, y = smooth(64)
    K = 2 * np.eye(64) - gaussian(X, X, 0.7)
    sweep = sweep_of(K, y, 0.5)
    with pytest.raises(NotPositiveDefiniteError, match="not positive definite: the run diverged after"):
        sweep.advance(50 * 64)
