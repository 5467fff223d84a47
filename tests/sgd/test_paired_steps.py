"""Steps taken two by two: the laws of single steps hold for them, wherever a batch begins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Last, Uniform
from ridgeway.rows import Float, check_batch
from ridgeway.sgd import DivergenceError, SGDRun
from ridgeway.sgd.row_products import RowProducts
from ridgeway.sgd.step_size import LimitedStep
from ridgeway.storage.state import StateError, Stored
from ridgeway.trajectory import Layout

PAIRED = {degree: Layout(blocks_per_octave=2, moments=4, steps_per_chunk=4, chunk_degree=degree) for degree in (1, 2)}
HEAD = 16  # steps of these layouts that are taken one by one
N = 90
WIDE_ROW_BYTES = 2**12  # wider rows are swept forth and back in turn
WIDTHS = (1, 5, 8, 33, 300, WIDE_ROW_BYTES // 4 + 50)


def rows_of(n_columns: int, dtype: type, targets: int = 1) -> tuple[Float, Float]:
    rng = np.random.default_rng(n_columns)
    X: Float = rng.standard_normal((N, n_columns)).astype(dtype)
    return X, (X[:, :1] + rng.standard_normal((N, targets))).astype(dtype)


def run_of(X: Float, y: Float, cuts: list[int], layout: Layout) -> SGDRun:
    run = SGDRun(step=0.3 / X.shape[1], store=layout)
    for part in np.split(np.arange(len(X)), cuts):
        if len(part):
            run.update(X[part], y[part])
    return run


def iterates(X: Float, y: Float, step: float) -> NDArray[np.float64]:
    """w_0 .. w_n of plain SGD, in float64."""
    w = np.zeros(X.shape[1])
    found = [w]
    for x, target in zip(X.astype(np.float64), y.astype(np.float64), strict=True):
        w = w + step * (target - x @ w) * x
        found.append(w)
    return np.array(found)


# Law: the average is that of plain iterates, taken one after the other.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("n_columns", WIDTHS)
def test_last_iterate_is_that_of_single_steps(dtype: type, degree: int, n_columns: int) -> None:
    X, y = rows_of(n_columns, dtype)
    run = run_of(X, y[:, 0], [], PAIRED[degree])
    expected = iterates(X, y[:, 0], 0.3 / n_columns)
    tolerance = 1e-12 if dtype is np.float64 else 1e-5
    for scheme in (Last(), Uniform(), Geometric(0.1)):
        average = scheme.weights(N, 0.3 / n_columns) @ expected
        found = run.trajectory().coef(scheme)
        allowed = tolerance if isinstance(scheme, Last) else max(tolerance, run.trajectory().tolerance)
        np.testing.assert_allclose(found, average, atol=allowed * np.abs(expected).max())


# Law: rows in other batches give the same bits, also where a batch ends between the rows of a pair; and so does a run
# that is stored there and goes on.
@settings(max_examples=60, deadline=None)
@given(
    cuts=st.lists(st.integers(0, N), max_size=6).map(sorted),
    dtype=st.sampled_from([np.float32, np.float64]),
    degree=st.sampled_from([1, 2]),
    n_columns=st.sampled_from(WIDTHS),
    targets=st.sampled_from([1, 2]),
)
def test_batches_give_the_same_bits(cuts: list[int], dtype: type, degree: int, n_columns: int, targets: int) -> None:
    X, y = rows_of(n_columns, dtype, targets)
    alphas = [0.0, 0.01, 1.0]
    whole = run_of(X, y, [], PAIRED[degree])
    parts = run_of(X, y, cuts, PAIRED[degree])
    np.testing.assert_array_equal(parts.trajectory().path(alphas), whole.trajectory().path(alphas))
    stored = SGDRun(step=0.3 / n_columns, store=PAIRED[degree])
    for first, last in zip([0, *cuts], [*cuts, N], strict=True):
        if last > first:
            stored.update(X[first:last], y[first:last])
            stored = SGDRun.from_state(Stored(stored.state(), "run"))
    np.testing.assert_array_equal(stored.trajectory().path(alphas), whole.trajectory().path(alphas))


# Law: the trajectory between the two rows of a pair includes all steps, and taking it does not change the run.
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("n_rows", range(HEAD - 1, HEAD + 12))
def test_open_pairs_are_seen(degree: int, n_rows: int) -> None:
    X, y = rows_of(5, np.float64)
    run = run_of(X[:n_rows], y[:n_rows, 0], [], PAIRED[degree])
    expected = iterates(X[:n_rows], y[:n_rows, 0], 0.06)
    np.testing.assert_allclose(run.trajectory().coef(Last()), expected[-1], atol=1e-12)
    average = Geometric(0.5).weights(n_rows, 0.06) @ expected
    np.testing.assert_allclose(run.trajectory().coef(Geometric(0.5)), average, atol=run.trajectory().tolerance)
    run.update(X[n_rows:], y[n_rows:, 0])
    whole = run_of(X, y[:, 0], [], PAIRED[degree])
    np.testing.assert_array_equal(run.trajectory().path([0.1]), whole.trajectory().path([0.1]))


# Law: rows by their numbers are the rows as they lie.
@pytest.mark.parametrize("n_columns", [5, 300, WIDTHS[-1]])
def test_order(n_columns: int) -> None:
    X, y = rows_of(n_columns, np.float32)
    order = np.random.default_rng(1).permutation(N)
    by_number, lying = (SGDRun(step=0.3 / n_columns, store=PAIRED[1]) for _ in range(2))
    by_number.advance(check_batch(X, y[:, 0], None), order)
    lying.advance(check_batch(X[order], y[order, 0], None))
    np.testing.assert_array_equal(by_number.trajectory().path([0.1]), lying.trajectory().path([0.1]))


# Law: products computed during the steps are those of the rows, in the order of the rows, for any batches.
@pytest.mark.parametrize("n_directions", [1, 6, 8])
@pytest.mark.parametrize("n_columns", [7, 8, 20])
@pytest.mark.parametrize("cut", [1, HEAD, HEAD + 1, HEAD + 2, 41, N - 1])
def test_row_products(n_columns: int, cut: int, n_directions: int) -> None:
    X, y = rows_of(n_columns, np.float64)
    directions = np.random.default_rng(2).standard_normal((n_directions, n_columns))
    run = SGDRun(step=0.05, store=PAIRED[1])
    products = np.full((N, 2 + n_directions), np.nan)
    for part in (slice(0, cut), slice(cut, N)):
        run.advance(check_batch(X[part], y[part, 0], None), None, RowProducts(directions, products[part]))
    expected = np.column_stack([np.ones(N), y[:, 0], X @ directions.T])
    np.testing.assert_allclose(products, expected, atol=1e-13)
    plain = SGDRun(step=0.05, store=PAIRED[1])
    plain.update(X, y[:, 0])
    np.testing.assert_array_equal(run.trajectory().path([0.1]), plain.trajectory().path([0.1]))


# Law: an explosion in either row of a pair, open or not, is told with the number of steps before it.
@pytest.mark.parametrize("row", range(HEAD + 2, HEAD + 6))
@pytest.mark.parametrize("cut", range(HEAD + 1, HEAD + 8))
def test_divergence(row: int, cut: int) -> None:
    X, y = rows_of(5, np.float64)
    X[row] *= 1e8  # far beyond what the step is safe for, so that its prediction is far off, too
    run = SGDRun(step=0.05, store=PAIRED[1])
    first = min(cut, row)
    run.update(X[:first], y[:first, 0])
    with pytest.raises(DivergenceError) as caught:
        run.update(X[first:], y[first:, 0])
    assert caught.value.at_step == row


@pytest.mark.parametrize("row", [HEAD, HEAD + 1, N - 2, N - 1])
@pytest.mark.parametrize("n_rows", [N, N - 1])
def test_rows_that_are_not_finite_are_named(row: int, n_rows: int) -> None:
    X, y = rows_of(5, np.float64)
    row = min(row, n_rows - 1)
    X[row, 2] = np.nan
    run = SGDRun(step=0.05, store=PAIRED[1])
    with pytest.raises(ValueError, match=rf"X\[{row}, 2\]"):
        run.update(X[:n_rows], y[:n_rows, 0])
    assert run.n_steps == 0


# Law: rows whose step is clipped are counted once, also in pairs.
@pytest.mark.parametrize("cut", [1, HEAD + 3, HEAD + 4])
def test_limited_rows_are_counted_once(cut: int) -> None:
    X, y = rows_of(5, np.float64)
    X[[HEAD + 2, HEAD + 3, HEAD + 9]] *= 1e3
    run = SGDRun(step=LimitedStep(0.01, 1.0), store=PAIRED[1])
    for part in (slice(0, cut), slice(cut, N)):
        run.update(X[part], y[part, 0])
    assert run.limited == 3


# Law: a run of a version that sums steps in another order is refused with a remedy, as its bits would differ.
@pytest.mark.parametrize("name", ["pair_row", "gathered"])
def test_runs_of_other_versions_are_refused(name: str) -> None:
    X, y = rows_of(5, np.float64)
    state = run_of(X, y[:, 0], [], PAIRED[1]).state()
    del state["progress"][name]
    with pytest.raises(StateError, match=rf"no {name}: .* or start a new run"):
        SGDRun.from_state(Stored(state, "run"))
