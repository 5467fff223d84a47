"""Growing steps: what they resolve to, and how close to ridge their averages are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import ridgeway as rw
from ridgeway.averaging import SCHEMES, Scheme
from ridgeway.sgd import Schedule, schedule_of
from ridgeway.storage.state import Stored

EXAMPLES: list[Scheme] = [scheme for kind in SCHEMES.values() for scheme in kind.examples()]


def problem(seed: int, n: int, d: int, targets: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) / math.sqrt(d)
    w = rng.standard_normal((d, targets)) if targets else rng.standard_normal(d)
    return X, X @ w + rng.standard_normal((n, targets) if targets else n)


def iterates_of(X: np.ndarray, y: np.ndarray, sizes: np.ndarray, batch_size: int = 1) -> np.ndarray:
    """w_0 .. w_T of SGD with these step sizes, in plain loops."""
    w = [np.zeros(X.shape[1])]
    for t, first in enumerate(range(0, len(X), batch_size)):
        rows, labels = X[first : first + batch_size], y[first : first + batch_size]
        w.append(w[-1] + sizes[t] * rows.T @ (labels - rows @ w[-1]) / len(rows))
    return np.array(w)


# Law: stairs double from stair to stair, are equally long, end on even steps within the share, and reach the size.
@given(
    st.floats(-4, 1).map(lambda power: 10.0**power),
    st.floats(0.05, 0.9),
    st.floats(0, 5).map(lambda power: 10.0**power),
    st.integers(0, 10**9),
)
def test_staircase(size: float, share: float, strongest: float, n_steps: int) -> None:
    steps = rw.GrowingStep(size, share, strongest).staircase(n_steps)
    assert steps.last == size
    if steps.constant:
        return
    assert all(later == 2 * earlier for earlier, later in zip(steps.sizes[:-1], steps.sizes[1:], strict=True))
    assert len({after - before for before, after in zip((0, *steps.edges[:-1]), steps.edges, strict=True)}) == 1
    assert all(edge % 2 == 0 for edge in steps.edges)
    assert steps.edges[-1] <= max(share * n_steps, 2 * len(steps.edges))
    climb = int(share * n_steps)
    assert (
        steps.sizes[0] <= 3 * math.log(size * strongest * climb) / (strongest * climb) or len(steps.edges) == climb // 2
    )


# Law: where there is nothing to climb the step is constant, and a climb of given length needs no length of the run.
def test_no_climb() -> None:
    assert rw.GrowingStep(0.1).staircase(7).constant
    assert rw.GrowingStep(0.1, strongest=1e-3).staircase(1000).constant
    assert rw.GrowingStep(0.1, climb=10_000).staircase() == rw.GrowingStep(0.1, climb=10_000).staircase(5)
    with pytest.raises(ValueError, match=r"needs the length of the run.*climb="):
        rw.GrowingStep(0.1).staircase()
    with pytest.raises(ValueError, match=r"needs the length of the run.*climb="):
        rw.SGDRun(rw.GrowingStep(0.1))


# Law: by replay, any average of a run with any steps is the weighted mean of its iterates, to 1e-10.
@pytest.mark.parametrize("kind", ["growing", "falling", "arbitrary"])
@pytest.mark.parametrize("scheme", EXAMPLES, ids=repr)
@pytest.mark.parametrize("batch_size", [1, 3])
def test_replay_is_the_mean_of_iterates(kind: str, scheme: Scheme, batch_size: int) -> None:
    n = 120
    X, y = problem(1, n, 4)
    n_steps = n // batch_size
    sizes = np.random.default_rng(2).uniform(0.01, 0.6, n_steps + 1)
    if kind != "arbitrary":
        sizes = np.sort(sizes) if kind == "growing" else np.sort(sizes)[::-1]
    steps = rw.Staircase.of_sequence(sizes.tolist())
    run = rw.run_sgd(X, y, step=steps, batch_size=batch_size)
    try:
        weights = scheme.weights(n_steps, steps)
    except ValueError:
        with pytest.raises(ValueError, match="too large for n_steps"):
            run.coef(scheme)
        return
    expected = weights @ iterates_of(X, y, sizes, batch_size)
    np.testing.assert_allclose(run.coef(scheme), expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


# Law: with full batches, the geometric average of any staircase is ridge of the rows, to 1e-8.
def test_full_batches_are_ridge() -> None:
    X, y = problem(3, 10, 3)
    steps = rw.Staircase((0.01, 0.4, 0.02, 1.5, 0.8), (40, 90, 130, 200))
    n_steps = 300_000  # the end of the run cuts off exp(-alpha * elapsed time), 4e-11 at most
    run = rw.run_sgd(np.tile(X, (n_steps, 1)), np.tile(y, n_steps), step=steps, batch_size=len(X))
    for alpha in (1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6):
        expected = np.linalg.solve(X.T @ X / len(X) + alpha * np.eye(3), X.T @ y / len(X))
        np.testing.assert_allclose(run.coef(rw.Geometric(alpha)), expected, rtol=1e-8)


# Law: a sketch on a staircase answers as a replay does, to 1e-9 for 200 alphas.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n", [300, 5000, 40_000])
def test_sketch_is_replay(sparse: bool, n: int) -> None:
    X, y = problem(4, n, 3)
    rows: Any = scipy.sparse.csr_array(X) if sparse else X
    step = rw.GrowingStep(0.5, strongest=1e4)
    replay, sketch = (rw.run_sgd(rows, y, step=step, store=store, random_state=0) for store in ("replay", "sketch"))
    alphas = [0.0, *np.logspace(-8, 8, 199)]
    expected = replay.path(alphas)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert len(sketch.sizes.sizes) > 2
    assert (np.abs(sketch.path(alphas) - expected) / scale).max() < 1e-9
    assert isinstance(replay, rw.Replay)
    assert (np.abs(replay.sketch().path(alphas) - expected) / scale).max() < 1e-9


# Law: other batches give the same bits, wherever the stairs end.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_batches_give_the_same_bits(dtype: Any, sparse: bool, batch_size: int) -> None:
    X, y = problem(5, 3000, 5)
    X, y = X.astype(dtype), y.astype(dtype)
    rows: Any = scipy.sparse.csr_array(X) if sparse else X
    step = rw.Staircase((0.01, 0.02, 0.5, 0.1), (100, 402, 2000 // batch_size // 2 * 2 + 2))
    whole = rw.SGDRun(step, batch_size=batch_size)
    whole.update(rows, y)
    cuts = np.sort(np.random.default_rng(6).choice(3000, 37, replace=False))
    parts = rw.SGDRun(step, batch_size=batch_size)
    for first, last in zip([0, *cuts], [*cuts, 3000], strict=True):
        parts.update(rows[first:last], y[first:last])
    alphas = [0.0, 1e-3, 0.1, 10.0]
    np.testing.assert_array_equal(parts.trajectory().path(alphas), whole.trajectory().path(alphas))
    again = rw.SGDRun.from_state(Stored(parts.state()))
    again.update(rows[:50], y[:50])
    whole.update(rows[:50], y[:50])
    np.testing.assert_array_equal(again.trajectory().path(alphas), whole.trajectory().path(alphas))


# Law: a growing step brings every alpha close to ridge, where a constant one is far off for strong alphas.
def test_close_to_ridge() -> None:
    X, y = problem(7, 2000, 6)
    alphas = [0.01, 0.1, 1.0, 10.0, 100.0]
    ridge = np.array([np.linalg.solve(X.T @ X / 2000 + a * np.eye(6), X.T @ y / 2000) for a in alphas])

    def distance(step: Any) -> np.ndarray:
        path = rw.run_sgd(X, y, step=step, passes=100, shuffle=True, store="sketch", random_state=0).path(alphas)
        difference: np.ndarray = ((path - ridge) @ X.T).std(axis=1) / (ridge @ X.T).std(axis=1)
        return difference

    size = 0.5 / (X**2).sum(axis=1).mean()
    assert distance(rw.GrowingStep(size)).max() < 0.02
    assert distance(size)[-1] > 0.2


def test_stored() -> None:
    for step in (rw.GrowingStep(0.1), rw.GrowingStep(0.2, 0.5, 10.0), rw.GrowingStep(0.2, climb=7)):
        assert rw.GrowingStep.from_state(Stored(step.state())) == step
    schedule = schedule_of(rw.GrowingStep(0.1), 10_000)
    assert schedule is not None
    assert Schedule.from_state(Stored(schedule.state())) == schedule
    assert Schedule.from_state(Stored({"size": 0.1, "limit": None})) == Schedule(rw.Staircase((0.1,)))  # of format 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"size": 0.0}, "positive"),
        ({"size": 0.1, "share": 0.0}, "above 0 and below 1"),
        ({"size": 0.1, "share": 1.0}, "above 0 and below 1"),
        ({"size": 0.1, "strongest": -1.0}, "above 0"),
        ({"size": 0.1, "climb": 0}, "number of steps"),
    ],
)
def test_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rw.GrowingStep(**bad)


def test_odd_stairs_need_a_replay() -> None:
    X, y = problem(8, 20, 2)
    odd = rw.Staircase((0.1, 0.2), (7,))
    with pytest.raises(ValueError, match=r"after 7 steps.*store='replay'"):
        rw.run_sgd(X, y, step=odd, store="sketch")
    assert rw.run_sgd(X, y, step=odd).n_steps == 20
