"""What a model of a table tells of itself, in the words of its estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.metrics import r2_score
from tests.tables.shop import shop_table

import ridgeway as rw
from ridgeway.data import DataError
from ridgeway.tables import Request, fit_table


@pytest.fixture(scope="module")
def model() -> Any:
    return fit_table(shop_table(), Request("price", weight="weight", seed=1))


# Law: the fitted attributes are those of the estimator.
@pytest.mark.parametrize("solver", ["gram", "sgd"])
def test_attributes_are_those_of_the_estimator(solver: str) -> None:
    model = fit_table(shop_table(), Request("price", solver=solver)).at(0.5)
    for name in ("alpha_", "averaging_", "selection_", "held_out_", "interval_method_", "intercept_", "n_rows_"):
        assert getattr(model, name) == getattr(model.model, name)
    np.testing.assert_array_equal(model.coef_, model.model.coef_)
    assert (model.solver_, model.solver_reason_) == (solver, "as requested")
    assert len(model.feature_names) == len(model.coef_)


# Law: intervals of coefficients are those of the estimator; SGD, which has none, says so.
def test_coef_interval(model: Any) -> None:
    np.testing.assert_array_equal(model.coef_interval(0.9), model.model.coef_interval(0.9))
    with pytest.raises(TypeError, match=r"has no intervals of coefficients: expected .*; fit with solver='gram'"):
        fit_table(shop_table(), Request("price", solver="sgd")).coef_interval()


# Law: the score is scikit-learn's R^2 of the predictions, weighted, on rows with a target, and that of `evaluate`.
@pytest.mark.parametrize("log_target", [False, True])
def test_score(log_target: bool) -> None:
    request = Request("price", weight="weight", log_target=log_target)
    model, new = fit_table(shop_table(), request), shop_table(seed=1)
    rows = new.to_pandas().dropna(subset="price")
    expected = r2_score(rows["price"], model.predict(rows), sample_weight=rows["weight"])
    assert model.score(new) == pytest.approx(expected, rel=1e-12)
    assert model.score(new) == pytest.approx(rw.evaluate(model, new).metrics.r2[0], rel=1e-9)
    two = fit_table(new, Request(("price", "size"), drop=("weight",)))
    assert two.score(rows.dropna()) == pytest.approx(rw.evaluate(two, rows.dropna()).metrics.r2.mean(), rel=1e-9)


# Law: sparse rows have a score, too; a table without the target, and one row, are refused.
def test_score_of_other_tables(model: Any, tmp_path: Any) -> None:
    X = scipy.sparse.random_array((200, 5), density=0.5, rng=np.random.default_rng(0)).tocsr()
    dump_svmlight_file(X, X @ np.arange(5.0), str(tmp_path / "t.svm"), zero_based=False)
    assert fit_table(tmp_path / "t.svm").score(tmp_path / "t.svm") > 0.99
    with pytest.raises(DataError, match="there is no column 'price'"):
        model.score(shop_table().drop_columns(["price"]))
    with pytest.raises(DataError, match="fewer than 2 rows have a target"):
        model.score(shop_table().slice(0, 1))


# Law: a model is shown in one line: target, data, solver, strength and held-out error.
def test_repr(model: Any) -> None:
    shown = repr(model)
    assert shown.startswith(f"TableModel('price' from 4 columns of the table, {model.facts.rows:,} rows, solver gram, ")
    assert f"alpha={model.alpha_:.3g}; R^2 {model.held_out_.r2[0]:.3f}, typical error " in shown
    logs = repr(fit_table(shop_table(), Request("price", log_target=True)).at("last"))
    assert "'log price'" in logs
    assert "last iterate" in logs or "Last" in logs
    assert "of the logarithms on" in logs
    assert len(repr(fit_table(shop_table(), Request(("price", "size"))))) < 200


# Law: an array or a single column instead of a table is refused by what it is.
def test_not_a_table(model: Any) -> None:
    frame = shop_table().to_pandas()
    for data, message in (
        (np.ones((3, 2)), r"an array of shape \(3, 2\), .*: expected a data frame with the columns 'size', 'shop'"),
        (frame["size"], r"a Series \('size'\): expected a table.*frame\[\['size'\]\]"),
        (pd.Series([1.0]), "a Series: expected a table, which has columns with names; pass a data frame"),
    ):
        with pytest.raises(DataError, match=message):
            model.predict(data)
    with pytest.raises(DataError, match=r"a Series \('shop'\): expected a table"):
        rw.TableEncoder().fit(frame["shop"])
