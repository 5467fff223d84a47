"""Compare this tree with a revision: `python -m benchmarks.regressions [REV]`, from the root of a clone.

Two processes, one for each version, take turns at each task (A B B A ...), and run a yardstick after it. A version is
judged by its best time over its best yardstick, so that neither a disturbance nor a slower clock counts against it.
Where valgrind is installed, instructions of the tasks are counted, too, which no disturbance changes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("worker.py")
ROUNDS = 12
MAX_TIME_RATIO = 1.10
MAX_INSTRUCTION_RATIO = 1.02
COUNTED_TASKS = ("sketch, float64", "sketch, float32", "replay, float64", "sketch, CSR")
COUNTED_SCALE = 0.02
COUNTED_REPEATS = (2, 12)  # the difference of both counts is that of ten runs, without imports
# valgrind knows AVX2, but no AVX-512.
COUNTED_ENVIRONMENT = {"RIDGEWAY_CPU": "v3", "OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "0"}


class Version:
    """A version of the package, at work in a process of its own."""

    def __init__(self, folder: Path, scale: float) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), str(folder), str(scale)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.tasks: list[str] = self._answer()

    def measure(self, task: str) -> tuple[float, float]:
        """Return the seconds of a task and of its yardstick."""
        assert self._process.stdin is not None
        self._process.stdin.write(task + "\n")
        self._process.stdin.flush()
        seconds, yardstick = self._answer()
        return seconds, yardstick

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> list:  # type: ignore[type-arg]  # what JSON holds
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"error: the process of {self.folder} ended; its message is above.")
        answer: list = json.loads(line)  # type: ignore[type-arg]
        return answer


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


def compared_times(now: Version, before: Version, rounds: int) -> dict[str, float]:
    """Return how long each task that both versions know takes now, over before, in yardsticks.

    A task above its limit gets up to twice as many rounds more: a real slowdown stays, a disturbance does not.
    """
    ratios = {}
    for task in (task for task in now.tasks if task in before.tasks):
        samples: dict[Version, list[tuple[float, float]]] = {now: [], before: []}
        for turn in range(3 * rounds):
            for version in (now, before) if turn % 2 else (before, now):
                samples[version].append(version.measure(task))
            multiples = {version: _best(samples[version], 0) / _best(samples[version], 1) for version in samples}
            ratios[task] = multiples[now] / multiples[before]
            if turn >= rounds - 1 and ratios[task] <= MAX_TIME_RATIO:
                break
    return ratios


def _best(samples: list[tuple[float, float]], place: int) -> float:
    return min(sample[place] for sample in samples)


def instructions(folder: Path, task: str) -> int:
    """Return the instructions of ten runs of a task, counted by valgrind."""
    counts = []
    for repeats in COUNTED_REPEATS:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
        worker = [sys.executable, str(WORKER), str(folder), str(COUNTED_SCALE), task, str(repeats)]
        environment = {**os.environ, **COUNTED_ENVIRONMENT}
        done = subprocess.run([*command, *worker], env=environment, capture_output=True, text=True, check=True)
        (line,) = (line for line in done.stderr.splitlines() if "I " in line and "refs" in line)
        counts.append(int(line.rpartition(":")[2].replace(",", "")))
    return counts[1] - counts[0]


def row(kind: str, task: str, ratio: float, limit: float) -> str:
    """Return a line of the table."""
    return f"{kind:<13} {task:<24} {ratio:>6.3f} {limit:>6.2f}  {'slower' if ratio > limit else 'ok'}"


def main() -> int:
    """Print the table; return 1 if a task exceeds its limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regressions", description=__doc__.partition("\n")[0])
    parser.add_argument("revision", nargs="?", help="tag, branch or commit (default: the latest tag)")
    parser.add_argument("--package", type=Path, help="a folder with an installed ridgeway, instead of a revision")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of the timing (default {ROUNDS})")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of rows")
    parser.add_argument("--no-count", action="store_true", help="do not count instructions")
    options = parser.parse_args()
    slower = 0
    with tempfile.TemporaryDirectory() as name:
        before = options.package or build(options.revision or latest_tag(), Path(name))
        versions = Version(ROOT / "src", options.scale), Version(before, options.scale)
        print(f"{'measure':<13} {'task':<24} {'ratio':>6} {'limit':>6}   (now / before)")
        for task, ratio in compared_times(*versions, options.rounds).items():
            print(row("time", task, ratio, MAX_TIME_RATIO), flush=True)
            slower += ratio > MAX_TIME_RATIO
        for version in versions:
            version.end()
        if not options.no_count and shutil.which("valgrind") is None:
            print("Instructions were not counted: valgrind is not installed.")
        elif not options.no_count:
            for task in COUNTED_TASKS:
                ratio = instructions(ROOT / "src", task) / instructions(before, task)
                print(row("instructions", task, ratio, MAX_INSTRUCTION_RATIO), flush=True)
                slower += ratio > MAX_INSTRUCTION_RATIO
    print("No task is slower than its limit allows." if not slower else f"{slower} tasks are slower than allowed.")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
