"""Laws of SGDRun: batches of any size, and failures that leave no trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import problem

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.sgd.row_products import RowProducts

ALPHAS = (0.0, 1e-6, 1e-2, 1.0, 1e2, 1e6)
SCHEMES = (*(rw.Geometric(alpha) for alpha in ALPHAS), rw.Uniform(), rw.Last(), rw.NegativeBinomial(0.1, 2))


def same_bits(a: rw.Trajectory, b: rw.Trajectory) -> bool:
    """Whether two runs agree in every bit of their answers, for one scheme and for many."""
    alone = np.array_equal(a.coef(SCHEMES[2]), b.coef(SCHEMES[2]))
    facts = (a.n_steps, a.limited, a.step, a.r2) == (b.n_steps, b.limited, b.step, b.r2)
    return bool(alone and facts and np.array_equal(a.average(SCHEMES), b.average(SCHEMES)))


# Law: batches of any sizes give bit for bit the trajectory of one call.
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@settings(max_examples=12, deadline=None, derandomize=True)
@given(data=st.data())
def test_batches_of_any_sizes(store: str, form: Any, dtype: Any, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 160))
    targets = data.draw(st.sampled_from([None, 2]))
    batch_size = data.draw(st.sampled_from([1, 1, 3, 16]))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=6)))
    X, y = problem(n, 5, targets, dtype, seed=n)
    weight = np.random.default_rng(n).integers(0, 3, n).astype(float)
    weight[0] = 1.0
    step = rw.LimitedStep(0.1)
    whole = rw.run_sgd(form(X), y, step, batch_size=batch_size, sample_weight=weight, store=store)
    run = rw.SGDRun(step, store, batch_size)
    for first, last in zip([0, *cuts], [*cuts, n], strict=True):
        if first < last:
            run.update(form(X[first:last]), y[first:last], weight[first:last])
            run.trajectory()  # looking does not disturb
    run.end_pass()
    assert same_bits(run.trajectory(), whole)


# Law: the same holds for long runs, whose steps are gathered in chunks.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("store", ["replay", "sketch"])
def test_long_runs(dtype: Any, targets: int | None, store: str) -> None:
    X, y = problem(40_000, 19, targets, dtype)
    whole = rw.run_sgd(X, y, step=0.01, store=store)
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.integers(0, 40_000, 50))
    run = rw.SGDRun(0.01, store)
    for first, last in zip([0, *cuts], [*cuts, 40_000], strict=True):
        if first < last:
            run.update(X[first:last], y[first:last])
    assert same_bits(run.trajectory(), whole)


# Law: passes made by hand are the passes of run_sgd; end_pass closes a mini-batch that is not full.
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_passes(store: str, form: Any) -> None:
    X, y = problem(50)
    run = rw.SGDRun(0.05, store, batch_size=7)
    for _ in range(3):
        run.update(form(X), y)
        run.end_pass()
        run.end_pass()  # a second time there is nothing to close
    assert run.n_steps == 24
    assert same_bits(run.trajectory(), rw.run_sgd(form(X), y, 0.05, passes=3, batch_size=7, store=store))


# Law: a trajectory is as of its time; what the run does afterwards does not change it.
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_trajectories_are_snapshots(store: str, form: Any) -> None:
    X, y = problem(100)
    run = rw.SGDRun(0.05, store)
    run.update(form(X[:70]), y[:70])
    early = run.trajectory()
    before = early.average(SCHEMES)
    run.update(form(X[70:]), y[70:])
    assert np.array_equal(early.average(SCHEMES), before)
    assert same_bits(early, rw.run_sgd(form(X[:70]), y[:70], 0.05, store=store))


# Law: an automatic step comes from the first batch and stays; later rows that are too large are limited.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_first_batch_sets_the_step(form: Any) -> None:
    X, y = problem(200)
    run = rw.SGDRun()
    run.update(form(X[:100]), y[:100])
    first = run.trajectory()
    assert first.step == rw.run_sgd(X[:100], y[:100]).step
    run.update(form(1e3 * X[100:]), y[100:])
    with pytest.warns(UserWarning, match="of about 200 rows had their updates clipped.*a larger batch, or pass a step"):
        second = run.trajectory()
    assert second.step == first.step
    assert second.limited == first.limited + 100
    assert np.isfinite(second.path(ALPHAS)).all()


# Law: a batch that raises leaves the run as it was.
@pytest.mark.parametrize("store", ["replay", "sketch"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("fault", ["nan", "inf", "y", "weight", "explosion", "columns", "targets"])
@pytest.mark.parametrize("step", [rw.LimitedStep(0.05, limit=np.inf), rw.LimitedStep(0.05, limit=50.0)])
def test_failures_leave_no_trace(store: str, form: Any, batch_size: int, fault: str, step: rw.LimitedStep) -> None:
    X, y = problem(150)
    run = rw.SGDRun(step, store, batch_size)
    run.update(form(X[:90]), y[:90])
    before = run.trajectory()
    bad_X, bad_y, weight = X[90:].copy(), y[90:].copy(), np.ones(60)
    if fault == "nan":
        bad_X[50, 2] = np.nan
    elif fault == "inf":
        bad_X[50, 2] = -np.inf
    elif fault == "y":
        bad_y[3] = np.nan
    elif fault == "weight":
        weight[5] = -1.0
    elif fault == "explosion":
        bad_X *= 1e3
    elif fault == "columns":
        bad_X = bad_X[:, :3]
    elif fault == "targets":
        bad_y = np.stack([bad_y, bad_y], axis=1)
    with pytest.raises((ValueError, rw.DivergenceError)):
        run.update(form(bad_X), bad_y, weight)
    assert same_bits(run.trajectory(), before)
    run.update(form(X[90:]), y[90:])
    run.end_pass()
    assert same_bits(run.trajectory(), rw.run_sgd(form(X), y, step, batch_size=batch_size, store=store))


# Law: so does one whose targets overflow, also in a run whose steps are all safe.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_targets_that_overflow_leave_no_trace(form: Any) -> None:
    X, y = problem(150)
    run = rw.SGDRun(rw.LimitedStep(0.05))
    run.update(form(X[:90]), y[:90])
    before = run.trajectory()
    bad_y = y[90:].copy()
    bad_y[30] = 1e305
    with pytest.raises(rw.DivergenceError):
        run.update(form(X[90:]), bad_y)
    assert same_bits(run.trajectory(), before)


def test_a_failed_first_batch_is_no_first_batch() -> None:
    run = rw.SGDRun()
    with pytest.raises(ValueError, match=r"X\[1, 0\] is NaN"):
        run.update(np.array([[1.0], [np.nan]]), [1.0, 2.0])
    X, y = problem()
    run.update(X, y)
    assert same_bits(run.trajectory(), rw.run_sgd(X, y, store="sketch"))


def test_batches_must_agree_with_the_first() -> None:
    X, y = problem()
    run = rw.SGDRun(0.05)
    with pytest.raises(ValueError, match="the run has seen no rows"):
        run.trajectory()
    run.update(X, y)
    with pytest.raises(ValueError, match="X has 2 columns: expected 4"):
        run.update(X[:, :2], y)
    with pytest.raises(ValueError, match=r"y has shape \(n, 1\) but the batches before had \(n,\)"):
        run.update(X, y[:, None])
    with pytest.raises(ValueError, match="X is sparse: expected dense rows"):
        run.update(sp.csr_array(X), y)
    run.update(X.astype(np.float32), y)  # precision follows the first batch
    assert run.trajectory().coef(rw.Last()).dtype == np.float64


def test_a_batch_of_weight_0_is_no_step() -> None:
    X, y = problem()
    run = rw.SGDRun(0.05)
    run.update(X, y, np.zeros(60))
    assert run.n_steps == 0
    run.update(X, y)
    run.update(X, y, np.zeros(60))
    assert same_bits(run.trajectory(), rw.run_sgd(X, y, 0.05, store="sketch"))
    assert "n_steps=60" in repr(run)


# Law: what a run computes in passing is 1, y and the products of its rows with the directions; no step changes.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_in_passing(dtype: Any) -> None:
    X, y = problem(300, 5, None, dtype, seed=1)
    directions = np.random.default_rng(2).standard_normal((6, 5)).astype(dtype)
    taking, plain = rw.SGDRun(step=0.05), rw.SGDRun(step=0.05)
    assert taking.takes_row_products
    for rows in (slice(0, 37), slice(37, 300)):
        batch = check_batch(X[rows], y[rows])
        products = RowProducts(directions, np.full((len(batch), 8), np.nan, dtype))
        taking.advance(batch, products=products)
        plain.advance(batch)
        expected = np.column_stack([np.ones(len(batch)), y[rows], X[rows] @ directions.T])
        np.testing.assert_allclose(products.products, expected, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)
    assert same_bits(taking.trajectory(), plain.trajectory())


# Law: a run that keeps rows or gathers mini-batches takes no products.
def test_who_takes_products() -> None:
    assert not rw.SGDRun(store="replay").takes_row_products
    assert not rw.SGDRun(batch_size=2).takes_row_products


# Law: a run that refers to rows cannot be stored, and a start must be numbers.
def test_what_cannot_be_stored() -> None:
    run = rw.SGDRun(0.1, "replay")
    run.update(np.eye(3), np.ones(3))
    with pytest.raises(ValueError, match="a run with store='replay' refers to rows and cannot be stored"):
        run.state()
    start: Any = ["a", "b", "c"]
    with pytest.raises(
        TypeError, match=r"w0=\['a', 'b', 'c'\] is not an array of numbers: expected the start coefficients"
    ):
        rw.SGDRun(0.1, w0=start)
