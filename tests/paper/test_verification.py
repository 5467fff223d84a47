"""What a run of all items gives: results, the table, the page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ridgeway import paper
from ridgeway.paper.claim import Claim, Context, Evidence, Kind, printed
from ridgeway.paper.outcome import outcome_of
from ridgeway.paper.page import page

HOLDS = [1, 2, 3, 5, 6, 8, 9, 10, 11, 15, 16, 17, 18, 21, 22, 29, 33, 34]
CORRECTED = [4, 7, 12, 13, 14, 19, 20, 24, 26, 28, 30, 31, 32, 35]
ANSWERED = [27, *range(36, 43)]
EXPECTED = (
    dict.fromkeys(HOLDS, "holds")
    | dict.fromkeys(CORRECTED, "holds as corrected")
    | {23: "does not hold", 25: "does not hold"}
    | dict.fromkeys(ANSWERED, "shown")
)


# Law: every item has the result of the analysis by hand, and no finding is unexpected.
def test_results(rows: dict[int, dict[str, Any]]) -> None:
    assert {number: row["result"] for number, row in rows.items()} == EXPECTED
    assert [row["unexpected"] for row in rows.values()] == [[]] * 42


# Law: the table has one row for each item, in order, with finite numbers and a time.
def test_table(rows: dict[int, dict[str, Any]]) -> None:
    assert list(rows) == list(range(1, 43)) == [claim.number for claim in paper.CLAIMS]
    for row in rows.values():
        assert set(row) == {"number", "kind", "title", "result", "numbers", "findings", "unexpected", "seconds"}
        assert row["numbers"]
        assert np.isfinite(list(row["numbers"].values())).all()
        assert row["seconds"] > 0
        assert len({(finding["form"], finding["what"]) for finding in row["findings"]}) == len(row["findings"])


# Law: if an item does not hold as printed, the run has found a counterexample.
def test_counterexamples(rows: dict[int, dict[str, Any]]) -> None:
    for number, row in rows.items():
        broken = [finding for finding in row["findings"] if finding["form"] == "as printed" and not finding["kept"]]
        assert bool(broken) == (EXPECTED[number] in ("holds as corrected", "does not hold")), number


# Law: well-known cases have their known numbers.
def test_numbers(rows: dict[int, dict[str, Any]]) -> None:
    risks = [rows[23]["numbers"][f"risk at λ = 0, s_i = i⁻², n = {n}"] for n in (100, 1000, 10_000)]
    np.testing.assert_allclose(risks, [0.026, 0.0029, 0.00074], rtol=0.02)
    theorem = rows[18]["numbers"]
    assert theorem["settings"] > 500
    assert 0.4 < theorem["exact variance / its bound, worst (as printed)"] < 0.5
    assert 0.9 < theorem["sharper form, variance, worst (beside it)"] < 1
    assert rows[33]["numbers"]["Δ₁ over its bound with 1/4, worst (as printed)"] == pytest.approx(8 / 9, abs=1e-3)
    assert rows[33]["numbers"]["Δ₁ over its bound with 1/6, worst (beside it)"] == pytest.approx(1, abs=1e-3)


# Law: the grid of the theorem has at least 5,000 settings in a full run.
def test_full_grid() -> None:
    assert sum(1 for _ in paper.claims_of([18])[0].check.__globals__["settings"](quick=False)) > 10_000


# Law: the numbers depend on the seed only, not on the number of processes or on other items.
def test_deterministic(rows: dict[int, dict[str, Any]], tmp_path: Path) -> None:
    only = [4, 11, 24, 30]
    paper.run(tmp_path, only=only, quick=True)
    again = json.loads((tmp_path / "paper.json").read_text())["items"]
    for row in again:
        assert {**row, "seconds": 0} == {**rows[row["number"]], "seconds": 0}
    assert [row["number"] for row in again] == only
    paper.run(tmp_path, only=only, quick=True, seed=1)
    other = json.loads((tmp_path / "paper.json").read_text())["items"]
    assert [row["result"] for row in other] == [row["result"] for row in again]
    assert all(one["numbers"] != two["numbers"] for one, two in zip(other, again, strict=True))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["paper.html", "paper.json"]


class Reader(HTMLParser):
    """Collects tags that are open, references and ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.ids: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "img"):
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("src", "href"):
                self.references.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


# Law: the page is well formed, complete, and refers to nothing outside itself.
def test_page(quick_run: Path) -> None:
    html = (quick_run / "paper.html").read_text()
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    assert sorted(reader.ids) == sorted(f"item-{number}" for number in range(1, 43))
    for reference in reader.references:
        assert reference.startswith("data:image/svg+xml;base64,") or reference[1:] in reader.ids
    assert sum(reference.startswith("data:") for reference in reader.references) >= 21
    assert not re.search(r"https?://|<script|@import|url\(", html)
    assert "prefers-color-scheme: dark" in html
    for claim in paper.CLAIMS:
        assert reader.text.count(claim.title) >= 2


# Law: the open questions are a part of their own, after the claims, with a table of contents and answers.
def test_open_questions(quick_run: Path) -> None:
    html = (quick_run / "paper.html").read_text()
    claims, questions = html.split('<h2 class="part">The paper\'s open questions</h2>')
    assert claims.count("<h2>The paper's open questions</h2>") == 1
    assert re.findall(r'id="item-(\d+)"', questions) == [str(number) for number in ANSWERED]
    assert questions.count("<strong>The question:</strong>") == questions.count("<strong>Answer:</strong>") == 8
    assert "<strong>The question:</strong>" not in claims
    assert "Wu, Braverman and Yang" in questions
    assert [claim.number for claim in paper.CLAIMS if claim.kind is Kind.QUESTION] == ANSWERED


# Law: each answer but the first ones has a figure, and numbers that are those of the theory.
def test_answers(rows: dict[int, dict[str, Any]]) -> None:
    numbers = rows[36]["numbers"]
    constant, growing = (
        numbers[f"distance to ridge at λ = 100 s_max, {kind}"] for kind in ("constant step", "growing steps")
    )
    assert constant > 1 > 0.5 > growing
    assert rows[38]["numbers"]["average of the iterates w_t against ridge, worst (beside it)"] < 0.5  # 1 - 1/(1+beta)
    assert rows[39]["numbers"]["of them with diverging iterates"] >= 5
    assert rows[40]["numbers"]["of them with diverging iterates"] >= 4
    assert rows[41]["numbers"]["bias at η over bias at η/2, η ≤ 1/40, least (beside it)"] == pytest.approx(2, abs=0.1)
    assert 0.002 < rows[42]["numbers"]["gradient flow: difference to L2 at λ in probability, largest"] < 0.05


# Law: whatever a claim says is text on the page, never markup.
def test_escaped() -> None:
    bad = '<script>alert("&")</script>'

    def check(context: Context) -> Evidence:
        return Evidence((printed(bad, 2.0, 1.0, where=bad),), {bad: 1.0})

    claim = Claim(1, Kind.LEMMA, bad, bad, bad, check)
    html = page([claim], [outcome_of(claim, Context(0, 1))], 0, False)
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 7


# Law: what is asked for wrongly is refused before any work, with the remedy.
def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"only=43, 99: expected numbers of items from 1 to 42"):
        paper.run(tmp_path, only=[99, 43, 1])
    with pytest.raises(ValueError, match="only=none"):
        paper.run(tmp_path, only=[])
    with pytest.raises(ValueError, match="seed=-1"):
        paper.run(tmp_path, only=[1], seed=-1)
    with pytest.raises(ValueError, match="n_jobs=0"):
        paper.run(tmp_path, only=[1], n_jobs=0)
    assert list(tmp_path.iterdir()) == []
