"""Loops of SGD steps beside plain references in NumPy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.sgd.guard import LARGEST_Q, N_CLIPPED, SUM_Q, SUM_Q2

Array = NDArray[Any]
STEP, LIMIT = 0.3, 1.0


class Rows(NamedTuple):
    """Rows in an order, with targets and weights."""

    X: Array
    y: Array
    weight: Array
    order: Array | None


def plain_steps(given: Rows, batch_size: int = 1) -> tuple[Array, Array, Array]:
    """Return w_0 .. w_n, the gain of each row before the division by the batch, and the tally, all in float64."""
    X, y, weight = (part.astype(np.float64) for part in given[:3])
    order = np.arange(len(X)) if given.order is None else given.order
    w, gains, tally = np.zeros(X.shape[1]), [], np.zeros(8)
    iterates, gradient = [w], np.zeros(X.shape[1])
    for k, i in enumerate(order):
        norm = X[i] @ X[i]
        q = weight[i] * norm
        tally[[SUM_Q, SUM_Q2]] += q, q * q
        tally[LARGEST_Q] = max(tally[LARGEST_Q], q)
        clipped = STEP * q > LIMIT
        tally[N_CLIPPED] += clipped
        gains.append((LIMIT / norm if clipped else STEP * weight[i]) * (y[i] - X[i] @ w))
        gradient = gradient + gains[-1] * X[i]
        if (k + 1) % batch_size == 0:
            w, gradient = w + gradient / batch_size, np.zeros_like(w)
            iterates.append(w)
    return np.array(iterates), np.array(gains), tally


@st.composite
def problems(draw: st.DrawFn, sparse: bool = False) -> Rows:
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 37))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    X = rng.standard_normal((n, d)) / np.sqrt(d)
    X[rng.random(n) < 0.1] *= 4
    if sparse:
        X[rng.random((n, d)) < 0.5] = 0
        X[:, 0] = 1
    weight = rng.choice([0.5, 1.0, 2.0], n)
    order = rng.integers(0, n, draw(st.integers(1, 40))) if draw(st.booleans()) else None
    problem = Rows(X.astype(dtype), rng.standard_normal(n).astype(dtype), weight.astype(dtype), order)
    for part in problem[:3]:
        part.flags.writeable = False
    return problem


def assert_near(found: Array, expected: Array, dtype: Any) -> None:
    size = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=size * (1e-11 if dtype == np.float64 else 2e-4))


def problem_of_steps() -> _core.Problem:
    return _core.Problem(step=STEP, limit=LIMIT, start_square=0.0)


def dense(problem: Rows) -> _core.DenseRows:
    return _core.DenseRows(X=problem.X, y=problem.y, weight=problem.weight, order=problem.order)


# Law: replay_steps makes the steps of the plain loop, and keeps the gain of each.
@given(problems())
def test_replay_steps(problem: Rows) -> None:
    iterates, expected, tally = plain_steps(problem)
    w, gains, found = np.zeros(problem.X.shape[1]), np.empty(len(expected), problem.X.dtype), np.zeros(8)
    ended = _core.replay_steps(dense(problem), problem_of_steps(), w, gains, found)
    assert ended == (_core.End.FINISHED, len(expected))
    dtype = problem.X.dtype
    assert_near(w, iterates[-1], dtype)
    assert_near(gains, expected, dtype)
    assert_near(found[:4], tally[:4], dtype)


class Arrays:
    """The changing arrays of a dense sketch with room for one block of so many moments."""

    def __init__(self, n_columns: int, n_moments: int, dtype: Any) -> None:
        self.w, self.anchor = np.zeros(n_columns, dtype), np.zeros(n_columns, dtype)
        self.local, self.moments = np.zeros((3, n_columns), dtype), np.zeros((n_moments, n_columns))
        self.pair_rows, self.pair_opened = np.zeros((2, n_columns), dtype), np.zeros(2, dtype)
        self.tally = np.zeros(8)

    def for_core(self) -> _core.DenseSketch:
        return _core.DenseSketch(**vars(self))


def moments_of(increments: Array, length: int, chunk: int, degree: int, n_moments: int) -> Array:
    """Sum increments times T_k of the block, interpolated at three Chebyshev nodes of each chunk: (m, d)."""
    if n_moments == length:
        return np.vstack([increments, np.zeros((length - len(increments), increments.shape[1]))])
    nodes = np.cos(np.pi * (np.arange(3) + 0.5) / 3)
    moments = np.zeros((n_moments, increments.shape[1]))
    for step, increment in enumerate(increments):
        first = step - step % chunk
        place = 2 * (first + (chunk - 1 + nodes * chunk * (chunk > 1)) / 2) / (length - 1) - 1
        series = np.linalg.solve(chebyshev.chebvander(nodes, 2), chebyshev.chebvander(place, n_moments - 1))
        v = (2 * (step - first) + 1) / chunk - 1
        moments += np.outer(chebyshev.chebvander(np.array([v]), degree)[0] @ series[: degree + 1], increment)
    return moments


# Law: sketch_steps makes the steps of the plain loop in calls of any sizes, with the same bits, and the moments are
# those of the increments.
@given(
    problems(),
    st.sampled_from([(1, 64), (1, 5), (2, 5), (4, 5), (32, 5)]),
    st.sampled_from([1, 2]),
    st.lists(st.integers(0, 40), max_size=3),
)
def test_sketch_steps(problem: Rows, shape: tuple[int, int], degree: int, cuts: list[int]) -> None:
    (chunk, n_moments), length, dtype = shape, 64, problem.X.dtype
    iterates, gains, tally = plain_steps(problem)
    n_steps, n_columns = len(gains), problem.X.shape[1]
    order = np.arange(n_steps) if problem.order is None else problem.order

    def run(edges: list[int]) -> Arrays:
        arrays = Arrays(n_columns, n_moments, dtype)
        for first, last in pairwise(edges):
            part = order[first:last]
            rows = _core.DenseRows(X=problem.X, y=problem.y, weight=problem.weight, order=part)
            blocks = np.array([[first, length, chunk, degree, n_moments]])
            ended = _core.sketch_steps(rows, problem_of_steps(), arrays.for_core(), blocks)
            assert ended == (_core.End.FINISHED, last - first)
        place = _core.Place(offset=n_steps, length=length, chunk=chunk, degree=degree)
        if n_steps % chunk:
            _core.close_chunk(arrays.for_core(), place, n_steps % 2 == 1 and chunk > 1)
        return arrays

    whole = run([0, n_steps])
    cut = run(sorted({0, n_steps, *(edge for edge in cuts if edge < n_steps)}))
    for name in ("w", "moments", "tally"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(cut, name))
    assert_near(whole.w, iterates[-1], dtype)
    assert_near(whole.tally[:4], tally[:4], dtype)
    assert_near(whole.moments, moments_of(np.diff(iterates, axis=0), length, chunk, degree, n_moments), dtype)


# Law: rows as they lie and rows by their numbers give the same bits, and products in passing change none.
@given(problems(), st.integers(1, 8))
def test_order_and_products(problem: Rows, n_directions: int) -> None:
    n, d = problem.X.shape
    dtype = problem.X.dtype
    directions = np.random.default_rng(n).standard_normal((n_directions, d)).astype(dtype)
    products = np.full((n, 2 + n_directions), np.nan, dtype)
    found = []
    for order, wanted in (
        (None, None),
        (np.arange(n), None),
        (None, _core.RowProducts(directions=directions, products=products)),
    ):
        arrays = Arrays(d, 5, dtype)
        rows = _core.DenseRows(X=problem.X, y=problem.y, weight=problem.weight, order=order)
        _core.sketch_steps(rows, problem_of_steps(), arrays.for_core(), np.array([[0, 64, 8, 1, 5]]), wanted)
        found.append(arrays)
    for name in ("w", "moments", "local"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[2], name))
    assert_near(products, np.column_stack([np.ones(n), problem.y, problem.X @ directions.T]), dtype)


# Law: a mini-batch makes one step along the mean of its rows' gradients; what is left stays open until it is closed.
@given(problems(), st.integers(2, 7))
def test_dense_batches(problem: Rows, size: int) -> None:
    iterates, expected, _ = plain_steps(problem, size)
    d, dtype, n = problem.X.shape[1], problem.X.dtype, len(expected)
    gains, tally = np.empty(n, dtype), np.zeros(8)
    w, gradient = np.zeros(d), np.zeros(d)
    batch = _core.MiniBatch(size=size, rows=0, gradient=gradient)
    _core.replay_batches(dense(problem), problem_of_steps(), batch, w, gains, tally)
    assert_near(w, iterates[-1], dtype)
    assert_near(gains, expected, dtype)
    arrays, own = Arrays(d, 5, dtype), np.zeros(d, dtype)
    place = _core.Place(offset=0, length=64, chunk=4, degree=2)
    batch = _core.MiniBatch(size=size, rows=0, gradient=own)
    _core.sketch_batches(dense(problem), problem_of_steps(), batch, arrays.for_core(), place, gains)
    assert_near(arrays.w, iterates[-1], dtype)
    assert_near(own, gradient, dtype)
    made, left = n // size, n % size
    if left:
        place = _core.Place(offset=made, length=64, chunk=4, degree=2)
        batch = _core.MiniBatch(size=size, rows=left, gradient=own)
        _core.close_sketch_batch(batch, arrays.for_core(), place)
        iterates = np.vstack([iterates, iterates[-1] + gradient / left])
        made += 1
    assert not own.any()
    if made % 4:
        _core.close_chunk(arrays.for_core(), _core.Place(offset=made, length=64, chunk=4, degree=2), False)
    assert_near(arrays.moments, moments_of(np.diff(iterates, axis=0), 64, 4, 2, 5), dtype)


class SparseRun:
    """The changing arrays of a run over sparse rows."""

    def __init__(self, n_columns: int, n_moments: int, centre: Array) -> None:
        self.w, self.moments = np.zeros(n_columns), np.zeros((n_columns, n_moments))
        self.product, self.tally, self.centre = np.zeros(1), np.zeros(8), centre
        self.centre_square = float(centre @ centre)

    def for_core(self) -> _core.SparseRun:
        return _core.SparseRun(**vars(self))


def csr(problem: Rows, wide: bool) -> _core.SparseRows:
    matrix = scipy.sparse.csr_array(problem.X)
    index = np.uint64 if wide else np.uint32
    return _core.SparseRows(
        data=matrix.data, indices=matrix.indices.astype(index), indptr=matrix.indptr.astype(np.int64),
        y=problem.y, weight=problem.weight, order=problem.order,
    )  # fmt: skip


# Law: sparse rows make the steps of the same rows written out, and every moment is exact.
@given(problems(sparse=True), st.booleans(), st.sampled_from([0, 5, 64]))
def test_csr_steps(problem: Rows, wide: bool, n_moments: int) -> None:
    iterates, expected, tally = plain_steps(problem)
    d, dtype = problem.X.shape[1], problem.X.dtype
    run, gains = SparseRun(d, n_moments, np.empty(0)), np.empty(len(expected), dtype)
    place = _core.Place(offset=0, length=64, chunk=1, degree=1)
    ended = _core.csr_steps(csr(problem, wide), problem_of_steps(), run.for_core(), place, gains)
    assert ended == (_core.End.FINISHED, len(expected))
    assert_near(run.w, iterates[-1], dtype)
    assert_near(gains, expected, dtype)
    assert_near(run.tally[:4], tally[:4], dtype)
    if n_moments:
        assert_near(run.moments.T, moments_of(np.diff(iterates, axis=0), 64, 1, 1, n_moments), dtype)


# Law: the same for mini-batches.
@given(problems(sparse=True), st.booleans(), st.integers(2, 7))
def test_csr_batches(problem: Rows, wide: bool, size: int) -> None:
    iterates, expected, _ = plain_steps(problem, size)
    d, dtype, n = problem.X.shape[1], problem.X.dtype, len(expected)
    run, gains, gradient = SparseRun(d, 5, np.empty(0)), np.empty(n, dtype), np.zeros(d)
    marked, listed = np.zeros(d, bool), np.zeros(d, np.int64)
    place = _core.Place(offset=0, length=64, chunk=1, degree=1)
    batch = _core.MiniBatch(size=size, rows=0, gradient=gradient)
    touched = _core.Touched(marked=marked, listed=listed, count=0)
    end, _, count = _core.csr_batches(
        csr(problem, wide), problem_of_steps(), run.for_core(), batch, touched, place, gains
    )
    assert end == _core.End.FINISHED
    assert_near(run.w, iterates[-1], dtype)
    assert_near(gains, expected, dtype)
    assert set(listed[:count]) == set(np.flatnonzero(marked)) == set(np.flatnonzero(gradient)) | set(listed[:count])
    if n % size:
        left = gradient / (n % size)
        batch = _core.MiniBatch(size=size, rows=n % size, gradient=gradient)
        touched = _core.Touched(marked=marked, listed=listed, count=count)
        place = _core.Place(offset=n // size, length=64, chunk=1, degree=1)
        _core.close_csr_batch(run.for_core(), batch, touched, place)
        iterates = np.vstack([iterates, iterates[-1] + left])
        assert not marked.any()
        assert not gradient.any()
    assert_near(run.moments.T, moments_of(np.diff(iterates, axis=0), 64, 1, 1, 5), dtype)


# Law: rows that stand for x - v c make the steps of these rows written out; w is u - u_last c.
@given(problems(sparse=True))
def test_centred_rows(problem: Rows) -> None:
    n, d = problem.X.shape
    rng = np.random.default_rng(d)
    centre = np.append(rng.standard_normal(d) / np.sqrt(d), 0.0)
    stored = np.column_stack([problem.X, np.full(n, 0.5)]).astype(problem.X.dtype)
    written_out = stored - 0.5 * centre
    iterates, _, _ = plain_steps(Rows(written_out, *problem[1:]))
    run, gains = SparseRun(d + 1, 0, centre), np.empty(len(iterates) - 1, problem.X.dtype)
    place = _core.Place(offset=0, length=64, chunk=1, degree=1)
    _core.csr_steps(csr(Rows(stored, *problem[1:]), False), problem_of_steps(), run.for_core(), place, gains)
    assert_near(run.w - run.w[-1] * centre, iterates[-1], problem.X.dtype)
    assert_near(run.product, centre @ run.w, problem.X.dtype)


# Law: a loop stops at the row that is not finite, or whose residual has exploded, and says which.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("row", [0, 1, 6, 7])
def test_ends(dtype: Any, row: int) -> None:
    rng = np.random.default_rng(0)
    X, y, weight = rng.standard_normal((8, 5)).astype(dtype), np.ones(8, dtype), np.ones(8, dtype)
    blocks = np.array([[0, 64, 4, 1, 5]])
    X[row, 3] = np.inf
    rows = _core.DenseRows(X=X, y=y, weight=weight)
    step = _core.Problem(step=0.01, limit=np.inf, start_square=0.0)
    assert _core.sketch_steps(rows, step, Arrays(5, 5, dtype).for_core(), blocks) == (_core.End.NOT_FINITE, row)
    found = _core.replay_steps(rows, step, np.zeros(5), np.empty(8, dtype), np.zeros(8))
    assert found == (_core.End.NOT_FINITE, row)
    X[row, 3] = 1e6
    found = _core.replay_steps(rows, step, np.zeros(5), np.empty(8, dtype), np.zeros(8))
    if row < 7:  # its own residual shows it, or that of the next row
        assert found[0] == _core.End.EXPLODED
        assert found[1] in (row, row + 1)
        assert _core.sketch_steps(rows, step, Arrays(5, 5, dtype).for_core(), blocks) == found


# Law: arrays of another type than the loop expects are refused before anything is read.
def test_types_are_checked() -> None:
    rows = _core.DenseRows(X=np.ones((2, 3)), y=np.ones(2, np.float32), weight=np.ones(2))
    with pytest.raises(TypeError, match="another type of numbers"):
        _core.replay_steps(rows, problem_of_steps(), np.zeros(3), np.empty(2), np.zeros(8))
    with pytest.raises(TypeError, match="incompatible"):
        _core.DenseRows(X=np.ones((2, 6))[:, ::2], y=np.ones(2), weight=np.ones(2))


# Law: rows keep their order, and each further step follows as many of them as its place says.
@given(st.integers(0, 60), st.integers(0, 20), st.integers(0, 2**32 - 1))
def test_scattered_steps(n_rows: int, n_steps: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_rows)
    places = np.sort(rng.integers(0, n_rows + 1, n_steps))
    steps = rng.integers(0, 100, n_steps)
    out = np.empty(n_rows + n_steps, np.int64)
    _core.scatter_steps(order, steps, places, out)
    np.testing.assert_array_equal(out, np.insert(order, places, steps))
