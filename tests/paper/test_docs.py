"""What the page "The paper, corrected" shows is run, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "paper_corrected.md").read_text()


# Law: the blocks of the page run in their order, their assertions hold, and they print what stands below them.
def test_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", PAGE, flags=re.DOTALL)
    assert len(blocks) == 3
    for code, expected in blocks:
        exec(code, names)
        assert capsys.readouterr().out == expected


# Law: every item that the run finds to differ from the paper is explained.
def test_complete() -> None:
    for item in (4, 7, 12, 13, 14, 19, 20, 23, 24, 25, 26, 28, 30, 31, 32, 35):
        assert re.search(rf"item(?:s)? (?:\d+(?:, | and ))*{item}\b|^\| {item} \|", PAGE, flags=re.MULTILINE), item
