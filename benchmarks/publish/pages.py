"""Pages with places for tables: the text between two marks is written from the results."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.publish.fragments import FRAGMENTS
from benchmarks.publish.results import NotMeasured, Results

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs" / "benchmarks.md", ROOT / "README.md")
PLACE = re.compile(r"(<!-- results: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def filled(page: str, results: Results) -> str:
    """Return the text of a page with every fragment made from the results."""

    def fill(place: re.Match[str]) -> str:
        name = place["name"]
        if name not in FRAGMENTS:
            raise KeyError(f"{name!r} is not a fragment: expected one of {', '.join(FRAGMENTS)}.")
        try:
            text = FRAGMENTS[name](results)
        except NotMeasured:
            text = "*Not measured.*"
        return f"{place[1]}{text}\n{place[3]}"

    return PLACE.sub(fill, page)
