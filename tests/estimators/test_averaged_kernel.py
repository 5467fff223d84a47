"""AveragedKernelRegressor: against kernel ridge regression, and what only it has."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, ShuffleSplit
from tests.estimators.weak_strengths import require_warnings_of_weak_strengths
from tests.kernel.problems import smooth

import ridgeway as rw
from ridgeway.estimators import kernel_fit
from ridgeway.kernel import gamma_choice, krylov_kernel
from ridgeway.kernel.coordinates import Coordinates
from ridgeway.machine import available_memory
from ridgeway.rows import DenseRows, check_batch, check_rows

Array = NDArray[np.float64]
ALPHAS = [1e-5, 1e-3, 1e-1]
ASIS: dict[str, Any] = {"scale": False, "fit_intercept": False}


def kernel_ridge(X: Array, y: Array, alpha: float, new: Array, gamma: float, weight: Array | None = None) -> Array:
    """Predict by kernel ridge regression on standardized columns and a centred target."""
    c = np.ones(len(y)) if weight is None else weight / weight.mean()
    centre, scale = (
        np.average(X, axis=0, weights=c),
        np.sqrt(np.average((X - np.average(X, axis=0, weights=c)) ** 2, axis=0, weights=c)),
    )
    mean = np.average(y, weights=c)
    model = KernelRidge(kernel="rbf", gamma=gamma, alpha=len(y) * alpha)
    predictions: Array = model.fit((X - centre) / scale, y - mean, sample_weight=c).predict((new - centre) / scale)
    return predictions + mean


# Law: the whole path of few rows is that of kernel ridge regression, with weights too, whatever memory there is.
@pytest.mark.parametrize("cache_size", [0, 2000])
@pytest.mark.parametrize("weighted", [False, True])
def test_path_is_kernel_ridge(weighted: bool, cache_size: float) -> None:
    X, y = smooth(200)
    X = X * [1.0, 50.0] + 3.0
    new = X[:20] + 0.1
    weight = np.random.default_rng(0).uniform(0.5, 3.0, 200) if weighted else None
    model = rw.AveragedKernelRegressor(cache_size=cache_size, random_state=0).fit(X, y + 10, sample_weight=weight)
    assert model.solver_ == "krylov"
    assert "products with the kernel matrix" in model.solver_reason_
    for alpha in ALPHAS:
        expected = kernel_ridge(X, y + 10, alpha, new, 0.5, weight)
        np.testing.assert_allclose(model.at(alpha).predict(new), expected, atol=1e-8)


# Law: its errors by folds are those of kernel ridge regression on the same folds.
def test_errors_by_folds() -> None:
    X, y = smooth(150)
    splits = list(ShuffleSplit(3, test_size=0.3, random_state=0).split(X))
    model = rw.AveragedKernelRegressor(averaging="geometric", cv=splits, scale=False, random_state=0).fit(X, y)
    assert model.selection_ is not None
    rows = [row for row in model.selection_ if row.alpha > 1e-6]
    assert len(rows) > 40
    for row in rows[::10]:
        squares = [
            (
                KernelRidge(kernel="rbf", gamma=0.5, alpha=len(train) * row.alpha)
                .fit(X[train], y[train] - y[train].mean())
                .predict(X[test])
                + y[train].mean()
                - y[test]
            )
            ** 2
            for train, test in splits
        ]
        np.testing.assert_allclose(row.error, np.mean(squares), rtol=1e-8)


# Law: plain SGD comes near to it as well, at the strength that it chooses.
def test_sgd() -> None:
    X, y = smooth(400)
    new, truth = smooth(200, seed=1, noise=0.0)
    model = rw.AveragedKernelRegressor(solver="sgd", random_state=0).fit(X, y)
    assert isinstance(model.trajectory_, Coordinates)
    best = min(np.sqrt(((kernel_ridge(X, y, a, new, 0.5) - truth) ** 2).mean()) for a in np.logspace(-6, -1, 11))
    assert np.sqrt(((model.predict(new) - truth) ** 2).mean()) < 1.25 * best


# Law: the linear kernel is run_sgd: the same rows in the same order make the same model.
def test_linear_kernel_is_run_sgd() -> None:
    X, y = smooth(300)
    options: dict[str, Any] = {"averaging": "uniform", "step": 0.05, "passes": 3, "shuffle": False}
    model = rw.AveragedKernelRegressor(kernel="linear", **options, **ASIS).fit(X, y)
    run = rw.run_sgd(X, y, step=0.05, passes=3)
    for alpha in ALPHAS:
        np.testing.assert_allclose(model.path([alpha]).coefs[0] @ X, run.path([alpha])[0], rtol=1e-9)


# Law: a precomputed kernel is the kernel, for all rows or for those of positive weight.
@pytest.mark.parametrize("weighted", [False, True])
def test_precomputed_is_rbf(weighted: bool) -> None:
    X, y = smooth(120)
    weight = np.where(np.arange(120) % 7 == 0, 0.0, 1.5) if weighted else None
    rbf = rw.AveragedKernelRegressor(gamma=0.7, scale=False, random_state=0).fit(X, y, weight)
    given = rw.AveragedKernelRegressor(kernel="precomputed", random_state=0).fit(rbf_kernel(X, gamma=0.7), y, weight)
    new = X[:10] + 0.2
    np.testing.assert_allclose(given.predict(rbf_kernel(new, X, gamma=0.7)), rbf.predict(new), rtol=1e-6)


# Law: a precomputed kernel is neither copied nor compared in copies, for it may fill the memory.
def test_precomputed_is_not_copied() -> None:
    matrix = np.eye(1500)
    batch = check_batch(matrix, np.arange(1500.0))
    assert isinstance(batch.rows, DenseRows)
    tracemalloc.start()
    taken = kernel_fit._square(batch, np.arange(1500))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < matrix.nbytes
    assert np.shares_memory(taken, batch.rows.array)
    np.testing.assert_array_equal(taken, matrix)
    matrix[1400, 3] = 0.01  # far from the diagonal
    with pytest.raises(ValueError, match=r"differ by up to 0\.01"):
        kernel_fit._square(check_batch(matrix, np.arange(1500.0)), np.arange(1500))


# Law: of strengths whose errors differ by rounding, the strongest is taken: rows that have nothing in common are
# predicted by the mean, whatever the strength.
def test_ties() -> None:
    y = np.random.default_rng(0).standard_normal(60)
    table = rw.AveragedKernelRegressor(kernel="precomputed", random_state=0).fit(np.eye(60), y).selection_
    assert table is not None
    np.testing.assert_allclose([row.error for row in table], table.best.error, rtol=1e-12)
    assert table.chosen.alpha == max(row.alpha for row in table)


# Law: sparse rows are their values.
def test_sparse_rows() -> None:
    X, y = smooth(150)
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    dense = rw.AveragedKernelRegressor(scale=False, random_state=0).fit(X, y)
    sparse = rw.AveragedKernelRegressor(scale=False, random_state=0).fit(scipy.sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse.predict(scipy.sparse.csr_array(X)), dense.predict(X), rtol=1e-6, atol=1e-8)


# Law: gamma="auto" takes the one of least held-out error, on all rows or on a sample and then on all, near the best.
@pytest.mark.parametrize(("sample", "n_tried"), [(2000, 6), (100, 2)])
def test_gamma_auto(sample: int, n_tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gamma_choice, "GAMMA_SAMPLE_ROWS", sample)
    X, y = smooth(300)
    new, truth = smooth(300, seed=1, noise=0.0)
    model = rw.AveragedKernelRegressor(gamma="auto", random_state=0).fit(X, y)
    tried = model.gamma_errors_
    assert tried is not None
    assert model.gamma_ == min(tried, key=lambda gamma: tried[gamma])
    assert len(tried) == n_tried
    error = np.sqrt(((model.predict(new) - truth) ** 2).mean())
    searched = min(
        np.sqrt(((kernel_ridge(X, y, alpha, new, gamma) - truth) ** 2).mean())
        for alpha in np.logspace(-5, -1, 5)
        for gamma in (0.1, 0.2, 0.5, 1.0)
    )
    assert error < 1.5 * searched


# Law: where the target has no noise the error falls far below what SGD reaches.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_noiseless() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 3))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    errors = {}
    for solver in ("auto", "sgd"):
        model = rw.AveragedKernelRegressor(solver=solver, random_state=0).fit(X[:400], y[:400])
        errors[solver] = np.sqrt(((model.predict(X[400:]) - y[400:]) ** 2).mean())
    assert errors["auto"] < 0.25 * errors["sgd"]


# Law: float32 rows have the path of float64 rows to their digits.
def test_float32() -> None:
    X, y = smooth(200)
    single, double = (
        rw.AveragedKernelRegressor(alpha=1e-3, random_state=0).fit(X.astype(dtype), y) for dtype in ("f4", "f8")
    )
    assert single.predict(X.astype("f4")).dtype == np.float32
    np.testing.assert_allclose(single.predict(X.astype("f4")), double.predict(X), atol=2e-4)


# Law: a strength that the products have not resolved is answered with a warning, and those above without one.
def test_weak_strengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(krylov_kernel, "CHEAP_ENTRIES", 0.0)
    X, y = smooth(300, noise=1.0)
    model = rw.AveragedKernelRegressor(averaging="geometric", random_state=0).fit(X, y)
    require_warnings_of_weak_strengths(model, X)


# Law: products that memory has no room for are not made, which is told.
def test_few_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(krylov_kernel, "products_that_fit", lambda *_: 5)
    X, y = smooth(200, noise=0.0)
    with pytest.warns(ConvergenceWarning, match="the held-out error still changed after 5 products"):
        rw.AveragedKernelRegressor(random_state=0).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="alpha=1e-06 was not solved to rounding by 5 products"):
        rw.AveragedKernelRegressor(alpha=1e-6, random_state=0).fit(X, y)


# Law: parameters that only SGD has make it SGD, or are refused where another solver is asked for.
@pytest.mark.parametrize("option", [{"step": 0.1}, {"passes": 2}, {"batch_size": 4}])
@pytest.mark.parametrize("n_components", [None, 20])
@pytest.mark.filterwarnings("ignore:the held-out error was still falling", "ignore:averages of alpha below")
def test_parameters_of_sgd(option: dict[str, Any], n_components: int | None) -> None:
    X, y = smooth(100)
    model = rw.AveragedKernelRegressor(n_components=n_components, alpha=0.1, random_state=0, **option).fit(X, y)
    assert model.solver_ == "sgd"
    assert "which only SGD has" in model.solver_reason_
    with pytest.raises(ValueError, match=r"solver='krylov' with .*, which only SGD has: leave it at its default"):
        model.set_params(solver="krylov").fit(X, y)


# Law: a number is the same number in any integer type.
def test_batch_size_of_any_integer_type() -> None:
    X, y = smooth(60)
    one: Any = np.int64(1)
    assert rw.AveragedKernelRegressor(batch_size=one, random_state=0).fit(X, y).solver_ == "krylov"


# Law: few components are solved exactly, in memory, piece by piece and from a stream: the path is that of ridge.
@pytest.mark.parametrize("options", [{}, {"solver": "krylov"}, {"cache_size": 0}, {"cv": "holdout"}])
def test_components_are_ridge(options: dict[str, Any]) -> None:
    X, y = smooth(300)
    model = rw.AveragedKernelRegressor(n_components=20, alpha=1e-4, random_state=0, **options).fit(X, y)
    assert model.solver_ == options.get("solver", "gram")
    features = model._features().of(check_rows(X))
    ridge = Ridge(alpha=300 * 1e-4).fit(features, y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(features), rtol=1e-6)
    np.testing.assert_allclose(model.at(0.1).predict(X), Ridge(alpha=30).fit(features, y).predict(features), rtol=1e-6)
    if options.get("solver") != "krylov":
        stream = clone(model).set_params(cv="auto")
        for first in range(0, 300, 100):
            stream.partial_fit(X[first : first + 100], y[first : first + 100])
        features = stream._features().of(check_rows(X))
        np.testing.assert_allclose(stream.predict(X), Ridge(alpha=0.03).fit(features, y).predict(features), rtol=1e-6)


# Law: with components the model tends to the exact one, and partial_fit over batches learns like fit.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("features", ["fourier", "nystroem"])
def test_components(features: str) -> None:
    X, y = smooth(600)
    new, truth = smooth(200, seed=1, noise=0.0)
    model = rw.AveragedKernelRegressor(n_components=200, features=features, passes=20, random_state=0)
    stream = clone(model)
    model.fit(X, y)
    for first in range(0, 600, 200):
        stream.partial_fit(X[first : first + 200], y[first : first + 200])
    for fitted, most in ((model, 0.12), (stream, 0.45)):
        assert np.sqrt(((fitted.predict(new) - truth) ** 2).mean()) < most
        assert fitted.coef_.shape == (200,)
        assert fitted.path(ALPHAS).coefs.shape == (3, 200)
    assert stream.n_rows_ == 600


# Law: features that are made as they are read are the same features.
@pytest.mark.parametrize("step", [0.5, "auto"])
def test_components_without_memory(step: float | str) -> None:
    X, y = smooth(600)
    options: dict[str, Any] = {"n_components": 50, "averaging": "uniform", "passes": 2, "shuffle": False, "step": step}
    kept, read = (rw.AveragedKernelRegressor(cache_size=size, random_state=0, **options).fit(X, y) for size in (100, 0))
    np.testing.assert_allclose(read.predict(X), kept.predict(X), atol=1e-8)


# Law: a moved copy with components goes on by itself.
def test_at_goes_on_by_itself() -> None:
    X, y = smooth(400)
    model = rw.AveragedKernelRegressor(n_components=30, random_state=0).partial_fit(X[:200], y[:200])
    before = model.predict(X)
    model.at(0.1).partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(model.predict(X), before)


# Law: a saved model is the model, bit for bit, with every alpha; a stream goes on from there.
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": "sgd", "passes": 4},
        {"n_components": 30, "passes": 2},
        {"kernel": "laplacian", "n_components": 30, "passes": 2},
        {"n_components": 30},
    ],
    ids=["krylov", "sgd", "fourier", "nystroem", "gram"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_save_and_load(options: dict[str, Any], tmp_path: Path) -> None:
    X, y = smooth(200)
    model = rw.AveragedKernelRegressor(random_state=0, **options).fit(X, y)
    model.save(tmp_path / "model.safetensors")
    loaded = rw.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_path(X, ALPHAS), model.predict_path(X, ALPHAS))
    assert loaded.averaging_ == model.averaging_
    assert loaded.get_params() == model.get_params()
    assert str(loaded.selection_) == str(model.selection_)
    if "n_components" in options:
        loaded.partial_fit(X, y)
        np.testing.assert_array_equal(loaded.predict(X), model.partial_fit(X, y).predict(X))


def test_save_sparse_and_precomputed(tmp_path: Path) -> None:
    X, y = smooth(60)
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
    for kernel, rows in (("rbf", sparse), ("precomputed", rbf_kernel(X))):
        model = rw.AveragedKernelRegressor(kernel=kernel, random_state=0).fit(rows, y)
        model.save(tmp_path / "model.safetensors")
        np.testing.assert_array_equal(rw.load(tmp_path / "model.safetensors").predict(rows), model.predict(rows))


# Law: held-out rows are predicted by runs that have not seen them.
def test_held_out() -> None:
    X, y = smooth(200)
    model = rw.AveragedKernelRegressor(random_state=0).fit(X, y)
    assert model.held_out_ is not None
    assert model.selection_ is not None
    assert len(model.held_out_) == 200
    np.testing.assert_allclose(model.held_out_.actual[:, 0], y)
    error = ((model.held_out_.actual - model.held_out_.predicted) ** 2).mean()
    np.testing.assert_allclose(error, model.selection_.chosen.error, rtol=0.05)
    assert error > 1.02 * ((model.predict(X) - y) ** 2).mean()


# Law: cv is what it is elsewhere.
def test_cv() -> None:
    X, y = smooth(120)
    groups = GroupKFold(3).split(X, y, groups=np.arange(120) // 10)
    for cv, name in ((3, "3 folds"), ("holdout", "hold-out of 12 rows"), (list(groups), "3 given splits")):
        model = rw.AveragedKernelRegressor(cv=cv, random_state=0).fit(X, y)
        assert model.selection_ is not None
        assert name in model.selection_.method
    with pytest.raises(ValueError, match=r"cv='gcv' is for rows in a stream.*n_components"):
        rw.AveragedKernelRegressor(cv="gcv").fit(X, y)


def negative(x: Any, z: Any) -> float:
    """A symmetric function that is not positive definite."""
    return float(-np.exp(-((x - z) ** 2).sum()) + 2 * (np.array_equal(x, z)))


# Law: bad input is refused with got, expected and remedy.
def test_bad_input() -> None:
    X, y = smooth(60)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"kernel": "rfb"}, "kernel='rfb': expected one of"),
        ({"gamma": 0}, "gamma=0.0 is not positive"),
        ({"gamma": -2.0}, "gamma=-2.0 is not positive"),
        ({"gamma": "scale"}, "gamma='scale': expected"),
        ({"gamma": "auto", "kernel": "polynomial"}, "gamma='auto' with kernel='polynomial'"),
        ({"n_components": 0}, "n_components=0"),
        ({"n_components": 5, "kernel": "precomputed"}, "n_components with kernel='precomputed'|square"),
        ({"n_components": 5, "kernel": "linear", "features": "fourier"}, "features='fourier' with kernel='linear'"),
        ({"features": "cosine", "n_components": 5}, "features='cosine'"),
        ({"solver": "gram"}, "solver='gram' solves linear models only: expected 'auto', 'krylov' or 'sgd'"),
        ({"solver": "gram", "n_components": 5}, "'auto' takes Gram matrices if n_components is small"),
        ({"solver": "krylov", "n_components": 5, "cache_size": 0}, "rows, which do not fit in cache_size"),
        ({"cache_size": -1}, "cache_size=-1 is negative"),
        ({"kernel": "precomputed"}, "expected a square matrix"),
        ({"alpha": -1.0}, "alpha=-1.0 is negative"),
        ({"n_components": 100, "features": "nystroem"}, "n_components=100 with 60 rows to begin with"),
    ]
    for options, message in cases:
        with pytest.raises(ValueError, match=message):
            rw.AveragedKernelRegressor(**options).fit(X, y)
    bad: Any = 3
    with pytest.raises(TypeError, match="kernel_params"):
        rw.AveragedKernelRegressor(kernel=negative, kernel_params=bad).fit(X, y)
    with pytest.raises(ValueError, match="not symmetric"):
        rw.AveragedKernelRegressor(kernel="precomputed").fit(np.random.default_rng(0).uniform(size=(60, 60)), y)
    model = rw.AveragedKernelRegressor(kernel="precomputed", random_state=0).fit(rbf_kernel(X), y)
    with pytest.raises(ValueError, match=r"X has 2 features.*expecting 60"):
        model.predict(X)
    with pytest.raises(AttributeError, match=r"^partial_fit needs n_components: .*; set n_components=2000"):
        rw.AveragedKernelRegressor().partial_fit(X, y)
    assert not hasattr(rw.AveragedKernelRegressor(), "partial_fit")
    assert hasattr(rw.AveragedKernelRegressor(n_components=5), "partial_fit")


# Law: a kernel that is not positive definite is told, by its diagonal or by its matrix.
def test_not_positive_definite() -> None:
    X, y = smooth(80)
    with pytest.raises(ValueError, match="not positive definite"):
        rw.AveragedKernelRegressor(kernel=negative, random_state=0).fit(X, y)
    with pytest.raises(
        ValueError, match=r"the kernel matrix of \d+ rows has the eigenvalue -.* at least -0\.001 times"
    ):
        rw.AveragedKernelRegressor(kernel=negative, solver="sgd", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"k\(x, x\) is -1"):
        rw.AveragedKernelRegressor(kernel="precomputed", solver="sgd").fit(-rbf_kernel(X), y)


# Law: what does not fit into memory is refused before it begins.
def test_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = smooth(300)
    monkeypatch.setattr(available_memory, "available_memory", lambda: 10**5)
    with pytest.raises(MemoryError, match=r"300 rows in exact mode.*n_components=2000"):
        rw.AveragedKernelRegressor().fit(X, y)
    with pytest.raises(MemoryError, match=r"n_components=100,000.*fewer components"):
        rw.AveragedKernelRegressor(n_components=100_000).fit(X, y)


# Law: a precomputed kernel is a dense matrix, with no rows to make components of; at prediction, too.
def test_precomputed_is_dense() -> None:
    X, y = smooth(60)
    K = rbf_kernel(X)
    sparse: Any = scipy.sparse.csr_array(K)
    with pytest.raises(TypeError, match="X is sparse, but kernel='precomputed'"):
        rw.AveragedKernelRegressor(kernel="precomputed").fit(sparse, y)
    model = rw.AveragedKernelRegressor(kernel="precomputed", alpha=0.1, passes=1, random_state=0).fit(K, y)
    with pytest.raises(TypeError, match="X is sparse, but kernel='precomputed'"):
        model.predict(sparse)
    with pytest.raises(ValueError, match="expected None, as the rows are unknown"):
        rw.AveragedKernelRegressor(kernel="precomputed", n_components=5).fit(K, y)


# Law: gamma="auto" suits the distances of the rows, with components as without: rows in other units give the same fit.
@pytest.mark.parametrize("n_components", [None, 40])
def test_auto_gamma_follows_the_units(n_components: int | None) -> None:
    X, y = smooth(300)
    options: dict[str, Any] = {"gamma": "auto", "scale": False, "n_components": n_components, "random_state": 0}
    one, other = (rw.AveragedKernelRegressor(**options).fit(unit * X, y) for unit in (1.0, 100.0))
    assert one.gamma_ is not None
    assert other.gamma_ == pytest.approx(1e-4 * one.gamma_, rel=1e-6)
    np.testing.assert_allclose(other.predict(100 * X), one.predict(X), rtol=1e-3, atol=1e-3)


# Law: coefficients beyond the precision of the rows are an error, not infinity.
def test_coefficients_beyond_float32() -> None:
    X, y = smooth(60)
    model = rw.AveragedKernelRegressor(alpha=0.001, passes=1, random_state=0).fit(X.astype(np.float32), 1e40 * y)
    with pytest.raises(ValueError, match="coefficients exceed float32: scale y down, or pass X as float64"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"at\('tail'\): expected an alpha, a scheme, 'uniform', 'last' or None"):
        rw.AveragedKernelRegressor(alpha=0.1, passes=1, random_state=0).fit(X, y).at("tail")


# Law: an exact fit cannot go on with more rows.
def test_exact_fit_does_not_go_on() -> None:
    X, y = smooth(60)
    model = rw.AveragedKernelRegressor(alpha=0.1, passes=1, random_state=0).fit(X, y).set_params(n_components=5)
    with pytest.raises(ValueError, match=r"partial_fit cannot continue an exact fit: start again with clone\(model\)"):
        model.partial_fit(X, y)
