"""Held-out predictions: what the chosen average said of rows before it learned from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.oracles import brute_iterates

import ridgeway as rw
from ridgeway.selection import HeldOut
from ridgeway.selection.held_out import MAX_SAMPLE_ROWS

PLAIN: dict[str, Any] = {"scale": False, "fit_intercept": False, "step": 0.02, "passes": 1, "shuffle": False}


def data(n: int = 600, d: int = 4, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n)


def average(scheme: rw.Scheme, iterates: Any) -> Any:
    """The average of iterates, by its definition."""
    weights = scheme.weights(len(iterates) - 1, PLAIN["step"])
    return weights @ iterates


def held_out(model: Any) -> HeldOut:
    assert model.held_out_ is not None
    rows: HeldOut = model.held_out_
    return rows


# Law: hold-out predictions are those of the average of the steps over all other rows.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_holdout() -> None:
    X, y = data()
    rows = held_out(rw.AveragedSGDRegressor(cv="holdout", averaging="geometric", **PLAIN).fit(X, y))
    assert rows.numbers.tolist() == list(range(540, 600))
    coef = average(rows.scheme, brute_iterates(X[:540], y[:540], PLAIN["step"]))
    np.testing.assert_allclose(rows.predicted[:, 0], X[540:] @ coef, atol=1e-6)
    np.testing.assert_allclose(rows.actual[:, 0], y[540:])
    assert rows.mean_squared_error == pytest.approx(((X[540:] @ coef - y[540:]) ** 2).mean(), rel=1e-5)
    assert rows.variance == pytest.approx(y[540:].var())


# Law: each row of a fold is predicted by the run over the others.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_folds() -> None:
    X, y = data()
    rows = held_out(rw.AveragedSGDRegressor(cv=3, averaging="geometric", **PLAIN).fit(X, y))
    assert rows.numbers.tolist() == list(range(600))
    for test in np.split(np.arange(600), 3):
        train = np.setdiff1d(np.arange(600), test)
        coef = average(rows.scheme, brute_iterates(X[train], y[train], PLAIN["step"]))
        np.testing.assert_allclose(rows.predicted[test, 0], X[test] @ coef, atol=1e-6)


# Law: a row of a stream is predicted by the average as it was when the number of steps had last doubled.
def test_stream() -> None:
    X, y = data(1500)
    model = rw.AveragedSGDRegressor(averaging="geometric", scale=False, fit_intercept=False, step=0.02)
    rows = held_out(model.partial_fit(X, y))
    iterates = brute_iterates(X, y, 0.02)
    assert rows.numbers[0] == 256  # those predicted by the averages at 256, 512 and 1024 steps
    for number, predicted in zip(rows.numbers, rows.predicted[:, 0], strict=True):
        steps = 1 << (int(number).bit_length() - 1)
        coef = average(rows.scheme, iterates[: steps + 1])
        assert abs(predicted - X[number] @ coef) < 2e-3 * y.std()  # along six directions
    np.testing.assert_allclose(rows.actual[:, 0], y[rows.numbers])
    assert rows.variance == pytest.approx(y[256:].var())


# Law: the sample of a stream does not depend on how it is cut, is bounded, and is spread over all of its last part.
def test_stream_sample_is_even() -> None:
    X, y = data(30_000, 2)
    whole = held_out(rw.AveragedSGDRegressor(step=0.02).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:]))
    cut = rw.AveragedSGDRegressor(step=0.02)
    for first, last in ((0, 100), (100, 101), (101, 5000), (5000, 5003), (5003, 30_000)):
        cut.partial_fit(X[first:last], y[first:last])
    parts = held_out(cut)
    assert whole.numbers.tolist() == parts.numbers.tolist()
    np.testing.assert_allclose(whole.predicted, parts.predicted, rtol=1e-9)
    assert MAX_SAMPLE_ROWS / 2 <= len(whole) <= MAX_SAMPLE_ROWS
    assert whole.n_rows == parts.n_rows == 30_000 - 4096
    np.testing.assert_allclose(whole.variance, parts.variance)
    per_tenth = np.histogram(whole.numbers, 10, (4096, 30_000))[0]
    assert per_tenth.max() - per_tenth.min() <= 4
    assert np.histogram(whole.numbers % 24, 24)[0].min() > len(whole) / 24 - 8  # follows no period


# Law: samples are bounded, drawn from all rows, and in the user's units for every target and kind of rows.
@pytest.mark.parametrize("cv", [5, "holdout", "progressive"])
def test_bounded_and_in_units(cv: Any) -> None:
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((25_000, 3)) * [1.0, 50.0, 0.1] + 7).astype(np.float32)
    Y = 1000 + X @ rng.standard_normal((3, 2)) * [1.0, 30.0] + rng.standard_normal((25_000, 2))
    rows = held_out(rw.AveragedSGDRegressor(cv=cv, passes=1, random_state=0).fit(X, Y))
    assert 900 < len(rows) <= MAX_SAMPLE_ROWS
    assert rows.actual.shape == rows.predicted.shape == (len(rows), 2)
    assert (np.diff(rows.numbers) > 0).all()
    explained = 1 - ((rows.actual - rows.predicted) ** 2).mean(axis=0) / rows.actual.var(axis=0)
    assert (explained > 0.5).all()
    if cv != "progressive":  # whose numbers are places in the order learned
        np.testing.assert_allclose(rows.actual, Y[rows.numbers], rtol=1e-5)


# Law: `held_out_` is None if nothing was held out; a fit drops the rows of an earlier fit.
def test_nothing_held_out() -> None:
    X, y = data(200)
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=2, random_state=0).fit(X, y)
    assert model.held_out_ is None
    model.set_params(alpha="auto", passes=20).fit(X, y)
    assert len(held_out(model)) == 200
    assert model.at(0.5).held_out_ is model.held_out_
    assert model.set_params(alpha=0.1).fit(X, y).held_out_ is None
    assert rw.AveragedSGDRegressor(cv="gcv", passes=20, random_state=0).fit(X, y).held_out_ is None


# Law: rows and passes are counted.
def test_counts() -> None:
    X, y = data(300)
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=3, random_state=0).fit(X, y)
    assert (model.n_rows_, model.passes_) == (300, 3.0)
    assert model.partial_fit(X[:50], y[:50]).n_rows_ == 350
    assert rw.AveragedSGDRegressor(alpha=0.1).partial_fit(X, y).n_rows_ == 300


# Law: outlying rows count in full in the reported error.
def test_error_is_not_capped() -> None:
    X, y = data(5000)
    y[17] += 300
    rows = held_out(rw.AveragedSGDRegressor(random_state=0, passes=2).fit(X, y))
    assert float(rows.mean_squared_error[0]) > 300**2 / 5000 * 0.9


# Law: errors of several targets are weighted means over all rows, so rows of weight 3 count as three rows each.
def test_weighted_errors_of_several_targets() -> None:
    X, y = data(1200)
    Y = np.column_stack([y, 2 * X[:, 0] + np.random.default_rng(1).standard_normal(1200)])
    weight = np.where(np.arange(1200) % 2, 3.0, 1.0)
    Y[::2] *= 10  # the lighter rows are harder
    rows = held_out(rw.AveragedSGDRegressor(step=0.01, random_state=0).partial_fit(X, Y, weight))
    assert len(rows) == rows.n_rows  # all of them are in the sample
    share = weight[rows.numbers] / weight[rows.numbers].sum()
    np.testing.assert_allclose(rows.mean_squared_error, share @ (rows.actual - rows.predicted) ** 2, rtol=1e-9)
    mean = share @ rows.actual
    np.testing.assert_allclose(rows.variance, share @ (rows.actual - mean) ** 2, rtol=1e-9)


# Law: a stream that is stored and read again at any time ends with the same sample.
@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("stop", [100, 300, 1800])
def test_stored_streams_go_on(tmp_path: Path, targets: int, stop: int) -> None:
    X, y = data(3000)
    Y = y if targets == 1 else np.column_stack([y, -y])
    model = rw.AveragedSGDRegressor(passes=20, random_state=0).fit(X[:200], Y[:200])
    model.partial_fit(X[200 : 200 + stop], Y[200 : 200 + stop])
    model.save(tmp_path / "model.safetensors")
    again = rw.load(tmp_path / "model.safetensors")
    for part in (model, again):
        part.partial_fit(X[200 + stop :], Y[200 + stop :])
    ours, theirs = held_out(model), held_out(again)
    for name in ("numbers", "actual", "predicted", "mean_squared_error", "variance"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
