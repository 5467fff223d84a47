"""AveragedSGDRegressor: what is its own beside the contract."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit
from sklearn.preprocessing import StandardScaler

import ridgeway as rw

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def data(
    n: int = 300, d: int = 5, noise: float = 1.0, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal(d)
    return X, X @ rng.standard_normal(d) + noise * rng.standard_normal(n)


def standardized(X: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


# Law: a fit is SGD over standardized rows with a small constant column, averaged, in the user's units.
@pytest.mark.parametrize("scheme", [rw.Geometric(0.03), rw.Uniform(), rw.Tail(0.5), rw.Last(), rw.Geometric(10.0)])
@pytest.mark.parametrize("batch_size", [1, 7])
def test_fit_is_averaged_sgd(scheme: rw.Scheme, batch_size: int) -> None:
    X, y = data()
    model = rw.AveragedSGDRegressor(
        averaging=scheme, step=0.01, passes=2, shuffle=False, batch_size=batch_size, store="replay"
    ).fit(X, y)
    Z, t = standardized(X, y)
    constant = np.sqrt(X.shape[1] / 16)
    run = rw.run_sgd(np.column_stack([Z, np.full(len(Z), constant)]), t, step=0.01, passes=2, batch_size=batch_size)
    expected = run.coef(scheme)[:-1] / X.std(axis=0) * y.std()
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, y.mean() - X.mean(axis=0) @ expected, rtol=1e-9)
    assert model.n_steps_ == run.n_steps


# Law: sparse columns are scaled by their largest absolute value, or by their standard deviation if they are not 0 in
# most rows, and centred without being stored.
def test_sparse_scaling() -> None:
    X, y = data()
    X = np.where(X > 0, X, 0.0)
    options: dict[str, Any] = {"averaging": rw.Geometric(0.01), "step": 0.01, "passes": 2, "shuffle": False}
    sparse = rw.AveragedSGDRegressor(**options).fit(scipy.sparse.csr_matrix(X), y)
    scale = np.where((X != 0).mean(axis=0) > 0.5, X.std(axis=0), np.abs(X).max(axis=0))
    dense = rw.AveragedSGDRegressor(scale=False, **options).fit(X / scale, y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_ / scale, rtol=1e-8)
    np.testing.assert_allclose(sparse.predict(scipy.sparse.csr_array(X)), dense.predict(X / scale), rtol=1e-8)


# Law: to look at a stream, or to change a parameter afterwards, changes nothing of what it has come to.
def test_looking_at_a_stream_changes_nothing() -> None:
    X, y = data(900)
    watched, left = rw.AveragedSGDRegressor(), rw.AveragedSGDRegressor()
    for first in range(0, 900, 60):
        for model in (watched, left):
            model.partial_fit(X[first : first + 60], y[first : first + 60])
        assert watched.held_out_ is None or watched.held_out_.n_rows > 0
        watched.predict(X[:1])
    left.set_params(alpha=7.0, one_standard_error=True)
    assert left.averaging_ == watched.averaging_
    assert left.selection_ is not None
    assert watched.selection_ is not None
    assert left.selection_.to_dict() == watched.selection_.to_dict()
    np.testing.assert_array_equal(left.coef_, watched.coef_)
    one, other = left.held_out_, watched.held_out_
    assert one is not None
    assert other is not None
    np.testing.assert_array_equal(one.predicted, other.predicted)
    assert one.variance == other.variance


# Law: one pass in data order with a given step by fit is partial_fit, bit for bit; the intercept rests on means that
# are 0 by definition in a fit and are summed up in a stream, and agrees to rounding.
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fit_is_partial_fit(sparse: bool, dtype: Any) -> None:
    X, y = data()
    given = scipy.sparse.csr_array(X.astype(dtype)) if sparse else X.astype(dtype)
    options: dict[str, Any] = {"averaging": rw.Geometric(0.01), "shuffle": False, "passes": 1}
    options["step"] = rw.LimitedStep(0.05)
    whole = rw.AveragedSGDRegressor(**options).fit(given, y)
    stream = rw.AveragedSGDRegressor(**options).partial_fit(given, y)
    np.testing.assert_array_equal(stream.coef_, whole.coef_)
    np.testing.assert_allclose(stream.intercept_, whole.intercept_, rtol=1e-5 if dtype is np.float32 else 1e-11)
    assert stream.step_ == whole.step_


# Law: with nothing taken from the first batch, batches of any sizes are one call.
def test_batches_are_one_call() -> None:
    X, y = data()
    y = y / np.sqrt((y**2).mean())
    options: dict[str, Any] = {"averaging": rw.Geometric(0.01), "step": 0.005, "scale": False, "fit_intercept": False}
    whole = rw.AveragedSGDRegressor(passes=1, shuffle=False, **options).fit(X, y)
    for size in (1, 7, 100):
        stream = rw.AveragedSGDRegressor(**options)
        for first in range(0, len(X), size):
            stream.partial_fit(X[first : first + size], y[first : first + size])
        np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-9)


# Law: a stream whose first batch has other means than the rest still ends near the exact fit.
def test_stream_with_a_misleading_first_batch() -> None:
    X, y = data(20_000, noise=0.5)
    order = np.argsort(X[:300, 0])
    X, y = np.vstack([X[:300][order], X[300:]]), np.concatenate([y[:300][order], y[300:]])
    stream = rw.AveragedSGDRegressor()
    for first in range(0, len(X), 150):
        stream.partial_fit(X[first : first + 150], y[first : first + 150])
    exact = rw.ExactRidgePath().fit(X, y)
    assert np.mean((stream.predict(X) - y) ** 2) < 1.05 * np.mean((exact.predict(X) - y) ** 2)
    assert stream.selection_ is not None
    assert stream.n_steps_ == 20_000


# Law: every way to choose comes near exact ridge with its own choice, on new rows.
@pytest.mark.parametrize(
    "cv", ["auto", 3, "holdout", "gcv", KFold(4, shuffle=True, random_state=0), ShuffleSplit(3, random_state=0)]
)
def test_choice_comes_near_ridge(cv: Any) -> None:
    X, y = data(1500, 20, noise=8.0)
    scaler = StandardScaler().fit(X[:500])
    ridge = RidgeCV(alphas=np.logspace(-4, 4, 30)).fit(scaler.transform(X[:500]), y[:500])
    model = rw.AveragedSGDRegressor(cv=cv, random_state=0).fit(X[:500], y[:500])

    def error(predictions: NDArray[np.floating]) -> float:
        return float(np.mean((predictions - y[500:]) ** 2))

    assert error(model.predict(X[500:])) < 1.03 * error(ridge.predict(scaler.transform(X[500:])))
    assert model.selection_ is not None
    assert model.averaging_ == model.trajectory_.nearest(model.selection_.chosen.scheme)


# Law: the errors in the table are those of models fitted without the fold, predicted on it.
def test_table_of_folds_by_brute_force() -> None:
    X, y = data(120)
    folds = list(KFold(3).split(X))
    model = rw.AveragedSGDRegressor(
        averaging="geometric", cv=folds, passes=2, shuffle=False, step=0.02, store="replay", fit_intercept=False
    ).fit(X, y)
    assert model.selection_ is not None
    Z, t = X / X.std(axis=0), y / np.sqrt((y**2).mean())
    runs = [rw.run_sgd(Z[train], t[train], step=0.02, passes=2) for train, _ in folds]
    for row in list(model.selection_)[::15]:
        errors = [
            ((Z[test] @ run.coef(row.scheme) - t[test]) ** 2).sum() for run, (_, test) in zip(runs, folds, strict=True)
        ]
        np.testing.assert_allclose(row.error, sum(errors) / 120 * (y**2).mean(), rtol=1e-8)


# Law: no signal, almost no coefficients.
def test_no_signal() -> None:
    X, _ = data(400, 30)
    y = np.random.default_rng(5).standard_normal(400)
    model = rw.AveragedSGDRegressor(random_state=0).fit(X, y)
    assert np.var(model.predict(X)) < 0.1
    assert model.score(X, y) > -0.01


# Law: the one-standard-error rule takes a larger alpha, within one standard error of the best.
def test_one_standard_error() -> None:
    X, y = data(200, 10, noise=6.0)
    best = rw.AveragedSGDRegressor(averaging="geometric", random_state=0).fit(X, y)
    simpler = rw.AveragedSGDRegressor(averaging="geometric", one_standard_error=True, random_state=0).fit(X, y)
    assert best.selection_ is not None
    assert simpler.selection_ is not None
    assert simpler.alpha_ is not None
    assert best.alpha_ is not None
    assert simpler.alpha_ > best.alpha_
    limit = simpler.selection_.best.error + simpler.selection_.best.standard_error
    assert simpler.selection_.chosen.error <= limit


@pytest.mark.parametrize(
    ("averaging", "kinds"),
    [("geometric", (rw.Geometric, rw.Uniform)), ("tail", (rw.Tail, rw.Uniform, rw.Last))],
)
def test_families(averaging: str, kinds: tuple[type, ...]) -> None:
    X, y = data()
    model = rw.AveragedSGDRegressor(averaging=averaging, passes=5, random_state=0).fit(X, y)
    assert model.selection_ is not None
    assert {type(row.scheme) for row in model.selection_} <= set(kinds)


@pytest.mark.parametrize(("averaging", "expected"), [("uniform", rw.Uniform()), ("last", rw.Last())])
def test_named_schemes(averaging: str, expected: rw.Scheme) -> None:
    model = rw.AveragedSGDRegressor(averaging=averaging, passes=2).fit(*data())
    assert model.averaging_ == expected
    assert model.selection_ is None


# Law: threads change nothing but the time.
def test_threads() -> None:
    X, y = data()
    one = rw.AveragedSGDRegressor(passes=5, random_state=0).fit(X, y)
    two = rw.AveragedSGDRegressor(passes=5, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)


# Law: chains are segments of the rows, run afresh and averaged.
def test_chains() -> None:
    X, y = data(400)
    options: dict[str, Any] = {"averaging": rw.Geometric(1.0), "step": 0.05, "passes": 1, "shuffle": False}
    model = rw.AveragedSGDRegressor(chains=4, **options).fit(X, y)
    Z, t = standardized(X, y)
    Z = np.column_stack([Z, np.full(400, np.sqrt(5 / 16))])
    run = rw.run_sgd(Z, t, step=0.05, chains=4)
    np.testing.assert_allclose(model.coef_, run.coef(rw.Geometric(1.0))[:-1] / X.std(axis=0) * y.std(), rtol=1e-7)
    assert rw.AveragedSGDRegressor(chains=3, passes=3, random_state=0).fit(X, y).score(X, y) > 0.5
    with pytest.raises(ValueError, match="chains=1"):
        model.partial_fit(X, y)


# Law: a fit can go on as a stream, and the copies of a model go on by themselves.
def test_fit_then_partial_fit() -> None:
    X, y = data(3000)
    model = rw.AveragedSGDRegressor(random_state=0, passes=3).fit(X[:1000], y[:1000])
    steps = model.n_steps_
    other = model.at(0.5)
    model.partial_fit(X[1000:], y[1000:])
    assert model.n_rows_ == 3000
    assert model.n_steps_ >= steps + 1500  # some of the rows are split, and steps of these wait
    assert other.n_steps_ == steps
    further = model.n_steps_
    other.partial_fit(X[1000:1100], y[1000:1100])
    assert other.n_rows_ == 1100
    assert steps + 50 <= other.n_steps_ < further
    assert model.n_steps_ == further


# Law: a batch that is refused leaves a stream as it was.
def test_refused_batch_changes_nothing() -> None:
    X, y = data()
    stream = rw.AveragedSGDRegressor().partial_fit(X[:100], y[:100])
    before, steps = stream.coef_.copy(), stream.n_steps_
    spoiled = X[100:].copy()
    spoiled[30, 1] = np.inf
    with pytest.raises(ValueError, match=r"X\[30, 1\] is inf"):
        stream.partial_fit(spoiled, y[100:])
    with pytest.raises(ValueError, match="expecting"):
        stream.partial_fit(X[100:, :3], y[100:])
    with pytest.raises(ValueError, match="the batches before had"):
        stream.partial_fit(X[100:], y[100:, None])
    with pytest.raises(ValueError, match="dense"):
        stream.partial_fit(scipy.sparse.csr_array(X[100:]), y[100:])
    np.testing.assert_array_equal(stream.coef_, before)
    assert stream.n_steps_ == steps


# Law: so is one whose targets or weights are so far beyond those of the first batch that their squares overflow.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_refused_targets_and_weights_change_nothing(dtype: type, form: Any) -> None:
    X, y = data(300)
    rows = form(X.astype(dtype))
    whole = rw.AveragedSGDRegressor().partial_fit(rows[:100], y[:100]).partial_fit(rows[100:], y[100:])
    stream = rw.AveragedSGDRegressor().partial_fit(rows[:100], y[:100])
    for value in (1e305, np.sqrt(np.finfo(dtype).max) * 1e3):
        spoiled, weight = y[100:].copy(), np.ones(200)
        spoiled[30] = weight[30] = value
        with pytest.raises(ValueError, match="squares of y add up to"):
            stream.partial_fit(rows[100:], spoiled)
        with pytest.raises(ValueError, match="squares of sample_weight add up to"):
            stream.partial_fit(rows[100:], y[100:], weight)
    stream.partial_fit(rows[100:], y[100:])
    np.testing.assert_array_equal(stream.coef_, whole.coef_)


# Law: an explicit step that explodes is reported, not returned.
def test_divergence() -> None:
    X, y = data(1000)
    with pytest.raises(rw.DivergenceError, match="step"):
        rw.AveragedSGDRegressor(averaging="uniform", step=10.0).fit(X, y)


# Law: passes="auto" is about a million steps for few rows, ended early once the error has settled.
def test_automatic_passes() -> None:
    X, y = data(500, noise=3.0)
    settled = rw.AveragedSGDRegressor(random_state=0).fit(X, y)
    assert 500 * 10 < settled.n_steps_ <= 4_000_000
    fixed = rw.AveragedSGDRegressor(averaging="uniform", random_state=0).fit(X, y)
    assert fixed.passes_ == 2000
    assert 1_000_000 <= fixed.n_steps_ <= 1_500_000  # split rows take several steps
    assert rw.AveragedSGDRegressor(passes=3, random_state=0).fit(X, y).passes_ == 3


# Law: too few passes for the conditioning are reported with the remedy.
def test_still_falling() -> None:
    rng = np.random.default_rng(0)
    base = rng.standard_normal((2000, 1))
    X = np.hstack([base + 0.03 * rng.standard_normal((2000, 1)) for _ in range(6)])
    y = (X[:, 0] - X[:, 1]) * 30 + 0.01 * rng.standard_normal(2000)
    with pytest.warns(ConvergenceWarning, match="still falling after.*passes.*ExactRidgePath"):
        rw.AveragedSGDRegressor(passes=4, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rw.AveragedSGDRegressor(passes=20, random_state=0).fit(*data())


def test_time_series_splitter() -> None:
    X, y = data()
    model = rw.AveragedSGDRegressor(cv=TimeSeriesSplit(3), passes=3, shuffle=False).fit(X, y)
    assert model.selection_ is not None
    assert model.selection_.method == "3 given splits"


def test_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    rw.AveragedSGDRegressor(verbose=1, passes=3, random_state=0).fit(*data())
    shown = capsys.readouterr().err
    assert "100%" in shown
    assert "rows" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"averaging": "best"}, "averaging='best'.*expected"),
        ({"alpha": "strong"}, "alpha='strong'.*expected"),
        ({"alpha": -1.0}, "negative"),
        ({"alpha": 1.0, "averaging": "tail"}, "no meaning"),
        ({"passes": 0}, "passes"),
        ({"step": -1.0}, "step"),
        ({"chains": 0}, "chains"),
        ({"batch_size": 0}, "batch_size"),
        ({"cv": 1}, "cv=1"),
        ({"cv": "loo"}, "cv='loo'"),
        ({"loss": "huber"}, "loss='huber'"),
        ({"store": "disk"}, "store='disk'"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        rw.AveragedSGDRegressor(**options).fit(*data())


# Law: empty columns of sparse rows have no effect.
def test_empty_sparse_columns() -> None:
    S: Any = scipy.sparse.random(1000, 20, density=0.3, format="csr", random_state=0)
    y = S @ np.arange(20.0) + 0.1 * np.random.default_rng(0).standard_normal(1000)
    wide = scipy.sparse.hstack([S, scipy.sparse.csr_matrix((1000, 5000))]).tocsr()
    one, other = (rw.AveragedSGDRegressor(passes=3, random_state=0).fit(Z, y) for Z in (S, wide))
    assert one.step_ == other.step_
    np.testing.assert_allclose(other.coef_[:20], one.coef_, rtol=1e-9)


# Law: what was asked for is what a stream stands at.
def test_streams_keep_what_was_asked_for() -> None:
    X, y = data(3000)
    model = rw.AveragedSGDRegressor(passes=1, random_state=0).fit(X[:1000], y[:1000]).at(0.1)
    assert model.partial_fit(X[1000:], y[1000:]).alpha_ == 0.1
    stream = rw.AveragedSGDRegressor().partial_fit(X[:1500], y[:1500]).at("last")
    assert stream.partial_fit(X[1500:], y[1500:]).averaging_ == rw.Last()
    burning = rw.AveragedSGDRegressor(averaging=rw.Tail(500))
    for first in range(0, 800, 100):
        burning.partial_fit(X[first : first + 100], y[first : first + 100])
        assert burning.n_steps_ == first + 100
        assert burning.averaging_ == rw.Last() or first >= 400
    assert isinstance(burning.averaging_, rw.Tail)


# Law: a stream stands at the best so far from the start, and its tail moves on with it.
def test_streams_choose_early_and_move_on() -> None:
    X, y = data(3000)
    stream = rw.AveragedSGDRegressor(averaging="tail").partial_fit(X[:50], y[:50])
    for first in range(50, 650, 100):
        stream.partial_fit(X[first : first + 100], y[first : first + 100])
    assert stream.selection_ is not None
    same = stream.at(None)
    assert same.averaging == stream.selection_.chosen.scheme
    np.testing.assert_array_equal(same.coef_, stream.coef_)


# Law: a first batch that misleads about scales is reported.
def test_a_first_batch_that_is_too_small() -> None:
    X, y = data(2000)
    stream = rw.AveragedSGDRegressor(averaging="uniform").partial_fit(X[:1], y[:1])
    with pytest.warns(UserWarning, match="Begin with a larger batch"):
        stream.partial_fit(X[1:] * 10, y[1:])


# Law: folds that have not begun at a look are waited for.
def test_folds_that_begin_late() -> None:
    X, y = data(400)
    for options in (
        {"shuffle": False, "passes": 1, "cv": 2},
        {"passes": 1, "batch_size": 256, "cv": 5},
        {"passes": 1, "batch_size": 256, "cv": "holdout"},
        {"passes": 1, "batch_size": 256, "cv": "gcv"},
    ):
        assert np.isfinite(rw.AveragedSGDRegressor(random_state=0, **options).fit(X, y).coef_).all()
    for n in (4, 5, 6):
        rw.AveragedSGDRegressor(passes=1, cv=2, random_state=0).fit(X[:n], y[:n])


# Law: generalized cross-validation does not take interpolation for a good fit, and refuses what it cannot do.
def test_gcv_limits() -> None:
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((40, 55))
    y = Z[:, 0] + 2 * rng.standard_normal(40)
    model = rw.AveragedSGDRegressor(cv="gcv", passes=300, random_state=0).fit(Z, y)
    assert model.selection_ is not None
    assert model.selection_.chosen.error > 0.5
    for options in ({"store": "replay"}, {"chains": 3}):
        with pytest.raises(ValueError, match="cv='gcv' needs one chain and a sketch"):
            rw.AveragedSGDRegressor(cv="gcv", **options).fit(Z, y)


# Law: chains of unequal lengths answer for every tail.
@pytest.mark.filterwarnings("ignore:Tail")
def test_tails_of_unequal_chains() -> None:
    X, y = data(400)
    model = rw.AveragedSGDRegressor(averaging=rw.Tail(0.99), chains=3, passes=1, random_state=0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    rw.AveragedSGDRegressor(cv=KFold(2), chains=3, passes=50, random_state=0).fit(X[:7], y[:7])


# Law: a scheme that cannot be answered is refused by fit, and by the first batch; a tail that has to move says so.
def test_schemes_are_checked_by_fit() -> None:
    X, y = data(2000)
    for learn in ("fit", "partial_fit"):
        model = rw.AveragedSGDRegressor(averaging=rw.Exponential(0.3), passes=2)
        with pytest.raises(ValueError, match="not smooth enough"):
            getattr(model, learn)(X, y)
        with pytest.raises(NotFittedError):
            model.predict(X)
    with pytest.warns(UserWarning, match="is replaced by"):
        rw.AveragedSGDRegressor(averaging=rw.Tail(0.9), passes=1).fit(X, y)


# Law: after a fit that chose the smaller step, the stream goes on with it.
def test_streams_go_on_with_the_chosen_step() -> None:
    X, y = data(4000)
    X[::200] *= 30
    model = rw.AveragedSGDRegressor(passes=2, random_state=0).fit(X[:2000], y[:2000])
    model.partial_fit(X[2000:], y[2000:])
    assert model.selection_ is not None
    assert model.selection_.chosen.step == model.step_


# Law: float32 columns of any size are resolved; a y beyond squares is refused.
def test_extreme_sizes() -> None:
    X, y = data()
    single = X.astype(np.float32)
    tiny = single * np.array([1, 1e-25, 1e15, 1, 1], np.float32)
    one, other = (rw.AveragedSGDRegressor(passes=20, random_state=0).fit(Z, y) for Z in (single, tiny))
    np.testing.assert_allclose(other.predict(tiny), one.predict(single), rtol=1e-2, atol=1e-2)
    with pytest.raises(ValueError, match="y is too large"):
        rw.AveragedSGDRegressor(passes=2).fit(X, y * 1e160)


# Law: scikit-learn's habits hold.
def test_habits() -> None:
    X, y = data()
    for options in ({"cv": None}, {"n_jobs": -1}, {"n_jobs": -2}):
        rw.AveragedSGDRegressor(passes=2, random_state=0, **options).fit(X, y)
    with pytest.raises(ValueError, match="cv names row 1000"):
        rw.AveragedSGDRegressor(cv=[([0, 1, 2], [1000])]).fit(X, y)
    with pytest.raises(ValueError, match="gave no split"):
        rw.AveragedSGDRegressor(cv=[(list(range(100)), [])]).fit(X, y)


# Law: the model at an alpha is the fit at that alpha, with the same passes and seed, bit for bit, whatever was chosen.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cv", [5, "holdout", "gcv", "progressive"])
@pytest.mark.parametrize("passes", [1, 3])
def test_at_alpha_is_the_fit_at_alpha(cv: Any, passes: int) -> None:
    passes = 1 if cv == "progressive" else passes  # it makes one pass
    X, y = data()
    chosen = rw.AveragedSGDRegressor(cv=cv, passes=passes, random_state=0).fit(X, y)
    given = rw.AveragedSGDRegressor(alpha=0.1, cv=cv, passes=passes, random_state=0).fit(X, y)
    np.testing.assert_array_equal(chosen.at(0.1).coef_, given.coef_)
    np.testing.assert_array_equal(chosen.at(0.1).intercept_, given.intercept_)


# Law: in one pass constant steps compete with the growing one; with several passes or a given step none do.
def test_one_pass_chooses_its_step() -> None:
    X, y = data(3000, noise=5.0)
    one = rw.AveragedSGDRegressor(passes=1, random_state=0).fit(X, y)
    several = rw.AveragedSGDRegressor(passes=3, random_state=0).fit(X, y)
    given = rw.AveragedSGDRegressor(passes=1, step=0.01, random_state=0).fit(X, y)
    assert one.selection_ is not None
    steps = sorted({row.step for row in one.selection_.table})
    assert len(steps) == 5
    constant = steps[-2] if np.isclose(steps[-2] / 2, steps).any() else steps[-1]
    assert {constant * part for part in (1, 0.5, 0.25, 0.125)} <= set(steps)
    assert one.step_ == one.selection_.chosen.step
    for model, n_steps in ((several, 1), (given, 1)):
        assert model.selection_ is not None
        assert len({row.step for row in model.selection_.table}) <= n_steps


# Law: of all steps that compete in one pass, the one of least held-out error is taken.
def test_the_best_step_wins() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 3))
    y = X @ [0.02, -0.01, 0.0] + rng.standard_normal(20_000)
    model = rw.AveragedSGDRegressor(averaging="tail", passes=1, random_state=0).fit(X, y)
    assert model.selection_ is not None
    assert len({row.step for row in model.selection_}) == 5
    assert model.selection_.chosen.error == min(row.error for row in model.selection_)
    assert model.step_ == model.selection_.chosen.step


# Law: rows of weight 0 are no rows: a stream that gets nothing else stays as it was.
def test_nothing_to_learn_in_a_batch() -> None:
    X, y = data()
    model = rw.AveragedSGDRegressor().partial_fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(X[:5], y[:5], sample_weight=np.zeros(5))
    np.testing.assert_array_equal(model.coef_, before)
    assert model.n_steps_ == len(y)


# Law: scikit-learn's RandomState is a seed as well: the same one gives the same fit.
def test_random_state_of_scikit_learn() -> None:
    X, y = data()
    one, same, other = (
        rw.AveragedSGDRegressor(alpha=0.1, passes=2, random_state=np.random.RandomState(seed)).fit(X, y).coef_
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


# Law: standardized rows that are too large to be kept are made anew as they are needed, which changes nothing.
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_rows_that_are_not_kept(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    options: dict[str, Any] = {"averaging": "geometric", "alpha": 0.1, "passes": 2, "random_state": 0}
    kept = rw.AveragedSGDRegressor(**options).fit(form(X), y)
    monkeypatch.setattr("ridgeway.rows.feed.KEPT_BYTES_FOR_PASSES", 0)
    again = rw.AveragedSGDRegressor(**options).fit(form(X), y)
    assert again.step_ == pytest.approx(kept.step_, rel=1e-12)
    np.testing.assert_allclose(again.coef_, kept.coef_, rtol=1e-9)


# Law: a sample of the rows sets the step of large data where it can be trusted; where it cannot, all rows do.
@pytest.mark.parametrize("outlier", [False, True])
def test_sampled_step(outlier: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 4))
    X[:64] *= 100.0 if outlier else 1.0
    options: dict[str, Any] = {"alpha": 0.1, "passes": 1, "scale": False, "fit_intercept": False, "random_state": 0}
    of_all = rw.AveragedSGDRegressor(**options).fit(X, X[:, 0]).step_
    monkeypatch.setattr("ridgeway.estimators.steps.MAX_UNSAMPLED_BYTES", 0)
    sampled = rw.AveragedSGDRegressor(**options).fit(X, X[:, 0]).step_
    assert sampled == pytest.approx(of_all, rel=1e-12 if outlier else 0.1)


# Law: coefficients beyond the precision of the rows are an error, not infinity.
def test_coefficients_beyond_float32() -> None:
    X, y = data()
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=0).fit((1e-18 * X).astype(np.float32), 1e25 * y)
    with pytest.raises(ValueError, match="coefficients exceed float32: scale y down or X up, or pass X as float64"):
        _ = model.coef_
