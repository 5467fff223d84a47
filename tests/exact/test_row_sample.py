"""Random rows of a stream, and the residuals of held-out rows that they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

import ridgeway as rw
from ridgeway.exact import row_sample
from ridgeway.exact.row_sample import RowSample
from ridgeway.rows import check_batch
from ridgeway.storage.state import StateError, Stored

N, D = 400, 4


def problem(sparse: bool = False, n_targets: int = 1) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((N, D)) * [1.0, 5.0, 0.1, 2.0] + [3.0, 0.0, 1.0, -2.0]
    if sparse:
        X[rng.random((N, D)) < 0.6] = 0.0
    y = X @ rng.standard_normal((D, n_targets)) + rng.standard_normal((N, n_targets)) * 2 + 4
    return scipy.sparse.csr_array(X) if sparse else X, y if n_targets > 1 else y[:, 0]


def streamed(X: Any, y: np.ndarray, size: int, **options: Any) -> rw.RidgePathCV:
    model = rw.RidgePathCV(solver="gram", random_state=0, **options)
    for first in range(0, len(y), size):
        model.partial_fit(X[first : first + size], y[first : first + size])
    return model


def sample_of(model: rw.RidgePathCV) -> RowSample:
    assert model._model.sums is not None
    assert model._model.sums.sample is not None
    return model._model.sums.sample.smallest()


# Law: the residual of a row is that of ridge refitted to the rows of all other folds, at every alpha.
@pytest.mark.parametrize("form", ["dense", "sparse", "targets", "no intercept", "no scale"])
def test_residuals_are_those_of_refits(form: str) -> None:
    X, y = problem(form == "sparse", 2 if form == "targets" else 1)
    options = {"fit_intercept": form != "no intercept", "scale": form != "no scale"}
    model = streamed(X, y, 70, **options)
    sample = sample_of(model)
    np.testing.assert_array_equal(sample.numbers, np.arange(N))
    whole = X.toarray() if form == "sparse" else X
    scale = np.abs(whole).max(axis=0) if form == "sparse" else whole.std(axis=0)
    rows = whole / (scale if options["scale"] else 1.0)
    targets = y.reshape(N, -1)
    path = model.held_out_.path  # type: ignore[union-attr]
    assert path is not None
    for alpha in (1e-3, 0.1, 10.0):
        expected = np.empty_like(targets)
        for fold in range(5):
            test = sample.folds == fold
            ridge = Ridge(alpha=alpha * (~test).sum(), fit_intercept=options["fit_intercept"])
            ridge.fit(rows[~test], targets[~test])
            expected[test] = targets[test] - ridge.predict(rows[test]).reshape(test.sum(), -1)
        found = np.empty_like(targets)
        found[path.numbers] = path.residuals(rw.Geometric(alpha))
        np.testing.assert_allclose(found, expected, atol=1e-5 * targets.std())


# Law: errors and variance of the held-out rows are those of all rows, although only some of them are kept.
def test_errors_are_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = problem()
    whole = streamed(X, y, 100)
    monkeypatch.setattr(row_sample, "MAX_KEPT_NUMBERS", 60 * D)
    some = streamed(X, y, 100)
    assert len(sample_of(some).hashes) == 60
    for model in (whole, some):
        rows = model.held_out_
        assert rows is not None
        assert rows.n_rows == N
        np.testing.assert_allclose(rows.variance, y.var(), rtol=1e-10)
        assert model.selection_ is not None
        assert rows.mean_squared_error[0] == pytest.approx(model.selection_.chosen.error, rel=1e-9)
    np.testing.assert_allclose(sample_of(some).x, X[sample_of(some).numbers])


# Law: the rows that are kept do not depend on how the stream is cut, nor on the order of parts that are pooled.
@settings(max_examples=20)
@given(st.lists(st.integers(1, N - 1), unique=True, max_size=8).map(sorted))
def test_cuts_do_not_matter(cuts: list[int]) -> None:
    X, y = problem()
    hashes = np.random.default_rng(3).permutation(N).astype(np.int64)
    numbers, folds = np.arange(N, dtype=np.uint64), np.arange(N) % 5
    parts = []
    empty = RowSample(50, *(array for name, array in vars(RowSample.empty(D, 1)).items() if name != "most"))
    sample = empty
    for first, last in zip([0, *cuts], [*cuts, N], strict=True):
        own = slice(first, last)
        batch = check_batch(X[own], y[own], target_dtype=np.dtype(np.float64))
        sample = sample.with_rows(batch, hashes[own], numbers[own], folds[own])
        parts.append(empty.with_rows(batch, hashes[own], numbers[own], folds[own]))
    expected = np.sort(np.argsort(hashes)[:50])
    for found in (sample, RowSample.pooled(parts), RowSample.pooled(parts[::-1])):
        np.testing.assert_array_equal(found.smallest().numbers, expected)
        np.testing.assert_array_equal(found.smallest().y[:, 0], y[expected])


# Law: intervals cover their share of new rows, at any alpha, and a saved stream answers alike and goes on alike.
def test_intervals(tmp_path: Any) -> None:
    X, y = problem()
    model = streamed(X[:300], y[:300], 50)
    model.save(tmp_path / "m.safetensors")
    loaded = rw.load(tmp_path / "m.safetensors")
    for one, other in ((model, loaded), (model.at(1.0), loaded.at(1.0))):
        found = one.predict_interval(X[300:], coverage=0.9)
        np.testing.assert_array_equal(found, other.predict_interval(X[300:], coverage=0.9))
        assert 0.8 < ((found[:, 0] <= y[300:]) & (y[300:] <= found[:, 1])).mean() < 0.98
    for one in (model, loaded):
        one.partial_fit(X[300:], y[300:])
    np.testing.assert_array_equal(model.predict_interval(X), loaded.predict_interval(X))


# Law: a state that contradicts itself is refused.
@pytest.mark.parametrize(("name", "value"), [("folds", 9), ("weight", 0.0), ("x", np.nan)])
def test_damaged_states(name: str, value: float) -> None:
    X, y = problem()
    state = sample_of(streamed(X, y, 100)).state()
    RowSample.from_state(Stored(state), D, 1, 5)
    state[name] = state[name].copy()
    state[name].flat[0] = value
    with pytest.raises(StateError):
        RowSample.from_state(Stored(state), D, 1, 5)
