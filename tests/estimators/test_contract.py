"""One contract for every estimator of the library."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import ridgeway as rw

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ALPHA = 0.05
Make = Callable[[], Any]

ESTIMATORS: dict[str, Make] = {
    "sgd, chosen": lambda: rw.AveragedSGDRegressor(passes=20, random_state=0),
    "sgd, fixed": lambda: rw.AveragedSGDRegressor(averaging="geometric", alpha=ALPHA, passes=20, random_state=0),
    "sgd, hold-out": lambda: rw.AveragedSGDRegressor(cv="holdout", passes=20, random_state=0),
    "sgd, progressive": lambda: rw.AveragedSGDRegressor(averaging="geometric", cv="progressive", random_state=0),
    "sgd, gcv": lambda: rw.AveragedSGDRegressor(cv="gcv", passes=20, random_state=0),
    "exact": lambda: rw.ExactRidgePath(alpha=ALPHA),
    "path, chosen": lambda: rw.RidgePathCV(random_state=0),
    "path, fixed": lambda: rw.RidgePathCV(alpha=ALPHA),
    "path, folds of everything": lambda: rw.RidgePathCV(averaging="auto", cv=4, random_state=0),
    "path, krylov": lambda: rw.RidgePathCV(solver="krylov", random_state=0),
    "path, sgd": lambda: rw.RidgePathCV(solver="sgd", random_state=0),
}
KERNELS: dict[str, Make] = {
    "kernel, chosen": lambda: rw.AveragedKernelRegressor(random_state=0),
    "kernel, fixed": lambda: rw.AveragedKernelRegressor(averaging="geometric", alpha=ALPHA, passes=5, random_state=0),
    "kernel, SGD": lambda: rw.AveragedKernelRegressor(solver="sgd", passes=8, random_state=0),
    "kernel, hold-out": lambda: rw.AveragedKernelRegressor(cv="holdout", random_state=0),
    "kernel, fourier": lambda: rw.AveragedKernelRegressor(n_components=40, passes=5, random_state=0),
    "kernel, fourier, exact": lambda: rw.AveragedKernelRegressor(n_components=40, random_state=0),
}
LINEAR = dict(ESTIMATORS)
ESTIMATORS.update(KERNELS)
every = pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS.keys())
every_linear = pytest.mark.parametrize("make", LINEAR.values(), ids=LINEAR.keys())


def data(n: int = 200, d: int = 4, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * [1.0, 30.0, 0.02, 2.0][:d] + [5.0, -100.0, 0.0, 1.0][:d]
    return X, X @ np.array([1.0, 0.05, 40.0, 0.0][:d]) + rng.standard_normal(n) + 7.0


# Law: scikit-learn's own contract holds with all defaults.
@parametrize_with_checks(
    [
        rw.AveragedSGDRegressor(),
        rw.ExactRidgePath(),
        rw.AveragedKernelRegressor(),
        rw.RidgePathCV(),
    ]
)  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


# Law: the model at its own average is the model.
@every
def test_at_its_own_average(make: Make) -> None:
    X, y = data()
    model = make().fit(X, y)
    same = model.at(
        getattr(model, "averaging_", model.alpha_)
    )  # a number means ridge, also where another run was chosen
    np.testing.assert_array_equal(same.coef_, model.coef_)
    np.testing.assert_array_equal(same.predict(X), model.predict(X))


# Law: path, at and predict_path say the same, and none of them changes the model.
@every
def test_path_is_at_is_predict_path(make: Make) -> None:
    X, y = data()
    model = make().fit(X, y)
    before = model.coef_.copy()
    alphas = [0.0, 0.01, 1.0, 1e3]
    path, predictions = model.path(alphas), model.predict_path(X, alphas)
    for place, alpha in enumerate(alphas):
        moved = model.at(alpha)
        np.testing.assert_allclose(path.coefs[place], moved.coef_, rtol=1e-9)
        np.testing.assert_allclose(path.intercepts[place], moved.intercept_, rtol=1e-9)
        np.testing.assert_allclose(predictions[:, place], moved.predict(X), rtol=1e-9)
    np.testing.assert_array_equal(model.coef_, before)


# Law: predictions are X @ coef_ + intercept_ in the user's units.
@every_linear
def test_coefficients_are_in_the_users_units(make: Make) -> None:
    X, y = data()
    model = make().fit(X, y)
    np.testing.assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_, rtol=1e-9)


# Law: multiplying a column by a number changes predictions only to rounding, and its coefficient by the inverse.
@every
def test_scaling_a_column(make: Make) -> None:
    X, y = data()
    scaled = X * [1.0, 1e6, 1e-6, 8.0]
    one, other = make().fit(X, y), make().fit(scaled, y)
    np.testing.assert_allclose(other.predict(scaled), one.predict(X), rtol=1e-7)
    if not isinstance(one, rw.AveragedKernelRegressor):
        np.testing.assert_allclose(other.coef_ * [1.0, 1e6, 1e-6, 8.0], one.coef_, rtol=1e-6, atol=1e-9)


# Law: adding a constant to y, or to a column, moves the intercept and nothing else.
@every
def test_adding_constants(make: Make) -> None:
    X, y = data()
    moved = X + np.array([0.0, 0.0, 3.0, -50.0])
    one, other = make().fit(X, y), make().fit(moved, y + 1000.0)
    np.testing.assert_allclose(other.predict(moved), one.predict(X) + 1000.0, rtol=1e-7)
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-5, atol=1e-7)


# Law: multiplying y multiplies everything.
@every
def test_scaling_y(make: Make) -> None:
    X, y = data()
    one, other = make().fit(X, y), make().fit(X, 1e-5 * y)
    np.testing.assert_allclose(other.predict(X), 1e-5 * one.predict(X), rtol=1e-7)


# Law: only ratios of weights matter, and rows of weight 0 are as if they were not there.
@every
def test_weights(make: Make) -> None:
    X, y = data()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    one, other = make().fit(X, y, sample_weight=weight), make().fit(X, y, sample_weight=1e4 * weight)
    np.testing.assert_allclose(other.predict(X), one.predict(X), rtol=1e-7)
    weight[::4] = 0.0
    kept = weight > 0
    spoiled = np.where(kept[:, None], X, np.nan)
    with_zeros = make().fit(spoiled, y, sample_weight=weight)
    without = make().fit(X[kept], y[kept], sample_weight=weight[kept])
    np.testing.assert_allclose(with_zeros.predict(X), without.predict(X), rtol=1e-9)


# Law: sparse X without scaling is the same problem as dense X, centred or not.
@every
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_is_dense(make: Make, fit_intercept: bool) -> None:
    X, y = data()
    X = np.where(np.abs(X - X.mean(axis=0)) > X.std(axis=0), X, 0.0)
    model = make().set_params(scale=False, fit_intercept=fit_intercept)
    X = X / X.std(axis=0)
    dense, sparse = clone(model).fit(X, y), clone(model).fit(scipy.sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse.predict(X), dense.predict(X), rtol=1e-5)


# Law: each column of a 2-D y is fitted as if alone, where nothing is chosen.
@pytest.mark.parametrize("name", ["sgd, fixed", "exact", "path, fixed", "kernel, fixed"])
def test_targets_are_separate(name: str) -> None:
    X, y = data()
    both = ESTIMATORS[name]().fit(X, np.column_stack([y, -3 * y + X[:, 0]]))
    alone = ESTIMATORS[name]().fit(X, -3 * y + X[:, 0])
    assert both.coef_.shape == (2, 200 if isinstance(both, rw.AveragedKernelRegressor) else 4)
    assert both.intercept_.shape == (2,)
    np.testing.assert_allclose(both.predict(X)[:, 1], alone.predict(X), rtol=1e-8)


@every
def test_several_targets(make: Make) -> None:
    X, y = data()
    model = make().fit(X, np.column_stack([y, X[:, 0]]))
    assert model.predict(X).shape == (200, 2)
    assert model.predict_path(X, [0.1, 1.0, 2.0]).shape == (200, 3, 2)


# Law: the same seed gives the same model; inputs are left as they were.
@every
def test_same_seed_same_model_inputs_unchanged(make: Make) -> None:
    X, y = data()
    X_before, y_before = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    one, other = make().fit(X, y), make().fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


# Law: a clone is unfitted and fits alike; a pickled or copied model predicts alike, and still knows every alpha.
@every
def test_clone_and_pickle(make: Make) -> None:
    X, y = data()
    model = make().fit(X, y)
    with pytest.raises(NotFittedError, match="call fit"):
        clone(model).predict(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).coef_, model.coef_)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        np.testing.assert_array_equal(other.at(0.7).coef_, model.at(0.7).coef_)


# Law: data frames of any make are their values, and their names are remembered and held against.
@every
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_data_frames(make: Make, frame: Callable[[dict[str, Any]], Any]) -> None:
    X, y = data()
    names = ["a", "b", "c", "d"]
    X_frame = frame(dict(zip(names, X.T, strict=True)))
    model = make().fit(X_frame, y)
    assert list(model.feature_names_in_) == names
    np.testing.assert_allclose(model.predict(X_frame), make().fit(X, y).predict(X), rtol=1e-12)
    wrong = pd.DataFrame(X, columns=["a", "b", "d", "c"])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(wrong)


# Law: float32 stays float32, and predicts what float64 does, to its digits.
@every
def test_float32(make: Make) -> None:
    X, y = data()
    single, double = make().fit(X.astype(np.float32), y), make().fit(X, y)
    predictions = single.predict(X.astype(np.float32))
    if not isinstance(single, rw.ExactRidgePath):  # whose coefficients are always float64
        assert predictions.dtype == np.float32
    np.testing.assert_allclose(predictions, double.predict(X), rtol=0, atol=0.02 * y.std())


# Law: estimators live in pipelines, grid searches and metadata routing.
@every
def test_pipelines_and_routing(make: Make) -> None:
    X, y = data(80)
    assert np.isfinite(make_pipeline(StandardScaler(), make()).fit(X, y).predict(X)).all()
    search = GridSearchCV(make(), {"fit_intercept": [True, False]}, cv=3).fit(X, y)
    assert search.best_params_ == {"fit_intercept": True}
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), make().set_fit_request(sample_weight=True)
        )
        weight = np.where(np.arange(80) < 40, 1.0, 0.0)
        routed.fit(X, y, sample_weight=weight)
        assert np.isfinite(routed.predict(X)).all()


# Law: hard data never give NaN: huge and tiny columns, constants, an outlier, a constant y, more columns than rows.
@every
@pytest.mark.filterwarnings("ignore:nothing could be chosen from:UserWarning")
def test_hard_data(make: Make) -> None:
    X, y = data(60)
    outlier = X.copy()
    outlier[7] = X.mean(axis=0) + 1e4 * X.std(axis=0)
    wide = np.random.default_rng(0).standard_normal((20, 50))
    cases = {
        "large": (X * 1e6, y),
        "small": (X * 1e-6, y),
        "far": (np.column_stack([X, np.full(60, 1e9)]), y),
        "constant column": (np.column_stack([X, np.zeros(60)]), y),
        "outlier": (outlier, y),
        "constant y": (X, np.full(60, 3.3)),
        "zero y": (X, np.zeros(60)),
        "wide": (wide, wide[:, 0]),
        "two rows": (X[:2], y[:2]),
        "one row": (X[:1], y[:1]),
        "all rows alike": (np.ones((10, 3)), y[:10]),
    }
    for name, (features, targets) in cases.items():
        model = make().fit(features, targets)
        for numbers in (model.predict(features), model.coef_, model.path([0.0, 1e-3, 1.0, 1e6]).coefs):
            assert np.isfinite(numbers).all(), name
    np.testing.assert_allclose(make().fit(X, np.full(60, 3.3)).predict(X), 3.3, rtol=1e-9)


# Law: bad input is refused by name, and a refused fit leaves no model.
@every
def test_bad_input(make: Make) -> None:
    X, y = data(50)
    spoiled = X.copy()
    spoiled[7, 2] = np.nan
    with pytest.raises(ValueError, match=r"X\[7, 2\] is NaN.*impute"):
        make().fit(spoiled, y)
    with pytest.raises(ValueError, match=r"y\[3\] is inf"):
        make().fit(X, np.where(np.arange(50) == 3, np.inf, y))
    with pytest.raises(ValueError, match="negative"):
        make().fit(X, y, sample_weight=-np.ones(50))
    with pytest.raises(ValueError, match=r"alpha=-1\.0 is negative"):
        make().fit(X, y).at(-1.0)
    model = make()
    with pytest.raises(ValueError, match="50"):
        model.fit(X, y[:-1])
    assert not model.__sklearn_is_fitted__()


# Law: reading a fitted estimator changes nothing in it: its attributes, its state and its pickle stay the same.
@every
def test_reading_changes_nothing(make: Make) -> None:
    X, y = data(120)
    model = make().fit(X, y)
    models = [model]
    refuses = getattr(model, "cv", None) == "gcv" or getattr(model, "solver", None) == "krylov"  # streams
    if hasattr(model, "partial_fit") and not refuses:
        models.append(make().partial_fit(X, y).partial_fit(X, y))
    for read in models:
        before, attributes, state = pickle.dumps(read), dict(vars(read)), pickle.dumps(read.state())
        assert pickle.dumps(read) == before
        for name in dir(type(read)):
            if isinstance(getattr(type(read), name, None), property):
                getattr(read, name)
        read.predict(X)
        read.path([0.0, 0.1])
        read.predict_path(X, [0.1])
        read.at(0.1)
        repr(read)
        assert all(vars(read)[name] is value for name, value in attributes.items())
        assert vars(read).keys() == attributes.keys()
        assert pickle.dumps(read) == before
        assert pickle.dumps(read.state()) == state


# Law: a stream ends at the same model whether or not it is read between batches.
@pytest.mark.parametrize("change", [{}, {"alpha": 0.3}, {"averaging": "uniform"}])
def test_reading_between_batches_changes_nothing(change: dict[str, Any]) -> None:
    X, y = data(400)
    states = []
    for reads in (False, True):
        model = rw.AveragedSGDRegressor(random_state=0)
        for part in np.array_split(np.arange(400), 8):
            model.partial_fit(X[part], y[part])
            if part[0] == 200:
                model.set_params(**change)
            if reads:
                assert np.isfinite(model.coef_).all()
        states.append(pickle.dumps(model.state()))
    assert states[0] == states[1]
