"""A stream whose step grows: a constant step answers first, then the grown one takes over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import ridgeway as rw

CLIMB = 1000
FIRST = 600  # rows of the first batch, from which scales and steps are


def rows(n: int = 6000, sparse: bool = False) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    X[(np.arange(n) >= FIRST) & (rng.random(n) < 0.02)] *= 3.0
    y = X @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(n)
    return scipy.sparse.csr_array(X) if sparse else X, y


def growing(**options: Any) -> rw.AveragedSGDRegressor:
    climb = CLIMB // options.get("batch_size", 1)
    return rw.AveragedSGDRegressor(step=rw.GrowingStep(0.2, climb=climb), **options)


def fed(model: rw.AveragedSGDRegressor, X: Any, y: np.ndarray, cuts: list[int]) -> rw.AveragedSGDRegressor:
    for first, last in zip([0, *cuts], [*cuts, X.shape[0]], strict=True):
        model.partial_fit(X[first:last], y[first:last])
    return model


# Law: the constant step answers until twice the rows of the climb have come, the grown one from then on.
@pytest.mark.parametrize("batch_size", [1, 3])
def test_takes_over(batch_size: int) -> None:
    X, y = rows()
    until = 2 * (CLIMB // batch_size) * batch_size
    model = fed(growing(batch_size=batch_size), X[: until - 1], y[: until - 1], [FIRST])
    assert model.trajectory_.sizes.constant
    model.partial_fit(X[until - 1 : until], y[until - 1 : until])
    assert not model.trajectory_.sizes.constant
    assert model.step_ == 0.2
    assert model.trajectory_.sizes.edges[-1] <= CLIMB


# Law: averages do not depend on how the stream is cut after its first batch, nor on being saved and loaded in between.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("save", [False, True])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_cuts_do_not_matter(sparse: bool, save: bool, batch_size: int, tmp_path: Path) -> None:
    X, y = rows(sparse=sparse)
    options: dict[str, Any] = {"alpha": 0.1, "batch_size": batch_size}
    whole = fed(growing(**options), X, y, [FIRST])
    parts = growing(**options)
    cuts = [FIRST, 601, 1500, 1999, 2000, 2001, 3333, 5990]
    for first, last in zip([0, *cuts], [*cuts, 6000], strict=True):
        parts.partial_fit(X[first:last], y[first:last])
        if save:
            parts.save(tmp_path / "model")
            parts = rw.load(tmp_path / "model")
    assert sparse or batch_size > 1 or whole.trajectory_.split > 0
    assert not whole.trajectory_.sizes.constant
    assert (parts.n_steps_, parts.n_split_, parts.n_clipped_) == (whole.n_steps_, whole.n_split_, whole.n_clipped_)
    np.testing.assert_array_equal(parts.path([0.0, 0.01, 1.0]).coefs, whole.path([0.0, 0.01, 1.0]).coefs)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)


# Law: after the climb strong alphas are close to ridge, which a constant step leaves far off.
def test_close_to_ridge() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40_000, 5))
    y = X @ [1.0, -1.0, 2.0, 0.0, 0.5] + rng.standard_normal(40_000)
    model = rw.AveragedSGDRegressor(step=rw.GrowingStep(0.05, climb=10_000))
    fed(model, X, y, list(range(5000, 40_000, 5000)))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for alpha in (0.1, 1.0, 10.0):
        ridge = Z @ np.linalg.solve(Z.T @ Z / len(Z) + alpha * np.eye(5), Z.T @ (y - y.mean()) / len(Z))
        assert (model.at(alpha).predict(X) - ridge).std() < 0.15 * ridge.std()


# Law: rows that would need too many steps are clipped, counted, and told of.
def test_clipped_rows() -> None:
    X, y = rows(4000)
    X[3000] *= 500.0
    model = fed(growing(alpha=0.1), X[:2900], y[:2900], [FIRST])
    with pytest.warns(UserWarning, match=r"updates from 1 of 4,000 rows were clipped.*larger batch"):
        model.partial_fit(X[2900:], y[2900:])
    assert model.n_clipped_ == 1
    assert np.isfinite(model.coef_).all()


# Law: before the growing step answers, the user hears of a row that is far too large for the constant step, once.
def test_clipped_before_the_climb_has_ended() -> None:
    X, y = rows(4000)
    X[2000] *= 3.0
    X[3000] *= 500.0
    model = rw.AveragedSGDRegressor(alpha=0.1)
    model.partial_fit(X[:2900], y[:2900])  # a warning would be an error
    with pytest.warns(UserWarning, match=r"rows were clipped, as these rows are far larger.*larger batch"):
        model.partial_fit(X[2900:3500], y[2900:3500])
    model.partial_fit(X[3500:], y[3500:])


# Law: the average that a stream selected, as its table writes it, is asked for without a warning, and is the model.
def test_selected_tail() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(3000)
    model = rw.AveragedSGDRegressor(averaging="tail").partial_fit(X, y)
    assert model.selection_ is not None
    chosen = model.selection_.chosen.scheme
    assert isinstance(chosen, rw.Tail)
    assert model.averaging_ != chosen
    np.testing.assert_array_equal(model.at(chosen).coef_, model.coef_)  # a warning would be an error


# Law: a growing step without a climb needs the length of the stream, and a given number goes alone.
def test_given_steps() -> None:
    X, y = rows(100)
    with pytest.raises(ValueError, match="climb="):
        rw.AveragedSGDRegressor(step=rw.GrowingStep(0.1)).partial_fit(X, y)
    alone = rw.AveragedSGDRegressor(step=0.01).partial_fit(X, y)
    assert alone.trajectory_.sizes == rw.Staircase((0.01,))
