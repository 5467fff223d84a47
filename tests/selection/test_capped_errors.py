"""Capped errors of held-out rows against predictions row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ridgeway as rw
from ridgeway.rows import Batch, check_batch
from ridgeway.rows.centre import Centre
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.capped_errors import CAP_MEDIANS, ROWS_PER_CAPPED_ROW, BadlyPredictedRows, Errors, allowance
from ridgeway.selection.error_moments import ErrorMoments, models_of
from ridgeway.selection.trial import Trial

ALPHAS = np.logspace(-4, 2, 30)


def rows_with_outliers(n_rows: int, n_outlying: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n_rows, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(n_rows)
    X[:n_outlying] *= size
    return X, y


# Law: with an allowance of k, errors are capped at 100 medians of the best model, or at the (k + 1)-th largest error of
# that model or of their own, if that is more.
@pytest.mark.parametrize("n_outlying", [0, 2, 3, 10])
def test_errors_are_capped_sums(n_outlying: int) -> None:
    X, y = rows_with_outliers(600, n_outlying, 1e3)
    coef = np.array([[0.9, -1.9, 0.5, 0.1], [0.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0]])
    directions = np.eye(4)[:, None, :]
    moments = ErrorMoments(directions, padded=False)
    models = models_of(coef, np.zeros((3, 1)))
    badly_predicted = BadlyPredictedRows(3, models)
    vectors = moments.row_vectors(check_batch(X, y))
    apart = badly_predicted.set_apart(vectors, np.ones(600))
    moments.add_row_vectors(vectors, np.where(apart, 0.0, 1.0))
    squares = (y[:, None] - X @ coef.T) ** 2
    ordered = np.sort(squares, axis=0)  # the upper median of an even number
    best = int(ordered[300].argmin())
    cap = max(CAP_MEDIANS * ordered[300, best], ordered[-4, best])
    expected = np.minimum(squares, np.maximum(cap, ordered[-4])).sum(axis=0)
    apart_errors = badly_predicted.errors(models)
    got = moments.errors(models) + apart_errors.capped
    np.testing.assert_allclose(got[:, 0, 0], expected, rtol=1e-9)
    whole = moments.errors(models) + apart_errors.uncapped
    np.testing.assert_allclose(whole[:, 0, 0], squares.sum(axis=0), rtol=1e-9)
    assert moments.weight[0] + badly_predicted.weight[0] == pytest.approx(600)


# Law: one row in 2,500 may be capped, shared among the trials.
@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=10))
def test_allowance_is_a_share_of_the_rows(sizes: list[int]) -> None:
    each = allowance(sizes)
    assert sum(sizes) // ROWS_PER_CAPPED_ROW <= each * len(sizes) < sum(sizes) // ROWS_PER_CAPPED_ROW + len(sizes)


# Law: without an allowance a trial has the same errors, capped or not; with one, capped errors are never larger.
@pytest.mark.parametrize("n_outlying", [0, 2])
def test_a_trial_caps_at_most_its_allowance(n_outlying: int) -> None:
    X, y = rows_with_outliers(400, 0, 1.0)
    held_X, held_y = rows_with_outliers(400, n_outlying, 100.0)
    trajectory = rw.run_sgd(X, y, step=0.02, store="sketch")
    nothing = Standardization.of(check_batch(X, y), scale=False, centre=False)

    def groups() -> Iterator[Batch]:
        yield check_batch(held_X[:200], held_y[:200])
        yield check_batch(held_X[200:], held_y[200:])

    def errors(allowed: int) -> Errors:
        schemes = [rw.Geometric(alpha) for alpha in ALPHAS]
        trial = Trial(trajectory, nothing, False, Centre(np.zeros(4), np.zeros(1)), groups, allowed)
        trial.span(schemes)
        np.testing.assert_allclose(trial.weight, [200, 200])
        return trial.errors(schemes)

    plain = errors(0).capped
    np.testing.assert_allclose(errors(2).uncapped, plain, rtol=1e-6)
    squares = np.stack([(held_y - held_X @ coef) ** 2 for coef in trajectory.path(ALPHAS)])
    np.testing.assert_allclose(plain[:, 0].sum(axis=1), squares.sum(axis=1), rtol=1e-5)
    capped = errors(2).capped[:, 0]
    assert (capped <= plain[:, 0] * (1 + 1e-6)).all()
    assert (capped[:10, 0] < 0.5 * plain[:10, 0, 0]).all() == (n_outlying > 0)
    np.testing.assert_allclose(capped[:10, 1], plain[:10, 0, 1], rtol=1e-6)


# Law: one huge held-out row does not decide which strength is chosen.
def test_an_outlying_row_does_not_choose_the_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows_with_outliers(6_000, 0, 1.0)
    X[:, 3] = X[:, 2] + 0.05 * X[:, 3]  # nearly collinear: the difference is worth fitting
    y += 4 * (X[:, 3] - X[:, 2]) / 0.05
    X[5_000, 3] += 3.0
    split, ordinary = [(np.arange(3_000), np.arange(3_000, 6_000))], np.arange(3_000)

    def error() -> float:
        model = rw.AveragedSGDRegressor(cv=split, random_state=0).fit(X, y)
        return float(np.mean((model.predict(X[ordinary]) - y[ordinary]) ** 2))

    capped = error()
    monkeypatch.setattr("ridgeway.selection.capped_errors.ROWS_PER_CAPPED_ROW", 10**9)
    assert error() > 2 * capped
