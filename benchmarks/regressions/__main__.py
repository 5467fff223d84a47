"""Compare this tree with a revision: `python -m benchmarks.regressions [REV]`, from the root of a clone.

Both versions take turns at each task in fresh pairs of processes, because where a process lies in memory changes its
speed for its whole life. A pair gives one ratio: best processor time now over best processor time before. A task is
judged by the interval of the median ratio, and gets more pairs while the interval holds its limit. Where valgrind is
installed, instructions of the tasks are counted, too, which no disturbance changes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.regressions.judgement import Verdict, interval, verdict
from benchmarks.regressions.versions import ROOT, Process, Version, build, latest_tag

FIRST_PAIRS, MAX_PAIRS = 8, 24  # pairs of processes
TURNS = 4  # of both versions at a task, in each pair
MAX_TIME_RATIO = 1.10
MAX_INSTRUCTION_RATIO = 1.02
COUNTED_TASKS = ("sketch, float64", "sketch, float32", "replay, float64", "sketch, CSR")


@dataclass
class Compared:
    """What all pairs of processes say about a task."""

    ratios: list[float] = field(default_factory=list)
    yardsticks: list[float] = field(default_factory=list)  # of the time now

    @property
    def verdict(self) -> Verdict:
        """How the task stands so far."""
        return verdict(self.ratios, MAX_TIME_RATIO)


def compare_times(now: Version, before: Version, scale: float, max_pairs: int) -> dict[str, Compared]:
    """Return what was found for each task that both versions know."""
    found: dict[str, Compared] = {}
    for pair in range(max_pairs):
        processes = {version: Process(version, scale) for version in ((now, before) if pair % 2 else (before, now))}
        if pair == 0:
            found = {task: Compared() for task in processes[now].tasks if task in processes[before].tasks}
        for task, compared in found.items():
            if pair < FIRST_PAIRS or compared.verdict is Verdict.UNSURE:
                _compare(task, compared, processes[now], processes[before])
        for process in processes.values():
            process.end()
        if pair + 1 >= FIRST_PAIRS and all(compared.verdict is not Verdict.UNSURE for compared in found.values()):
            break
    return found


def _compare(task: str, compared: Compared, now: Process, before: Process) -> None:
    """Let both processes take turns (A B B A), and add the ratio of their best times."""
    samples: dict[Process, list[tuple[float, float]]] = {now: [], before: []}
    for turn in range(TURNS):
        for process in (now, before) if turn % 2 else (before, now):
            samples[process].append(process.measure(task))
    best = {process: min(seconds for seconds, _ in samples[process]) for process in samples}
    compared.ratios.append(best[now] / best[before])
    compared.yardsticks.append(best[now] / min(yardstick for _, yardstick in samples[now]))


def time_line(task: str, compared: Compared) -> str:
    """Return the line of the table for times."""
    low, middle, high = interval(compared.ratios)
    told = f"{low:.3f} to {high:.3f}"
    yardsticks = f"{min(compared.yardsticks):.2f} yardsticks"
    return _line("time", task, middle, told, MAX_TIME_RATIO, compared.verdict, yardsticks)


def instruction_line(task: str, ratio: float) -> str:
    """Return the line of the table for instructions."""
    return _line("instructions", task, ratio, "", MAX_INSTRUCTION_RATIO, verdict_of_count(ratio), "")


def verdict_of_count(ratio: float) -> Verdict:
    """Judge a ratio that has no noise."""
    return Verdict.SLOWER if ratio > MAX_INSTRUCTION_RATIO else Verdict.OK


def _line(kind: str, task: str, ratio: float, told: str, limit: float, found: Verdict, note: str) -> str:
    return f"{kind:<13} {task:<20} {ratio:>6.3f}  {told:<15} {limit:>5.2f}  {found.value:<7} {note}".rstrip()


def main() -> int:
    """Print the table; return 1 if a task exceeds its limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regressions", description=__doc__.partition("\n")[0])
    parser.add_argument("revision", nargs="?", help="tag, branch or commit (default: the latest tag)")
    parser.add_argument("--package", type=Path, help="a folder with an installed ridgeway, instead of a revision")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the other version")
    parser.add_argument("--pairs", type=int, default=MAX_PAIRS, help=f"most pairs of processes (default {MAX_PAIRS})")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of rows")
    parser.add_argument("--no-count", action="store_true", help="do not count instructions")
    options = parser.parse_args()
    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory() as name:
        package = options.package or build(options.revision or latest_tag(), Path(name))
        now, before = Version(ROOT / "src"), Version(package, options.python)
        print(f"{'measure':<13} {'task':<20} {'ratio':>6}  {'interval':<15} {'limit':>5}   (now / before)", flush=True)
        for task, compared in compare_times(now, before, options.scale, options.pairs).items():
            print(time_line(task, compared), flush=True)
            verdicts.append(compared.verdict)
        if not options.no_count and shutil.which("valgrind") is None:
            print("Instructions were not counted: valgrind is not installed.")
        elif not options.no_count:
            counts, counts_before = now.instructions(COUNTED_TASKS), before.instructions(COUNTED_TASKS)
            for task in COUNTED_TASKS:
                ratio = counts[task] / counts_before[task]
                print(instruction_line(task, ratio), flush=True)
                verdicts.append(verdict_of_count(ratio))
    slower, unsure = verdicts.count(Verdict.SLOWER), verdicts.count(Verdict.UNSURE)
    print(f"{slower} of {len(verdicts)} are slower than allowed, {unsure} are unsure.")
    if unsure:
        print("Unsure: the machine was too noisy to tell, or the ratio is near its limit. Repeat on an idle machine.")
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
