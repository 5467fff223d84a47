"""Splitting: outlying rows take several smaller steps, and alpha keeps its meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.sgd.splitting import MAX_STEPS_OF_ROW, PIECE_ROWS, Splitting


def with_outliers(n: int, d: int, size: float, share: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X[rng.random(n) < share] *= size
    return X, X @ np.arange(1.0, d + 1) + rng.standard_normal(n)


# Law: a row takes as many steps as it needs to be safe, each of them is, and together they weigh as much as the row.
@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=50), st.floats(1e-3, 10), st.integers(1, 8))
def test_counts(q: list[float], step: float, batch_size: int) -> None:
    norms = np.array(q)
    splitting = Splitting.of(norms, step, batch_size)
    weights = splitting.step_weights(np.ones(len(q)))
    assert (step / batch_size * norms * weights <= 1 + 1e-12).all()
    np.testing.assert_allclose(weights * splitting.counts_by_row, 1, rtol=1e-12)
    assert (splitting.counts_by_row[step / batch_size * norms <= 1] == 1).all()
    assert splitting.steps_per_pass == splitting.counts_by_row.sum()
    capped = Splitting.of(norms, step, batch_size, MAX_STEPS_OF_ROW)
    assert capped.counts_by_row.max() <= MAX_STEPS_OF_ROW
    assert (step / batch_size * norms * capped.step_weights(np.ones(len(q))) <= 1 + 1e-12).all()
    assert capped.clipped == int((np.ceil(step / batch_size * norms) > MAX_STEPS_OF_ROW).sum())


# Law: the splitting of a batch is that of its squared norms and weights, piece by piece; a bad row is named.
@pytest.mark.parametrize("sparse", [False, True])
def test_splitting_of_a_batch(sparse: bool) -> None:
    n = 2 * PIECE_ROWS + 100
    X, y = with_outliers(n, 3, 6.0)
    weight = np.random.default_rng(1).exponential(size=n)
    splitting = Splitting.of_batch(check_batch(scipy.sparse.csr_array(X) if sparse else X, y, weight), 0.15, 2)
    expected = Splitting.of((X**2).sum(axis=1) * weight, 0.15, 2)
    np.testing.assert_array_equal(splitting.rows, expected.rows)
    np.testing.assert_array_equal(splitting.counts, expected.counts)
    assert splitting.n_rows == n
    X[n - 1, 2] = np.nan
    with pytest.raises(ValueError, match=rf"X\[{n - 1}, 2\] is NaN"):
        rw.run_sgd(scipy.sparse.csr_array(X) if sparse else X, y, step=rw.GrowingStep(0.15))


# Law: an order has every step of every row in it, all rows once in their own order, and steps of a row all over the
# pass; of some rows, their steps alone.
@given(st.integers(0, 2**31))
def test_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.where(rng.random(200) < 0.05, rng.integers(2, 60, 200), 1)
    rows = np.flatnonzero(counts > 1)
    splitting = Splitting(200, rows, counts[rows], 1 / counts[rows])
    order = np.asarray(splitting.order(range(200), rng))
    if len(rows):
        taken = order[40:150]
        np.testing.assert_array_equal(splitting.split_counts(taken), counts[taken][counts[taken] > 1])
        np.testing.assert_array_equal(splitting.split_counts(range(40, 150)), counts[40:150][counts[40:150] > 1])
        np.testing.assert_array_equal(splitting.of_steps(order).counts_by_row, counts[order])
    kept = rng.random(200) < 0.7
    assert splitting.steps_of(kept) == counts[kept].sum()
    assert splitting.steps_of(None) == splitting.steps_per_pass == counts.sum()
    np.testing.assert_array_equal(np.bincount(order, minlength=200), counts)
    whole = order[counts[order] == 1]
    assert (np.diff(whole) > 0).all()
    for row in splitting.rows:
        if counts[row] >= 40:
            places = np.flatnonzero(order == row) / len(order)
            assert places.min() < 0.3
            assert places.max() > 0.7
    some = rng.permutation(200)[:120]
    np.testing.assert_array_equal(
        np.bincount(splitting.order(some, rng), minlength=200), counts * np.isin(np.arange(200), some)
    )
    several = splitting.uniform_orders(3, rng)
    np.testing.assert_array_equal(np.bincount(several, minlength=200), 3 * counts)


# Law: without outlying rows nothing changes.
def test_nothing_to_split() -> None:
    splitting = Splitting.whole(5)
    assert splitting.none
    assert splitting.order(range(5), np.random.default_rng(0)) == range(5)
    assert splitting.split_counts(range(5)) is None


# Law: with outlying rows split the path is ridge, where clipped ones make another estimator; weights of 1e6 alike.
@pytest.mark.parametrize("form", ["dense", "sparse", "weights", "mini-batches", "targets"])
def test_alpha_keeps_its_meaning(form: str) -> None:
    X, y = with_outliers(2000, 4, 1.0 if form == "weights" else 30.0)
    options: dict[str, Any] = {"passes": 200, "shuffle": True, "store": "sketch", "random_state": 0}
    weight = np.ones(len(X))
    if form == "weights":
        weight[:20] = 1e3
        options["sample_weight"] = weight
    if form == "mini-batches":
        options |= {"batch_size": 4, "passes": 800}
    labels = np.column_stack([y, -2 * y]) if form == "targets" else y
    rows: Any = scipy.sparse.csr_array(X) if form == "sparse" else X
    q = (X**2).sum(axis=1) * weight
    run = rw.run_sgd(rows, labels, step=rw.GrowingStep(0.5 / q.mean()), **options)
    assert run.split > 0
    assert run.limited == 0
    alphas = np.array([0.1, 1.0, 10.0]) * q.mean() / 4
    for alpha, coef in zip(alphas, run.path(alphas), strict=True):
        A, b = (X * weight[:, None]).T @ X / len(X), (X * weight[:, None]).T @ y / len(X)
        ridge = np.linalg.solve(A + alpha * np.eye(4), b)
        found = coef[0] if form == "targets" else coef
        assert ((found - ridge) @ X.T).std() < 0.02 * (ridge @ X.T).std()
    clipped = rw.run_sgd(rows, labels, step=rw.LimitedStep(0.5 / q.mean()), **options)
    assert clipped.limited > 0
