"""A version of the package, built and at work in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("worker.py")
COUNTED_SCALE = 0.02
COUNTED_RUNS = 10
# valgrind knows AVX2, but no AVX-512.
COUNTED_ENVIRONMENT = {"RIDGEWAY_CPU": "v3", "OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class Version:
    """Where a version lies, and the Python that runs it."""

    package: Path
    python: str = sys.executable

    def command(self, scale: float, *tasks: str) -> list[str]:
        """Return the command of its worker."""
        return [self.python, str(WORKER), str(self.package), str(scale), *tasks]

    def instructions(self, tasks: Sequence[str]) -> dict[str, int]:
        """Return the instructions of ten runs of each task, without imports and first calls, counted by valgrind."""
        before = self._count(tasks, tasks[0], 0)
        return {task: self._count(tasks, task, COUNTED_RUNS) - before for task in tasks}

    def _count(self, warm: Sequence[str], task: str, runs: int) -> int:
        """Count the instructions of a process that runs all tasks once and then one of them so often."""
        valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        done = subprocess.run(
            [*valgrind, *self.command(COUNTED_SCALE, *warm, *[task] * runs)],
            env={**os.environ, **COUNTED_ENVIRONMENT},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"error: {task!r} of {self.package} failed under valgrind:\n{done.stderr[-2000:]}")
        (line,) = (line for line in done.stderr.splitlines() if "I " in line and "refs" in line)
        return int(line.rpartition(":")[2].replace(",", ""))


class Process:
    """A version at work: it measures tasks as it is told."""

    def __init__(self, version: Version, scale: float) -> None:
        self._version = version
        self._process = subprocess.Popen(
            version.command(scale), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.tasks: list[str] = self._answer()

    def measure(self, task: str) -> tuple[float, float]:
        """Return the processor seconds of a task and of its yardstick."""
        assert self._process.stdin is not None
        self._process.stdin.write(task + "\n")
        self._process.stdin.flush()
        seconds, yardstick = self._answer()
        return seconds, yardstick

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(
                f"error: the process of {self._version.package} ended; its message is above. A version that needs "
                "other packages runs in an environment of its own: --package FOLDER --python ENVIRONMENT/bin/python."
            )
        return json.loads(line)


def latest_tag() -> str:
    """Return the latest tag before this commit."""
    found = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode:
        sys.exit("error: there is no tag to compare with: name a revision, as in `make regressions REV=HEAD~1`.")
    return found.stdout.strip()


def build(revision: str, folder: Path) -> Path:
    """Build the package of a revision into a folder and return the folder that holds it."""
    sources, package = folder / "sources", folder / "package"
    sources.mkdir()
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if archive.returncode:
        sys.exit(f"error: {revision!r} is not a revision of this repository: expected a tag, branch or commit.")
    subprocess.run(["tar", "x", "-C", str(sources)], input=archive.stdout, check=True)
    pip = ["-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--target", str(package)]
    subprocess.run([str(ROOT / "scripts" / "with_compiler"), sys.executable, *pip, str(sources)], check=True)
    return package
