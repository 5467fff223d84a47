"""The report in a real browser: what a reader sees and can do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator
from tests.report.fits import HOSTILE, fitted, rows

import ridgeway as rw
from ridgeway.report import render, summarize, write_report
from ridgeway.theory import residual_filter

# Effects in the page against those of model.at(alpha), relative to the largest: cubic between stored ones.
TOLERANCE = 1e-4

# Whether anything is drawn on the canvas of a plot.
DRAWN = """plot => {
    const canvas = plot.firstElementChild.shadowRoot.querySelector(".bk-Canvas").shadowRoot.querySelector("canvas");
    return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0);
}"""
# Texts that have appeared under the pointer.
TOLD = """() => {
    const find = root => [...root.querySelectorAll("*")].flatMap(element => [
        ...(element.classList.contains("bk-tooltip-row-value") ? [element.textContent] : []),
        ...(element.shadowRoot ? find(element.shadowRoot) : []),
    ]);
    return find(document);
}"""
AXIS_COLORS = """() => Bokeh.documents.flatMap(document => document.roots())
    .flatMap(plot => [...plot.below, ...plot.left])
    .flatMap(axis => [axis.axis_label_text_color, axis.major_label_text_color])"""


pytestmark = pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")


@dataclass
class Opened:
    """A page, and everything that went wrong or out while it was open."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def effects(self) -> dict[str, float]:
        """Effects shown, by column."""
        read = "rows => rows.map(row => [row.querySelector('.name').textContent, Number(row.dataset.effect)])"
        return dict(self.page.eval_on_selector_all(".effect[data-effect]", read))

    def readout(self, name: str) -> float:
        return float(self.page.get_attribute("#readout", f"data-{name}"))

    def source(self, plot: str, name: str) -> dict[str, list[Any]]:
        """Data of a named source of a plot."""
        read = """([name]) => {
            for (const document of Bokeh.documents) {
                const source = document.get_model_by_name(name);
                if (source) return Object.fromEntries(Object.entries(source.data).map(([k, v]) => [k, Array.from(v)]));
            }
        }"""
        data: dict[str, list[Any]] = self.page.evaluate(read, [f"{plot}-{name}"])
        return data

    def location(self, name: str) -> float | None:
        read = "name => Bokeh.documents.map(d => d.get_model_by_name(name)).find(m => m).location"
        place: float | None = self.page.evaluate(read, name)
        return place


Open = Callable[..., Opened]


@cache
def rendered(name: str) -> str:
    return render(summarize(fitted(name)))


@pytest.fixture
def open_report(browser: Any, tmp_path: Path) -> Iterator[Open]:
    contexts = []

    def opened(name: str, width: int = 1000, scheme: str = "light", **options: Any) -> Opened:
        path = tmp_path / "report.html"
        if options:
            write_report(fitted(name), path, **options)
        else:
            path.write_text(rendered(name), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        contexts.append(context)
        answer = Opened(context.new_page())
        answer.page.on(
            "console", lambda m: answer.complaints.append(m.text) if m.type in ("error", "warning") else None
        )
        answer.page.on("pageerror", lambda error: answer.complaints.append(str(error)))
        answer.page.on("request", lambda request: answer.requests.append(request.url))
        answer.page.goto(path.as_uri())
        answer.page.wait_for_selector("html[data-ready]")
        return answer

    yield opened
    for context in contexts:
        context.close()


def scale_of(model: Any) -> Any:
    return model._selected_model.averages.standardization.scale


def require_effects(opened: Opened, model: Any, target: int = 0) -> None:
    coef = np.atleast_2d(model.coef_)[target] * scale_of(model)
    shown = opened.effects()
    largest = max(np.abs(np.atleast_2d(model.at(1e-6).coef_)[target] * scale_of(model)))
    for name, effect in shown.items():
        assert abs(effect - coef[int(name[1:])]) <= TOLERANCE * largest, name


# Law: every kind of report opens without a complaint, asks for nothing, and fits its window, on a phone as well.
@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize(
    "name", ["folds", "stream", "given", "exact", "sparse", "several targets", "replay", "no effect"]
)
def test_opens(open_report: Open, name: str, width: int) -> None:
    opened = open_report(name, width)
    opened.page.wait_for_timeout(100)
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in opened.requests if url.startswith("file:")]) == 1
    across = opened.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert across[0] <= across[1]
    plots = opened.page.locator(".plot")
    for i in range(plots.count()):
        assert plots.nth(i).evaluate(DRAWN)


# Law: the share that the model explains is the same number wherever the page tells it.
@pytest.mark.parametrize("name", ["folds", "hold-out", "tails", "stream", "outliers"])
def test_one_explained_share(open_report: Open, name: str) -> None:
    page = open_report(name).page
    tile = page.locator(".tiles div", has_text="explained").locator("dd").inner_text()
    assert page.inner_text("#readout").endswith(f"explains {tile}")


# Law: at first the report shows the model as it stands.
@pytest.mark.parametrize("name", ["folds", "one standard error", "stream"])
def test_begins_where_the_model_stands(open_report: Open, name: str) -> None:
    model = fitted(name)
    opened = open_report(name)
    require_effects(opened, model)
    assert math.isclose(opened.readout("error"), model.selection_.chosen.error, rel_tol=1e-6)


# Law: keys move the slider, and with it the strength, the effects, the error and every picture.
@pytest.mark.parametrize("keys", [["ArrowRight"] * 3, ["Home"], ["End"], ["PageDown", "ArrowLeft"]])
def test_slider_by_keyboard(open_report: Open, keys: list[str]) -> None:
    model = fitted("one standard error")
    summary = summarize(model)
    opened = open_report("one standard error")
    before = opened.effects()
    for _ in range(20):  # by keys alone, as somebody without a mouse
        opened.page.keyboard.press("Tab")
        if opened.page.evaluate("document.activeElement.id") == "alpha-slider":
            break
    for key in keys:
        opened.page.keyboard.press(key)
    place = int(opened.page.input_value("#alpha-slider"))
    alpha = opened.readout("alpha")
    assert math.isclose(alpha, summary.grid.alphas[place], rel_tol=1e-9)
    assert opened.effects() != before
    require_effects(opened, model.at(alpha))
    assert summary.comparison is not None
    assert math.isclose(opened.readout("error"), summary.comparison.errors[place], rel_tol=1e-9)
    assert opened.source("errors", "now") == {
        "x": [pytest.approx(math.log10(alpha))],
        "y": [pytest.approx(summary.comparison.errors[place] ** 0.5)],
    }
    assert opened.location("errors-now-line") == pytest.approx(math.log10(alpha))
    assert opened.location("paths-now-line") == pytest.approx(alpha)
    assert f"alpha = {alpha:.3g}"[:9] in str(opened.page.get_attribute("#alpha-slider", "aria-valuetext"))
    now = opened.source("paths", "now")
    for name, effect in zip(now["name"], now["y"], strict=True):
        assert effect == pytest.approx(opened.effects()[name])


# Law: any strength, also between those stored, gives the coefficients of model.at and the filter of its average.
@pytest.mark.filterwarnings("ignore:alpha=.* rests on about:sklearn.exceptions.ConvergenceWarning")  # of a stream
@pytest.mark.parametrize("name", ["one standard error", "stream", "sparse", "chains"])
def test_any_strength(open_report: Open, name: str) -> None:
    model, summary = fitted(name), summarize(fitted(name))
    opened = open_report(name)
    rng = np.random.default_rng(0)
    last = summary.grid.low + (summary.grid.n - 1) / summary.grid.per_decade
    for alpha in 10 ** rng.uniform(summary.grid.low, last, 6):
        opened.page.fill("#alpha-number", repr(float(alpha)))
        assert opened.readout("alpha") == pytest.approx(alpha)
        require_effects(opened, model.at(float(alpha)))
        average = opened.source("filter", "average")
        run = model.trajectory_
        learned = 1 - residual_filter(model.at(float(alpha)).averaging_, average["x"][:-1], run.steps, run.length)
        np.testing.assert_allclose(average["y"][:-1], learned, atol=1e-9)
        ridge = opened.source("filter", "ridge")
        np.testing.assert_allclose(ridge["y"], np.array(ridge["x"]) / (np.array(ridge["x"]) + alpha), rtol=1e-9)
        if summary.comparison:
            curve = [row for row in model.selection_ if row.alpha > 0 and row.step == model.selection_.chosen.step]
            between = PchipInterpolator(np.log([row.alpha for row in curve]), [row.error for row in curve])
            assert opened.readout("error") == pytest.approx(float(between(np.log(alpha))), rel=2e-3)
    for wrong in ("", "0", "-1", "many", "1e300"):
        opened.page.fill("#alpha-number", wrong)
        assert opened.page.get_attribute("#alpha-number", "aria-invalid") == "true"
    assert opened.complaints == []


# Law: a script that sets the slider is as good as a hand, and the way back leads to the model.
def test_slider_by_script_and_back(open_report: Open) -> None:
    opened = open_report("folds")
    before = opened.effects()
    move = "s => { s.value = 12; s.dispatchEvent(new Event('input', {bubbles: true})); }"
    opened.page.eval_on_selector("#alpha-slider", move)
    assert opened.effects() != before
    require_effects(opened, fitted("folds").at(opened.readout("alpha")))
    opened.page.click("#back")
    assert opened.effects() == before


# Law: the best of each kind can be shown, with its own coefficients and error.
def test_stops(open_report: Open) -> None:
    model, summary = fitted("folds"), summarize(fitted("folds"))
    opened = open_report("folds")
    best = {type(row.scheme).__name__: row for row in sorted(model.selection_, key=lambda row: -row.error)}
    for i, stop in enumerate(summary.stops):
        opened.page.click(f"[data-stop='{i}']")
        row = next(row for row in model.selection_ if row.error == stop.error)
        scheme = model.trajectory_.nearest(row.scheme)
        require_effects(opened, model.at(scheme))
        assert opened.readout("error") == pytest.approx(row.error)
        average = opened.source("filter", "average")
        run = model.trajectory_
        learned = 1 - residual_filter(scheme, average["x"][:-1], run.steps, run.length)
        np.testing.assert_allclose(average["y"][:-1], learned, atol=1e-9)
    assert len(summary.stops) == len(best)


# Law: the report says how many rows its plots show, and that it is all of them if it is.
def test_number_of_shown_rows(open_report: Open) -> None:
    for name in ("folds", "several targets"):
        opened, n_rows = open_report(name), summarize(fitted(name)).n_source_rows
        n_shown = len(opened.source("predicted", "rows")["x"])
        expected = f"all {n_rows:,}" if n_shown == n_rows else f"{n_shown:,} of {n_rows:,}"
        assert opened.page.locator("#shown-rows").text_content() == expected


# Law: another target shows its own effects and rows.
def test_targets(open_report: Open) -> None:
    model = fitted("several targets")
    opened = open_report("several targets", target_names=["a", "b", "c"])
    for k in (2, 0, 1):
        opened.page.select_option("#target", str(k))
        require_effects(opened, model, k)
        shown = opened.source("predicted", "rows")
        places = [model.held_out_.numbers.tolist().index(number) for number in shown["number"]]
        np.testing.assert_allclose(shown["y"], model.held_out_.actual[places, k], rtol=1e-6)
        np.testing.assert_allclose(shown["x"], model.held_out_.predicted[places, k], rtol=1e-6)
        means = opened.source("residuals", "means")
        assert np.mean(means["y"]) == pytest.approx(np.mean(np.array(shown["y"]) - shown["x"]), abs=0.2)
    assert opened.complaints == []


# Law: the band of the rows is their prediction interval, and rows outside of it have another colour.
def test_prediction_interval(open_report: Open) -> None:
    opened = open_report("folds")
    summary = summarize(fitted("folds"))
    half = fitted("folds").interval_width(0.9).sizes[0]
    band, shown = opened.source("predicted", "band"), opened.source("predicted", "rows")
    np.testing.assert_allclose(np.subtract(band["high"], band["x"]), half)
    np.testing.assert_allclose(np.subtract(band["x"], band["low"]), half)
    inside = np.abs(np.subtract(shown["x"], shown["y"])) <= half
    assert len(set(np.array(shown["color"])[inside])) == len(set(np.array(shown["color"])[~inside])) == 1
    assert set(np.array(shown["color"])[inside]) != set(np.array(shown["color"])[~inside])
    assert "The band is the 90% prediction interval" in opened.page.inner_text("main")
    target = summary.targets[0]
    assert target.rows is not None
    assert opened.source("predicted", "rows")["x"] == list(target.rows.predicted)
    opened = open_report("given")
    assert "prediction interval" not in opened.page.inner_text("main")


# Law: names from the data are read as text, in the page and in what appears under the pointer; none of them runs.
def test_hostile_names_do_not_run(open_report: Open) -> None:
    opened = open_report(
        "folds", feature_names=HOSTILE, target_names=[HOSTILE[0]], title=HOSTILE[1], facts={HOSTILE[0]: HOSTILE[1]}
    )
    assert set(opened.effects()) == set(HOSTILE)
    assert opened.page.title() == HOSTILE[1].replace("\u2028", " ")
    opened.page.locator("#plot-paths").scroll_into_view_if_needed()
    box = opened.page.locator("#plot-paths").bounding_box()
    told: set[str] = set()
    for height in range(8, 330, 5):
        opened.page.mouse.move(box["x"] + 120, box["y"] + height)
        opened.page.wait_for_timeout(15)
        told |= {text.strip() for text in opened.page.evaluate(TOLD)}
    assert told & set(HOSTILE[:3]), told
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("window.ran") is None
    assert opened.complaints == []


def contrast(first: str, second: str) -> float:
    """Contrast of two CSS colours, by the formula of the accessibility guidelines."""

    def light(color: str) -> float:
        parts = [float(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)


def rgb(color: str) -> str:
    return f"rgb({int(color[1:3], 16)}, {int(color[3:5], 16)}, {int(color[5:7], 16)})"


# Law: dark and light are readable, texts and axes of pictures alike, and follow the reader's choice while open.
def test_dark_and_light(open_report: Open) -> None:
    opened = open_report("folds", scheme="dark")
    grounds = []
    for scheme in ("dark", "light"):
        opened.page.emulate_media(color_scheme=scheme)
        opened.page.wait_for_selector(f"html[data-scheme={scheme}]")
        ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds.append(ground)
        for selector in ("body", "h1", ".small", "#readout", ".tiles small", "td", "th", ".own"):
            ink = opened.page.eval_on_selector(selector, "e => getComputedStyle(e).color")
            assert contrast(ink, ground) >= 4.5, (scheme, selector)
        for color in opened.page.evaluate(AXIS_COLORS):
            assert contrast(rgb(color), ground) >= 4.5, (scheme, color)
    assert contrast(*grounds) > 10


# Law: with many columns some bars are shown, and all of those stored on demand.
def test_more_columns(open_report: Open) -> None:
    opened = open_report("sparse")
    assert len(opened.effects()) == 15
    opened.page.click("#more")
    assert len(opened.effects()) == 60
    require_effects(opened, fitted("sparse"))
    assert "240 more columns" in opened.page.inner_text("#effects-note")


# Law: a fit by Gram matrices shows an interval around each mark, tells what it covers and lists its ends.
def test_coefficient_intervals(browser: Any, tmp_path: Path) -> None:
    X, y = rows(300, 4)
    model = rw.RidgePathCV(solver="gram", random_state=0).fit(X, y)
    write_report(model, tmp_path / "r.html")
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.goto((tmp_path / "r.html").as_uri())
    page.wait_for_selector("html[data-ready]")
    assert "population ridge coefficient" in page.inner_text("main")
    whiskers = page.eval_on_selector_all(
        ".whisker", "all => all.map(e => [e.offsetLeft, e.offsetLeft + e.offsetWidth])"
    )
    marks = page.eval_on_selector_all(".mark", "all => all.map(e => e.offsetLeft + 1)")
    middles = [(low + high) / 2 for low, high in whiskers]
    assert len(marks) == 4
    assert middles == pytest.approx(marks, abs=2)
    page.click("summary:has-text('intervals')")
    listed = page.eval_on_selector_all(
        ".intervals td.n", "all => all.map(e => Number(e.textContent.replace(/,/g, '')))"
    )
    names = page.eval_on_selector_all(".intervals td.given", "all => all.map(e => Number(e.textContent.slice(1)))")
    expected = np.column_stack([model.coef_, model.coef_interval()])[names]
    np.testing.assert_allclose(np.reshape(listed, (4, 3)), expected, rtol=1e-3)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()
