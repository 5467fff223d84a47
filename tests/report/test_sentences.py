"""The words of a report say what its numbers say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.report.fits import FITS, fitted, rows
from tests.tables.shop import shop_table

import ridgeway as rw
from ridgeway.messages.number_text import number
from ridgeway.report import render, summarize
from ridgeway.report.evaluated_rows import OPTIMISTIC_FOLDS
from ridgeway.report.report_summary import EvaluatedRows, Rows
from ridgeway.report.sentences import drift, headline
from ridgeway.tables import Request, fit_table


def visible(page: str) -> str:
    """The texts of a page, without its scripts."""
    return page.split("<body>")[1].split("<script", maxsplit=1)[0]


# The models are of few passes: their weak averages are not ridge yet.
pytestmark = pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")


# Law: the first paragraph tells what is predicted, from how many columns, and how well beside the mean.
@pytest.mark.parametrize("name", ["folds", "hold-out", "stream"])
def test_how_well(name: str) -> None:
    summary = summarize(fitted(name), target_names=["price"])
    target = summary.targets[0]
    assert target.mean_squared_error is not None
    assert target.variance is not None
    text = headline(summary)[0]
    share = 1 - target.mean_squared_error / target.variance
    assert f"predicts price from {summary.n_features} columns" in text
    assert f"typical error is {number(target.mean_squared_error**0.5)} " in text
    assert f"that of always predicting the mean is {number(target.variance**0.5)}" in text
    assert f"R² = {share:.2f}" in text
    assert f"{summary.n_source_rows:,} rows that it has not learned from" in text


# Law: the columns of a table are counted as the table has them, beside the features that they became.
def test_columns_of_a_table() -> None:
    table = shop_table(300)
    model = fit_table(table, Request(target="price", passes=1, alpha=0.1))
    summary = summarize(model.model, encoder=model.encoder)
    n_features = model.model.n_features_in_
    assert n_features > 5
    assert f"from 5 columns encoded as {n_features} features. " in headline(summary)[0]
    assert f"<dd>5</dd><dt>columns <small>encoded as {n_features} features</small>" in render(summary)


# Law: a fit in memory is not said to be a stream.
def test_no_stream_in_memory() -> None:
    assert "stream" not in visible(render(summarize(fitted("folds"))))


# Law: where no new rows were predicted, no quality is claimed.
@pytest.mark.parametrize("name", ["given", "gcv", "exact"])
def test_no_claim_without_rows(name: str) -> None:
    text = headline(summarize(fitted(name)))[0]
    assert "not known" in text
    assert "R²" not in text


# Law: every model has three paragraphs, without a missing word.
@pytest.mark.filterwarnings("ignore:alpha=.* rests on about:sklearn.exceptions.ConvergenceWarning")  # of a stream
@pytest.mark.parametrize("name", FITS)
def test_every_model_has_words(name: str) -> None:
    for model in (fitted(name), fitted(name).at(0.7)):
        paragraphs = headline(summarize(model))
        assert len(paragraphs) == 3
        for text in paragraphs:
            assert text.endswith(".")
            assert "None" not in text
            assert "nan" not in text
            assert "  " not in text


# Law: the column named first is the one of the largest effect, with its direction.
def test_columns() -> None:
    model = fitted("folds")
    summary = summarize(model, feature_names=list("abcdef"))
    effects = model.coef_ * model._selected_model.averages.standardization.scale
    first = "abcdef"[int(np.abs(effects).argmax())]
    text = headline(summary)[2]
    assert f"when {first} rises by one standard deviation" in text
    assert ("raises" if effects[np.abs(effects).argmax()] > 0 else "lowers") in text


# Law: a one-standard-error choice is not called the best.
def test_cautious_choice() -> None:
    summary = summarize(fitted("one standard error"))
    chosen = next(row for row in summary.comparison.candidates if row.chosen) if summary.comparison else None
    assert chosen is not None
    assert chosen.error is not None
    assert chosen.error > min(row.error or np.inf for row in (summary.comparison or summary).candidates)  # type: ignore[union-attr]
    assert "more regularization than the best" in headline(summary)[1]


def residuals(shift: float, n: int = 800) -> Rows:
    noise = np.random.default_rng(0).standard_normal(n)
    return Rows(tuple(range(n)), tuple((noise + shift * np.linspace(-1, 1, n)).tolist()), (0.0,) * n)


# Law: residuals without a trend show no drift, and a trend is found.
def test_drift() -> None:
    assert "no drift" in drift(residuals(0.0))
    assert "the target drifts" in drift(residuals(0.5))
    assert "too few" in drift(residuals(0.0, 12))
    assert drift(Rows(tuple(range(40)), (1.0,) * 40, (0.0,) * 40)) == ""


# Law: rows that are sorted by the target, up or down and but for a few of them, are not said to drift.
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rows_sorted_by_the_target(sign: float) -> None:
    rising = sign * np.sort(np.random.default_rng(0).standard_normal(800))
    rising[400], rising[401] = rising[401], rising[400]
    text = drift(Rows(tuple(range(800)), tuple(rising.tolist()), (0.0,) * 800))
    assert text == "The rows are sorted by the target, and this plot shows that order."


# Law: beside a test of the last rows, residuals of random folds are not said to show that there is no drift in time.
def test_no_claim_of_no_drift_in_time() -> None:
    text = drift(residuals(0.0), by_time=True)
    assert "no drift" not in text
    assert "Folds of random rows cannot show a drift in time; the last rows can." in text
    assert drift(residuals(0.5), by_time=True) == drift(residuals(0.5))
    tested = EvaluatedRows("the last by day", (0.5,), (1.0,), "On 9 test rows.", OPTIMISTIC_FOLDS, None)
    summary = dataclasses.replace(summarize(fitted("folds")), test=tested)
    target = dataclasses.replace(summary.targets[0], rows=residuals(0.0))
    for test, words in ((tested, "the last rows can"), (None, "no drift")):
        assert words in visible(render(dataclasses.replace(summary, targets=(target,), test=test)))


# Law: a summary of rows that were learned from claims nothing about new ones.
def test_learned_rows_claim_nothing() -> None:
    summary = summarize(fitted("folds"))
    target = dataclasses.replace(summary.targets[0], mean_squared_error=None)
    assert "learned from" in headline(dataclasses.replace(summary, targets=(target,), rows_source="learned"))[0]


# Law: a model no better than the mean is said to be so, and one that stands alone has no others beside it.
def test_no_better_than_the_mean() -> None:
    summary = summarize(fitted("folds"))
    target = summary.targets[0]
    assert target.variance is not None
    poor = dataclasses.replace(target, mean_squared_error=1.1 * target.variance)
    text = headline(dataclasses.replace(summary, targets=(poor,)))[0]
    assert "always predicting the mean is as good" in text
    assert "R²" not in text
    assert summary.comparison is not None
    alone = dataclasses.replace(summary.comparison, n_as_good=0)
    assert "within one standard error" in headline(summary)[1]
    assert "within one standard error" not in headline(dataclasses.replace(summary, comparison=alone))[1]


# Law: how much an alpha regularizes is measured by the run: one that it cannot resolve is hardly any.
def test_how_much() -> None:
    X, _ = rows(600, 3)
    column = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
    y = 0.1 * column + np.random.default_rng(2).standard_normal(600)
    summary = summarize(rw.AveragedSGDRegressor(averaging="geometric", passes=20, random_state=0).fit(X, y))
    assert summary.comparison is not None
    assert "shrinks the coefficients towards zero" in headline(summary)[1]
    candidates = [dataclasses.replace(row, alpha=1e-9) if row.chosen else row for row in summary.comparison.candidates]
    weak = dataclasses.replace(summary.comparison, candidates=tuple(candidates))
    assert "weak regularization" in headline(dataclasses.replace(summary, comparison=weak))[1]


# Law: where targets are constant, no column has an effect, and that is said.
def test_no_effect_at_all() -> None:
    X, _ = rows(60, 3)
    summary = summarize(rw.ExactRidgePath(alpha=0.1).fit(X, np.ones(60)))
    assert headline(summary)[2] == "No column has an effect: the model always predicts the mean."
