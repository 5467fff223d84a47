"""The page "The paper, corrected" explains every item; that its blocks run is tested with all pages."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "paper_corrected.md").read_text()


# Law: every item that the run finds to differ from the paper is explained.
def test_complete() -> None:
    for item in (4, 7, 12, 13, 14, 19, 20, 23, 24, 25, 26, 28, 30, 31, 32, 35):
        assert re.search(rf"item(?:s)? (?:\d+(?:, | and ))*{item}\b|^\| {item} \|", PAGE, flags=re.MULTILINE), item
