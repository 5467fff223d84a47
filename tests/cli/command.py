"""The command line as tests call it: within the process on real files, or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ridgeway.cli.commands import run


class Said(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


class Command:
    """Calls commands within the process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: Any) -> Said:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        shown = self._capsys.readouterr()
        return Said(code, shown.out, shown.err)


def start(*arguments: Any, folder: Path, **settings: Any) -> subprocess.Popen[str]:
    """Start a command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ridgeway", *(str(argument) for argument in arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "100"},
        **settings,
    )


def finish(process: subprocess.Popen[str]) -> Said:
    """Wait for a process."""
    out, err = process.communicate(timeout=120)
    return Said(process.returncode, out, err)
