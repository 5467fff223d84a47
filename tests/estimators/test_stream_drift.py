"""Drift of a stream of `RidgePathCV`: it warns where the latest rows alone predict the next ones clearly better."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import ridgeway as rw

N_ROWS = 30_000


def turning(seed: int, n: int = N_ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose coefficients turn by a right angle from the first row to the last."""
    rng = np.random.default_rng(seed)
    X, (first, last) = rng.standard_normal((n, 6)), rng.standard_normal((2, 6))
    angle = np.linspace(0, np.pi / 2, n)
    return X, np.cos(angle) * (X @ first) + np.sin(angle) * (X @ last) + 0.2 * rng.standard_normal(n)


def warned(X: Any, y: np.ndarray, cuts: Sequence[int] = (), **options: Any) -> list[str]:
    model = rw.RidgePathCV(random_state=0, **options)
    edges = [0, *(cuts or range(1500, X.shape[0], 1500)), X.shape[0]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for start, stop in pairwise(edges):
            model.partial_fit(X[start:stop], y[start:stop])
    return [str(warning.message) for warning in caught]


# Law: coefficients that turn slowly, or change at once, are drift, told once, with what to do.
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("change", ["slow", "at once", "of the mean"])
def test_drift(seed: int, change: str) -> None:
    X, y = turning(seed)
    if change != "slow":
        rng, late = np.random.default_rng(seed), np.arange(N_ROWS) > N_ROWS // 2
        y = X[:, 0] + 0.5 * rng.standard_normal(N_ROWS)
        y = np.where(late, y + 3 if change == "of the mean" else -y, y)
    (message,) = warned(X, y)
    assert "this stream drifts: on rows" in message
    assert "AveragedSGDRegressor follows a stream" in message


def stationary(kind: str, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    X, w = rng.standard_normal((N_ROWS, 12)), rng.standard_normal(12)
    noise = rng.standard_normal(N_ROWS)
    if kind == "heavy tails":
        X = rng.standard_t(2.5, X.shape)
        return X, X @ w + rng.standard_t(2.5, N_ROWS)
    if kind == "skewed":
        return np.exp(X), np.exp(2 * noise) + np.exp(X) @ w
    if kind == "rare":
        return X, (rng.random(N_ROWS) < 0.02).astype(float)
    if kind == "noise that comes and goes":
        return X, X @ w + noise * (1 + 5 * (np.arange(N_ROWS) // 3000 % 2))
    if kind == "rows that spread":
        X *= np.linspace(1, 5, N_ROWS)[:, None]
        return X, X @ w + noise
    if kind == "sparse":
        X = X * (rng.random(X.shape) < 0.05)
        return scipy.sparse.csr_array(X), X @ w + noise
    if kind == "dependent columns":
        X[:, 1], X[:, 2] = X[:, 0], 7.0
        return X, X @ w + noise
    return X, X @ w + {"no noise": 0.0, "noise": 3.0}[kind] * noise


# Law: streams without drift are silent, also with heavy tails, rare outcomes, changing noise and no noise at all.
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "kind",
    [
        "noise",
        "no noise",
        "heavy tails",
        "skewed",
        "rare",
        "noise that comes and goes",
        "rows that spread",
        "sparse",
        "dependent columns",
    ],
)
def test_silence(kind: str, seed: int) -> None:
    assert warned(*stationary(kind, np.random.default_rng(seed)), fit_intercept=seed % 2 == 0, scale=seed < 2) == []


# Law: the warning does not depend on how the stream is cut, on units, or on targets beside, but on the order.
def test_cuts_and_units() -> None:
    X, y = turning(0)
    expected = warned(X, y)
    assert len(expected) == 1
    assert warned(X, y, cuts=[700, 701, 9000, 21_003]) == expected
    assert warned(X * 1e-150, y * 1e120) == expected
    assert warned(X + 1e4, y - 1e6) == expected
    steady = X[:, 0] + np.random.default_rng(1).standard_normal(N_ROWS)
    assert warned(X, np.column_stack([steady, y])) == expected
    order = np.random.default_rng(2).permutation(N_ROWS)
    assert warned(X[order], y[order]) == []


# Law: watching changes no model, by a copy at another alpha neither, and a fit begins anew.
def test_models_are_the_same() -> None:
    X, y = turning(1, 12_000)
    whole = rw.RidgePathCV(random_state=0).fit(X, y)
    stream = rw.RidgePathCV(random_state=0).partial_fit(X[:5000], y[:5000]).at(0.5)
    stream.alpha, stream.averaging = "auto", "geometric"
    with pytest.warns(UserWarning, match="drifts"):
        stream.partial_fit(X[5000:], y[5000:])
    np.testing.assert_allclose(stream.path([0.01, 1.0]).coefs, whole.path([0.01, 1.0]).coefs, rtol=1e-9)
    stream.partial_fit(X, y)  # told already
    with pytest.warns(UserWarning, match="on rows 14,001 to 16,000"):
        stream.fit(X, y).partial_fit(-X, y)


# Law: a refused batch, or a warning that is an error, leaves the stream as it was.
def test_all_or_nothing() -> None:
    X, y = turning(2)
    model = rw.RidgePathCV(random_state=0).partial_fit(X[:4000], y[:4000])
    broken = X[4000:].copy()
    broken[-1, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(broken, y[4000:])
    with pytest.raises(UserWarning, match="drifts"):  # the configuration of the tests makes warnings errors
        model.partial_fit(X[4000:], y[4000:])
    assert model.n_rows_ == 4000
