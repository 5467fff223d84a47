"""Flattened directions: faster runs whose averages tend to ridge all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.kernel.problems import Array, gaussian, smooth

import ridgeway as rw
from ridgeway.display.flattened_filter import learned_share
from ridgeway.kernel.attempt import flattened_run
from ridgeway.kernel.blocks import Blocks, GivenGram
from ridgeway.kernel.definiteness import NotPositiveDefiniteError
from ridgeway.kernel.flattened import Flattened
from ridgeway.kernel.flattening import flatten
from ridgeway.kernel.problem import KernelPlan, Problem
from ridgeway.kernel.span import SomeRows, span_of
from ridgeway.messages.progress import Progress
from ridgeway.storage.state import Stored

ALPHAS = [1e-6, 1e-4, 1e-2, 1.0]


def kernel_ridge(K: Array, y: Array, alpha: float, weight: Array | None = None) -> Array:
    """Coefficients of kernel ridge regression, (K + n alpha C^-1) a = y."""
    c = np.ones(len(y)) if weight is None else weight
    coefs: Array = np.linalg.solve(K + len(y) * alpha * np.diag(1 / c), y).astype(np.float64)
    return coefs


def setup(n: int = 150, block: int = 20, weight: Array | None = None) -> tuple[Array, Array, Problem, KernelPlan]:
    X, y = smooth(n)
    y = y - y.mean()
    K = gaussian(X, X, 0.5)
    rng = np.random.default_rng(3)
    blocks = Blocks(GivenGram(K), rng.permutation(n), block, 1e9)
    problem = Problem(blocks, y[:, None], np.ones(n) if weight is None else weight, True, False, 1.0)
    plan = KernelPlan(None, rw.Uniform(), None, 8, 8, False, 1, True, False, None, n, rng, Progress(1, shown=False))
    return K, y, problem, plan


def run(problem: Problem, plan: KernelPlan, n_centres: int, alpha: float = 1e-4, passes: int = 30) -> Flattened:
    span = span_of(problem.blocks.gram, problem.blocks.layout, n_centres, plan.rng)
    trajectory = flattened_run(problem, plan, span, alpha, passes)
    assert isinstance(trajectory, Flattened)
    return trajectory


# Law: with all rows as centres the whole path is that of kernel ridge regression, also with weights.
@pytest.mark.parametrize("weighted", [False, True])
def test_all_rows_as_centres(weighted: bool) -> None:
    weight = np.random.default_rng(0).uniform(0.5, 1.5, 150) if weighted else None
    weight = None if weight is None else weight / weight.mean()
    K, y, problem, plan = setup(weight=weight)
    trajectory = run(problem, plan, 150, passes=4)
    for alpha in ALPHAS:
        expected = K @ kernel_ridge(K, y, alpha, weight)
        np.testing.assert_allclose(K @ trajectory.coef(rw.Geometric(alpha)), expected, atol=3e-5)


# Law: with half of them it is so to the precision of a run, and a plain run of the same length is far from it.
def test_some_rows_as_centres() -> None:
    K, y, problem, plan = setup()
    trajectory = run(problem, plan, 75)
    plain = plan.sweep(problem, [problem.everything], rw.LimitedStep(1.0))
    plain.advance(30 * 150)
    for alpha in ALPHAS[1:3]:
        expected = K @ kernel_ridge(K, y, alpha)
        off = [
            np.abs(K @ other.coef(rw.Geometric(alpha)) - expected).max()
            for other in (trajectory, plain.trajectory(0, single_target=True))
        ]
        assert off[0] < 0.02
        assert off[0] < 0.1 * off[1]


# Law: each direction has a discount of its own. With one for all, flattened directions are over-regularized.
def test_own_discounts_keep_alpha() -> None:
    K, y, problem, plan = setup()
    span = span_of(problem.blocks.gram, problem.blocks.layout, 150, plan.rng)
    flattening = flatten(span, problem.blocks, problem.weight, problem.y[problem.blocks.layout], plan.rng)
    # A start at 0, so that all that is known of the directions comes from the steps.
    factors = 0.02 / (flattening.eigenvalues + 0.02)
    flattening = replace(flattening, start=np.zeros_like(flattening.start), factors=factors)
    alpha, step = 0.05, rw.LimitedStep(0.5, np.inf)
    sweep = plan.sweep(problem, [problem.everything], step, flattening)
    sweep.advance(400 * 150)
    flat = sweep.trajectory(0, single_target=True)
    assert isinstance(flat, Flattened)
    expected = K @ kernel_ridge(K, y, alpha)
    own = K @ flat.coef(rw.Geometric(alpha))
    steps = np.arange(1, flat.n_steps + 1)
    survival = rw.Geometric(alpha).survival(steps, flat.n_steps, flat.step)
    one = flat.gradients.coef(rw.Geometric(alpha)).copy()
    shortened = np.tensordot(survival, flat.projections, axes=1) * (flat.factors - 1)[:, None]
    one[flat.centres] += (flat.directions @ shortened)[:, 0]
    scale = np.abs(expected).max()
    assert np.abs(own - expected).max() < 0.1 * scale
    assert np.abs(K @ one - expected).max() > 0.3 * scale


# Law: the filter that is drawn is the one of ridge, s / (s + alpha), as long as the run is long enough for alpha.
def test_filter_is_that_of_ridge() -> None:
    _, _, problem, plan = setup()
    trajectory = run(problem, plan, 60)
    s = np.geomspace(trajectory.eigenvalues[-1], trajectory.eigenvalues[0], 50)
    for alpha in (1e-3, 1e-1):
        np.testing.assert_allclose(learned_share(trajectory, rw.Geometric(alpha), s), s / (s + alpha), atol=0.02)


# Law: iterates and averages agree: the last iterate is the average by Last, and the first the start.
def test_iterates() -> None:
    _, _, problem, plan = setup()
    trajectory = run(problem, plan, 40, passes=3)
    np.testing.assert_allclose(trajectory.iterate(trajectory.n_steps), trajectory.coef(rw.Last()), rtol=1e-9, atol=1e-9)
    weights = rw.Tail(0.5).weights(trajectory.n_steps, trajectory.step)
    mean = sum(w * trajectory.iterate(k) for k, w in enumerate(weights))
    np.testing.assert_allclose(mean, trajectory.coef(rw.Tail(0.5)), rtol=1e-7, atol=1e-9)


# Law: a stored run answers bit for bit what it answered.
def test_state() -> None:
    _, _, problem, plan = setup()
    trajectory = run(problem, plan, 40, passes=3)
    again = Flattened.from_state(Stored(trajectory.state()))
    np.testing.assert_array_equal(again.path(ALPHAS), trajectory.path(ALPHAS))


# Law: centres are drawn where k(x, x) is explained worst: a far outlier is always among them.
def test_outliers_are_centres() -> None:
    X, _ = smooth(200)
    X[17] = 100.0
    layout = np.arange(200)
    for seed in range(5):
        span = SomeRows.draw(GivenGram(gaussian(X, X, 0.5)), layout, 40, np.random.default_rng(seed))
        assert 17 in span.centres
        assert len(set(span.centres.tolist())) == 40
        left = 1 - (span.rows**2).sum(axis=1)
        assert left.max() < 0.5


# Law: a matrix with clearly negative eigenvalues is refused.
def test_not_positive_definite() -> None:
    X, _ = smooth(50)
    K = gaussian(X, X, 0.5) - 0.8
    with pytest.raises(NotPositiveDefiniteError, match=r"not positive definite.*eigenvalue"):
        SomeRows.draw(GivenGram(K), np.arange(50), 40, np.random.default_rng(0))
    with pytest.raises(NotPositiveDefiniteError, match=r"not positive definite.*eigenvalue"):
        span_of(GivenGram(K), np.arange(50), 50, np.random.default_rng(0)).directions(np.ones(50))
