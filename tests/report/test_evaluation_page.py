"""The page of an evaluation: the numbers of the evaluation, in one file that loads nothing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from tests.report.fits import HOSTILE, rows
from tests.report.test_page import DRAWN
from tests.report.test_write import Elements, data_of

import ridgeway as rw
from ridgeway.report import render_evaluation, write_evaluation
from ridgeway.report.paths import rounded

N_LEARNED = 300


@cache
def model(targets: int | None = None) -> Any:
    X, y = rows(900, 4, targets)
    return rw.RidgePathCV(random_state=0).fit(X[:N_LEARNED], y[:N_LEARNED])


def new_rows(targets: int | None = None) -> tuple[Any, Any]:
    X, y = rows(900, 4, targets)
    return X[N_LEARNED:], y[N_LEARNED:]


def evaluation(kind: str) -> Any:
    X, y = new_rows(3 if kind == "targets" else None)
    if kind == "targets":
        return rw.evaluate(model(3), X, y)
    if kind == "no intervals":
        return rw.evaluate(rw.RidgePathCV(alpha=0.3).fit(X[:100], y[:100]), X, y)
    if kind == "constant":
        return rw.evaluate(model(), X[:5], np.full(5, 7.0))
    if kind == "one row":
        return rw.evaluate(model(), X[:1], y[:1])
    if kind == "last":
        return rw.evaluate(model().at(rw.Last()), X, y)
    return rw.evaluate(model().at(0.5), X, y, by=[HOSTILE[i % len(HOSTILE)] for i in range(len(y))])


KINDS = ("groups", "targets", "no intervals", "constant", "one row", "last")


def sources(page: str) -> dict[str, dict[str, Any]]:
    """Return the columns of the named sources in the figures of a page."""
    found: dict[str, dict[str, Any]] = {}

    def search(value: Any) -> None:
        if isinstance(value, dict):
            attributes = value.get("attributes", {})
            if value.get("name") == "ColumnDataSource" and "name" in attributes:
                found[attributes["name"]] = dict(attributes["data"]["entries"])
            value = list(value.values())
        for entry in value if isinstance(value, list) else ():
            search(entry)

    search(data_of(page)["figures"])
    return found


# Law: a plot of all rows is not said to be of rows chosen at random.
def test_all_rows_shown() -> None:
    X, y = rows(9000, 4)
    for n, words in (
        (1, "shows the one row."),
        (400, "shows all 400 rows."),
        (9000, "of 9,000 rows, chosen at random."),
    ):
        text = " ".join(Elements(render_evaluation(rw.evaluate(model(), X[:n], y[:n]))).text.split())
        assert words in text
        assert ("at random" in text) == (n == 9000)


# Law: tiles and sentences are the evaluation's, whose errors are those of scikit-learn.
def test_numbers() -> None:
    X, y = new_rows()
    found = evaluation("groups")
    text = Elements(render_evaluation(found)).text
    predicted = model().at(0.5).predict(X)
    assert f"{r2_score(y, predicted):.3f}" in text
    assert f"{root_mean_squared_error(y, predicted):.4g}" in text
    assert f"{mean_absolute_error(y, predicted):.4g}" in text
    for sentence in found.sentences():
        assert sentence in text


# Law: the plotted rows are rows of the data; those within the band of intervals are drawn apart from those outside.
def test_rows_and_intervals() -> None:
    X, y = new_rows()
    drawn = sources(render_evaluation(evaluation("groups")))
    at = model().at(0.5)
    low, high = at.predict_interval(X).T
    within = (low <= y) & (y <= high)
    for name, some in (("inside-0", within), ("outside-0", ~within)):
        expected = set(zip(rounded(at.predict(X)[some]), rounded(y[some]), strict=True))
        assert set(zip(drawn[name]["x"], drawn[name]["y"], strict=True)) == expected
    band = drawn["band-0"]
    np.testing.assert_allclose(np.interp(at.predict(X), band["x"], band["high"]), high, rtol=1e-3)
    np.testing.assert_allclose(np.interp(at.predict(X), band["x"], band["low"]), low, rtol=1e-3)


# Law: each point of the curve is the error of the model at that alpha, and the star is the model's own.
def test_alphas() -> None:
    X, y = new_rows()
    drawn = sources(render_evaluation(evaluation("groups")))
    curve = drawn["errors-0"]
    for place in (0, len(curve["x"]) // 2, len(curve["x"]) - 1):
        expected = root_mean_squared_error(y, model().at(curve["x"][place]).predict(X))
        assert curve["y"][place] == pytest.approx(expected, rel=1e-5)
    assert drawn["star-0"]["x"] == [0.5]
    assert drawn["star-0"]["y"] == [pytest.approx(root_mean_squared_error(y, model().at(0.5).predict(X)))]
    assert sources(render_evaluation(evaluation("last")))["star-0"]["x"] == []


# Law: ticks have separators of thousands, unless values are so small that all ticks would be 0.
@pytest.mark.parametrize("unit", [1e5, 1e-7])
def test_ticks(unit: float) -> None:
    X, y = rows(400, 4)
    found = rw.evaluate(rw.RidgePathCV(random_state=0).fit(X[:300], unit * y[:300]), X[300:], unit * y[300:])
    assert ("NumeralTickFormatter" in json.dumps(data_of(render_evaluation(found)))) == (unit > 1)


# Law: every target has its rows, its tenths and its curve; the rows of all targets together are bounded.
def test_targets() -> None:
    X, y = rows(9000, 4, 3)
    page = render_evaluation(rw.evaluate(model(3), X, y))
    drawn = sources(page)
    for place in range(3):
        assert len(drawn[f"inside-{place}"]["x"]) + len(drawn[f"outside-{place}"]["x"]) == 400
        assert sum(drawn[f"deciles-{place}"]["rows"]) == 9000
        assert f"target {place}" in Elements(page).text


# Law: names of groups stand in the page as text only, and the data block cannot be ended.
def test_names_are_escaped() -> None:
    page = render_evaluation(evaluation("groups"), title=HOSTILE[0])
    parsed = Elements(page)
    assert [tag for tag, _ in parsed.elements if tag in ("script", "img", "svg")] == ["script"] * 3
    assert all(name in parsed.text for name in HOSTILE)
    assert {group["group"] for group in data_of(page)["values"]["groups"]} == set(HOSTILE)
    policy = next(a["content"] for t, a in parsed.elements if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


# Law: the file is written completely or not at all, and only of an evaluation.
def test_written_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "e.html"
    path.write_text("before")
    wrong: Any = json.loads("{}")
    with pytest.raises(TypeError, match="got a dict: expected an Evaluation"):
        write_evaluation(wrong, path)
    assert path.read_text() == "before"
    write_evaluation(evaluation("one row"), path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["e.html"]


# Law: every kind of evaluation opens without a complaint, draws its plots and fits its window, on a phone as well.
@pytest.mark.parametrize("kind", KINDS)
def test_opens(browser: Any, tmp_path: Path, kind: str) -> None:
    write_evaluation(evaluation(kind), tmp_path / "e.html")
    context = browser.new_context(viewport={"width": 360, "height": 800}, color_scheme="dark")
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "e.html").as_uri())
    page.wait_for_selector("html[data-ready][data-scheme=dark]")
    page.wait_for_timeout(100)
    plots = page.locator(".plot")
    assert plots.count() == (9 if kind == "targets" else 3)
    assert all(plots.nth(i).evaluate(DRAWN) for i in range(plots.count()))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate("window.ran") is None
    assert complaints == []
    context.close()
