"""Summaries: plain numbers and texts that say what the model says."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from tests.report.fits import FITS, fitted, rows

import ridgeway as rw
from ridgeway.report import ReportSummary, summarize
from ridgeway.report.error_curve import ErrorCurve
from ridgeway.report.sentences import headline

# The models are of few passes: their weak averages are not ridge yet.
pytestmark = pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")


def table(path: Any) -> Any:
    """Effects (strengths, columns) of a path."""
    return np.array(path.coordinates) @ np.array(path.basis).T


# Law: the low-rank tables give the coefficients of the model at every strength of the grid, and at every stop.
@pytest.mark.filterwarnings("ignore:alpha=.* rests on about:sklearn.exceptions.ConvergenceWarning")  # of a stream
@pytest.mark.parametrize("name", FITS)
def test_paths_are_the_models(name: str) -> None:
    model = fitted(name)
    summary = summarize(model)
    names = [f"x{i}" for i in range(summary.n_features)]
    for k, target in enumerate(summary.targets):
        path = target.path
        columns = [names.index(feature) for feature in path.features]
        for i in (0, summary.grid.n // 3, summary.grid.n // 2, summary.grid.n - 1):
            coef = np.atleast_2d(model.at(summary.grid.alphas[i]).coef_)[k, columns]
            largest = np.abs(table(path)).max()
            np.testing.assert_allclose(table(path)[i], coef * path.scales, rtol=0, atol=2e-5 * largest)
        at = np.atleast_2d(model.coef_)[k, columns] * path.scales
        np.testing.assert_allclose(path.stops[0], at, rtol=1e-5, atol=1e-30)
        assert summary.stops[0].selected
        np.testing.assert_allclose(path.intercepts[0], np.ravel(model.intercept_)[k], rtol=1e-5)


# Law: with many columns those of the largest effects are shown, largest first, and their share is told.
def test_largest_columns_are_shown() -> None:
    model = fitted("sparse")
    path = summarize(model).targets[0].path
    effects = model.coef_ * model._selected_model.averages.standardization.scale
    order = np.argsort(-np.abs(effects))
    assert path.features[:20] == tuple(f"x{i}" for i in order[:20])
    shown = [int(name[1:]) for name in path.features]
    assert len(shown) == len(set(shown)) == 60
    assert math.isclose(path.share, (effects[shown] ** 2).sum() / (effects**2).sum(), rel_tol=1e-6)


# Law: a summary is the same after it was JSON.
@pytest.mark.parametrize("name", FITS)
def test_json_and_back(name: str) -> None:
    summary = summarize(fitted(name), facts={"Data": "a.csv", "Rows left out": 3, "Share": 0.25})
    stored = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert ReportSummary.from_dict(stored) == summary
    assert ("Rows left out", "3") in summary.facts


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    return [at, *(place for key, entry in inner for place in places(entry, (*at, key)))]


STORED = summarize(fitted("given")).to_dict() | {"comparison": summarize(fitted("stream")).to_dict()["comparison"]}
STORED["comparison"] |= {"errors": [], "standard_errors": []}
BROKEN = [math.nan, math.inf, "<b>", [], {}, True, -1, 10**400, [[1.0]], None, 0.5]


# Law: whatever entry of a stored summary is replaced or left out, the answer is an error or a summary that
# can be told.
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(places(STORED)[1:]), st.sampled_from([*BROKEN, "left out"]))
def test_damaged_summaries(place: tuple[Any, ...], value: Any) -> None:
    stored = copy.deepcopy(STORED)
    entry = stored
    for key in place[:-1]:
        entry = entry[key]
    if value == "left out":
        del entry[place[-1]]
    else:
        entry[place[-1]] = value
    try:
        summary = ReportSummary.from_dict(stored)
    except ValueError as error:
        assert "summary" in str(error) or "target" in str(error)  # noqa: PT017
    else:
        json.dumps(summary.to_dict(), allow_nan=False)
        headline(summary)
        ErrorCurve(summary).heights() if summary.comparison else None


# Law: the interval is the conformal quantile of the held-out rows shown; a model that was moved has none beside them.
@pytest.mark.parametrize("name", ["folds", "hold-out", "several targets"])
def test_interval(name: str) -> None:
    model = fitted(name)
    for target in summarize(model).targets:
        assert target.rows is not None
        assert target.interval is not None
        residuals = np.sort(np.abs(np.subtract(target.rows.actual, target.rows.predicted)))
        rank = math.ceil(0.9 * (len(residuals) + 1))
        if len(residuals) == summarize(model).n_source_rows:  # all rows are shown
            assert target.interval.half_width == pytest.approx(residuals[rank - 1], rel=2e-3)
        assert 0.85 < np.mean(residuals <= target.interval.half_width) < 0.95
        assert target.interval.method == model.interval_method_
    moved = summarize(model.at(10.0))
    assert [target.interval for target in moved.targets] == [None] * len(moved.targets)
    X, y = rows(200, model.n_features_in_, len(moved.targets) if moved.n_targets > 1 else None, seed=1)
    given = summarize(model.at(10.0), X=X, y=y, unseen=True)
    sizes = model.at(10.0).interval_width(0.9).sizes
    assert [target.interval and target.interval.half_width for target in given.targets] == pytest.approx(sizes)
    assert summarize(fitted("given")).targets[0].interval is None


# Law: a summary of another format is refused, with what to do.
def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match=r"format 1: expected 3; write the report"):
        ReportSummary.from_dict(STORED | {"format": 1})


# Law: the comparison lists every candidate, and its curve goes through those on the grid.
@pytest.mark.parametrize("name", ["folds", "hold-out", "one standard error", "stream", "gcv", "several targets"])
def test_comparison_is_the_selection(name: str) -> None:
    model = fitted(name)
    summary = summarize(model)
    comparison = summary.comparison
    assert comparison is not None
    assert [row.error for row in comparison.candidates] == [row.error for row in model.selection_]
    (chosen,) = (row for row in comparison.candidates if row.chosen)
    assert chosen.error == model.selection_.chosen.error
    assert any(stop.chosen for stop in summary.stops)
    step = model.selection_.chosen.step
    tried = 0
    for row in model.selection_:
        place = (math.log10(row.alpha) - summary.grid.low) * summary.grid.per_decade if row.alpha > 0 else -1
        if row.step == step and 0 <= place <= summary.grid.n - 1 and abs(place - round(place)) < 1e-9:
            assert math.isclose(comparison.errors[round(place)], row.error, rel_tol=1e-6)
            tried += 1
    assert tried >= 5


# Law: rows that were learned from are called so and tell no error of new rows; unseen ones tell it.
def test_rows_learned_from_are_called_so() -> None:
    X, y = rows(600, 6)
    model = fitted("folds")
    seen = summarize(model, X=X, y=y)
    assert (seen.rows_source, seen.targets[0].mean_squared_error) == ("learned", None)
    new_X, new_y = rows(600, 6, seed=0)
    new = summarize(model, X=new_X, y=new_y, unseen=True)
    expected = float(((new_y - model.predict(new_X)) ** 2).mean())
    assert new.rows_source == "given"
    assert math.isclose(new.targets[0].mean_squared_error or 0.0, expected)
    assert math.isclose(new.targets[0].variance or 0.0, float(new_y.var()))


# Law: without held-out rows and without rows given there is nothing to tell.
@pytest.mark.parametrize("name", ["gcv", "given", "exact"])
def test_nothing_held_out(name: str) -> None:
    summary = summarize(fitted(name))
    assert (summary.rows_source, summary.targets[0].rows) == ("none", None)


# Law: a moved model stands where it was moved, and its report still knows what was chosen.
def test_moved_model() -> None:
    model = fitted("folds").at(0.3)
    summary = summarize(model)
    assert summary.stops[0].alpha == 0.3
    assert [stop.selected for stop in summary.stops].count(True) == 1
    assert not summary.stops[0].chosen
    assert any(stop.chosen for stop in summary.stops)
    np.testing.assert_allclose(sorted(summary.targets[0].path.scales), sorted(rows(600, 6)[0].std(axis=0)), rtol=1e-6)


@dataclass(frozen=True)
class Described:
    column: str
    kind: str
    done: str
    features: int


class Encoder:
    """What an encoder of tables answers."""

    def __init__(self, form: str) -> None:
        self.form = form

    def get_feature_names_out(self) -> list[str]:
        return ["age", "colour=red", "colour=blue", "size"]

    def describe(self) -> Any:
        table = [("age", "number", "as it is", 1), ("colour", "category", "2 levels", 2), ("size", "number", "kept", 1)]
        if self.form == "records":
            return [Described(*row) for row in table]
        if self.form == "mappings":
            return [dict(zip(("column", "kind", "done", "features"), row, strict=True)) for row in table]
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(table, columns=["column", "kind", "done", "features"])


# Law: what the encoder did is told in whatever form it tells it.
@pytest.mark.parametrize("form", ["records", "mappings", "frame"])
def test_encoder(form: str) -> None:
    summary = summarize(fitted("given"), encoder=Encoder(form))
    assert [(row.column, row.n_features) for row in summary.encoded] == [("age", 1), ("colour", 2), ("size", 1)]
    assert set(summary.targets[0].path.features) == {"age", "colour=red", "colour=blue", "size"}


# Law: what does not fit is refused: got, expected, remedy.
def test_refusals() -> None:
    model, (X, y) = fitted("given"), rows(300, 4)
    for options, message in (
        ({"feature_names": ["a"]}, "1 feature_names: expected 4"),
        ({"target_names": "price"}, r"target_names='price': expected a list of 1"),
        ({"target_names": ["a", "b"]}, "expected a list of 1"),
        ({"X": X}, "X is given without y"),
        ({"y": y}, "y is given without X"),
        ({"X": X, "y": np.column_stack([y, y])}, "y has 2 targets: expected 1"),
        ({"X": X[:, :2], "y": y}, "X has 2 features"),
    ):
        with pytest.raises(ValueError, match=message):
            summarize(model, **options)
    with pytest.raises(TypeError, match="a LinearRegression cannot be reported: expected a table model, or a fitted"):
        summarize(LinearRegression().fit(X, y))
    with pytest.raises(ValueError, match="not fitted"):
        summarize(rw.AveragedSGDRegressor())


# Law: effects of columns that were not scaled are those of a unit; rows that are none are refused.
def test_units_and_no_rows() -> None:
    X, y = rows(300, 3)
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=2, scale=False, random_state=0).fit(
        (X - X.mean(axis=0)) / X.std(axis=0), y
    )
    summary = summarize(model)
    assert summary.scale == "unit"
    np.testing.assert_allclose(summary.targets[0].path.scales, 1.0)
    with pytest.raises(ValueError, match=r"X has no rows .*: expected at least one"):
        summarize(model, X=X[:0], y=y[:0])


# Law: facts that are no finite numbers are unknown, and columns that an encoder cannot describe are refused.
def test_odd_facts_and_encoders() -> None:
    model = fitted("given")
    facts = dict(summarize(model, facts={"Loss": float("nan"), "Count": 1200, "Share": 0.25}).facts)
    assert (facts["Loss"], facts["Count"], facts["Share"]) == ("unknown", "1,200", "0.25")

    class Terse:
        def describe(self) -> Any:
            return [("a", "number")]

    with pytest.raises(ValueError, match=r"gave \('a', 'number'\): expected column, kind, what was done, number of"):
        summarize(model, encoder=Terse(), feature_names=list("abcd"))


# Law: a Nystroem model tells the effects of columns at its centres.
def test_effects_at_centres() -> None:
    X, y = rows(200, 3)
    options: dict[str, Any] = {
        "n_components": 40,
        "features": "nystroem",
        "alpha": 0.01,
        "passes": 5,
        "random_state": 0,
    }
    path = summarize(rw.AveragedKernelRegressor(gamma=0.01, **options).fit(X, y)).targets[0].path
    by_linear = summarize(rw.ExactRidgePath(alpha=0.01).fit(X, y)).targets[0].path
    signs = [dict(zip(one.features, np.sign(one.stops[0]), strict=True)) for one in (path, by_linear)]
    largest = by_linear.features[0]
    assert signs[0][largest] == signs[1][largest]


# Law: alpha 0 is told as the plain average that it is; errors that are not on the grid are refused.
def test_alpha_0_and_errors_off_the_grid() -> None:
    assert summarize(fitted("given").at(0.0)).stops[0].kind == "uniform"
    summary = summarize(fitted("folds"))
    assert summary.comparison is not None
    fewer = dataclasses.replace(summary.comparison, errors=summary.comparison.errors[1:])
    with pytest.raises(ValueError, match="the summary has errors off its grid"):
        dataclasses.replace(summary, comparison=fewer)


# Law: the intervals of a report are those of the model, as effects and for the columns shown; without them it has none.
@pytest.mark.parametrize("targets", [None, 2])
def test_coefficient_intervals(targets: int | None) -> None:
    X, y = rows(300, 5, targets)
    model = rw.RidgePathCV(solver="gram", random_state=0).fit(X, y)
    summary = summarize(model)
    expected = model.coef_interval(0.95).reshape(targets or 1, 5, 2)
    for k, target in enumerate(summary.targets):
        columns = [int(name[1:]) for name in target.path.features]
        ends = np.array(target.path.intervals) / np.array(target.path.scales)[:, None]
        np.testing.assert_allclose(ends, expected[k, columns], rtol=1e-5, atol=1e-6)
    assert ReportSummary.from_dict(json.loads(json.dumps(summary.to_dict()))) == summary
    assert summarize(rw.RidgePathCV(solver="krylov", random_state=0).fit(X, y)).targets[0].path.intervals == ()
    fewer = dataclasses.replace(summary.targets[0].path, intervals=summary.targets[0].path.intervals[:-1])
    with pytest.raises(ValueError, match="do not match: expected"):
        dataclasses.replace(summary, targets=(dataclasses.replace(summary.targets[0], path=fewer),))
