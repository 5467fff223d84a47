"""The pages on the paper explain every item; that their blocks run is tested with all pages."""

from __future__ import annotations

import re
from pathlib import Path

from ridgeway.paper import CLAIMS, Kind

DOCS = Path(__file__).parents[2] / "docs"
PAGE, ANSWERS = (DOCS / "paper_corrected.md").read_text(), (DOCS / "open_questions.md").read_text()


# Law: every item that the run finds to differ from the paper is explained.
def test_complete() -> None:
    for item in (4, 7, 12, 13, 14, 19, 20, 23, 24, 25, 26, 28, 30, 31, 32, 35):
        assert re.search(rf"item(?:s)? (?:\d+(?:, | and ))*{item}\b|^\| {item} \|", PAGE, flags=re.MULTILINE), item


# Law: every answer to an open question has its item and its proof on the page of the answers.
def test_answers() -> None:
    for claim in CLAIMS:
        if claim.kind is Kind.QUESTION:
            assert re.search(rf"items? (?:\d+(?:, | and | to ))*{claim.number}\b", ANSWERS), claim.number
    assert "Wu, V. Braverman and L. F. Yang" in ANSWERS
    assert "2008.06736" in ANSWERS
