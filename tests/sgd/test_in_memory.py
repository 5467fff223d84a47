"""Laws of run_sgd: what it computes, for every kind of input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from tests.oracles import brute_iterates, problem, relative_error

import ridgeway as rw

ALPHAS = (0.0, 1e-9, 1e-3, 1.0, 1e3, 1e9)
SCHEMES = (
    *(rw.Geometric(alpha) for alpha in ALPHAS),
    *(rw.NegativeBinomial(alpha, order) for alpha in ALPHAS for order in (1, 2, 5)),
    rw.Uniform(),
    rw.Last(),
    rw.Tail(0),
    rw.Tail(0.5),
    rw.Tail(7),
    rw.Poisson(5.0),
    rw.Exponential(0.9),
)
TOLERANCE = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 2e-4}


# Law: the survival-weighted sum of increments is the weighted mean of the iterates, for every scheme.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("passes", [1, 3])
def test_replay_is_the_weighted_mean_of_iterates(
    dtype: Any, form: Any, targets: int | None, batch_size: int, passes: int
) -> None:
    X, y = problem(targets=targets, dtype=dtype)
    iterates = brute_iterates(X, y, 0.05, passes, batch_size)
    n_steps = len(iterates) - 1
    run = rw.run_sgd(form(X), y, step=0.05, passes=passes, batch_size=batch_size)
    assert run.n_steps == n_steps
    answers = run.average(SCHEMES)
    assert answers.dtype == dtype
    for scheme, answer in zip(SCHEMES, answers, strict=True):
        expected = np.tensordot(scheme.weights(n_steps, 0.05), iterates, axes=1)
        assert relative_error(answer, expected) < TOLERANCE[np.dtype(dtype)], scheme
        assert relative_error(run.coef(scheme), expected) < TOLERANCE[np.dtype(dtype)], scheme


# Law: the same holds for a sketch and every scheme that it does not refuse or move.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("passes", [1, 3])
def test_sketch_is_the_weighted_mean_of_iterates(
    dtype: Any, form: Any, targets: int | None, batch_size: int, passes: int
) -> None:
    X, y = problem(n=150, targets=targets, dtype=dtype)
    iterates = brute_iterates(X, y, 0.05, passes, batch_size)
    run = rw.run_sgd(form(X), y, step=0.05, passes=passes, batch_size=batch_size, store="sketch")
    for scheme in (*SCHEMES[:-5], run.nearest(rw.Tail(0.5))):
        expected = np.tensordot(scheme.weights(run.n_steps, 0.05), iterates, axes=1)
        assert relative_error(run.coef(scheme), expected) < TOLERANCE[np.dtype(dtype)], scheme


# Law: with float32 rows, averages of a long run do not drift away from its iterates.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize("batch_size", [1, 2])
def test_long_runs_in_float32(form: Any, store: str, batch_size: int) -> None:
    X, y = np.ones((300_000, 1), np.float32), np.full(300_000, 1000, np.float32)
    schemes = [rw.Last(), rw.Geometric(1e-3), rw.Geometric(1.0)]
    exact = rw.run_sgd(X.astype(float), y.astype(float), 1e-3, batch_size=batch_size).average(schemes)
    answers = rw.run_sgd(form(X), y, 1e-3, batch_size=batch_size, store=store).average(schemes)
    assert (np.abs(answers - exact) / exact).max() < 2e-4


# Law: w_k is the k-th iterate.
@pytest.mark.parametrize("targets", [None, 2])
def test_iterates(targets: int | None) -> None:
    X, y = problem(n=30, targets=targets)
    iterates = brute_iterates(X, y, 0.1, batch_size=4)
    run = rw.run_sgd(X, y, step=0.1, batch_size=4)
    for k in range(run.n_steps + 1):
        np.testing.assert_allclose(run.iterate(k), iterates[k], atol=1e-14)
    for bad in (-1, run.n_steps + 1, 1.5, True):
        with pytest.raises(ValueError, match="expected the index of an iterate"):
            run.iterate(bad)  # type: ignore[arg-type]


# Law: a weight multiplies the row's gradient, and a row of weight 0 has no effect.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batch_size", [1, 5])
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_sample_weights(form: Any, batch_size: int, store: str) -> None:
    X, y = problem(n=40)
    weight = np.random.default_rng(1).uniform(0, 3, 40)
    weight[[0, 7, 8, 39]] = 0
    iterates = brute_iterates(X, y, 0.05, 2, batch_size, weight)
    run = rw.run_sgd(form(X), y, step=0.05, passes=2, batch_size=batch_size, sample_weight=weight, store=store)
    assert run.n_steps == len(iterates) - 1 == 2 * -(-36 // batch_size)
    np.testing.assert_allclose(run.coef(rw.Uniform()), iterates.mean(axis=0), atol=1e-12)


# Law: a start w0 is where the iterates begin.
@pytest.mark.parametrize("targets", [None, 2])
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_start(targets: int | None, store: str) -> None:
    X, y = problem(n=40, targets=targets)
    w0 = np.arange(4.0) if targets is None else np.arange(8.0).reshape(2, 4)
    iterates = brute_iterates(X, y, 0.05, w0=w0)
    run = rw.run_sgd(X, y, step=0.05, w0=w0, store=store)
    np.testing.assert_allclose(run.coef(rw.Uniform()), iterates.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(run.iterate(0), w0)


# Law: a clipped row takes the step limit / |x|^2, and is counted.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_limited_steps(form: Any) -> None:
    X, y = problem(n=50)
    X[::10] *= 20
    weight = np.linspace(0.5, 2, 50)
    iterates = brute_iterates(X, y, 0.05, weight=weight, limit=0.7)
    run = rw.run_sgd(form(X), y, step=rw.LimitedStep(0.05, limit=0.7), sample_weight=weight)
    assert run.limited == (0.05 * weight * (X**2).sum(axis=1) > 0.7).sum() > 0
    np.testing.assert_allclose(run.coef(rw.Uniform()), iterates.mean(axis=0), atol=1e-12)


# Law: k chains are k runs on contiguous segments, averaged by their numbers of steps; threads change nothing.
@pytest.mark.parametrize("n", [60, 62])
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_chains(n: int, store: str) -> None:
    X, y = problem(n=n)
    edges = np.linspace(0, n, 5).astype(int)
    expected = sum(
        (b - a) / n * brute_iterates(X[a:b], y[a:b], 0.05, passes=2).mean(axis=0) for a, b in pairwise(edges)
    )
    run = rw.run_sgd(X, y, step=0.05, passes=2, chains=4, store=store)
    np.testing.assert_allclose(run.coef(rw.Uniform()), expected, atol=1e-12)
    threads = rw.run_sgd(X, y, step=0.05, passes=2, chains=4, store=store, n_jobs=2)
    assert np.array_equal(run.path(ALPHAS), threads.path(ALPHAS))
    assert (run.limited, run.step, run.n_steps) == (0, 0.05, 2 * n)
    assert run.length == 2 * -(-n // 4)
    assert np.isclose(run.r2, (X**2).sum(axis=1) @ (X**2).sum(axis=1) / (X**2).sum())


# Law: a shuffled run is a run over the rows in another order, a fresh one in each pass, fixed by the seed.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batch_size", [1, 7])
def test_shuffle(form: Any, batch_size: int) -> None:
    X, y = problem(n=45)
    run = rw.run_sgd(form(X), y, step=0.05, passes=3, batch_size=batch_size, shuffle=True, random_state=3)
    assert isinstance(run, rw.Replay)
    orders = [segment.order for segment in run.segments if segment.order is not None]
    assert len(orders) == 3
    assert all(np.array_equal(np.sort(order), np.arange(45)) for order in orders)
    assert not np.array_equal(orders[0], orders[1])
    iterates = brute_iterates(X, y, 0.05, 3, batch_size, orders=orders)
    np.testing.assert_allclose(run.coef(rw.Uniform()), iterates.mean(axis=0), atol=1e-12)
    sketch = rw.run_sgd(form(X), y, 0.05, 3, batch_size, shuffle=True, random_state=3, store="sketch")
    np.testing.assert_allclose(sketch.coef(rw.Uniform()), iterates.mean(axis=0), atol=1e-12)


# Law: full-batch gradient descent, averaged geometrically, is the ridge solution of the data.
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_gradient_descent_is_ridge(store: str) -> None:
    X, y = problem(n=50, d=6)
    run = rw.run_sgd(np.tile(X, (20_000, 1)), np.tile(y, 20_000), step=0.3, batch_size=50, store=store)
    for alpha in (1e-2, 0.3, 10.0, 1e3):
        ridge = Ridge(alpha=50 * alpha, fit_intercept=False, solver="svd").fit(X, y).coef_
        assert relative_error(run.coef(rw.Geometric(alpha)), ridge) < 1e-8


# Law: started at w0 it is ridge centred at w0, (Sigma + alpha)^-1 (E[xy] + alpha w0).
def test_gradient_descent_from_w0_is_centred_ridge() -> None:
    X, y = problem(n=50, d=6)
    w0 = np.linspace(-2, 3, 6)
    run = rw.run_sgd(np.tile(X, (20_000, 1)), np.tile(y, 20_000), step=0.3, batch_size=50, w0=w0, store="sketch")
    expected = np.linalg.solve(X.T @ X / 50 + 0.2 * np.eye(6), X.T @ y / 50 + 0.2 * w0)
    assert relative_error(run.coef(rw.Geometric(0.2)), expected) < 1e-8


# Law: whatever form the numbers come in, the same numbers give the same run.
@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.astype(">f8"),
        lambda X: X.tolist(),
        lambda X: X.astype(object),
        pd.DataFrame,
        lambda X: np.frombuffer(b"\0" + X.tobytes(), dtype=np.float64, offset=1).reshape(X.shape),
    ],
    ids=["fortran", "columns", "rows", "big-endian", "lists", "objects", "frame", "unaligned"],
)
def test_layouts_of_dense_rows(change: Any) -> None:
    X, y = problem()
    expected = rw.run_sgd(X, y, step=0.05).path(ALPHAS)
    assert np.array_equal(rw.run_sgd(change(X), y, step=0.05).path(ALPHAS), expected)


def test_read_only_rows_are_left_alone() -> None:
    X, y = problem()
    expected = rw.run_sgd(X, y, step=0.05).path(ALPHAS)
    for array in (X, y):
        array.flags.writeable = False
    assert np.array_equal(rw.run_sgd(X, y, step=0.05).path(ALPHAS), expected)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.bool_, np.float16])
def test_other_numbers(dtype: Any) -> None:
    X = np.random.default_rng(0).integers(0, 2, (40, 3)).astype(dtype)
    y = np.arange(40.0)
    expected = brute_iterates(X.astype(float), y, 0.01).mean(axis=0)
    answer = rw.run_sgd(X, y, step=0.01).coef(rw.Uniform())
    assert answer.dtype == (np.float32 if dtype == np.float16 else np.float64)
    assert relative_error(answer, expected) < 1e-5


# Law: unsorted or repeated entries of a sparse row mean what they sum to; the caller's matrix is not changed.
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_layouts_of_sparse_rows(index: Any) -> None:
    indices = np.array([2, 0, 1, 1, 3, 0, 3, 3], index)
    data = np.array([1.0, -1.0, 0.5, 2.0, 1.0, 0.0, 1.0, -2.0])
    X = sp.csr_array((data, indices, np.array([0, 2, 2, 5, 8], index)), shape=(4, 4))
    y = np.array([1.0, 2.0, 3.0, 4.0])
    run = rw.run_sgd(X, y, step=0.1, passes=5)
    dense = np.array([[-1, 0, 1, 0], [0, 0, 0, 0], [0, 2.5, 0, 1], [0, 0, 0, -1.0]])
    np.testing.assert_allclose(run.coef(rw.Uniform()), brute_iterates(dense, y, 0.1, 5).mean(axis=0), atol=1e-14)
    assert np.array_equal(X.indices, [2, 0, 1, 1, 3, 0, 3, 3])
    for other in (sp.csc_array(dense), sp.coo_array(dense)):
        np.testing.assert_allclose(rw.run_sgd(other, y, 0.1, 5).coef(rw.Last()), run.coef(rw.Last()), atol=1e-14)


# Law: one row, rows of zeros and constant targets are ordinary data.
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_small_data(store: str, form: Any) -> None:
    one = rw.run_sgd(form(np.array([[2.0, 0.0]])), [3.0], store=store)
    assert one.n_steps == 1
    np.testing.assert_allclose(one.coef(rw.Last()), [one.step * 6, 0.0])
    zeros = rw.run_sgd(form(np.zeros((5, 2))), np.arange(5.0), store=store)
    assert np.array_equal(zeros.path([0.0, 1.0]), np.zeros((2, 2)))
    assert (zeros.r2, zeros.limited) == (0.0, 0)
    nothing = rw.run_sgd(form(np.eye(3)), np.zeros(3), store=store)
    assert not nothing.coef(rw.Last()).any()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"step": 0.0}, ValueError, "step=0.0: expected a positive"),
        ({"step": -1.0}, ValueError, "step=-1.0: expected a positive"),
        ({"step": np.nan}, ValueError, "step=nan is not finite"),
        ({"step": "fast"}, ValueError, "expected 'auto' or a positive number"),
        ({"step": True}, TypeError, "is a bool"),
        ({"step": None}, TypeError, "NoneType"),
        ({"passes": 0}, ValueError, "passes=0: expected an integer of 1 or more"),
        ({"passes": 1.5}, TypeError, "passes=1.5 is a float"),
        ({"chains": 0}, ValueError, "chains=0"),
        ({"chains": 61}, ValueError, "chains=61 but there are only 60 rows"),
        ({"chains": 2, "n_jobs": 0}, ValueError, "n_jobs=0"),
        ({"batch_size": 0}, ValueError, "batch_size=0: expected an integer"),
        ({"store": "disk"}, ValueError, "store='disk': expected 'sketch', 'replay' or a Layout"),
        ({"w0": [1.0, 2.0]}, ValueError, r"w0 has shape \(2,\): expected \(4,\)"),
        ({"w0": [1.0, 2.0, np.nan, 0.0]}, ValueError, "w0 has entries that are not finite"),
        ({"sample_weight": np.zeros(60)}, ValueError, "all sample weights are 0"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    X, y = problem()
    with pytest.raises(error, match=message):
        rw.run_sgd(X, y, **arguments)
