"""Strong ridge strengths of a young stream: its constant step answers them with noise, and a warning says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import ridgeway as rw

NOISY = r"alpha=3 rests on about \d+ rows? of this stream: until 100,000 rows .*\(2,000 so far\).* noise"


def rows(n: int = 2000, d: int = 10, *, noise: float = 0.5, correlated: float = 0.0, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + correlated * rng.standard_normal((n, 1))
    signal = X @ rng.standard_normal(d)
    return X, signal / signal.std() + noise * rng.standard_normal(n)


def streamed(X: Any, y: np.ndarray, **options: Any) -> rw.AveragedSGDRegressor:
    model = rw.AveragedSGDRegressor(**options)
    for first in range(0, X.shape[0], 2000):
        model.partial_fit(X[first : first + 2000], y[first : first + 2000])
    return model


def weakest_noisy(model: Any) -> float:
    return float(model._fitted().noisy.weakest)


# Law: from the alpha that is named on predictions are notably far from exact ridge, and not at a tenth of it.
@pytest.mark.parametrize(
    ("kind", "batch_size"), [({}, 1), ({"noise": 2.0}, 1), ({"correlated": 2.0}, 1), ({"d": 100}, 1), ({}, 8)]
)
def test_distance_from_ridge(kind: dict[str, Any], batch_size: int) -> None:
    near, at, above = np.mean([distances(kind, batch_size, seed) for seed in range(4)], axis=0)
    assert near < 0.08
    assert 0.06 < at < 0.22
    assert above > 0.25


def distances(kind: dict[str, Any], batch_size: int, seed: int) -> np.ndarray:
    X, y = rows(30_000, **kind, seed=seed)
    model = streamed(X, y, batch_size=batch_size)
    alphas = weakest_noisy(model) * np.array([0.1, 1.0, 10.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = model.path(alphas).coefs
    exact = rw.RidgePathCV(solver="gram", alpha=1.0).fit(X, y).path(alphas).coefs
    answer: np.ndarray = np.std(X @ (found - exact).T, axis=0) / np.std(X @ exact.T, axis=0)
    return answer


# Law: strong alphas warn at each place that answers them; predictions and weak alphas are silent.
@pytest.mark.parametrize(
    "estimator",
    [
        rw.AveragedSGDRegressor(),
        rw.RidgePathCV(solver="sgd"),
        rw.AveragedKernelRegressor(n_components=30, solver="sgd", random_state=0),
    ],
)
@pytest.mark.parametrize("loaded", [False, True])
def test_warnings(estimator: Any, loaded: bool, tmp_path: Path) -> None:
    X, y = rows()
    model = clone(estimator).partial_fit(X, y)
    if loaded:
        model.save(tmp_path / "model")
        model = rw.load(tmp_path / "model")
    model.predict(X)  # a warning would be an error
    weak = weakest_noisy(model) / 2
    model.at(weak).predict(X)
    model.path([0.0, weak])
    questions: list[Callable[[], Any]] = [
        lambda: model.at(3.0),
        lambda: model.at(rw.Geometric(3.0)),
        lambda: model.at(weak).at(3.0),
        lambda: model.path([weak, 3.0]),
        lambda: model.predict_path(X, [3.0]),
    ]
    for asked in questions:
        with pytest.warns(ConvergenceWarning, match=NOISY) as caught:
            asked()
        assert len(caught) == 1
    with pytest.warns(ConvergenceWarning, match="2 alphas up to 30 rest on few rows"):
        model.path([weak, 3.0, 30.0])


# Law: the alpha that is named does not depend on the units of X and y, nor on how the stream is cut.
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units(scale: float) -> None:
    X, y = rows()
    weakest = weakest_noisy(streamed(X, y))
    assert weakest_noisy(streamed(X * scale, y / scale)) == pytest.approx(weakest, rel=1e-6)
    unscaled = weakest_noisy(streamed(X, y, scale=False))
    assert weakest_noisy(streamed(X * scale, y, scale=False)) == pytest.approx(unscaled * scale**2, rel=0.5)


# Law: of several targets the noisiest decides, and sparse rows are judged, too.
def test_targets_and_sparse_rows() -> None:
    X, y = rows()
    both = np.column_stack([y, y + 5 * np.random.default_rng(1).standard_normal(len(y))])
    assert weakest_noisy(streamed(X, both)) < 0.5 * weakest_noisy(streamed(X, y))
    sparse = scipy.sparse.csr_array(X * (np.abs(X) > 1))
    with pytest.warns(ConvergenceWarning, match=NOISY):
        streamed(sparse, y).at(3.0)


# Law: there is no warning once the step has grown, after a fit, nor where the user has set a constant step.
def test_silence() -> None:
    X, y = rows(6000)
    streamed(X, y, step=rw.GrowingStep(0.02, climb=2000)).at(3.0)
    streamed(X, y, step=0.02).at(3.0)
    rw.AveragedSGDRegressor(random_state=0, passes=20).fit(X[:3000], y[:3000]).partial_fit(X[3000:], y[3000:]).at(3.0)


# Law: rows of zeros and a constant target name no alpha that is not a number.
@pytest.mark.parametrize(("x", "target"), [(0.0, 1.0), (1.0, 0.0)])
def test_nothing_to_learn(x: float, target: float) -> None:
    X, y = rows(300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(streamed(X * x, y * target).path([0.1, 10.0]).coefs).all()
