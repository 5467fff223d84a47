"""Errors from moments against predictions row by row, and spans against all coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import problem

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.error_moments import ErrorMoments, models_of
from ridgeway.selection.span import span_of
from ridgeway.trajectory.slopes import slopes_of

SCHEMES = [rw.Geometric(alpha) for alpha in np.logspace(-5, 3, 60)] + [rw.Uniform(), rw.Last(), rw.Tail(0.5)]


# Law: v' M v is the weighted sum of squared residuals, group by group and target by target.
def test_errors_are_those_of_the_predictions() -> None:
    rng = np.random.default_rng(0)
    X, y = problem(80, 6, targets=2)
    weight = rng.uniform(0.5, 2.0, 80)
    directions, coordinates = rng.standard_normal((3, 2, 6)), rng.standard_normal((5, 3))
    intercepts = rng.standard_normal((5, 2))
    batch = check_batch(X, y, weight)
    moments = ErrorMoments(directions, padded=False)
    groups = [(0, 30), (30, 80)]
    for first, last in groups:
        moments.add(batch.between(first, last))
    errors = moments.errors(models_of(coordinates, intercepts))
    np.testing.assert_allclose(moments.weight, [weight[a:b].sum() for a, b in groups])
    for candidate in range(5):
        for target in range(2):
            coef = coordinates[candidate] @ directions[:, target]
            residual = y[:, target] - intercepts[candidate, target] - X @ coef
            for g, (first, last) in enumerate(groups):
                expected = weight[first:last] @ residual[first:last] ** 2
                np.testing.assert_allclose(errors[candidate, target, g], expected, rtol=1e-9)
    assert moments.last_weight == moments.weight[-1]


# Law: products by the core, up to six directions, agree with those by BLAS.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("padded", [False, True])
def test_six_directions_are_like_any(dtype: type, padded: bool) -> None:
    rng = np.random.default_rng(2)
    X, y = problem(90, 7)
    batch = check_batch(X.astype(dtype), y.astype(dtype), rng.uniform(0.5, 2.0, 90).astype(dtype))
    directions = rng.standard_normal((7, 1, 7 - padded))
    errors = []
    for chosen in (directions[:6], directions):  # by the loop, and by BLAS
        moments = ErrorMoments(chosen, padded)
        moments.add(batch)
        models = models_of(np.eye(len(chosen))[:6], np.ones((6, 1)))
        errors.append(moments.errors(models))
    np.testing.assert_allclose(errors[0], errors[1], rtol=1e-4 if dtype is np.float32 else 1e-12)


# Law: a span holds the coefficients of all schemes, and of those between them, in few directions.
@pytest.mark.parametrize("store", ["sketch", "replay"])
@pytest.mark.parametrize("targets", [None, 2])
def test_spans_hold_all_schemes(store: str, targets: int | None) -> None:
    X, y = problem(400, 30, targets)
    trajectory = rw.run_sgd(X, y, step=0.01, passes=5, store=store)
    batch = check_batch(X, y)
    nothing = Standardization.of(batch, scale=False, centre=False)
    span = span_of(trajectory, nothing, False, SCHEMES)
    assert len(span.directions) < 30
    others = [rw.Geometric(3e-3), rw.Geometric(0.7), *SCHEMES]
    got = np.tensordot(span.coordinates(others), span.directions, axes=1)
    expected = slopes_of(trajectory, nothing, False, others)
    np.testing.assert_allclose(got, expected, atol=1e-5 * np.abs(expected).max())
