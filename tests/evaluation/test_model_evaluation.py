"""`evaluate`: agreement with scikit-learn's metrics, groups, every alpha, tables in batches, what is refused."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score, root_mean_squared_error

import ridgeway as rw
from ridgeway.evaluation import model_evaluation
from ridgeway.evaluation.alpha_errors import evaluated_alphas
from ridgeway.evaluation.calibration import MAX_CALIBRATION_ROWS, SampledRows
from ridgeway.evaluation.error_sums import ErrorSums
from ridgeway.report import render_evaluation, summarize
from ridgeway.tables import Request, fit_table

Array = NDArray[np.float64]
NAMES = ["a", "b", "c"]
FORMS: dict[str, Callable[[Array], Any]] = {
    "array": np.asarray,
    "list": lambda X: X.tolist(),
    "csr": scipy.sparse.csr_array,
    "coo": scipy.sparse.coo_array,
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES, index=np.arange(len(X)) + 7),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
}


def rows(n: int = 1500, n_targets: int = 1, seed: int = 0) -> tuple[Array, Array]:
    """Return rows of a noisy linear model."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = X @ rng.standard_normal((3, n_targets)) + rng.standard_normal((n, n_targets)) + 10
    return X, y[:, 0] if n_targets == 1 else y


def shop(n: int, seed: int = 0) -> Any:
    """Return a table of prices with a category, a time, and rows without a price."""
    rng = np.random.default_rng(seed)
    size, town = rng.uniform(1, 3, n), rng.choice(["east", "west"], n)
    price = np.exp(1 + size + 0.5 * (town == "east") + 0.2 * rng.standard_normal(n))
    missing = rng.random(n) < 0.02
    return pa.table(
        {
            "size": size,
            "town": town,
            "day": np.arange(n),
            "price": pa.array(price, mask=missing),
            "w": rng.integers(0, 3, n).astype(float),
        }
    )


# Law: sums that are pooled over batches of any sizes give scikit-learn's metrics to 1e-12, with weights and offsets.
@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 30), min_size=1, max_size=6),
    st.sampled_from([0.0, 1e3, -1e6]),
    st.sampled_from([1e-8, 1.0, 1e9]),
)
def test_metrics_are_those_of_sklearn(seed: int, sizes: list[int], offset: float, scale: float) -> None:
    rng = np.random.default_rng(seed)
    n = sum(sizes) + 2
    actual = (rng.standard_normal((n, 2)) + offset) * scale
    predicted = actual + scale * rng.standard_normal((n, 2))
    weight = rng.integers(0, 4, n).astype(float)
    weight[:2] = 1.0
    sums, first = ErrorSums(2), 0
    for size in (*sizes, 2):
        some = slice(first, first + size)
        sums.add(actual[some], predicted[some], weight[some])
        first += size
    found = sums.metrics()
    options: dict[str, Any] = {"sample_weight": weight, "multioutput": "raw_values"}
    assert found.n_rows == (weight > 0).sum()
    np.testing.assert_allclose(found.rmse, root_mean_squared_error(actual, predicted, **options), rtol=1e-12)
    np.testing.assert_allclose(found.mae, mean_absolute_error(actual, predicted, **options), rtol=1e-12)
    mean = np.broadcast_to(np.average(actual, axis=0, weights=weight), actual.shape)
    tolerance = 1e-12 * max(1.0, abs(offset))  # the mean itself is rounded
    np.testing.assert_allclose(found.rmse_of_mean, root_mean_squared_error(actual, mean, **options), rtol=tolerance)
    np.testing.assert_allclose(
        found.r2, r2_score(actual, predicted, **options), rtol=tolerance, atol=1e-12 + 1e-15 * abs(offset)
    )


# Law: the evaluation of an estimator has the metrics of its predictions, each alpha those of its own predictions, and
# the coverage that of its intervals.
@pytest.mark.parametrize("n_targets", [1, 2])
def test_estimator(n_targets: int) -> None:
    X, y = rows(1500, n_targets)
    model = rw.RidgePathCV(random_state=0).fit(X[:500], y[:500]).at(2.0)
    new, actual = X[500:], y[500:].reshape(1000, -1)
    found = rw.evaluate(model, new, y[500:], coverage=0.8)
    predicted = model.predict(new).reshape(1000, -1)
    raw: dict[str, Any] = {"multioutput": "raw_values"}
    np.testing.assert_allclose(found.metrics.rmse, root_mean_squared_error(actual, predicted, **raw), rtol=1e-12)
    np.testing.assert_allclose(found.metrics.r2, r2_score(actual, predicted, **raw), rtol=1e-12)
    ends = model.predict_interval(new, 0.8).reshape(1000, -1, 2)
    assert found.intervals is not None
    covered = ((ends[..., 0] <= actual) & (actual <= ends[..., 1])).mean(axis=0)
    np.testing.assert_allclose(found.intervals.covered, covered, rtol=1e-12)
    for place, errors in enumerate(found.alphas):
        for alpha, rmse in list(zip(errors.alphas, errors.rmse, strict=True))[::20]:
            there = model.at(float(alpha)).predict(new).reshape(1000, -1)[:, place]
            np.testing.assert_allclose(rmse, root_mean_squared_error(actual[:, place], there), rtol=1e-9)
        assert errors.excess > 0.01
        assert "would have been best here" in repr(found)


# Law: rows of any form are predicted block by block, in memory that does not grow with them, to the same evaluation.
@pytest.mark.parametrize("form", FORMS)
def test_rows_are_predicted_in_blocks(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows(1500)
    given = FORMS[form](X)
    model = rw.RidgePathCV(random_state=0).fit(FORMS[form](X[:500]), y[:500])
    monkeypatch.setattr(model_evaluation, "EVALUATED_BLOCK_ROWS", 400)
    predict_path, sizes = model.predict_path, list[int]()

    def counted(some: Any, alphas: Any) -> Any:
        assert type(some) is type(given) or form in ("list", "coo")
        path = predict_path(some, alphas)
        sizes.append(len(path))
        return path

    monkeypatch.setattr(model, "predict_path", counted)
    found = rw.evaluate(model, given, y, by=np.arange(1500) % 3)
    assert sizes == [400, 400, 400, 300]
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # arrays have no names
        expected = rw.evaluate(model, X, y, by=np.arange(1500) % 3)
    np.testing.assert_allclose(found.metrics.rmse, expected.metrics.rmse, rtol=1e-12)
    np.testing.assert_allclose(found.alphas[0].rmse, expected.alphas[0].rmse, rtol=1e-12)
    assert all(not sentence.endswith("nan") for sentence in found.sentences())


# Law: groups and deciles share the rows, and their squared errors add up to those of all rows.
def test_parts_add_up() -> None:
    X, y = rows(2000)
    model = rw.RidgePathCV(random_state=0).fit(X[:500], y[:500])
    by = ["large" if x > 1 else None for x in X[500:, 0]]
    found = rw.evaluate(model, X[500:], y[500:], by=by)
    assert [group.group for group in found.groups] == ["(missing)", "large"]
    total = 1500 * found.metrics.rmse[0] ** 2
    assert sum(group.metrics.n_rows for group in found.groups) == 1500
    np.testing.assert_allclose(sum(g.metrics.n_rows * g.metrics.rmse[0] ** 2 for g in found.groups), total, rtol=1e-12)
    deciles = found.calibration[0]
    assert [decile.rows for decile in deciles] == [150] * 10
    np.testing.assert_allclose(sum(d.rows * d.rmse**2 for d in deciles), total, rtol=1e-12)
    assert (np.diff([decile.predicted for decile in deciles]) > 0).all()
    assert found.intervals is not None
    shares = [decile.covered for decile in deciles if decile.covered is not None]
    np.testing.assert_allclose(np.mean(shares), found.intervals.covered[0], rtol=1e-12)


# Law: predicting the last value errs as the differences of neighbours do, across batches as well.
def test_last_value() -> None:
    X, y = rows(20_000)
    model = rw.RidgePathCV(alpha="auto", random_state=0).fit(X[:1200], y[:1200])
    found = rw.evaluate(model, X, y, time=np.arange(len(y)))
    assert found.rmse_of_last is not None
    np.testing.assert_allclose(found.rmse_of_last[0], np.sqrt(mean_squared_error(y[1:], y[:-1])), rtol=1e-12)
    mixed = np.random.default_rng(0).permutation(len(y))
    unsorted = rw.evaluate(model, X[mixed], y[mixed], time=mixed)
    assert unsorted.rmse_of_last is not None
    np.testing.assert_allclose(unsorted.rmse_of_last, found.rmse_of_last, rtol=1e-12)


# Law: beyond its bound the sample for deciles is a random one of that size, whatever the batches.
def test_sample_for_deciles_is_bounded() -> None:
    sample = SampledRows()
    n = 3 * MAX_CALIBRATION_ROWS
    values = np.arange(n, dtype=float)
    for some in np.array_split(values, 7):
        sample.add(some, some, np.ones(len(some)), None)
    deciles = sample.deciles()
    assert sum(decile.rows for decile in deciles) == MAX_CALIBRATION_ROWS
    np.testing.assert_allclose([d.predicted for d in deciles], (np.arange(10) + 0.5) * n / 10, rtol=0.03, atol=n / 500)
    assert deciles[0].covered is None


# Law: dates that the fit reads from text, day first, are in the order of time.
def test_written_dates() -> None:
    table = shop(800)
    days = [(date(2011, 1, 1) + timedelta(days=i)).strftime("%d/%m/%Y") for i in range(800)]
    table = table.set_column(table.schema.get_field_index("day"), "day", pa.array(days))
    model = fit_table(table.slice(0, 500), Request(target="price", drop=("w",)))
    found = rw.evaluate(model, table.slice(500), time="day")
    price = table.slice(500)["price"].drop_null().to_numpy()
    assert found.rmse_of_last is not None
    np.testing.assert_allclose(found.rmse_of_last, np.sqrt(np.mean(np.diff(price) ** 2)), rtol=1e-9)


# Law: a table in a file, read in batches, has the evaluation of its rows: weights, logarithms and missing targets
# included; JSON can hold all of it.
def test_table(tmp_path: Path) -> None:
    model = fit_table(shop(600), Request(target="price", weight="w", log_target=True, drop=("day",)))
    new = shop(900, seed=1)
    file = tmp_path / "new.csv"
    pyarrow.csv.write_csv(new, file)
    found = rw.evaluate(model, file, by="town", time="day")
    frame = new.to_pandas()
    kept = frame["price"].notna().to_numpy()
    actual, weight = frame["price"].to_numpy()[kept], frame["w"].to_numpy()[kept]
    predicted = model.predict(new)[kept]
    assert found.left_out == (~kept).sum()
    assert found.n_rows == (weight > 0).sum()
    options = {"sample_weight": weight}
    np.testing.assert_allclose(found.metrics.rmse[0], root_mean_squared_error(actual, predicted, **options), rtol=1e-9)
    np.testing.assert_allclose(found.metrics.mae[0], mean_absolute_error(actual, predicted, **options), rtol=1e-9)
    ends = model.predict_interval(new)[kept]
    inside = (ends[:, 0] <= actual) & (actual <= ends[:, 1])
    assert found.intervals is not None
    np.testing.assert_allclose(found.intervals.covered[0], np.average(inside, weights=weight), rtol=1e-12)
    assert {group.group for group in found.groups} == {"east", "west"}
    assert json.loads(json.dumps(found.values(), allow_nan=False))["by"] == "town"
    in_memory = rw.evaluate(model, new, by="town", time="day")
    np.testing.assert_allclose(in_memory.metrics.rmse, found.metrics.rmse, rtol=1e-9)


# Law: a model without held-out rows is evaluated all the same, and says why it has no intervals.
def test_without_intervals() -> None:
    X, y = rows(300)
    found = rw.evaluate(rw.RidgePathCV(alpha=0.1).fit(X, y), scipy.sparse.csr_array(X), y)
    assert found.intervals is None
    assert "nothing was chosen" in repr(found)
    assert found.calibration[0][0].covered is None


# Law: a target that never changes has no R^2, and no NaN leaves.
def test_constant_target() -> None:
    X, y = rows(300)
    found = rw.evaluate(rw.RidgePathCV(random_state=0).fit(X, y), X[:50], np.full(50, 3.0))
    assert "R^2" not in repr(found)
    assert "nan" not in repr(found).lower()
    assert found.values()["r2"] == [None]


# Law: what cannot be compared is refused with what was expected.
def test_refusals() -> None:
    X, y = rows(100)
    model = rw.RidgePathCV(random_state=0).fit(X, y)
    table = fit_table(shop(200), Request(target="price", drop=("day", "w")))
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: rw.evaluate(model, X), "y is missing"),
        (lambda: rw.evaluate(model, X, y[:7]), "X has 100 rows and y has 7"),
        (lambda: rw.evaluate(model, X, y, by=["a"]), "by has 1 rows"),
        (lambda: rw.evaluate(model, X, np.where(y > 10, np.nan, y)), "not finite"),
        (lambda: rw.evaluate(model, X, np.stack([y, y], axis=1)), "expected 1 target"),
        (lambda: rw.evaluate(model, X, y, sample_weight=-y), r"sample_weight\[0\] is -6.65.*: expected finite"),
        (lambda: rw.evaluate(model, X, y, coverage=1.0), "coverage=1"),
        (lambda: rw.evaluate(table, shop(50).drop_columns(["price"])), "price"),
        (lambda: rw.evaluate(table, shop(50), by="tawn"), "tawn"),
        (lambda: rw.evaluate(table, shop(5000), by="day"), "more than 1,000 values"),
        (lambda: rw.evaluate(table, shop(50), y), "leave y out"),
    ]
    for call, message in calls:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(TypeError, match="expected RidgePathCV"):
        rw.evaluate("model.safetensors", X, y)


# Law: the curve of every alpha warns of none of them, for nobody has asked for these.
def test_no_warning_of_probed_alphas(recwarn: pytest.WarningsRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (1300, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(1300)
    model = rw.AveragedKernelRegressor(gamma=1.0, random_state=0).fit(X[:1200], y[:1200])
    with pytest.warns(UserWarning, match="weaker than the strengths that this fit solved"):
        model.path([1e-12])
    recwarn.clear()
    monkeypatch.setattr(model_evaluation, "evaluated_alphas", lambda *_: np.array([1e-12, 0.1]))
    rw.evaluate(model, X[1200:], y[1200:])
    assert [str(warning.message) for warning in recwarn] == []


# Law: shares and errors of rows of different weights are told as weighted, those of equal weights are not.
def test_weights_are_told() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    y = X @ [1.0, 2.0] + rng.standard_normal(200)
    model = rw.RidgePathCV(random_state=0).fit(X, y)
    for weight, weighted in ((None, False), (np.full(200, 2.0), False), (rng.uniform(0.5, 2.0, 200), True)):
        said = " ".join(rw.evaluate(model, X, y, sample_weight=weight).sentences())
        assert ("200 rows, weighted:" in said) == ("of the weights of the rows" in said) == weighted


# Law: of a model of logarithms both scales are told, and both R^2 are scikit-learn's; targets of 0 have no logarithm.
def test_logarithms() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1500)
    y = np.exp(x + rng.standard_normal(1500))
    model = fit_table(pa.table({"x": x[:1000], "y": y[:1000]}), Request("y", log_target=True))
    new = pa.table({"x": x[1000:], "y": y[1000:]})
    found = rw.evaluate(model, new)
    assert found.log_metrics is not None
    predicted = model.predict(new)
    np.testing.assert_allclose(found.log_metrics.r2, r2_score(np.log(y[1000:]), np.log(predicted)), rtol=1e-10)
    np.testing.assert_allclose(found.metrics.r2, r2_score(y[1000:], predicted), rtol=1e-10)
    assert f"logarithms, which the model predicts: R^2 {found.log_metrics.r2[0]:.3f}" in found.sentences()[1]
    assert found.values()["logarithms"]["rmse"] == found.log_metrics.rmse.tolist()
    zeros = rw.evaluate(model, pa.table({"x": x[1000:1002], "y": [0.0, 1.0]}))
    assert zeros.log_metrics is not None
    assert (zeros.n_rows, zeros.log_metrics.n_rows) == (2, 1)
    plain = rw.evaluate(fit_table(new, Request("y")), new)
    assert plain.log_metrics is None
    assert plain.values()["logarithms"] is None


# Law: normalized intervals are those of `predict_interval`, and mend the tenth that the plain ones cover worst.
def test_normalized() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 6000)
    y = 10 * x + x**3 * 5 * rng.standard_normal(6000)
    X = x[:, None]
    model = rw.RidgePathCV(random_state=0).fit(X[:3000], y[:3000])
    plain, normalized = (rw.evaluate(model, X[3000:], y[3000:], normalized=way) for way in (False, True))
    assert normalized.intervals is not None
    low, high = model.predict_interval(X[3000:], 0.9, normalized=True).T
    np.testing.assert_allclose(
        normalized.intervals.covered, np.mean((low <= y[3000:]) & (y[3000:] <= high)), rtol=1e-12
    )
    worst = [found.least_covered_tenth for found in (plain, normalized)]
    covered = [tenth.covered for tenth in worst if tenth is not None and tenth.covered is not None]
    assert covered[0] < 0.75 < covered[1]
    assert normalized.values()["intervals"]["normalized"] is True
    assert rw.evaluate(model, X[3000:3050], y[3000:3050]).least_covered_tenth is None


# Law: the curve of strengths holds the model's own, far below and far above the usual ones.
@pytest.mark.parametrize("own", [3e-9, 2e5])
def test_curve_holds_the_own_alpha(own: float) -> None:
    alphas = evaluated_alphas(1e4, own)
    assert alphas[0] <= own <= alphas[-1]
    np.testing.assert_allclose(np.diff(np.log10(alphas)), 1 / 8)
    assert set(evaluated_alphas(1e4)) <= set(alphas)
    np.testing.assert_array_equal(evaluated_alphas(1e4, 1e-30), evaluated_alphas(1e4))


# Law: a table model takes target and weights from the table; the refusal names what was given.
def test_given_with_a_table() -> None:
    model, table = fit_table(shop(300), "price"), shop(100, seed=1)
    for name in ("y", "sample_weight"):
        with pytest.raises(ValueError, match=rf"^{name} is given with a table model: .*; leave {name} out\.$"):
            rw.evaluate(model, table, **dict[str, Any]({name: np.ones(100)}))


# Law: groups are shown with the sentences, in the order and the numbers of the command line, and as a data frame.
@pytest.mark.parametrize("n_targets", [1, 2])
def test_groups_are_shown(n_targets: int) -> None:
    X, y = rows(1500, n_targets)
    model, by = rw.RidgePathCV(random_state=0).fit(X[:500], y[:500]), np.arange(1000) % 25
    found = rw.evaluate(model, X[500:], y[500:], by=by)
    shown = str(found).splitlines()
    assert [line for line in found.sentences() if line not in shown] == []
    assert sum("within intervals" in line for line in shown) == n_targets
    assert sum(line == "and 5 smaller groups" for line in shown) == n_targets
    frame = found.groups_frame()
    assert len(frame) == 25 * n_targets
    errors = [float(group.metrics.rmse[target]) for group in found.groups for target in range(n_targets)]
    assert frame["rmse"].tolist() == errors
    assert set(frame["rows"]) == {40}
    with pytest.raises(ValueError, match="no groups: expected some; pass by="):
        rw.evaluate(model, X, y).groups_frame()


# Law: what is shown of a result is short, however many rows it has, and has R^2 where it has errors.
def test_short_reprs() -> None:
    X, y = rows(3000)
    model = rw.RidgePathCV(random_state=0).fit(X[:1500], y[:1500])
    found = rw.evaluate(model, X[1500:], y[1500:], by=X[1500:, 0] > 0)
    shown = (model.held_out_, found.metrics, found.groups[0], found.alphas[0], found.sample[0], summarize(model))
    for result in shown:
        assert len(repr(result)) < 250
    assert f"r2={found.metrics.r2}" in repr(found.metrics)
    assert repr(model.held_out_).startswith("HeldOut(1,500 rows, predicted by Geometric(alpha=")
    assert repr(summarize(model, title="Prices")) == "ReportSummary('Prices': RidgePathCV of 3 features, 1 target)"


# Law: rows of a file with the name of the model's own get a caution, and so do few rows; others get none.
def test_cautions(tmp_path: Path) -> None:
    for folder, seed in (("a", 0), ("b", 1)):
        (tmp_path / folder).mkdir()
        pa.csv.write_csv(shop(400, seed), tmp_path / folder / "shop.csv")
    pa.csv.write_csv(shop(400, 2), tmp_path / "new.csv")
    model = fit_table(tmp_path / "a" / "shop.csv", "price")
    for file in (tmp_path / "a" / "shop.csv", str(tmp_path / "b" / "shop.csv")):
        found = rw.evaluate(model, file)
        assert found.fitted_to == "shop.csv"
        assert str(found).endswith("errors of rows that it has learned from are smaller than those of new rows.")
        assert "fitted to a table of the same name, shop.csv" in render_evaluation(found)
    for data in (tmp_path / "new.csv", shop(400)):
        assert rw.evaluate(model, data).cautions == []
    few = rw.evaluate(model, shop(8, seed=1))
    assert str(few).endswith(" rows alone: these numbers say little; expected at least 30 rows.")
    assert "say little" in render_evaluation(few)


# Law: another alpha is named only if its error is more than one standard error of the least error below the model's.
def test_noise_names_no_alpha() -> None:
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((200, 10)), rng.standard_normal((300, 10))
    model = rw.RidgePathCV(random_state=0).fit(X, X[:, 0] + rng.standard_normal(200))
    y = new[:, 0] + rng.standard_normal(300)
    for alpha in (0.01, 0.1, 0.3, 1.0, 10.0):
        (errors,) = rw.evaluate(model.at(alpha), new, y).alphas
        squared = (model.at(errors.best).predict(new) - y) ** 2
        assert errors.standard_error == pytest.approx(squared.std() / 300**0.5, rel=0.02)
        above = errors.own**2 - errors.rmse.min() ** 2
        assert ("would have been best" in errors.sentence(rw.Geometric(alpha))) == (above > errors.standard_error)
    assert above > 0
    huge = rw.evaluate(model, 1e80 * new, y).alphas[0]
    assert "would have been best" in huge.sentence(model.averaging_)
