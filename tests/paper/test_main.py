"""The command: what it writes, what it prints, and how it ends."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ridgeway.exact import ExactRidgePath
from ridgeway.paper import least_squares, svg_figures
from ridgeway.paper.__main__ import main


# Law: --only checks these items, and the summary counts them.
def test_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "new" / "folder"), "--only", "28,1", "--quick", "--jobs", "1"]) == 0
    folder = tmp_path / "new" / "folder"
    table = json.loads((folder / "paper.json").read_text())
    assert [row["number"] for row in table["items"]] == [1, 28]
    printed = capsys.readouterr()
    summary = "2 items: 1 holds, 1 holds as corrected."
    assert printed.out.splitlines() == [summary, str(folder / "paper.html"), str(folder / "paper.json")]
    assert summary in (folder / "paper.html").read_text()
    assert "2 items" in printed.err


# Law: a wrong use is told from wrong paths: code 2 against code 1, each with what was expected.
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--quick"], "--out"),
        (["--out", "x", "--only", "43"], "'43': expected numbers from 1 to 42"),
        (["--out", "x", "--only", "1,two"], "expected numbers from 1 to 42"),
        (["--out", "x", "--only", ""], "expected numbers from 1 to 42"),
        (["--out", "x", "--seed", "-1"], "'-1': expected an integer of 0 or more"),
        (["--out", "x", "--jobs", "none"], "'none': expected an integer of 1 or more"),
    ],
)
def test_wrong_use(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


# Law: a folder that cannot be written is found before the work, and what is in the way stays.
def test_unwritable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for out in (file, file / "below"):
        assert main(["--out", str(out), "--quiet", "--jobs", "1"]) == 1
        assert f"error: {out}: not a folder that can be written to" in capsys.readouterr().err
    assert file.read_text() == "mine"


# Law: without matplotlib the command says what to install.
def test_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr(svg_figures, "import_module", missing)
    assert main(["--out", str(tmp_path), "--only", "4", "--quiet", "--jobs", "1"]) == 1
    assert "pip install ridgeway[plot]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# Law: a correction that does not come out ends the command with code 1, after the page is written.
def test_unexpected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(least_squares, "ExactRidgePath", _Wrong)
    assert main(["--out", str(tmp_path), "--only", "15", "--quick", "--quiet", "--jobs", "1"]) == 1
    assert "in item 15" in capsys.readouterr().err
    assert "unexpected" in (tmp_path / "paper.html").read_text()


class _Wrong:
    """An exact path that is off by one per mille."""

    def __init__(self, **options: Any) -> None:
        self._path = ExactRidgePath(**options)

    def fit(self, X: Any, y: Any, sample_weight: Any) -> _Wrong:
        self._path.fit(X, y, sample_weight=sample_weight)
        return self

    def path(self, alphas: list[float]) -> Any:
        return self._path.path([1.001 * alpha for alpha in alphas])
