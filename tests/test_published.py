"""The published tables are those of the stored results."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.publish.cells import error, percent, times
from benchmarks.publish.fragments import FRAGMENTS
from benchmarks.publish.pages import PAGES, PLACE, ROOT, filled
from benchmarks.publish.results import Results


# Law: every page holds what the committed results generate, so no number of a table is written by hand.
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_are_generated(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert filled(text, Results.read()) == text


# Law: every fragment is on a page.
def test_no_fragment_is_unused() -> None:
    shown = {place["name"] for page in PAGES for place in PLACE.finditer(page.read_text(encoding="utf-8"))}
    assert shown == set(FRAGMENTS)


# Law: a place for something that is not made is an error.
def test_unknown_fragment() -> None:
    with pytest.raises(KeyError, match="is not a fragment"):
        filled("<!-- results: nothing -->\n<!-- end -->", Results({}, {}))


# Law: the numbers in the README's table are cells of the table of speed.
def test_readme_cells_are_published_cells() -> None:
    published = table(ROOT / "docs" / "benchmarks.md", "shapes")
    claimed = table(ROOT / "README.md", "readme")
    for shape in claimed[0][1:]:
        column, mine = published[0].index(shape), claimed[0].index(shape)
        cells = [row[column] for row in published[1:]]
        assert all(row[mine] in cells for row in claimed[1:])


def table(page: Path, name: str) -> list[list[str]]:
    """Return the cells of a published table, without the line of dashes."""
    text = page.read_text(encoding="utf-8").split(f"<!-- results: {name} -->\n")[1].split("\n<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return [rows[0], *rows[2:]]


# Law: numbers are short, and what was not measured or went astray is said so.
@pytest.mark.parametrize(
    ("value", "written"), [(None, "-"), (0.04321, "0.04"), (0.96, "1.0"), (9.96, "10"), (160.4, "160")]
)
def test_times(value: float | None, written: str) -> None:
    assert times(value) == written


@pytest.mark.parametrize(
    ("value", "written"), [(None, "-"), (1.00034, "1.0003"), (1.234, "1.23"), (1000.0, "diverges")]
)
def test_error(value: float | None, written: str) -> None:
    assert error(value) == written


@pytest.mark.parametrize(
    ("value", "written"), [(None, "-"), (1e-9, "< 0.001"), (0.1234, "0.12"), (164.2, "164"), (1e9, "diverges")]
)
def test_percent(value: float | None, written: str) -> None:
    assert percent(value) == written
