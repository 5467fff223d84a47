"""The Gram engine against refits by scikit-learn, fold by fold and row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

import ridgeway as rw
from ridgeway.averaging import Scheme
from ridgeway.exact import second_read
from ridgeway.exact.fold_moments import MAX_CELLS, FoldMoments, read_folds
from ridgeway.exact.gram_fit import GramFit, fit_in_memory, fit_leave_one_out, fit_sums
from ridgeway.exact.gram_sums import GramSums
from ridgeway.exact.second_read import LeaveOneOut, SecondRead, robust_standard_errors
from ridgeway.rows import FLOAT64, Batch, check_batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.folds import Fold, k_folds, split_by
from ridgeway.storage.state import StateError, Stored

Array = NDArray[np.float64]
ALPHAS = [1e-6, 1e-2, 1.0, 1e2]


def problem(
    n: int = 150, d: int = 6, targets: int | None = None, hard: bool = False, seed: int = 0
) -> tuple[Array, Array, Array]:
    """Columns of different scales, far from 0; hard: raw scales 1e-6..1e6, a collinear and a constant column."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d))) + rng.standard_normal(d)
    X[rng.random((n, d)) < 0.3] = 0.0
    shape = (d,) if targets is None else (d, targets)
    y = X @ rng.standard_normal(shape) + 3.0 + rng.standard_normal((n, *shape[1:]))
    if hard:
        X *= np.geomspace(1e-6, 1e6, d)
        X[:, 3], X[:, 4] = 2.0 * X[:, 2], 3.3
    return X, y, rng.exponential(size=n)


def prepared(
    X: Any, y: Array, weight: Array | None, scale: bool = True, centre: bool = True
) -> tuple[Batch, Standardization]:
    batch = check_batch(X, y, weight, target_dtype=FLOAT64)
    return batch, Standardization.of(batch, scale, centre)


def slopes(fit: GramFit, alphas: list[float]) -> Array:
    """Coefficients in the user's units, (L, targets, d)."""
    coefs = np.asarray(fit.spectrum.path(alphas), np.float64)
    coefs = coefs.reshape(len(alphas), -1, coefs.shape[-1])
    if fit.standardization.constant:
        assert (coefs[..., -1] == 0).all()
        coefs = coefs[..., :-1]
    return coefs * fit.standardization.target_scale[:, None] / fit.standardization.scale


def ridge(X: Array, y: Array, weight: Array, alpha: float, D: Array, centre: bool) -> Ridge:
    """scikit-learn's Ridge with penalty alpha * sum(weight) |D w|^2, on columns near 0 for the sake of its digits."""
    return Ridge(alpha=alpha * weight.sum(), fit_intercept=centre, solver="svd").fit(X / D, y, sample_weight=weight)


def assert_close(got: Array, expected: Array, tolerance: float) -> None:
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * np.abs(expected).max())


# Law: the path is Ridge: weighted, several targets, n < d, collinear and constant columns, raw scales 1e-6..1e6.
@pytest.mark.parametrize("case", ["plain", "hard", "wide"])
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("centre", [True, False])
def test_path_is_ridge(case: str, targets: int | None, weighted: bool, sparse: bool, centre: bool) -> None:
    X, y, weight = problem(*((15, 40) if case == "wide" else (150, 6)), targets=targets, hard=case == "hard")
    weight = weight if weighted else np.ones(len(X))
    batch, standardization = prepared(scipy.sparse.csr_array(X) if sparse else X, y, weight, centre=centre)
    fit, _ = fit_in_memory(batch, standardization, [], None)
    D = standardization.scale
    origin = np.average(X, axis=0, weights=weight) if centre else np.zeros(X.shape[1])
    got = slopes(fit, ALPHAS)
    for place, alpha in enumerate(ALPHAS):
        expected = ridge(X - origin, y, weight, alpha, D, centre).coef_.reshape(got.shape[1:])
        assert_close(got[place] * D, expected, 1e-8)


# Law: float32 rows agree with float64 ones to their digits, and answers are float32.
def test_float32() -> None:
    X, y, _ = problem()
    one, other = (fit_in_memory(*prepared(rows, y, None), [], None)[0] for rows in (X.astype(np.float32), X))
    assert one.spectrum.path(ALPHAS).dtype == np.float32
    assert_close(slopes(one, ALPHAS), slopes(other, ALPHAS), 1e-5)


def held_out_error(X: Array, y: Array, weight: Array, folds: list[Fold], alpha: float, D: Array, centre: bool) -> float:
    """Mean squared error of refits, by brute force; several targets in units of their deviation."""
    Y = y.reshape(len(y), -1)
    units = np.sqrt(np.average((Y - np.average(Y, axis=0, weights=weight)) ** 2, axis=0, weights=weight))
    total, size = 0.0, 0.0
    for fold in folds:
        model = ridge(X[fold.train], y[fold.train], weight[fold.train], alpha, D, centre)
        left = (Y[fold.test] - model.predict(X[fold.test] / D).reshape(-1, Y.shape[1])) ** 2
        total += weight[fold.test] @ (left / units**2 if Y.shape[1] > 1 else left).mean(axis=1)
        size += weight[fold.test].sum()
    return float(total / size)


SPLITTERS = {
    "folds": KFold(5, shuffle=True, random_state=0),
    "series": TimeSeriesSplit(4),
    "shuffled": ShuffleSplit(24, random_state=0),  # more cells than are read together
}


# Law: errors of the folds are those of refits on the rows learned from, with the scales of all rows.
@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=SPLITTERS)
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("centre", [True, False])
def test_errors_of_folds_are_those_of_refits(splitter: Any, targets: int | None, sparse: bool, centre: bool) -> None:
    X, y, weight = problem(targets=targets)
    y = y - (0 if centre else y.mean(axis=0))
    batch, standardization = prepared(scipy.sparse.csr_array(X) if sparse else X, y, weight, centre=centre)
    folds = split_by(splitter, X, y, np.arange(len(X)), len(X))
    fit, _ = fit_in_memory(batch, standardization, folds, "geometric")
    if not centre and targets:
        return  # the unit of several targets is their deviation from 0 there
    for row in fit.scored[::30]:
        expected = held_out_error(X, y, weight, folds, row.alpha, standardization.scale, centre)
        assert row.error == pytest.approx(expected, rel=1e-8)
    alphas = [row.alpha for row in fit.scored]
    assert min(alphas) < 1e-10 < 1 < max(alphas)


# Law: cells of rows that folds treat alike, and folds read one by one, have the same moments.
def test_cells_are_parts_of_folds() -> None:
    X, y, weight = problem()
    batch, standardization = prepared(X, y, weight)
    many = split_by(SPLITTERS["shuffled"], X, y, np.arange(len(X)), len(X))
    one_by_one, together = read_folds(batch, many, standardization), read_folds(batch, many[:3], standardization)
    sides = np.array([fold.train for fold in many]).T
    assert len(np.unique(sides, axis=0)) > MAX_CELLS
    for one, other in zip(one_by_one.of_folds, together.of_folds, strict=False):
        for a, b in zip(one, other, strict=True):
            assert a.n_rows == b.n_rows
            assert_close(a.co.xx, b.co.xx, 1e-12)
            assert_close(a.yy, b.yy, 1e-12)


# Law: every scheme of every fold is that scheme of gradient descent on the rows learned from.
@pytest.mark.parametrize("scheme", [rw.Uniform(), rw.Last(), rw.Tail(0.047619047619047616)], ids=str)
def test_other_schemes_are_rated(scheme: Scheme) -> None:
    X, y, weight = problem()
    batch, standardization = prepared(X, y, weight)
    folds = k_folds(len(X), 3, np.random.default_rng(0))
    fit, _ = fit_in_memory(batch, standardization, folds, "auto")
    row = next(row for row in fit.scored if row.scheme == scheme)
    Z, total = (X - standardization.offset) / standardization.scale, 0.0
    for fold in folds:
        c = weight[fold.train] / weight[fold.train].sum()
        mean, mean_y = c @ Z[fold.train], c @ y[fold.train]
        centred = Z[fold.train] - mean
        s, V = np.linalg.eigh((centred.T * c) @ centred)
        q = rw.theory.residual_filter(scheme, s, row.step, fit.spectrum.n_steps)
        w = V @ ((1 - q) / s * (V.T @ (centred.T @ (c * (y[fold.train] - mean_y)))))
        total += weight[fold.test] @ (y[fold.test] - mean_y - (Z[fold.test] - mean) @ w) ** 2
    assert row.error == pytest.approx(total / weight.sum(), rel=1e-9)
    assert row.step * max(s.max() for s in [fit.spectrum.bases[0].eigenvalues]) <= 1 + 1e-12


# Law: leave-one-out errors are those of scikit-learn's RidgeCV, weighted or not, for one target or several.
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_leave_one_out_is_ridge_cv(targets: int | None, weighted: bool, sparse: bool) -> None:
    X, y, weight = problem(targets=targets)
    weight = weight if weighted else np.ones(len(X))
    batch, standardization = prepared(scipy.sparse.csr_array(X) if sparse else X, y, weight)
    fit, _ = fit_leave_one_out(batch, standardization)
    rows = [row for row in fit.scored if row.alpha > 1e-6]
    Z = (X - standardization.offset) / standardization.scale
    Y = y if targets is None else (y - standardization.target_offset) / standardization.target_scale
    alphas = np.array([row.alpha for row in rows])
    oracle = RidgeCV(alphas=alphas * weight.sum(), store_cv_results=True).fit(Z, Y, sample_weight=weight)
    expected = oracle.cv_results_.reshape(len(X), -1, len(rows)).mean(axis=1).sum(axis=0) / weight.sum()
    np.testing.assert_allclose([row.error for row in rows], expected, rtol=1e-7)
    assert oracle.alpha_ == pytest.approx(min(rows, key=lambda row: row.error).alpha * weight.sum())


# Law: blocks in which the rows are read, and whether they are held, do not matter for the errors of groups of rows.
@settings(max_examples=15)
@given(n_rows=st.integers(2, 70), block_rows=st.integers(1, 80), held=st.booleans())
def test_blocks_of_leave_one_out(n_rows: int, block_rows: int, held: bool) -> None:
    X, y, weight = problem(n_rows)
    batch, standardization = prepared(X, y, weight)
    fit, _ = fit_leave_one_out(batch, standardization)
    read = SecondRead(batch, standardization, fit.spectrum)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_read, "SECOND_READ_BLOCK_ROWS", block_rows)
        patch.setattr(second_read, "MAX_COORDINATE_BYTES", 2**25 if held else 0)
        errors = LeaveOneOut(read).errors([rw.Geometric(0.1)])[0]
    Z = np.column_stack([np.ones(n_rows), (X - standardization.offset) / standardization.scale])
    penalty = 0.1 * weight.sum() * np.diag([0.0, *np.ones(X.shape[1])])
    expected = []
    for group in np.array_split(np.arange(n_rows), len(errors)):
        total = 0.0
        for i in group:
            others = np.arange(n_rows) != i
            A, c = Z[others], weight[others]
            total += weight[i] * (y[i] - Z[i] @ np.linalg.solve((A.T * c) @ A + penalty, A.T @ (c * y[others]))) ** 2
        expected.append(total / standardization.weight_scale / standardization.target_scale[0] ** 2)
    np.testing.assert_allclose(errors, expected, rtol=1e-7)


# Law: with more columns than rows every row is fitted nearly exactly by weak strengths, and leaving one out still gives
# the errors of refits.
def test_leave_one_out_of_wide_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 90)), rng.standard_normal(40)
    batch, standardization = prepared(X, y, None)
    fit, _ = fit_leave_one_out(batch, standardization)
    Z, weakest = (X - standardization.offset) / standardization.scale, min(row.alpha for row in fit.scored)
    assert weakest < 1e-9
    for row in fit.scored:
        total = 0.0
        for i in range(40):
            others = np.arange(40) != i
            mean, centred = Z[others].mean(axis=0), Z[others] - Z[others].mean(axis=0)
            dual = np.linalg.solve(centred @ centred.T + 40 * row.alpha * np.eye(39), y[others] - y[others].mean())
            total += (y[i] - y[others].mean() - (Z[i] - mean) @ centred.T @ dual) ** 2
        assert row.error == pytest.approx(total / 40, rel=1e-3)
    assert fit.scored[0].error >= min(row.error for row in fit.scored) >= 0.9 * y.var()


def test_leave_one_out_rates_ridge_only() -> None:
    X, y, _ = problem()
    batch, standardization = prepared(X, y, None)
    fit, _ = fit_leave_one_out(batch, standardization)

    with pytest.raises(ValueError, match="set averaging='geometric'"):
        LeaveOneOut(SecondRead(batch, standardization, fit.spectrum)).errors([rw.Last()])


# Law: robust standard errors are the sandwich of the hat matrix, by explicit matrices.
@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("centre", [True, False])
def test_robust_standard_errors(alpha: float, centre: bool) -> None:
    X, y, weight = problem()
    batch, standardization = prepared(X, y, weight, centre=centre)
    fit, _ = fit_in_memory(batch, standardization, [], None)
    got = robust_standard_errors(SecondRead(batch, standardization, fit.spectrum), rw.Geometric(alpha))
    D, n = standardization.scale, len(X)
    design = np.column_stack([X / D, np.ones(n)]) if centre else X / D
    penalty = np.diag([alpha * weight.sum()] * X.shape[1] + [0.0] * centre)
    pulls = np.linalg.solve(
        design.T * weight @ design + penalty, design.T * weight
    )  # (d, n): coefficients are pulls @ y
    left = (y - design @ pulls @ y) / (1 - np.diag(design @ pulls))
    expected = np.sqrt((pulls**2 @ left**2)[: X.shape[1]])
    assert_close(got[0, : X.shape[1]] * standardization.target_scale[0], expected, 1e-9)


# Law: one gross outlier changes no choice: where rows are many its error is capped at 100 medians.
def test_outliers_are_capped() -> None:
    X, y, _ = problem(5000)
    folds = k_folds(5000, 5, np.random.default_rng(0))
    y[17] += 300.0
    fit, _ = fit_in_memory(*prepared(X, y, None), folds, "geometric")
    least = min(row.error for row in fit.scored)
    assert least < 1.3  # the outlier alone would add 9e4 / 5000
    fold = next(fold for fold in folds if 17 in fold.test)
    D = X.std(axis=0)
    best = min(fit.scored, key=lambda row: row.error)
    expected = 0.0
    for other in folds:
        left = (
            y[other.test]
            - ridge(X[other.train], y[other.train], np.ones(4000), best.alpha, D, True).predict(X[other.test] / D)
        ) ** 2
        expected += np.minimum(left, 100 * np.median(left)).sum() if other is fold else left.sum()
    assert best.error == pytest.approx(expected / 5000, rel=1e-3)  # the median is that of a reference nearby


# Law: sums over batches of any sizes, dense and sparse mixed, give the path of one fit, and folds that do not depend on
# the cuts.
@pytest.mark.parametrize(("scale", "hard"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize("centre", [True, False])
def test_sums_add_up(scale: bool, centre: bool, hard: bool) -> None:
    X, y, weight = problem(targets=2, hard=hard)
    X[:20, 1] = X[0, 1]  # constant in the first batch
    whole, _ = fit_in_memory(*prepared(X, y, weight, scale, centre), [], None)
    fits = []
    for cuts in ([20, 21, 90], [60]):
        sums: GramSums | None = None
        for k, (start, stop) in enumerate(zip([0, *cuts], [*cuts, len(X)], strict=True)):
            rows = scipy.sparse.csr_array(X[start:stop]) if k % 2 else X[start:stop]
            batch, standardization = prepared(rows, y[start:stop], weight[start:stop], scale, centre)
            sums = sums or GramSums.begin(batch, standardization, 5, 0)
            sums = sums.with_rows(batch, stop - start)
        assert sums is not None
        fits.append(fit_sums(sums, "geometric", scale))
    for fit in fits:
        for alpha in ALPHAS:
            D = whole.standardization.scale
            assert_close(slopes(fit, [alpha]) * D, slopes(whole, [alpha]) * D, 1e-9)
        np.testing.assert_allclose(fit.standardization.scale, whole.standardization.scale, rtol=1e-9)
    for one, other in zip(fits[0].scored[:90], fits[1].scored[:90], strict=True):
        assert one.error == pytest.approx(other.error, rel=1e-6)


# Law: a fit by folds goes on where it is, and stored sums go on as the sums themselves.
def test_sums_go_on() -> None:
    X, y, weight = problem()
    batch, standardization = prepared(X[:100], y[:100], weight[:100])
    folds = k_folds(100, 5, np.random.default_rng(0))
    for chosen, shared in ((folds, True), (folds[:1], False)):
        _, read = fit_in_memory(batch, standardization, chosen, "geometric")
        sums = GramSums.after(read, batch, standardization, 5, 0)
        assert (sums.base is None) == shared
        more = replace(check_batch(X[100:], y[100:], weight[100:], target_dtype=FLOAT64))
        ahead, stored = (some.with_rows(more, 50) for some in (sums, GramSums.from_state(Stored(sums.state()))))
        whole, _ = fit_in_memory(*prepared(X, y, weight), [], None)
        fits = [fit_sums(some, "geometric", True) for some in (ahead, stored)]
        assert_close(slopes(fits[0], ALPHAS), slopes(whole, ALPHAS), 1e-9)
        np.testing.assert_array_equal(fits[0].spectrum.path(ALPHAS), fits[1].spectrum.path(ALPHAS))
        assert fits[0].scored == fits[1].scored
        assert ahead.n_rows == 150


def test_made_up_sums_are_refused() -> None:
    X, y, weight = problem()
    batch, standardization = prepared(X, y, weight)
    sums = GramSums.begin(batch, standardization, 5, 0).with_rows(batch, len(X))
    other = FoldMoments.of(
        check_batch(X[:, :2], y), np.arange(9), Standardization.of(check_batch(X[:, :2], y), True, True)
    )
    with pytest.raises(StateError, match="not those of 6 features"):
        GramSums.from_state(Stored(sums.state() | {"base": other.state()}))
    with pytest.raises(StateError, match="no folds"):
        GramSums.from_state(Stored(sums.state() | {"parts": []}))
