"""`predict_interval` of the estimators: coverage on new rows, saved models, streams, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold

import ridgeway as rw
from ridgeway.storage.state import Stored

Array = NDArray[np.float64]

FITS: dict[str, Any] = {
    "gram, leave-one-out": (rw.RidgePathCV(), "jackknife"),
    "gram, folds": (rw.RidgePathCV(cv=5, random_state=0), "cross-validation"),
    "gram, hold-out": (rw.RidgePathCV(cv="holdout", random_state=0), "split conformal"),
    "krylov": (rw.RidgePathCV(solver="krylov", random_state=0), "cross-validation"),
    "sgd by RidgePathCV": (rw.RidgePathCV(solver="sgd", random_state=0), "cross-validation"),
    "sgd, folds": (rw.AveragedSGDRegressor(random_state=0, passes=5), "cross-validation"),
    "sgd, hold-out": (rw.AveragedSGDRegressor(cv="holdout", random_state=0, passes=5), "split conformal"),
    "sgd, chains": (rw.AveragedSGDRegressor(chains=2, random_state=0, passes=5), "cross-validation"),
}


def rows(n: int = 5000, n_targets: int = 1, seed: int = 0) -> tuple[Array, Array]:
    """Return rows with errors that are neither normal nor of equal variance."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    y = X @ rng.standard_normal((4, n_targets)) + rng.standard_t(5, (n, n_targets)) * (1 + np.abs(X[:, :1]))
    return X, y[:, 0] if n_targets == 1 else y


def coverage(model: Any, X: Array, y: Array, **options: Any) -> Any:
    """Return the share of rows that the intervals hold, of each target."""
    ends = model.predict_interval(X, **options)
    assert ends.shape == (*y.shape, 2)
    assert np.isfinite(ends).all()
    return ((ends[..., 0] <= y) & (y <= ends[..., 1])).mean(axis=0)


# Law: intervals hold the share asked for on rows that were not learned from: at the chosen average, at any alpha, by
# either kind of width. 1,000 held-out rows (200 of a hold-out) settle that to about 3 standard deviations.
@pytest.mark.filterwarnings("ignore:.*(run is short|passes|converge)")
@pytest.mark.parametrize("name", FITS)
def test_coverage(name: str, tmp_path: Path) -> None:
    model, method = FITS[name]
    X, y = rows()
    n = 2000 if "hold-out" in name else 1000
    model = clone(model).fit(X[:n], y[:n])
    assert model.interval_method_.startswith(method)
    slack = 0.065 if "hold-out" in name else 0.03
    model.save(tmp_path / "m.safetensors")
    loaded = rw.load(tmp_path / "m.safetensors")
    for here, there in ((model, loaded), (model.at(1.0), loaded.at(1.0))):
        for options in ({"coverage": 0.9}, {"coverage": 0.5}, {"coverage": 0.9, "normalized": True}):
            share = coverage(here, X[2000:], y[2000:], **options)
            assert abs(share - options["coverage"]) < slack * (1 if options["coverage"] == 0.9 else 1.7), options
            # Law: a saved model answers to the bit.
            same = here.predict_interval(X[:50], **options) == there.predict_interval(X[:50], **options)
            assert same.all()


# Law: a stream covers by the residuals of rows before they were learned, at the model's average and at others.
def test_stream(tmp_path: Path) -> None:
    X, y = rows(12_000)
    model = rw.AveragedSGDRegressor()
    for start in range(0, 8000, 1000):
        model.partial_fit(X[start : start + 1000], y[start : start + 1000])
    assert (model.interval_method_ or "").startswith("progressive")
    for one in (model, model.at(0.05), model.at(rw.Uniform())):
        assert abs(coverage(one, X[8000:], y[8000:]) - 0.9) < 0.03
    before = model.predict_interval(X[:9])
    model.save(tmp_path / "m.safetensors")
    assert (rw.load(tmp_path / "m.safetensors").predict_interval(X[:9]) == before).all()


# Law: each of several targets is covered by itself.
@pytest.mark.parametrize("solver", ["gram", "krylov", "sgd"])
def test_several_targets(solver: str) -> None:
    X, y = rows(4000, 2)
    y[:, 1] *= 100
    model = rw.RidgePathCV(solver=solver, random_state=0, cv=5).fit(X[:1500], y[:1500])
    assert (np.abs(coverage(model, X[1500:], y[1500:]) - 0.9) < 0.03).all()
    widths = np.diff(model.predict_interval(X[:1]))[0, :, 0]
    assert 30 < widths[1] / widths[0] < 300


# Law: intervals contain the prediction in their middle, and a larger coverage contains a smaller one.
def test_nested_and_centred() -> None:
    X, y = rows(400)
    model = rw.RidgePathCV().fit(X, y)
    inner, outer = model.predict_interval(X, 0.5), model.predict_interval(X, 0.99)
    assert (outer[:, 0] < inner[:, 0]).all()
    assert (inner[:, 1] < outer[:, 1]).all()
    np.testing.assert_allclose(inner.mean(axis=1), model.predict(X), atol=1e-9)


# Law: a kernel model keeps the residuals of its folds at every alpha: those of kernel ridge fitted to the other folds.
def test_kernel_residuals() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(120)
    splitter = KFold(3, shuffle=True, random_state=1)
    model = rw.AveragedKernelRegressor(kernel="rbf", gamma=0.3, scale=False, cv=splitter, random_state=0).fit(X, y)
    assert model.interval_method_ is not None
    assert "cross-validation" in model.interval_method_
    assert model.held_out_ is not None
    path = model.held_out_.path
    assert path is not None
    for alpha in (1e-3, 0.1, 10.0):
        left = np.empty(120)
        for train, test in splitter.split(X):
            ridge = KernelRidge(kernel="rbf", gamma=0.3, alpha=alpha * len(train))
            mean = y[train].mean()
            left[test] = y[test] - mean - ridge.fit(X[train], y[train] - mean).predict(X[test])
        np.testing.assert_allclose(path.residuals(rw.Geometric(alpha))[:, 0], left[path.numbers], atol=3e-3)
        half = np.sort(np.abs(left))[int(np.ceil(121 * 0.9)) - 1]
        assert np.diff(model.at(alpha).predict_interval(X[:1]))[0, 0] == pytest.approx(2 * half, rel=1e-2)


# Law: kernel intervals of several targets hold new rows, and are the same from a saved model.
def test_kernel_coverage(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2400, 2))
    y = np.column_stack([np.sin(2 * X[:, 0]), 100 * X[:, 1]]) + rng.standard_normal((2400, 2)) * [0.3, 20.0]
    model = rw.AveragedKernelRegressor(gamma=0.3, random_state=0).fit(X[:400], y[:400])
    assert (np.abs(coverage(model, X[400:], y[400:]) - 0.9) < 0.05).all()
    model.save(tmp_path / "k.safetensors")
    again = rw.load(tmp_path / "k.safetensors")
    assert (again.predict_interval(X[400:]) == model.predict_interval(X[400:])).all()
    assert (again.at(1.0).predict_interval(X[:5]) == model.at(1.0).predict_interval(X[:5])).all()


# Law: what has no held-out rows says so, with the remedy.
def test_refusals() -> None:
    X, y = rows(60)
    with pytest.raises(ValueError, match=r"nothing was chosen.*alpha='auto'"):
        rw.RidgePathCV(alpha=1.0).fit(X, y).predict_interval(X)
    with pytest.raises(ValueError, match=r"selection by .* keeps none.*number of folds"):
        rw.AveragedSGDRegressor(cv="gcv", random_state=0).fit(X, y).predict_interval(X)
    with pytest.warns(UserWarning, match="3 rows"), pytest.raises(ValueError, match=r"nothing was chosen.* 4 rows"):
        rw.RidgePathCV().fit(X[:3], y[:3]).predict_interval(X)
    with pytest.raises(ValueError, match=r"kernel SGD without n_components keeps none\. Fit with"):
        rw.AveragedKernelRegressor(solver="sgd", passes=3, random_state=0).fit(X, y).predict_interval(X)
    assert rw.AveragedKernelRegressor(n_components=20, random_state=0).fit(X, y).predict_interval(X).shape == (60, 2)
    wrong: list[tuple[dict[str, Any], str]] = [({"store": "replay"}, "store='replay'"), ({"cv": "progressive"}, "cv=")]
    for option, name in wrong:
        run = rw.AveragedSGDRegressor(random_state=0, **option).fit(*rows(400))
        assert run.held_out_ is not None
        run = run if run.held_out_.path is None else run.at(0.1)  # which a run answers whose residuals were not kept
        with pytest.raises(ValueError, match=rf"residuals were not kept: {name}[^,]*\. Fit with"):
            run.predict_interval(X)
    few = rw.RidgePathCV().fit(X[:8], y[:8])
    with pytest.raises(ValueError, match="8 rows were held out: expected at least 9"):
        few.predict_interval(X)
    assert few.predict_interval(X, 0.8).shape == (60, 2)
    with pytest.raises(ValueError, match="this fit used leave-one-out, whose residuals are known for ridge only"):
        rw.RidgePathCV().fit(X, y).at(rw.Tail(0.5)).predict_interval(X)
    with pytest.raises(ValueError, match="coverage=1: expected"):
        rw.RidgePathCV().fit(X, y).predict_interval(X, 1)


# Law: a model of version 0.1, whose file has no residuals, loads and says what to do.
def test_older_files() -> None:
    X, y = rows(300)
    for model in (
        rw.RidgePathCV(random_state=0).fit(X, y),
        rw.AveragedSGDRegressor(random_state=0, passes=5).fit(X, y),
    ):
        state = model.state()
        held_out = state["fit"]["held_out"]
        del held_out["path"], held_out["ridge_path"]
        older = type(model).from_state(Stored(state))
        assert (older.predict(X) == model.predict(X)).all()
        with pytest.raises(ValueError, match=r"saved by version 0.1.*Fit it again"):
            older.predict_interval(X)
