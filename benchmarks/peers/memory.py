"""Memory that a method needs beside the rows, as a multiple of the rows; each method runs in its own process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.peers.solvers import BEST, PATHS, SINGLE, Solver, affordable
from benchmarks.planted import dense_rows
from benchmarks.report import Case, Result

SHAPES = ((200_000, 100), (20_000, 1_000), (1_000, 10_000))
QUICK_SHAPES = ((5_000, 100),)
STRENGTHS = np.logspace(-6, 3, 100)
METHODS: dict[str, tuple[Solver, int]] = {
    **{f"{name}, 100 strengths": (solver, 100) for name, solver in PATHS.items()},
    **{f"{name}, 25 strengths": (solver, 25) for name, solver in BEST.items()},
    **{f"{name}, 1 strength": (solver, 1) for name, solver in SINGLE.items()},
}


def cases(quick: bool = False) -> Iterator[Case]:
    """Measure every method on dense rows."""
    for n_rows, n_columns in QUICK_SHAPES if quick else SHAPES:
        results = []
        for name in METHODS:
            if not affordable(name.split(",")[0], (n_rows, n_columns)):
                continue
            command = [sys.executable, "-m", "benchmarks.peers.memory", name, str(n_rows), str(n_columns)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            results.append(Result(name, float(answer.stdout.split()[-1])))
        yield Case(f"{n_rows:,} x {n_columns:,}", results, {})


def largest_rise(name: str, n_rows: int, n_columns: int) -> float:
    """Return the peak increase of the memory of this process during a fit, divided by the size of the rows."""
    solver, count = METHODS[name]
    solver(*dense_rows(500, 20, np.float64), STRENGTHS[:count])  # imports and compiles
    X, y = dense_rows(n_rows, n_columns, np.float64)
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    before = _kilobytes("VmHWM")
    solver(X, y, STRENGTHS[:count])
    return (_kilobytes("VmHWM") - before) * 1024 / X.nbytes


def _kilobytes(entry: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(entry))


if __name__ == "__main__":
    print(largest_rise(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
