"""Regularised SGD: the iteration, and its exact risk."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ridgeway.averaging import Exponential, Geometric, Last, Scheme, Tail, Uniform
from ridgeway.theory import excess_risk, expected_tikhonov_iterate, tikhonov_sgd, tikhonov_sgd_risk

SCHEMES = [Uniform(), Last(), Tail(0.5), Exponential(0.5), Geometric(0.3)]


# Law: every iterate is a step on the ridge objective from the one before.
def test_iterates() -> None:
    rng = np.random.default_rng(0)
    X, y, w0, centre = rng.standard_normal((40, 3)), rng.standard_normal(40), np.ones(3), np.array([0.0, 1.0, 2.0])
    iterates = tikhonov_sgd(X, y, 0.3, 0.1, w0, centre)
    assert iterates.shape == (41, 3)
    w = w0
    for t in range(40):
        w = w - 0.1 * ((X[t] @ w - y[t]) * X[t] + 0.3 * (w - centre))
        np.testing.assert_allclose(iterates[t + 1], w, rtol=1e-12)
    np.testing.assert_array_equal(tikhonov_sgd(X, y, 0.3, 0.1, w0), tikhonov_sgd(X, y, 0.3, 0.1, w0, centre=w0))


# Law: for coordinates +-sqrt(s) and labels +-sigma about <x, w*> the mean over all runs is the exact risk.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_risk_over_all_runs(scheme: Scheme) -> None:
    s, w_star, sigma, alpha, step, n = np.array([1.0, 0.3]), np.array([1.0, -2.0]), 0.5, 0.4, 0.3, 3
    rows = np.array(list(itertools.product([-1, 1], repeat=2))) * np.sqrt(s)
    X, y = np.vstack([rows, rows]), np.concatenate([rows @ w_star + sigma, rows @ w_star - sigma])
    weights, total, mean = scheme.weights(n, step), 0.0, np.zeros(2)
    for draws in itertools.product(range(8), repeat=n):
        iterates = tikhonov_sgd(X[list(draws)], y[list(draws)], alpha, step)
        total += float((s * (weights @ iterates - w_star) ** 2).sum()) / 8**n
        mean += iterates[-1] / 8**n
    risk = tikhonov_sgd_risk(scheme, s, -w_star, sigma**2, alpha, step, n, kurtosis=1.0)
    assert risk.total == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(expected_tikhonov_iterate(s, w_star, alpha, step, n), mean, rtol=1e-12)


# Law: without a penalty it is plain SGD.
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_without_penalty(scheme: Scheme) -> None:
    problem = ([1.0, 0.2, 0.0], [1.0, 2.0, 3.0], 0.4)
    got = tikhonov_sgd_risk(scheme, *problem, 0.0, 0.1, 60, kurtosis=1.8, batch_size=3)
    expected = excess_risk(scheme, *problem, 0.1, 60, kurtosis=1.8, batch_size=3)
    assert got.total == pytest.approx(expected.total, rel=1e-12)
    assert got.multiplicative_bias == pytest.approx(expected.multiplicative_bias, rel=1e-11)
    assert got.variance == pytest.approx(expected.variance, rel=1e-12)


# Law: a penalty lowers the variance of regularised SGD at every strength.
def test_variance_falls() -> None:
    s = 1 / np.arange(1, 6.0)
    variances = [
        tikhonov_sgd_risk(Uniform(), s, np.ones(5), 1.0, alpha, 0.1, 300).variance
        for alpha in (0.0, 0.01, 0.1, 1.0, 5.0)
    ]
    assert variances == sorted(variances, reverse=True)


def test_refusals() -> None:
    X, y = np.ones((3, 2)), np.ones(3)
    with pytest.raises(ValueError, match=r"X has shape \(3,\): expected a matrix"):
        tikhonov_sgd(y, y, 0.1, 0.1)
    with pytest.raises(ValueError, match=r"y has shape \(2,\): expected \(3,\), one number for each row of X"):
        tikhonov_sgd(X, y[:2], 0.1, 0.1)
    with pytest.raises(ValueError, match=r"X\[0, 0\] is nan"):
        tikhonov_sgd(X * np.nan, y, 0.1, 0.1)
    with pytest.raises(ValueError, match=r"w0 has shape \(3,\): expected \(2,\)"):
        tikhonov_sgd(X, y, 0.1, 0.1, w0=np.ones(3))
    with pytest.raises(ValueError, match=r"step=100 makes the run diverge; a step of 0\.476"):
        tikhonov_sgd(np.ones((400, 2)), np.ones(400), 0.1, 100.0)
    with pytest.raises(ValueError, match=r"step [*] \(s_max \+ alpha\) = 3\.1: expected at most 2"):
        tikhonov_sgd_risk(Uniform(), [1.0], [1.0], 1.0, 30.0, 0.1, 5)
    with pytest.raises(ValueError, match="unstable"):
        tikhonov_sgd_risk(Uniform(), [1.0], [1.0], 1.0, 0.1, 1.0, 5)
