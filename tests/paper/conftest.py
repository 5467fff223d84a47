"""One quick run of all items by the command, shared by all tests and all test processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def quick_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `python -m ridgeway.paper --quick`, run by the first test process that asks."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    out, done = shared / "paper", shared / "paper-done"
    try:
        os.close(os.open(shared / "paper-begun", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        while not done.exists():
            time.sleep(0.2)
    else:
        command = [sys.executable, "-W", "error", "-m", "ridgeway.paper", "--out", str(out), "--quick", "--quiet"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        done.write_text(f"{ended.returncode}\n{ended.stdout}{ended.stderr}")
    code, output = done.read_text().split("\n", 1)
    assert (code, output) == ("0", "")
    return out


@pytest.fixture(scope="session")
def rows(quick_run: Path) -> dict[int, dict[str, Any]]:
    """The rows of its table by number."""
    table = json.loads((quick_run / "paper.json").read_text())
    assert (table["seed"], table["quick"]) == (0, True)
    return {row["number"]: row for row in table["items"]}
