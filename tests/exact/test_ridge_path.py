"""The exact path against scikit-learn, against its own objective and against itself."""

from __future__ import annotations

import pickle
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import check_estimator

from ridgeway.exact import ExactRidgePath
from ridgeway.exact.comoments import COMOMENT_BLOCK_ROWS

Array = NDArray[np.float64]
ALPHAS = [0.0, 1e-6, 1e-2, 1.0, 1e3]


def problem(n: int = 200, d: int = 7, targets: int | None = None, seed: int = 0) -> tuple[Array, Array, Array]:
    """Correlated columns of different scales and offsets, a quarter of the entries 0; y; weights, some 0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d)))
    X = (X + rng.standard_normal(d)) * np.geomspace(0.1, 10.0, d)
    X[rng.random((n, d)) < 0.25] = 0.0
    shape = (d,) if targets is None else (d, targets)
    signal = X @ rng.standard_normal(shape)
    y = signal + 3.0 + rng.standard_normal(signal.shape)
    weight = rng.exponential(size=n)
    weight[rng.random(n) < 0.1] = 0.0
    return X, y, weight


def deviations(X: Array, weight: Array, scale: bool) -> Array:
    """Weighted population standard deviations, 1 for constant columns or without scaling."""
    if not scale:
        return np.ones(X.shape[1])
    centred = X - np.average(X, axis=0, weights=weight)
    deviation: Array = np.sqrt(np.average(centred**2, axis=0, weights=weight))
    return np.where(np.ptp(X, axis=0) == 0, 1.0, deviation)


def reference(X: Array, y: Array, weight: Array, alpha: float, scale: bool, fit_intercept: bool) -> tuple[Array, Array]:
    """scikit-learn's Ridge on scaled columns, taken back to the user's units."""
    D = deviations(X, weight, scale)
    ridge = Ridge(alpha=weight.sum() * alpha, fit_intercept=fit_intercept, solver="svd")
    ridge.fit(X / D, y, sample_weight=weight)
    return ridge.coef_ / D, ridge.intercept_


def assert_close(got: Any, expected: Any, tolerance: float) -> None:
    """Compare within `tolerance` of the largest expected entry."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * max(np.abs(expected).max(), 1e-300))


# Law: ExactRidgePath at alpha is Ridge at alpha * sum(weights) on standardized columns.
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("form", ["dense", "fortran", "sparse", "float32", "sparse32"])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_equals_sklearn(
    scale: bool, fit_intercept: bool, weighted: bool, targets: int | None, form: str, alpha: float
) -> None:
    X, y, weight = problem(targets=targets)
    if not weighted:
        weight = np.ones(len(X))
    if form.endswith("32"):
        X = X.astype(np.float32).astype(np.float64)  # what the estimator sees, in full precision for the oracle
    forms: dict[str, Any] = {
        "dense": X,
        "fortran": np.asfortranarray(X),
        "sparse": scipy.sparse.csr_array(X),
        "float32": X.astype(np.float32),
        "sparse32": scipy.sparse.csr_matrix(X.astype(np.float32)),
    }
    given_X = forms[form]
    model = ExactRidgePath(scale=scale, fit_intercept=fit_intercept, alpha=alpha)
    model.fit(given_X, y, sample_weight=weight if weighted else None)
    coef, intercept = reference(X, y, weight, alpha, scale, fit_intercept)
    coef = coef.reshape(model.coef_.shape)  # Ridge drops the axis of a single 2-D target
    assert_close(model.coef_, coef, 1e-8)
    assert_close(model.intercept_, np.reshape(intercept, np.shape(y)[1:]) if fit_intercept else 0.0, 1e-8)
    assert model.coef_.dtype == np.float64
    expected = X @ coef.T + (np.reshape(intercept, np.shape(y)[1:]) if fit_intercept else 0.0)
    assert_close(model.predict(given_X), expected, 1e-8)


# Law: the gradient of (1/W) sum c (y - b - x.w)^2 + alpha |D w|^2 vanishes at the answer.
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", [True, False])
def test_first_order_optimality(scale: bool, fit_intercept: bool, alpha: float) -> None:
    X, y, weight = problem()
    model = ExactRidgePath(scale=scale, fit_intercept=fit_intercept, alpha=alpha).fit(X, y, weight)
    D = deviations(X, weight, scale)
    share = weight / weight.sum()
    residual = y - model.intercept_ - X @ model.coef_
    pull = X.T @ (share * residual)
    size = np.abs(X).T @ (share * np.abs(y))
    np.testing.assert_array_less(np.abs(pull - alpha * D**2 * model.coef_), 1e-11 * size)
    if fit_intercept:
        assert abs(share @ residual) < 1e-11 * (share @ np.abs(y))
    else:
        assert model.intercept_ == 0.0


# Law: batches of any sizes, dense and sparse ones mixed, equal one fit.
@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    cuts=st.lists(st.integers(1, 59), max_size=12),
    sparse=st.lists(st.booleans(), min_size=13, max_size=13),
    scale=st.booleans(),
    fit_intercept=st.booleans(),
    alpha=st.sampled_from(ALPHAS),
)
def test_batches_equal_one_fit(
    seed: int, cuts: list[int], sparse: list[bool], scale: bool, fit_intercept: bool, alpha: float
) -> None:
    X, y, weight = problem(60, 4, targets=2, seed=seed)
    weight[0] = max(weight[0], 0.5)  # the first batch must have some weight
    whole = ExactRidgePath(scale=scale, fit_intercept=fit_intercept, alpha=alpha).fit(X, y, weight)
    stream = clone(whole)
    edges = [0, *sorted(set(cuts)), 60]
    for start, stop, is_sparse in zip(edges[:-1], edges[1:], sparse, strict=False):
        rows = scipy.sparse.csr_array(X[start:stop]) if is_sparse else X[start:stop]
        stream.partial_fit(rows, y[start:stop], weight[start:stop])
    assert_close(stream.coef_, whole.coef_, 1e-9)
    assert_close(stream.intercept_, whole.intercept_, 1e-9)


# Law: the same, when the rows of one call fill several blocks.
@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_equal_one_fit(sparse: bool) -> None:
    X, y, weight = problem(2 * COMOMENT_BLOCK_ROWS + 17, 3)
    rows = scipy.sparse.csr_array(X) if sparse else X
    for given_weight in (None, weight):
        model = ExactRidgePath(alpha=0.1).fit(rows, y, given_weight)
        used = np.ones(len(X)) if given_weight is None else given_weight
        coef, intercept = reference(X, y, used, 0.1, True, True)
        assert_close(model.coef_, coef, 1e-12)
        assert_close(model.intercept_, intercept, 1e-12)


# Law: only the ratios of the weights matter; a power of four changes no bit.
@pytest.mark.parametrize("factor", [4.0**-300, 0.25, 4.0**250])
def test_scaling_the_weights_changes_nothing(factor: float) -> None:
    X, y, weight = problem()
    one = ExactRidgePath(alpha=0.1).fit(X, y, weight)
    other = ExactRidgePath(alpha=0.1).fit(X[:90], y[:90], factor * weight[:90])
    other.partial_fit(X[90:], y[90:], factor * weight[90:])
    assert_close(other.coef_, one.coef_, 1e-13)
    whole = ExactRidgePath(alpha=0.1).fit(X, y, factor * weight)
    np.testing.assert_array_equal(whole.coef_, one.coef_)


# Law: an integer weight is that many copies of the row.
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_integer_weights_are_copies(fit_intercept: bool) -> None:
    X, y, _ = problem()
    copies = np.random.default_rng(5).integers(0, 4, len(X))
    weighted = ExactRidgePath(fit_intercept=fit_intercept, alpha=0.3).fit(X, y, copies)
    repeated = ExactRidgePath(fit_intercept=fit_intercept, alpha=0.3)
    repeated.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert_close(weighted.coef_, repeated.coef_, 1e-12)
    assert_close(weighted.intercept_, repeated.intercept_, 1e-12)


# Law: rows of weight 0 are not there, whatever they hold.
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_without_weight_are_not_there(sparse: bool) -> None:
    X, y, weight = problem()
    weight[[0, 50]] = 0.0
    expected = ExactRidgePath(alpha=0.3).fit(X[weight > 0], y[weight > 0], weight[weight > 0])
    X[0, 2], X[50, 1] = np.nan, np.inf
    model = ExactRidgePath(alpha=0.3).fit(scipy.sparse.csr_array(X) if sparse else X, y, weight)
    assert_close(model.coef_, expected.coef_, 1e-12)
    before = model.coef_
    model.partial_fit(X[:1], y[:1], [0.0])
    np.testing.assert_array_equal(model.coef_, before)


# Law: at(alpha), path([..., alpha, ...]) and a fit at alpha are one model; predict_path loops over predict.
@pytest.mark.parametrize("targets", [None, 1, 3])
def test_at_is_path_is_fit(targets: int | None) -> None:
    X, y, weight = problem(targets=targets)
    model = ExactRidgePath(alpha=0.7).fit(X, y, weight)
    path = model.path(ALPHAS)
    answers = model.predict_path(X, ALPHAS)
    extra = () if targets is None else (targets,)
    assert path.coefs.shape == (5, *extra, 7)
    assert path.intercepts.shape == (5, *extra)
    assert answers.shape == (200, 5, *extra)
    for k, alpha in enumerate(ALPHAS):
        moved = model.at(alpha)
        fitted = clone(model).set_params(alpha=alpha).fit(X, y, weight)
        assert moved.alpha == moved.alpha_ == alpha
        for other in (moved, fitted):
            assert_close(path.coefs[k], other.coef_, 1e-13)
            assert_close(path.intercepts[k], other.intercept_, 1e-13)
            assert_close(answers[:, k], other.predict(X), 1e-13)
    assert model.alpha == model.alpha_ == 0.7  # at() left it where it was
    assert isinstance(model.intercept_, float) == (targets is None)


# Law: a copy made by at() and its origin go on reading rows independently.
def test_copies_are_independent() -> None:
    X, y, _ = problem()
    model = ExactRidgePath().fit(X[:100], y[:100])
    before = model.coef_.copy()
    moved = model.at(0.2).partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(model.coef_, before)
    assert_close(moved.coef_, ExactRidgePath(alpha=0.2).fit(X, y).coef_, 1e-12)


# Law: coefficients follow new rows: the decomposition kept for the old ones is gone.
def test_partial_fit_forgets_the_decomposition() -> None:
    X, y, _ = problem()
    model = ExactRidgePath().partial_fit(X[:100], y[:100])
    first = model.coef_
    assert model.partial_fit(X[100:], y[100:]).coef_ is not first
    assert_close(model.coef_, ExactRidgePath().fit(X, y).coef_, 1e-10)
    assert_close(model.fit(X[:100], y[:100]).coef_, first, 1e-13)


# Law: parameters changed after the fit take effect at the next one only.
def test_parameters_act_when_rows_are_read() -> None:
    X, y, _ = problem()
    model = ExactRidgePath(alpha=0.5).fit(X, y)
    expected = ExactRidgePath(alpha=0.5).fit(X, y).path([0.1]).coefs
    model.set_params(scale=False, fit_intercept=False, alpha=9.0)
    np.testing.assert_array_equal(model.path([0.1]).coefs, expected)
    assert model.alpha_ == 0.5


# Law: at alpha = 0 dependent columns get the least-squares solution of least |D w|.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize(("n", "d"), [(200, 6), (9, 30), (2, 5), (1, 4)])
def test_minimum_norm(n: int, d: int, scale: bool, sparse: bool) -> None:
    X, y, _ = problem(n, d)
    X[:, 3] = X[:, 0] + 2.0 * X[:, 1]
    D = deviations(X, np.ones(n), scale)
    centred = (X - X.mean(axis=0)) / D
    expected = np.linalg.lstsq(centred, y - y.mean(), rcond=1e-10)[0] / D
    model = ExactRidgePath(scale=scale).fit(scipy.sparse.csr_array(X) if sparse else X, y)
    assert_close(model.coef_, expected, 1e-8)
    # With a penalty the same matrix is no special case.
    for alpha in (1e-6, 1.0):
        coef, intercept = reference(X, y, np.ones(n), alpha, scale, True)
        assert_close(model.at(alpha).coef_, coef, 1e-8)
        assert_close(model.at(alpha).intercept_, intercept, 1e-8)


# Law: as alpha falls to 0 the path ends at the solution for 0, also beside duplicate columns.
def test_path_is_continuous_at_zero() -> None:
    X, y, _ = problem()
    X = np.hstack([X, X[:, :3]])
    path = ExactRidgePath().fit(X, y).path([1e-9, 1e-300, 0.0])
    assert_close(path.coefs[0], path.coefs[2], 1e-6)
    assert_close(path.coefs[1], path.coefs[2], 1e-13)
    D = deviations(X, np.ones(200), True)
    assert_close((D * path.coefs[2])[:3], (D * path.coefs[2])[7:], 1e-9)  # duplicates share alike


# Law: an offset of the columns and the targets moves the intercept only.
@pytest.mark.parametrize("batch", [1, 64, 1000])
def test_huge_offsets(batch: int) -> None:
    rng = np.random.default_rng(2)
    # Multiples of 2^-20 are exact beside 1e8: the shifted problem is the same problem.
    X = np.round(rng.standard_normal((1000, 4)) * 2**20) / 2**20
    y = np.round((X @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(1000)) * 2**20) / 2**20
    offset = np.array([1e8, -1e8, 0.0, 1e6])
    far_X, far_y = X + offset, y + 1e8
    assert (far_X - offset == X).all()
    near = ExactRidgePath().fit(X, y)
    far = ExactRidgePath()
    for start in range(0, 1000, batch):
        far.partial_fit(far_X[start : start + batch], far_y[start : start + batch])
    for alpha in ALPHAS:
        assert_close(far.at(alpha).coef_, near.at(alpha).coef_, 1e-12)
    residual = far.predict(far_X) - far_y - (near.predict(X) - y)
    assert np.abs(residual).max() < 1e-6


# Law: a constant column has no say beside an intercept, and is a column like any other without one.
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -1e8 / 3])
@pytest.mark.parametrize("form", ["dense", "sparse", "rows"])
@pytest.mark.parametrize("scale", [True, False])
def test_constant_columns(scale: bool, form: str, value: float) -> None:
    X, y, weight = problem(300)
    weight += 0.01
    wide = np.insert(X, 3, value, axis=1)
    model = ExactRidgePath(scale=scale)
    if form == "rows":
        for i in range(300):
            model.partial_fit(wide[[i]], y[[i]], weight[[i]])
    else:
        model.fit(scipy.sparse.csr_array(wide) if form == "sparse" else wide, y, weight)
    plain = ExactRidgePath(scale=scale).fit(X, y, weight)
    for alpha in ALPHAS:
        assert model.at(alpha).coef_[3] == 0.0
        assert_close(np.delete(model.at(alpha).coef_, 3), plain.at(alpha).coef_, 1e-10)
    if abs(value) <= 1.0:
        bare = ExactRidgePath(scale=scale, fit_intercept=False, alpha=0.01).fit(wide, y, weight)
        coef, _ = reference(wide, y, weight, 0.01, scale, False)
        assert_close(bare.coef_, coef, 1e-9)


# Law: with nothing but constant columns the answer is the mean, at any alpha.
def test_only_constant_columns() -> None:
    model = ExactRidgePath().fit(np.full((5, 2), 0.3), np.arange(5.0))
    for alpha in (0.0, 1e-310, 1.0):
        np.testing.assert_array_equal(model.at(alpha).coef_, [0.0, 0.0])
        assert model.at(alpha).intercept_ == 2.0


# Law: float32 rows do not cost the targets and weights their precision.
def test_targets_keep_float64_beside_float32_rows() -> None:
    X, y, weight = problem()
    X32 = X.astype(np.float32)
    y = y + 1e7
    one = ExactRidgePath(alpha=0.1).fit(X32, y, weight)
    other = ExactRidgePath(alpha=0.1).fit(X32.astype(np.float64), y, weight)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.predict(X32).dtype == np.float64


# Law: beside what it is given, a fit holds the numbers and the squared norms of the rows, and a few blocks of rows: it
# makes no second X to check y and the weights against.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_beside_the_rows(dtype: type[np.floating[Any]]) -> None:
    n_rows = 400_000
    rng = np.random.default_rng(0)
    X, y, weight = rng.standard_normal((n_rows, 1)).astype(dtype), rng.standard_normal(n_rows), np.ones(n_rows)
    ExactRidgePath().fit(X[:100], y[:100], weight[:100])  # what is made once, such as compiled code
    tracemalloc.start()
    try:
        ExactRidgePath().fit(X, y, weight)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < n_rows * (np.dtype(np.intp).itemsize + X.itemsize) + 2**20


# Law: the score is R^2, weighted where asked.
def test_score() -> None:
    X, y, weight = problem(targets=2)
    model = ExactRidgePath(alpha=0.1).fit(X, y)
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
    expected = r2_score(y, model.predict(X), sample_weight=weight)
    assert model.score(X, y, sample_weight=weight) == pytest.approx(expected)


def test_parameters_clone_and_pickle() -> None:
    X, y, _ = problem()
    model = ExactRidgePath(scale=False, alpha=0.3).fit(X, y)
    assert model.get_params() == {"alpha": 0.3, "fit_intercept": True, "scale": False}
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "coef_")
    for revived in (pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(fresh.fit(X, y)))):
        np.testing.assert_array_equal(revived.coef_, model.coef_)
        np.testing.assert_array_equal(revived.at(2.0).predict(X), model.at(2.0).predict(X))
        revived.partial_fit(X, y)
        assert_close(revived.coef_, model.coef_, 1e-10)


def test_names_of_columns() -> None:
    X, y, _ = problem(d=3)
    model = ExactRidgePath().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=["a", "c", "b"]))


# --- what goes wrong, and what the message says ---


@pytest.mark.parametrize(
    ("alpha", "error", "message"),
    [
        (
            -1.0,
            ValueError,
            "alpha=-1.0 is negative: the ridge strength must be 0 or more; alpha=0 is least squares",
        ),
        (np.inf, ValueError, "alpha=inf is not finite"),
        (np.nan, ValueError, "alpha=nan is not finite"),
        ("auto", TypeError, "alpha='auto' is a str"),
        (None, TypeError, "alpha=None is a NoneType"),
    ],
)
def test_bad_alpha(alpha: Any, error: type[Exception], message: str) -> None:
    X, y, _ = problem()
    model = ExactRidgePath().fit(X, y)
    with pytest.raises(error, match=message):
        model.at(alpha)
    with pytest.raises(error, match=message):
        ExactRidgePath(alpha=alpha).fit(X, y)
    with pytest.raises(error, match=message):
        model.path([1.0, alpha] if not isinstance(alpha, str) else np.array([1.0, alpha], object))
    with pytest.raises(error, match=message):
        model.predict_path(X, np.array([1.0, alpha], object))


def test_not_fitted() -> None:
    model = ExactRidgePath()
    X = np.zeros((2, 3))
    for ask in (
        lambda: model.predict(X),
        lambda: model.path([1.0]),
        lambda: model.at(1.0),
        lambda: model.predict_path(X, [1.0]),
        lambda: model.coef_,
        lambda: model.intercept_,
        lambda: model.score(X, [0.0, 0.0]),
    ):
        with pytest.raises(NotFittedError, match="ExactRidgePath is not fitted: call fit or partial_fit first"):
            ask()


def damaged(values: Array, *place: int, value: float = np.nan) -> Array:
    values = values.copy()
    values[place] = value
    return values


X, Y, C = problem(d=3)
BAD_ROWS: dict[str, tuple[Any, Any, Any, type[Exception], str]] = {
    "nan in X": (damaged(X, 5, 1), Y, None, ValueError, r"X\[5, 1\] is NaN: expected finite numbers"),
    "inf in X": (damaged(X, 5, 1, value=np.inf), Y, None, ValueError, r"X\[5, 1\] is inf"),
    # The row number in the message is the user's, also when rows before it have no weight.
    "nan, weights 0": (damaged(X, 5, 1), Y, np.arange(200) > 2, ValueError, r"X\[5, 1\] is NaN"),
    "nan in sparse X": (scipy.sparse.csr_array(damaged(X, 5, 1)), Y, None, ValueError, r"X\[5, 1\] is NaN"),
    "nan in y": (X, damaged(Y, 7), None, ValueError, r"y\[7\] is NaN"),
    "nan in weights": (X, Y, damaged(C, 7), ValueError, r"sample_weight\[7\] is NaN"),
    "negative weight": (
        X,
        Y,
        damaged(C, 7, value=-2.0),
        ValueError,
        r"sample_weight\[7\] = -2.0 is negative",
    ),
    "short y": (X, Y[:-1], None, ValueError, r"y has shape \(199,\) but X has 200 rows"),
    "short weights": (X, Y, C[:-1], ValueError, r"sample_weight has shape \(199,\) but X has 200 rows"),
    "1-D X": (X[0], Y[:1], None, ValueError, "X has 1 dimension"),
    "no rows": (X[:0], Y[:0], None, ValueError, "X has no rows"),
    "no columns": (X[:, :0], Y, None, ValueError, r"0 feature\(s\) \(shape=\(200, 0\)\)"),
    "text": (np.full((200, 3), "a"), Y, None, TypeError, "not real numbers"),
    "overflow in X": (X * 1e200, Y, None, ValueError, "row 0 of X has a squared norm beyond float64"),
    "overflow in sums": (X, Y, C * 1e307, ValueError, "exceed float64: scale the columns, the targets or"),
    "overflow in y": (X * 1e100, Y * 1e250, None, ValueError, "exceed float64"),
}


# Law: a refused batch changes nothing, neither in a fresh estimator nor in a fitted one.
@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows_leave_no_trace(case: str) -> None:
    bad_X, bad_y, bad_weight, error, message = BAD_ROWS[case]
    fresh = ExactRidgePath()
    for refuse in (fresh.fit, fresh.partial_fit):
        with pytest.raises(error, match=message):
            refuse(bad_X, bad_y, bad_weight)
    assert vars(fresh) == vars(ExactRidgePath())
    model = ExactRidgePath().fit(X, Y, C)
    before = dict(vars(model)), pickle.dumps(model.path(ALPHAS))
    for refuse in (model.partial_fit, model.fit):
        with pytest.raises(error, match=message):
            refuse(bad_X, bad_y, bad_weight)
    assert (dict(vars(model)), pickle.dumps(model.path(ALPHAS))) == before


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "message"),
    [
        (
            X[:, :2],
            Y,
            "X has 2 features, but ExactRidgePath is expecting 3 features as input: pass the columns",
        ),
        (X, np.c_[Y, Y], r"y has shape \(n, 2\) but the batches before had \(n,\): pass the same targets"),
        (X, Y[:, None], r"y has shape \(n, 1\) but the batches before had \(n,\)"),
    ],
)
def test_batches_must_agree(bad_X: Array, bad_y: Array, message: str) -> None:
    model = ExactRidgePath().fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.partial_fit(bad_X, bad_y)
    assert vars(model) == before
    with pytest.raises(ValueError, match=r"y has shape \(n,\) but the batches before had \(n, 2\)"):
        ExactRidgePath().fit(X, np.c_[Y, Y]).partial_fit(X, Y)


def test_predict_needs_the_same_columns() -> None:
    model = ExactRidgePath().fit(X, Y)
    message = "X has 2 features, but ExactRidgePath is expecting 3 features as input"
    with pytest.raises(ValueError, match=message):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match=message):
        model.predict_path(X[:, :2], [1.0])


def test_all_weights_zero() -> None:
    message = "sample_weight is zero for all 200 rows: expected at least one positive weight; leave"
    fresh = ExactRidgePath()
    for refuse in (fresh.fit, fresh.partial_fit):
        with pytest.raises(ValueError, match=message):
            refuse(X, Y, np.zeros(200))
    assert not hasattr(fresh, "n_features_in_")


# Law: it is a scikit-learn estimator.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_estimator_contract() -> None:
    check_estimator(ExactRidgePath(alpha=0.1))
