"""The page as text: one file, everything in it escaped, written as a whole."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.report.fits import FITS, HOSTILE, fitted
from tests.tables.shop import shop_table

import ridgeway as rw
from ridgeway.messages.number_text import number
from ridgeway.report import ReportSummary, render, summarize, write_report
from ridgeway.report.sentences import explained, headline
from ridgeway.tables import Request, fit_table

# The models are of few passes: their weak averages are not ridge yet.
pytestmark = pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the texts outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data if self.elements and self.elements[-1][0] not in ("script", "style") else ""


def hostile_summary() -> ReportSummary:
    return summarize(
        fitted("folds"),
        feature_names=HOSTILE,
        target_names=[HOSTILE[0]],
        title=HOSTILE[1],
        facts={HOSTILE[0]: HOSTILE[1]},
    )


def data_of(page: str) -> Any:
    (block,) = re.findall(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.DOTALL)
    return json.loads(block)


# Law: a page holds what it shows: nothing is linked, and its own policy forbids to load anything.
@pytest.mark.parametrize("name", FITS)
def test_self_contained(name: str) -> None:
    page = render(summarize(fitted(name)))
    elements = Elements(page).elements
    for tag, attributes in elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") == "data:,"
    policy = next(a["content"] for t, a in elements if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert len(page.encode()) < 1.5e6


# Law: names from the data stand in the page as text only, and arrive unchanged in its data.
def test_names_are_escaped() -> None:
    page = render(hostile_summary())
    plain = render(summarize(fitted("folds")))
    parsed = Elements(page)
    assert [tag for tag, _ in parsed.elements if tag in ("script", "img", "svg")] == ["script"] * 3
    assert len(parsed.elements) == len(Elements(plain).elements) + 3  # one more fact: tr, th and td
    assert html.escape(HOSTILE[0], quote=False).replace("'", "&#39;") in page.replace("&#34;", '"')
    stored = data_of(page)["summary"]
    assert sorted(stored["targets"][0]["path"]["features"]) == sorted(HOSTILE)
    assert stored["title"] == HOSTILE[1]


# Law: the data block holds no character that could end it, whatever the names are.
def test_data_cannot_end_its_block() -> None:
    page = render(hostile_summary())
    (block,) = re.findall(r'id="report-data">(.*?)</script>', page, re.DOTALL)
    assert not re.search("[<>&\u2028\u2029]", block)


# Law: a report of a stored summary is the report of the model.
def test_report_of_a_stored_summary(tmp_path: Path) -> None:
    summary = write_report(fitted("stream"), tmp_path / "model.html", title="A stream")
    stored = ReportSummary.from_dict(json.loads(json.dumps(summary.to_dict())))
    assert write_report(stored, tmp_path / "stored.html") == summary
    first, second = ((tmp_path / name).read_text(encoding="utf-8") for name in ("model.html", "stored.html"))
    assert data_of(first)["summary"] == data_of(second)["summary"]
    assert Elements(first).text == Elements(second).text
    with pytest.raises(TypeError, match="title given with a summary: expected a fitted estimator"):
        write_report(stored, tmp_path / "stored.html", title="Other")


# Law: a report that cannot be made leaves the file of before as it was, and no other.
def test_failure_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    with pytest.raises(ValueError, match="feature_names"):
        write_report(fitted("given"), path, feature_names=["one"])
    with pytest.raises(IsADirectoryError):
        write_report(fitted("given"), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "before"


# Law: without bokeh the message says what to install; importing the report does not import it.
def test_without_bokeh() -> None:
    code = (
        "import sys; import ridgeway.report as r; assert not any(m.startswith('bokeh') for m in sys.modules); "
        "sys.modules['bokeh'] = None; import numpy as np, ridgeway as rw\n"
        "try: r.render(r.summarize(rw.ExactRidgePath().fit(np.eye(3), np.arange(3.0))))\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "a report needs bokeh, which is not installed: pip install 'ridgeway[cli]'."


# Law: rows that were learned from are called so on the page, and new ones are not.
def test_page_tells_the_source_of_rows() -> None:
    summary = summarize(fitted("folds"))
    learned = dataclasses.replace(summary, rows_source="learned")
    told = "The model has learned from these rows"
    assert told in Elements(render(learned)).text
    assert told not in Elements(render(summary)).text


# Law: the share that the page tells for the chosen average is the one of its headline, also where outliers are capped.
@pytest.mark.parametrize("name", ["folds", "hold-out", "tails", "stream", "outliers"])
def test_one_explained_share(name: str) -> None:
    summary = summarize(fitted(name))
    page = render(summary)
    data = json.loads(page.split('id="report-data">')[1].split("</script>")[0])
    chosen = next(row for row in data["summary"]["comparison"]["candidates"] if row["chosen"])
    told = 1 - chosen["error"] * data["unexplained"]
    assert told == pytest.approx(explained(summary.targets[0]), rel=1e-12)
    assert f"<dd>{100 * told:.1f}%</dd><dt>explained" in page


# Law: a model of a table brings names, encoding, title and facts, and what test rows have found.
def test_table_model(tmp_path: Path) -> None:
    model = fit_table(shop_table(), "price")
    found = rw.evaluate(model, shop_table(seed=1))
    summary = write_report(model, tmp_path / "a.html", test=found, facts={"Season": "winter"}, seconds=1.5)
    assert [row.column for row in summary.encoded] == model.columns
    assert summary.title == "price, learned from the table"
    assert (dict(summary.facts)["Season"], dict(summary.facts)["Fit"]) == ("winter", "held in memory")
    assert summary.test is not None
    assert summary.test.r2 == tuple(found.metrics.r2)
    assert summary.run.seconds == 1.5
    assert "<h1>price, learned from the table</h1>" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert write_report(model, tmp_path / "d.html", title="Prices", target_names=["EUR"]).targets[0].name == "EUR"
    with pytest.raises(TypeError, match=r"X and y are given with a table model: expected neither; pass test="):
        write_report(model, tmp_path / "e.html", X=shop_table(), y=[1.0])
    with pytest.raises(TypeError, match="a int cannot be reported: expected a table model"):
        write_report(3, tmp_path / "e.html")
    assert not (tmp_path / "e.html").exists()


# Law: of a model of logarithms the interval is a factor, as in the terminal, and the error is that of logarithms.
def test_logarithms(tmp_path: Path) -> None:
    model = fit_table(shop_table(), Request("price", log_target=True))
    summary = write_report(model, tmp_path / "log.html", test=rw.evaluate(model, shop_table(seed=1)))
    text = Elements((tmp_path / "log.html").read_text(encoding="utf-8")).text
    factor = np.exp(model.model.interval_width(0.9).sizes[0])
    assert text.partition("90% interval")[0].split()[-1] == number(float(factor))
    assert "a factor of the prediction" in text
    assert "typical error of the logarithm" in text
    assert "not learned from, of the values themselves" in text
    assert ReportSummary.from_dict(summary.to_dict()).logarithms
    plain = write_report(fit_table(shop_table(), "price"), tmp_path / "plain.html")
    assert not plain.logarithms
    text = Elements((tmp_path / "plain.html").read_text(encoding="utf-8")).text
    assert "± " in text
    assert "of the logarithm" not in text


# Law: the effect of a level is told of the rows that have it, in units of the target, not of a scale.
def test_effect_of_a_level() -> None:
    rng = np.random.default_rng(0)
    shop = rng.choice(["north", "east"], 600)
    table = pa.table({"shop": shop, "x": rng.standard_normal(600), "y": 8.0 * (shop == "east")})
    told = headline(summarize(fit_table(table, "y")))[-1]
    assert re.search(r"shop=\w+ (raises|lowers) the prediction by 4(\.\d+)? in the rows that have it, while", told)


# Law: a level that few rows have is not named before one that moves most predictions, though its effect is larger.
def test_rare_levels_matter_less() -> None:
    rng = np.random.default_rng(0)
    n = 3000
    town = rng.choice([f"t{place}" for place in range(300)], n)
    shop = np.where(np.arange(n) < 6, "rare", rng.choice(["east", "west"], n))
    y = 5.0 * (shop == "east") + 20.0 * (shop == "rare") + 0.3 * rng.standard_normal(n)
    x = rng.standard_normal(n)
    model = fit_table(pa.table({"town": town, "shop": shop, "x": x, "y": y}), "y")
    summary = summarize(model)
    assert summary.scale == "largest"
    assert summary.targets[0].path.features[0] == "shop=rare"
    told = headline(summary)[-1]
    assert re.match(r"The columns that matter most are shop=(east|west), shop=(east|west), ", told)
    share = float(np.mean(shop == "rare"))
    place = summary.targets[0].path.features.index("shop=rare")
    assert summary.targets[0].path.spreads[place] == pytest.approx((share * (1 - share)) ** 0.5, rel=1e-3)
    assert ReportSummary.from_dict(summary.to_dict()) == summary
