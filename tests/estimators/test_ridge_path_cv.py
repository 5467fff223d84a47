"""RidgePathCV: its engines against each other and scikit-learn, streams, files, intervals, refusals."""

from __future__ import annotations

import itertools
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from tests.estimators.weak_strengths import require_warnings_of_weak_strengths

import ridgeway as rw
from ridgeway.estimators import exact_fit
from ridgeway.estimators.solver_choice import (
    KRYLOV_PRODUCTS,
    MIN_KRYLOV_PRODUCTS,
    ProblemSize,
    choose_solver,
    choose_stream_solver,
    max_krylov_products,
)
from ridgeway.exact.rated_candidates import best_of
from ridgeway.selection.candidate_table import Scored

Array = NDArray[np.float64]
ALPHAS = [1e-4, 1e-2, 1.0, 100.0]


def problem(n: int = 200, d: int = 6, targets: int | None = None, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    X = (
        rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d))) + rng.standard_normal(d)
    ) * np.geomspace(1e-3, 1e3, d)
    shape = (d,) if targets is None else (d, targets)
    y = (X / np.geomspace(1e-3, 1e3, d)) @ rng.standard_normal(shape) + 3.0 + 2.0 * rng.standard_normal((n, *shape[1:]))
    return X, y, rng.exponential(size=n)


# Law: all engines mean the same path: Ridge at W alpha on scaled columns.
@pytest.mark.parametrize("solver", ["gram", "krylov"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("targets", [None, 2])
def test_path_is_ridge(solver: str, sparse: bool, targets: int | None) -> None:
    X, y, weight = problem(targets=targets)
    model = rw.RidgePathCV(solver=solver, alpha=1e-4).fit(scipy.sparse.csr_array(X) if sparse else X, y, weight)
    D = np.sqrt(np.cov(X.T, aweights=weight, ddof=0).diagonal())
    if sparse:  # columns that are 0 in most rows have another scale
        D = np.where((X != 0).mean(axis=0) > 0.5, D, np.abs(X).max(axis=0))
    for alpha in ALPHAS:
        oracle = Ridge(alpha=alpha * weight.sum(), solver="svd").fit(X / D, y, sample_weight=weight)
        moved = model.at(alpha)
        np.testing.assert_allclose(moved.coef_ * D, oracle.coef_, rtol=0, atol=1e-8 * np.abs(oracle.coef_).max())
        np.testing.assert_allclose(moved.intercept_, oracle.intercept_, rtol=1e-8)
        assert moved.alpha_ == alpha
    assert model.solver_ == solver
    assert model.selection_ is None


# Law: leaving one out chooses what RidgeCV chooses among the same strengths.
def test_leave_one_out_is_ridge_cv() -> None:
    X, y, _ = problem()
    model = rw.RidgePathCV(cv="loo").fit(X, y)
    assert model.selection_ is not None
    alphas = [row.alpha for row in model.selection_]
    oracle = RidgeCV(alphas=np.array(alphas) * len(X)).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert model.alpha_ == pytest.approx(oracle.alpha_ / len(X))
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), oracle.coef_, rtol=1e-6)
    assert rw.RidgePathCV().fit(X, y).alpha_ == model.alpha_  # what "auto" means for so few rows


# Law: targets without noise are learned: errors near rounding do not hide that strong strengths are wrong.
@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-6])
@pytest.mark.parametrize("solver", ["gram", "krylov"])
def test_targets_without_noise(solver: str, noise: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 10))
    y = X @ rng.standard_normal(10) + noise * rng.standard_normal(3000)
    assert rw.RidgePathCV(solver=solver, cv=5, random_state=0).fit(X, y).score(X, y) > 1 - 1e-6


# Law: Gram and Krylov choose among the same folds nearly the same model.
def test_engines_choose_alike() -> None:
    X, y, weight = problem(400, 20)
    models = [rw.RidgePathCV(solver=solver, cv=5, random_state=0).fit(X, y, weight) for solver in ("gram", "krylov")]
    errors = [model.selection_.chosen.error for model in models if model.selection_ is not None]
    assert errors[1] == pytest.approx(errors[0], rel=1e-3)
    np.testing.assert_allclose(models[1].predict(X), models[0].predict(X), rtol=0, atol=0.02 * y.std())
    assert "Krylov products" in repr(models[1].selection_)


# Law: given splits are kept to.
@pytest.mark.parametrize("solver", ["gram", "krylov"])
def test_given_splits(solver: str) -> None:
    X, y, _ = problem()
    groups = np.arange(len(X)) % 7
    splits = list(GroupKFold(4).split(X, y, groups))
    model = rw.RidgePathCV(solver=solver, cv=splits).fit(X, y)
    assert model.selection_ is not None
    row = model.selection_.chosen
    D, total = X.std(axis=0), 0.0
    for train, test in splits:
        oracle = Ridge(alpha=row.alpha * len(train), solver="svd").fit(X[train] / D, y[train])
        total += ((y[test] - oracle.predict(X[test] / D)) ** 2).sum()
    assert row.error == pytest.approx(total / len(X), rel=1e-3 if solver == "krylov" else 1e-9)
    shuffled = rw.RidgePathCV(solver=solver, cv=ShuffleSplit(3, random_state=0)).fit(X, y)
    assert "3 given splits" in repr(shuffled.selection_)


# Law: the one-standard-error rule takes a stronger alpha.
@pytest.mark.parametrize("cv", ["auto", 5, "holdout"])
def test_one_standard_error(cv: Any) -> None:
    X, y, _ = problem()
    plain, simple = (rw.RidgePathCV(cv=cv, one_standard_error=rule, random_state=0).fit(X, y) for rule in (False, True))
    assert plain.alpha_ is not None
    assert simple.alpha_ is not None
    assert simple.alpha_ > plain.alpha_ or cv == "holdout"  # one group has no standard error


# Law: batches of any sizes give the path of one fit; a fit goes on; a copy at another alpha goes on by itself.
@pytest.mark.parametrize("cut", [1, 37, 199])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_streams(cut: int, fit_intercept: bool) -> None:
    X, y, weight = problem(targets=2)
    whole = rw.RidgePathCV(alpha=0.1, fit_intercept=fit_intercept).fit(X, y, weight)
    stream = clone(whole)
    for start in range(0, 200, cut):
        part = slice(start, start + cut)
        stream.partial_fit(X[part], y[part], weight[part])
    begun = clone(whole).fit(X[:cut], y[:cut], weight[:cut]).partial_fit(X[cut:], y[cut:], weight[cut:])
    for model in (stream, begun):
        D = X.std(axis=0)
        for one, other in zip(model.path(ALPHAS).coefs, whole.path(ALPHAS).coefs, strict=True):
            np.testing.assert_allclose(one * D, other * D, rtol=0, atol=1e-9 * np.abs(other * D).max())
        np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-8)
        assert model.n_rows_ == 200
    moved = stream.at(3.0)
    np.testing.assert_array_equal(moved.coef_, stream.path([3.0]).coefs[0])
    before = stream.coef_.copy()
    moved.partial_fit(X[:50], y[:50])
    np.testing.assert_array_equal(stream.coef_, before)
    assert (moved.alpha_, moved.n_rows_, stream.n_rows_) == (3.0, 250, 200)


# Law: a stream chooses by folds that do not depend on how it is cut, about what a fit chooses.
def test_streams_choose() -> None:
    X, y, _ = problem(1000)
    streams = []
    for cut in (10, 333):
        stream = rw.RidgePathCV(random_state=0)
        for start in range(0, 1000, cut):
            stream.partial_fit(X[start : start + cut], y[start : start + cut])
        streams.append(stream)
    one, other = streams
    assert one.alpha_ == pytest.approx(other.alpha_)
    assert one.selection_ is not None
    fitted = rw.RidgePathCV(cv=5, random_state=0).fit(X, y)
    assert fitted.selection_ is not None
    assert one.selection_.chosen.error == pytest.approx(fitted.selection_.chosen.error, rel=0.01)
    np.testing.assert_allclose(one.predict(X), fitted.predict(X), rtol=0, atol=0.05 * y.std())


# Law: rows count once: after a fit by splits whose tests overlap or leave rows out, batches give the path of one fit.
@pytest.mark.parametrize(
    "cv", [ShuffleSplit(5, test_size=0.2, random_state=0), ShuffleSplit(5, test_size=0.1, random_state=0), KFold(5)]
)
def test_streams_after_any_splits(cv: Any) -> None:
    X, y, weight = problem()
    stream = rw.RidgePathCV(solver="gram", cv=cv).fit(X[:120], y[:120], weight[:120])
    stream.set_params(cv=5).partial_fit(X[120:], y[120:], weight[120:])
    oracle = Ridge(alpha=weight.sum() * 0.1, solver="svd")
    D = np.sqrt(np.cov(X.T, aweights=weight, ddof=0).diagonal())
    np.testing.assert_allclose(stream.path([0.1]).coefs[0] * D, oracle.fit(X / D, y, weight).coef_, rtol=1e-8)


# Law: rows of weight 0 take part in the count of rows wherever a stream is cut, also where a batch has no others.
def test_streams_with_batches_of_no_weight() -> None:
    X, y, weight = problem()
    weight[60:90] = 0.0
    errors = []
    for cuts in ([0, 200], [0, 60, 90, 200], [0, 50, 70, 80, 200]):
        stream = rw.RidgePathCV(random_state=0)
        for start, stop in itertools.pairwise(cuts):
            stream.partial_fit(X[start:stop], y[start:stop], weight[start:stop])
        assert stream.selection_ is not None
        assert stream.n_rows_ == 170
        errors.append(stream.selection_.to_dict()["error"])
    for other in errors[1:]:
        np.testing.assert_allclose(other, errors[0], rtol=1e-6)
    with pytest.raises(ValueError, match="zero for all rows"):
        rw.RidgePathCV().partial_fit(X[:5], y[:5], np.zeros(5))


# Law: sorted rows are no other rows.
def test_order_does_not_matter() -> None:
    X, y, _ = problem(500)
    order = np.argsort(y)
    one, other = rw.RidgePathCV(alpha=0.01), rw.RidgePathCV(alpha=0.01)
    for start in range(0, 500, 50):
        one.partial_fit(X[start : start + 50], y[start : start + 50])
        other.partial_fit(X[order[start : start + 50]], y[order[start : start + 50]])
    np.testing.assert_allclose(other.path(ALPHAS).coefs, one.path(ALPHAS).coefs, rtol=1e-9)


# Law: a saved model predicts bit for bit, knows every alpha, and goes on where it was.
@pytest.mark.parametrize("solver", ["gram", "krylov", "sgd"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_saved_models(solver: str, tmp_path: Path) -> None:
    X, y, weight = problem()
    model = rw.RidgePathCV(solver=solver, random_state=0).fit(X, y, weight)
    model.save(tmp_path / "model.safetensors")
    loaded = rw.load(tmp_path / "model.safetensors")
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        np.testing.assert_array_equal(other.path(ALPHAS).coefs, model.path(ALPHAS).coefs)
        assert (other.solver_, other.alpha_, other.n_rows_) == (model.solver_, model.alpha_, 200)
        assert repr(other.selection_) == repr(model.selection_)
        assert other.solver_reason_ == model.solver_reason_
        if solver != "krylov":
            np.testing.assert_array_equal(
                other.partial_fit(X[:20], y[:20]).predict(X), clone_of(model).partial_fit(X[:20], y[:20]).predict(X)
            )


def clone_of(model: rw.RidgePathCV) -> rw.RidgePathCV:
    copied: rw.RidgePathCV = pickle.loads(pickle.dumps(model))
    return copied


# Law: intervals are coefficient -+ t * HC3, by explicit matrices, in the user's units; they need the rows.
def test_intervals(tmp_path: Path) -> None:
    X, y, weight = problem()
    model = rw.RidgePathCV(alpha=0.0).fit(X, y, weight)
    got = model.coef_interval(0.9)
    design = np.column_stack([X, np.ones(len(X))])
    pulls = np.linalg.solve(design.T * weight @ design, design.T * weight)
    left = (y - design @ pulls @ y) / (1 - np.diag(design @ pulls))
    reach = scipy.stats.t(len(X) - 7).ppf(0.95) * np.sqrt(pulls**2 @ left**2)[:-1]
    np.testing.assert_allclose(got, np.column_stack([model.coef_ - reach, model.coef_ + reach]), rtol=1e-5)
    assert model.degrees_of_freedom() == pytest.approx(7.0)
    assert model.at(1.0).degrees_of_freedom() < 5.0
    assert model.at(1.0).coef_interval().shape == (6, 2)
    restored = clone_of(model)
    with pytest.raises(ValueError, match=r"pass them, coef_interval\(level, X, y\)"):
        restored.coef_interval()
    np.testing.assert_allclose(restored.coef_interval(0.9, X, y, weight), got)
    two = rw.RidgePathCV(alpha=0.0).fit(X, np.column_stack([y, 2 * y]), weight).coef_interval(0.9)
    np.testing.assert_allclose(two, np.stack([got, 2 * got]), rtol=1e-9)
    with pytest.raises(ValueError, match="expected a number between 0 and 1"):
        model.coef_interval(95.0)
    with pytest.raises(ValueError, match="fit with solver='gram'"):
        rw.RidgePathCV(solver="krylov").fit(X, y).coef_interval()


# Law: parameters and rows that make no sense are refused with a remedy, and leave no model.
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"solver": "svd"}, "expected 'auto', 'gram', 'krylov' or 'sgd'"),
        ({"cv": "progressive"}, "set solver='sgd'"),
        ({"cv": "loo", "solver": "krylov"}, "expected 'auto' or 'gram' for cv='loo'"),
        ({"cv": "loo", "solver": "sgd"}, "expected 'auto' or 'gram' for cv='loo'"),
        ({"cv": "loo", "averaging": "auto", "solver": "gram"}, "expected averaging='geometric'"),
        ({"cv": 1}, "expected at least 2 folds"),
        ({"alpha": -1.0}, "is negative.*alpha=0 is no penalty"),
    ],
)
def test_refused_parameters(changed: dict[str, Any], message: str) -> None:
    X, y, _ = problem()
    model = rw.RidgePathCV(**changed)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not model.__sklearn_is_fitted__()


def test_refused_batches() -> None:
    X, y, _ = problem()
    with pytest.raises(ValueError, match="expected 'auto', 'gram' or 'sgd' for partial_fit"):
        rw.RidgePathCV(solver="krylov").partial_fit(X, y)
    with pytest.raises(ValueError, match="start again with clone"):
        rw.RidgePathCV(solver="krylov").fit(X, y).partial_fit(X, y)
    with pytest.raises(ValueError, match="or a number of folds for partial_fit"):
        rw.RidgePathCV(cv="loo").partial_fit(X, y)
    model = rw.RidgePathCV(alpha=0.1).partial_fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match=r"y has shape \(n, 1\) but the batches before had \(n,\)"):
        model.partial_fit(X, y[:, None])
    with pytest.raises(ValueError, match=r"X\[3, 2\] is NaN"):
        model.partial_fit(np.where(np.arange(len(X))[:, None] * [0, 0, 1, 0, 0, 0] == 3, np.nan, X), y)
    np.testing.assert_array_equal(model.coef_, before)
    np.testing.assert_array_equal(model.partial_fit(X[:1], y[:1], [0.0]).coef_, before)


# Law: the choice of a solver follows the shape of the data and the memory there is.
def test_solver_by_shape() -> None:
    def chosen(n: int, d: int, density: float = 1.0, memory: int = 2**34) -> str:
        stored = int(n * d * density)
        return choose_solver(ProblemSize(n, d, 1, stored, density < 1, 5, 8), memory).solver

    assert chosen(1000, 10) == "gram"
    assert chosen(10**6, 50) == "gram"
    assert chosen(2344, 312) == "gram"  # Krylov would be sooner, but not exact at weak strengths
    assert chosen(1000, 300) == "krylov"  # more than twice as soon
    assert chosen(5000, 500) == "krylov"
    assert chosen(10_000, 10_000, 1e-3) == "krylov"
    assert chosen(2000, 2000) == "krylov"
    assert chosen(10**7, 1000, memory=2**50) == "sgd"
    assert chosen(10**6, 10**5, 1e-4, memory=2**20) == "sgd"
    assert choose_stream_solver("auto", 100).solver == "gram"
    assert choose_stream_solver("auto", 100_000).solver == "sgd"
    X, y, _ = problem()
    model = rw.RidgePathCV().fit(X, y)
    assert model.solver_ == "gram"
    assert model.solver_reason_ == "200 rows of 6 columns fit into Gram matrices in one read"
    wide = rw.RidgePathCV().fit(np.random.default_rng(0).standard_normal((50, 300)), y[:50])
    assert wide.solver_ == "krylov"
    assert rw.RidgePathCV(cv="loo").fit(X[:50], y[:50]).solver_ == "gram"


# Law: leaving one row out takes Gram matrices, also where the shape of the data speaks for another solver, and says so.
def test_solver_of_leave_one_out() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 300)), rng.standard_normal(50)
    assert rw.RidgePathCV().fit(X, y).solver_ == "krylov"
    left_out = rw.RidgePathCV(cv="loo").fit(X, y)
    assert (left_out.solver_, left_out.solver_reason_) == ("gram", "cv='loo' needs Gram matrices")
    given = rw.RidgePathCV(cv="loo", alpha=1.0).fit(X, y)  # nothing is left out
    assert given.solver_reason_.startswith("50 rows of 300 columns")


# Law: other averages than ridge compete where asked, and have no ridge strength.
def test_other_averages() -> None:
    X, y, _ = problem()
    model = rw.RidgePathCV(averaging="tail", random_state=0).fit(X, y)
    assert model.alpha_ is None
    assert isinstance(model.averaging_, rw.Tail | rw.Last | rw.Uniform)
    fixed = rw.RidgePathCV(averaging=rw.Tail(0.5)).fit(X, y)
    np.testing.assert_allclose(fixed.predict(X), model.at(rw.Tail(0.5)).predict(X), rtol=1e-9)
    assert rw.RidgePathCV(averaging="uniform").fit(X, y).alpha_ is None


# Law: a copy of a stream stands where it was moved to, and goes on by itself.
def test_at_after_partial_fit() -> None:
    X, y = np.random.default_rng(0).standard_normal((60, 3)), np.arange(60.0)
    model = rw.RidgePathCV(random_state=0).partial_fit(X, y)
    moved = model.at(10.0)
    assert moved.alpha_ == 10.0
    np.testing.assert_allclose(moved.coef_, model.path([10.0]).coefs[0], rtol=1e-12)
    moved.partial_fit(X, y)
    assert model.n_rows_ == 60


# Law: a strength that the products have not resolved is answered with a warning, and those above without one; a picture
# of the path asks for none of its strengths.
def test_weak_strengths() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 400)) * np.logspace(0, -4, 400)
    y = X[:, :5].sum(axis=1) + rng.standard_normal(300)
    model = rw.RidgePathCV(solver="krylov", scale=False, random_state=0).fit(X, y)
    require_warnings_of_weak_strengths(model, X)
    rw.PathDisplay.from_estimator(model)
    exact = rw.RidgePathCV(solver="krylov", scale=False, alpha=1e-6).fit(X, y)
    ridge = Ridge(alpha=1e-6 * len(X)).fit(X, y)
    np.testing.assert_allclose(exact.predict(X), ridge.predict(X), rtol=1e-6)


# Law: a given strength that the products do not solve is named.
def test_given_strength_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_fit, "MAX_PRODUCTS", 5)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 60)), rng.standard_normal(50)
    with pytest.warns(ConvergenceWarning, match=r"alpha=0\.001 was not solved to rounding after 5 products"):
        rw.RidgePathCV(solver="krylov", alpha=1e-3).fit(X, y)


# Law: where the products have not settled the error by the time that Gram matrices take, Gram matrices solve it.
def test_turns_to_gram() -> None:
    rng = np.random.default_rng(0)
    X = np.cumsum(np.cumsum(rng.standard_normal((1200, 450)), axis=1), axis=1)  # smooth, as spectra are
    y = X @ rng.standard_normal(450)
    y += 1e-3 * y.std() * rng.standard_normal(1200)
    assert choose_solver(ProblemSize(1200, 450, 1, 1200 * 450, False, 5, 8)).solver == "krylov"
    model = rw.RidgePathCV(cv=5, random_state=0).fit(X, y)
    assert model.solver_ == "gram"
    assert re.fullmatch(r"because they cost less than going on by Krylov after \d+ products", model.solver_reason_)
    exact = rw.RidgePathCV(solver="gram", cv=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, exact.coef_)
    model.partial_fit(X[:10], y[:10])  # which goes on by Gram matrices
    splits = list(KFold(3).split(X))
    once = rw.RidgePathCV(cv=iter(splits)).fit(X, y)  # which both solvers take, though it gives its splits once
    assert once.solver_ == "gram"
    np.testing.assert_array_equal(once.coef_, rw.RidgePathCV(solver="gram", cv=splits).fit(X, y).coef_)


# Law: the products that some seconds allow take these seconds, and no more than the limit are made.
def test_products_in_time() -> None:
    size = ProblemSize(5000, 500, 1, 5000 * 500, False, 5, 8)
    products = size.krylov_products(size.krylov_seconds)
    assert abs(products - KRYLOV_PRODUCTS) <= 1
    assert max_krylov_products(size, memory=0) is None
    limit = max_krylov_products(size)
    assert limit is not None
    assert limit >= MIN_KRYLOV_PRODUCTS


# Law: of strengths whose errors differ by rounding, the strongest is taken; one that is better is taken in any case.
def test_ties() -> None:
    def row(alpha: float, error: float) -> Scored:
        return Scored(rw.Geometric(alpha), 1.0, error, 0.0)

    assert best_of([row(1e-3, 1.0), row(1e-2, 1 + 1e-13), row(1e-1, 1.1)], 1.0).alpha == 1e-2
    assert best_of([row(1e-3, 1e-20), row(1e-2, 3e-16), row(1e-1, 1e-12)], 1.0).alpha == 1e-2
    assert best_of([row(1e-3, 1e-20), row(1e-2, 3e-16)], 1e-6).alpha == 1e-3
    assert best_of([row(1e-3, 1.0), row(1e-2, 1 + 1e-6)], 1.0).alpha == 1e-3
    tail = Scored(rw.Tail(0.5), 1.0, 0.9, 0.0)
    assert best_of([row(1e-3, 1.0), tail], 1.0) is tail


# Law: where a sparse column that is not 0 in most rows begins to count changes no prediction.
@pytest.mark.parametrize("solver", ["gram", "krylov", "sgd"])
def test_origin_of_sparse_columns(solver: str) -> None:
    rng = np.random.default_rng(0)
    year, words = rng.uniform(60.0, 110.0, 200), scipy.sparse.random_array((200, 40), density=0.05, rng=rng)
    y = 0.1 * year + words @ rng.standard_normal(40) + rng.standard_normal(200)

    def rows(origin: float) -> scipy.sparse.csr_array:
        parts: list[Any] = [scipy.sparse.csr_array((year - origin)[:, None]), words]
        return scipy.sparse.csr_array(scipy.sparse.hstack(parts))

    model = rw.RidgePathCV(solver=solver, random_state=0).fit(rows(0.0), y)
    moved = rw.RidgePathCV(solver=solver, random_state=0).fit(rows(-1900.0), y)
    np.testing.assert_allclose(moved.predict(rows(-1900.0)), model.predict(rows(0.0)), rtol=1e-6)
