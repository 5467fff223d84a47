"""Laws of sketches, held against replays and brute force."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import problem

import ridgeway as rw
from ridgeway.averaging import Staircase
from ridgeway.trajectory.expansion import expand

STEP = 0.02


def both(n: int, **options: Any) -> tuple[Any, Any]:
    X, y = problem(n, 6, seed=1)
    form = options.pop("form", np.asarray)
    return rw.run_sgd(form(X), y, STEP, store="sketch", **options), rw.run_sgd(form(X), y, STEP, **options)


# Law: a float64 sketch agrees with replay to 1e-9 for every alpha.
@pytest.mark.parametrize("n", [10, 64, 65, 1000, 5000, 70_000, 600_000])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_sketch_agrees_with_replay(n: int, form: Any) -> None:
    sketch, replay = both(n, form=form)
    alphas = np.logspace(-9, 9, 200)
    exact = replay.path(alphas)
    difference = np.abs(sketch.path(alphas) - exact).max(axis=1) / np.abs(exact).max(axis=1)
    assert difference.max() < 1e-9


# Law: a scheme is either refused or its survival values, as the layout has them, are within the tolerance.
@pytest.mark.parametrize("layout", [rw.Layout(4, 9, 1024), rw.Layout(4, 6, 256, 1), rw.Layout(1, 3, 64)])
@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    scheme=st.one_of(
        st.builds(rw.Geometric, st.floats(0, 1e4)),
        st.builds(rw.NegativeBinomial, st.floats(0, 100), st.integers(1, 30)),
        st.builds(rw.Poisson, st.floats(0, 30_000)),
        st.builds(rw.Exponential, st.floats(0, 0.999999)),
    )
)
def test_no_scheme_is_silently_wrong(layout: rw.Layout, scheme: rw.Scheme) -> None:
    n_steps = 40_000
    increments = np.random.default_rng(0).standard_normal(n_steps)
    unit = rw.run_sgd(increments[:, None], np.zeros(n_steps), 1e-9, store=layout)
    blocks = layout.blocks(n_steps)
    coefficients, _ = expand([scheme], blocks, n_steps, Staircase.of(1e-9))
    try:
        unit.coef(scheme)
    except ValueError:
        assert not isinstance(scheme, rw.Geometric)
        return
    before = 0
    for block in blocks:
        part = coefficients[0, before : before + block.moments]
        before += block.moments
        steps = np.arange(block.start + 1, min(block.stop, n_steps) + 1)
        places = 2 * (steps - 1 - block.start) / (block.length - 1) - 1
        values = part[: len(steps)] if block.raw else np.polynomial.chebyshev.chebval(places, part)
        assert np.abs(values - scheme.survival(steps, n_steps, 1e-9)).max() <= 1.2 * unit.tolerance


RUNS = both(40_000)


def test_which_schemes_are_refused() -> None:
    sketch, replay = RUNS
    refused: tuple[rw.Scheme, ...] = (
        rw.Exponential(0.999),
        rw.Exponential(0.9),
        rw.Poisson(1000.0),
        rw.Poisson(30_000.0),
    )
    for scheme in refused:
        with pytest.raises(ValueError, match=r"is not smooth enough for this sketch.*Run with store='replay'"):
            sketch.coef(scheme)
    for order in (2, 3, 10):
        scheme = rw.NegativeBinomial(0.1, order)
        np.testing.assert_allclose(sketch.coef(scheme), replay.coef(scheme), rtol=1e-8)
    short = rw.run_sgd(*problem(60), STEP, store="sketch")  # all of its steps are kept one by one
    exact = rw.run_sgd(*problem(60), STEP)
    np.testing.assert_allclose(short.coef(rw.Exponential(0.9)), exact.coef(rw.Exponential(0.9)), rtol=1e-12)


# Law: a tail moves to the nearest block edge, says so, and is exact there.
@pytest.mark.parametrize("start", [0.1, 0.5, 0.77, 1, 12_345, 39_999])
def test_tails(start: float) -> None:
    sketch, replay = RUNS
    asked = rw.Tail(start)
    used = sketch.nearest(asked)
    if used == asked:
        answer = sketch.coef(asked)
    else:
        with pytest.warns(UserWarning, match=r"is replaced by Tail\(start=\d+\).*store='replay'"):
            answer = sketch.coef(asked)
    assert used.first(40_000) in sketch.layout.edges(40_000)
    assert abs(used.first(40_000) - asked.first(40_000)) <= 40_000 / 8
    np.testing.assert_allclose(answer, replay.coef(used), rtol=1e-9, atol=1e-11)


# Law: at its block edges a sketch knows the iterates.
def test_iterates() -> None:
    sketch, replay = RUNS
    for k in (0, 1, 40, 64, 80, 1024, 32_768, 40_000):
        np.testing.assert_allclose(sketch.iterate(k), replay.iterate(k), atol=1e-12)
    with pytest.raises(ValueError, match="the nearest one is 1024"):
        sketch.iterate(1030)
    for bad in (3.0, True, -1, 40_001):
        with pytest.raises(ValueError, match="expected the index of an iterate"):
            sketch.iterate(bad)


# Law: memory stays below d m (4 log2(n) + 8) numbers for a stream of ten million rows, and calls leave nothing behind.
def test_long_streams_in_little_memory() -> None:
    rng = np.random.default_rng(0)
    n_batch, d = 100_000, 8
    X = rng.standard_normal((n_batch, d))
    y = X @ np.ones(d) + rng.standard_normal(n_batch)
    run = rw.SGDRun(0.01)
    for _ in range(10):
        run.update(X, y)
    tracemalloc.start()
    try:
        for _ in range(90):
            run.update(X, y)
        left, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    sketch = run.trajectory()
    assert isinstance(sketch, rw.Sketch)
    assert sketch.n_steps == 10_000_000
    assert sketch.nbytes / 8 < d * sketch.layout.moments * (4 * np.log2(1e7) + 8)
    assert left < sketch.nbytes + 2**16
    assert most < sketch.nbytes + X.nbytes


# Law: wide sparse models choose a layout that fits the memory budget, and say what it costs.
def test_wide_sparse_models() -> None:
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2**19, 4000)
    X = sp.csr_array((rng.standard_normal(4000), columns, np.arange(0, 4001, 10)), shape=(400, 2**19))
    y = rng.standard_normal(400)
    run = rw.SGDRun(0.1)
    run.update(X, y)
    sketch = run.trajectory()
    assert isinstance(sketch, rw.Sketch)
    assert sketch.layout.numbers(2**30) * 2**19 * 8 <= 2**30
    exact = rw.run_sgd(X, y, 0.1)
    difference = np.abs(sketch.path([0.0, 0.1, 1.0]) - exact.path([0.0, 0.1, 1.0])).max()
    assert difference < sketch.tolerance * np.abs(exact.gains).sum()  # type: ignore[attr-defined]


def test_a_layout_of_your_own() -> None:
    X, y = problem(3000)
    sketch = rw.run_sgd(X, y, STEP, store=rw.Layout(8, 12, 4096))
    exact = rw.run_sgd(X, y, STEP)
    assert isinstance(sketch, rw.Sketch)
    assert sketch.layout == rw.Layout(8, 12, 4096)
    np.testing.assert_allclose(sketch.path([1e-3, 0.1]), exact.path([1e-3, 0.1]), rtol=1e-12)
    assert "tolerance=" in repr(sketch)


def test_bad_questions() -> None:
    sketch, _ = RUNS
    with pytest.raises(TypeError, match=r"0\.5 is not an averaging scheme"):
        sketch.coef(0.5)
    with pytest.raises(TypeError, match="is a single scheme"):
        sketch.average(rw.Uniform())
    with pytest.raises(ValueError, match="schemes is empty"):
        sketch.average([])
    with pytest.raises(ValueError, match=r"alpha=-1\.0 is negative"):
        sketch.path([1.0, -1.0])
    with pytest.raises(ValueError, match="expected a list of ridge strengths"):
        sketch.path(np.ones((2, 2)))


# Law: so it does for any number of moments, gathered in chunks of a few steps.
@pytest.mark.parametrize("moments", [9, 10, 11])
@pytest.mark.parametrize("degree", [1, 2])
def test_any_number_of_moments(moments: int, degree: int) -> None:
    X, y = problem(700, 3, seed=1)
    layout = rw.Layout(4, moments, 64, degree)
    sketch, replay = rw.run_sgd(X, y, STEP, store=layout), rw.run_sgd(X, y, STEP)
    alphas = np.logspace(-4, 4, 20)
    np.testing.assert_allclose(sketch.path(alphas), replay.path(alphas), atol=10 * sketch.tolerance, rtol=0)
    assert sketch.tolerance < (1e-3 if degree == 1 else 1e-4)
