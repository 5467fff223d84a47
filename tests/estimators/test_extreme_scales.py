"""Data at the ends of float32 and float64: the right number, or an error that says what to do; never NaN."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import ridgeway as rw
from ridgeway.storage import write_state

RNG = np.random.default_rng(0)
A = RNG.standard_normal((200, 3))
Y = A @ [1.0, -2.0, 0.5] + 0.3 * RNG.standard_normal(200)


@pytest.fixture(autouse=True)
def _still_falling() -> Any:
    """Few passes may leave the error falling; every other warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def sgd(**options: Any) -> rw.AveragedSGDRegressor:
    return rw.AveragedSGDRegressor(random_state=0, passes=2, **options)


# Law: predictions of float32 rows that overflow it are refused, and right for the same rows in float64.
def test_predictions_beyond_float32_are_refused() -> None:
    model = sgd().fit(A.astype("f4"), A.sum(1) * 1e25)
    large = (A * 1e15).astype("f4")
    with pytest.raises(ValueError, match=r"prediction of row \d+ of X exceeds float32: scale X down, or pass it as fl"):
        model.predict(large)
    with pytest.raises(ValueError, match="exceeds float32"):
        model.predict_path(large, [0.0, 1.0])
    predicted = model.predict(large.astype("f8"))
    np.testing.assert_allclose(predicted, large.astype("f8") @ model.coef_.astype("f8") + model.intercept_, rtol=1e-5)


# Law: products that overflow float32 and cancel are predicted right.
def test_large_products_that_cancel_are_predicted() -> None:
    X = np.array([[1e18, 1e18], [-1e18, -1e18]], "f4")
    path = rw.ExactRidgePath().fit([[0.0], [1.0]], [0.0, 1.0]).path([0.0])
    models = type(path)(path.alphas, np.array([[3e20, -3e20]], "f4"), np.array([2.0], "f4"))
    np.testing.assert_array_equal(models.predict(X), [[2.0], [2.0]])


# Law: a fit does not depend on the unit of a column or of y: powers of two in it change nothing but the units.
@pytest.mark.parametrize("exponents", [(-900, 0), (900, 0), (0, -450), (0, 450), (-900, -450), (900, 450), (-500, 450)])
@pytest.mark.parametrize("make", [sgd, rw.ExactRidgePath])
def test_units_change_nothing(make: Any, exponents: tuple[int, int]) -> None:
    unit_x, unit_y = (2.0**exponent for exponent in exponents)
    if make is rw.ExactRidgePath and abs(exponents[0]) >= 500:
        with pytest.raises(ValueError, match=r"scale the col.*(up|down|targets or the weights)|squared norm beyond"):
            make().fit(A * unit_x, Y * unit_y)
        return
    plain, scaled = make().fit(A, Y), make().fit(A * unit_x, Y * unit_y)
    np.testing.assert_allclose(scaled.predict(A * unit_x), plain.predict(A) * unit_y, rtol=1e-12)
    np.testing.assert_allclose(scaled.coef_ * unit_x / unit_y, plain.coef_, rtol=1e-12)
    if make is sgd:
        assert scaled.alpha_ == plain.alpha_


# Law: coefficients that no float64 can hold are refused, for the whole path.
def test_a_path_beyond_float64_is_refused() -> None:
    model = rw.ExactRidgePath().fit(A * 1e-120, Y * 1e200)
    with pytest.raises(ValueError, match="coefficients or intercepts exceed float64: scale y down or X up"):
        model.path([1e-6])
    with pytest.raises(ValueError, match="scale"):
        rw.ExactRidgePath().fit(A * 1e-150, Y * 1e200).path([1e-6])
    with pytest.raises(ValueError, match="coefficients exceed float64: scale y down or X up"):
        _ = sgd().fit(A * 1e-250, Y * 1e100).coef_


# Law: columns whose squares fall below float64 do not count as constant without a word.
def test_squares_below_float64_are_refused() -> None:
    for X, y in ((A * 1e-170, Y), (sp.csr_array(A * 1e-170), Y), (A * 1e-140, Y * 1e-200)):
        with pytest.raises(ValueError, match="fall below float64: scale the columns, the targets or the weights up"):
            rw.ExactRidgePath().fit(X, y)
    with pytest.raises(ValueError, match="fall below float64"):
        rw.ExactRidgePath().fit(A * 1e-30, Y, np.full(200, 1e-290))


# Law: y so small or large that its squared errors are no float64 is refused; just within, the choice is as ever.
@pytest.mark.parametrize(("size", "wrong"), [(1e-180, "too small"), (1e180, "too large")])
def test_targets_without_squares_are_refused(size: float, wrong: str) -> None:
    for fit in (sgd().fit, sgd().partial_fit, rw.AveragedKernelRegressor(passes=1).fit):
        with pytest.raises(ValueError, match=rf"y is {wrong} \(standard deviation \S+\) for squared errors: scale it"):
            fit(A, Y * size)
    within = 2.0**-480 if size < 1 else 2.0**480
    table = sgd().fit(A, Y * within).selection_
    assert table is not None
    assert all(0 < row.error < np.inf for row in table)
    assert table.chosen.scheme == sgd().fit(A, Y).selection_.chosen.scheme  # type: ignore[union-attr]


# Law: one weight may be any number of times the others.
# In up to 100 rows, the sum of all weights less 1e18 is 0 in float64, though the other rows have a weight.
@pytest.mark.parametrize(("n_rows", "row"), [(20, 1), (100, 7), (200, 7)])
@pytest.mark.parametrize("cv", [2, 5, "holdout", "progressive"])
@pytest.mark.parametrize("ratio", [1e6, 1e18, 1e25])
def test_one_weight_above_all(cv: Any, ratio: float, n_rows: int, row: int) -> None:
    weight = np.ones(n_rows)
    weight[row] = ratio
    model = sgd(cv=cv).fit(A[:n_rows], Y[:n_rows], weight)
    assert np.isfinite(model.predict(A)).all()
    np.testing.assert_allclose(model.predict(A[row : row + 1]), Y[row : row + 1], rtol=1e-3)


# Law: only ratios of weights matter, whatever their unit.
@pytest.mark.parametrize("exponent", [-1000, 1000])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_units_of_weights_change_nothing(form: Any, exponent: int) -> None:
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 200)
    plain, scaled = sgd().fit(form(A), Y, weight), sgd().fit(form(A), Y, np.ldexp(weight, exponent))
    np.testing.assert_array_equal(plain.coef_, scaled.coef_)


# Law: rows without scaling whose squared norms, or the squares of these, overflow are refused, and warn of nothing.
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_without_squares_are_refused(form: Any) -> None:
    for size in (1e-150, 1e100, 1e150, 1e200):
        for options in ({"scale": False}, {"scale": False, "fit_intercept": False}):
            with pytest.raises(ValueError, match=r"scale the columns (up|down|or)"):
                sgd(**options).fit(form(A * size), Y)
    with pytest.raises(ValueError, match="scale the columns or the weights down"):
        rw.run_sgd(form(A * 1e90), Y, step=1e-185)


# Law: coefficients beyond the precision are a ValueError, as every refusal.
def test_coefficients_beyond_float32_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="coefficients exceed float32"):
        _ = sgd().fit((A * 1e-20).astype("f4"), Y * 1e30).coef_
    with pytest.raises(ValueError, match="coefficients exceed float32"):
        rw.run_sgd((A * 1e-18).astype("f4"), Y.astype("f4") * 1e20, step=1e34).coef(rw.Last())


# Law: a model file with means at the end of float64 is refused, or answers with finite numbers.
@pytest.mark.parametrize("name", ["shift_x", "origin_x", "shift_y"])
def test_a_file_with_huge_means_predicts_no_infinity(tmp_path: Path, name: str) -> None:
    file = tmp_path / "model.safetensors"
    state = rw.ExactRidgePath(alpha=0.1).fit(A, Y * 1e3).state()
    state["fit"]["moments"][name] = np.full_like(state["fit"]["moments"][name], -1e308)
    write_state(file, state)
    if name == "shift_y":  # these are the means of y, and can be predicted
        assert np.isfinite(rw.load(file).predict(A)).all()
        return
    with pytest.raises(ValueError, match="exceed float64"):
        rw.load(file).predict(A)


# Law: rows of a stream that are far beyond its first ones are refused or learned from, and leave finite numbers.
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [1e15, 1e18, 1e30, 1e70, 1e76, 1e100, 1e150])
def test_outlying_rows_of_a_stream(dtype: str, size: float) -> None:
    model = sgd().partial_fit(np.tile(A, (5, 1)).astype(dtype), np.tile(Y, 5))
    with np.errstate(over="ignore"):
        outlying = (A[:20] * size).astype(dtype)
    for X, y, weight in ((outlying, Y[:20], None), (A[:20], Y[:20] * size, None), (A[:20], Y[:20], Y[:20] ** 2 * size)):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="updates from .* were clipped")
            with contextlib.suppress(ValueError):
                model.partial_fit(X, y, weight)
        model.partial_fit(A.astype(dtype), Y)
        assert np.isfinite(model.predict(A.astype(dtype))).all()
        assert model.selection_ is not None
        assert all(np.isfinite([row.error, row.standard_error]).all() for row in model.selection_)
