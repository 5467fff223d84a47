"""Every block of Python in the documentation runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import ridgeway

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts and "```python" in page.read_text())


# Law: the blocks of a page, run one after the other, raise nothing, and print what stands below them where it does.
@pytest.mark.filterwarnings("ignore:averages of alpha below:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_blocks_run(
    page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", page.read_text(), flags=re.DOTALL)
    for code, printed in blocks:
        exec(compile(code, str(page.relative_to(DOCS)), "exec"), names)
        shown = capsys.readouterr().out
        assert not printed or shown == printed


# Law: every warning that the troubleshooting page quotes is one of ours, and it names every error class of ours.
def test_troubleshooting_quotes_real_messages() -> None:
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    files = sorted(Path(str(ridgeway.__file__)).parent.rglob("*.py"))
    sources = "".join(file.read_text(encoding="utf-8") for file in files)
    joined = re.sub(r'"\s*\n\s*f?"', "", sources)  # literals that go on in the next line
    rows = re.findall(r'^\| (".*?) \|', page.partition("## Errors")[0], flags=re.MULTILINE)
    parts = [part.strip(" ,") for row in rows for quote in re.findall(r'"(.+?)"', row) for part in quote.split("...")]
    assert rows
    assert [part for part in parts if part not in joined] == []
    classes = set(re.findall(r"^class (\w+Error)\(", sources, flags=re.MULTILINE)) - {"StateError"}  # never leaves us
    assert [name for name in classes if name not in page] == []


# Law: the page of the API lists every public name.
def test_api_lists_every_public_name() -> None:
    page = (DOCS / "api.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", page, flags=re.MULTILINE))
    listed |= {name.partition(".")[0] for name in listed}
    listed |= set(re.findall(r"^\.\. currentmodule:: ridgeway\.(\w+)$", page, flags=re.MULTILINE))
    assert set(ridgeway.__all__) - listed == set()


def said(function: ast.FunctionDef) -> list[str]:
    """Return the messages that a function warns with, or that `doubt` returns for others to warn with."""
    messages: list[ast.expr | None] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "warn_user":
            given = node.args[0]
            named = [
                line.value
                for line in ast.walk(function)
                if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == ast.unparse(given)
            ]
            messages += named or [given]
        elif isinstance(node, ast.Return) and function.name == "doubt":
            messages.append(node.value)
    return [
        "...".join(str(part.value) for part in message.values if isinstance(part, ast.Constant))
        for message in messages
        if isinstance(message, ast.JoinedStr)
    ]


# Law: every warning of ours has a line on the page.
def test_troubleshooting_quotes_every_warning() -> None:
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8").partition("## Errors")[0]
    quotes = [quote for line in page.splitlines() if line.startswith('| "') for quote in re.findall(r'"(.+?)"', line)]
    parts = [part.strip(" ,") for quote in quotes for part in quote.split("...") if len(part.strip(" ,")) > 10]
    functions = [
        function
        for file in sorted(Path(str(ridgeway.__file__)).parent.rglob("*.py"))
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
    ]
    messages = [message for function in functions for message in said(function)]
    assert len(messages) > 15
    assert [message for message in messages if not any(part in message for part in parts)] == []
