"""Random fits and streams: ``python -m scripts.fuzz --seeds 0:20000 --jobs 2 --state fuzz.json``.

Each seed is one case. A failure is one line that begins with its seed; ``--seeds 17:18`` repeats that case. With a
state file, a run that was stopped continues where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from scripts.fuzz.cases import run

CASES_PER_NOTE = 50  # cases between two notes of how far the run has come


def outcome(seed: int) -> tuple[int, bool, list[str]]:
    """Return a seed, whether anything was learned, and what failed."""
    try:
        case = run(seed)
    except Exception as error:  # of this script: a failure like any other
        return seed, False, [f"{seed}\tthe script failed: {type(error).__name__} {error}"]
    return seed, case.learned, [f"{seed}\t{failure}\t{case.told}" for failure in case.failures]


def main(arguments: list[str] | None = None) -> int:
    """Run the cases and return 1 if any failed."""
    parser = argparse.ArgumentParser(prog="scripts.fuzz", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", default="0:20000", help="range of seeds A:B, without B")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--state", type=Path, help="file that stores the progress and the failures")
    options = parser.parse_args(arguments)
    first, last = map(int, options.seeds.split(":"))
    state = _read(options.state, options.seeds)
    began, done_before = time.monotonic(), state["done"]
    with ProcessPoolExecutor(options.jobs) as pool:
        for start in range(first + state["done"], last, CASES_PER_NOTE):
            seeds = range(start, min(start + CASES_PER_NOTE, last))
            for _, learned, failures in _outcomes(pool, seeds, options.jobs):
                state["learned"] += learned
                state["failures"] += failures
                for failure in failures:
                    print(failure, flush=True)
            state["done"] = seeds.stop - first
            if options.state is not None:
                options.state.write_text(json.dumps(state, indent=1))
    speed = (state["done"] - done_before) / max(time.monotonic() - began, 1e-9)
    print(
        f"{state['done']} cases, {state['learned']} of them fitted, {len(state['failures'])} failures; "
        f"{speed:.0f} cases per second",
        file=sys.stderr,
    )
    return 1 if state["failures"] else 0


def _outcomes(pool: ProcessPoolExecutor, seeds: range, jobs: int) -> Iterator[tuple[int, bool, list[str]]]:
    return map(outcome, seeds) if jobs == 1 else pool.map(outcome, seeds, chunksize=5)


def _read(path: Path | None, seeds: str) -> dict[str, Any]:
    if path is not None and path.exists():
        state: dict[str, Any] = json.loads(path.read_text())
        if state["seeds"] != seeds:
            raise SystemExit(f"{path} is of --seeds {state['seeds']}, not {seeds}: name another state file.")
        return state
    return {"seeds": seeds, "done": 0, "learned": 0, "failures": []}


if __name__ == "__main__":
    raise SystemExit(main())
