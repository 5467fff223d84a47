"""show_versions: what a report of a problem needs."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import ridgeway as rw
from ridgeway import _core
from ridgeway.machine.installation import OPTIONAL, REQUIRED, installation

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names_of(needs: list[str]) -> set[str]:
    """Return the names of packages without their versions and extras."""
    return {re.split(r"[\[<>=!~ ;]", need)[0] for need in needs} - {"ridgeway"}


# Law: every package that the project needs or can use is among those that are shown, if it is installed.
def test_packages() -> None:
    assert set(REQUIRED) == names_of(PROJECT["dependencies"])
    extras = names_of([need for extra in PROJECT["optional-dependencies"].values() for need in extra])
    assert set(OPTIONAL) == extras | {"pandas", "polars"}  # data frames of either are read


# Law: one line each, in this order; BLAS once for each library.
def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    rw.show_versions()
    lines = [re.split(r" {2,}", line, maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    shown = dict(lines)
    assert list(shown)[:8] == [
        "ridgeway", "compiled core", "Python", "platform", "processors", "BLAS", "numpy", "scipy",
    ]  # fmt: skip
    assert (shown["ridgeway"], shown["compiled core"]) == (rw.__version__, _core.level())
    assert shown["scikit-learn"] == version("scikit-learn")
    assert re.search(r"threads: \d+$", shown["BLAS"])


# Law: what is not installed is left out, except where it is needed.
def test_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.machine.installation.REQUIRED", ("numpy", "nosuch"))
    monkeypatch.setattr("ridgeway.machine.installation.OPTIONAL", ("nosuch2",))
    assert installation()[-2:] == [("numpy", version("numpy")), ("nosuch", "not found")]
