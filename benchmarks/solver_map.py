"""The map of "Which solver?": seconds of Gram, Krylov and SGD by shape, and how good the automatic choice is.

python -m benchmarks.solver_map [--seconds 20]

Seconds of the processor, on one thread: the least of three fits, or of fewer if these take more than a second. A solver
whose estimated time exceeds the limit is left out.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import scipy.sparse

import ridgeway as rw
from ridgeway.estimators.solver_choice import ProblemSize, choose_solver
from ridgeway.rows import FLOAT64, check_batch

DENSE = ((1_000, 30), (1_000, 300), (1_000, 1_000), (5_000, 500), (20_000, 300), (20_000, 1_000), (100_000, 30),
         (100_000, 200), (3_000, 3_000), (500, 5_000))  # fmt: skip
SOLVERS = ("gram", "krylov", "sgd")
REPEATS, LONG_SECONDS = 3, 1.0
SPARSE = ((10_000, 5_000, 20), (5_000, 1_000, 30), (50_000, 500, 20))


def problem(n: int, d: int, stored: int | None) -> tuple[Any, Any]:
    """Return rows whose columns differ in importance, dense or with some numbers stored in each row, and targets."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal(d) / np.sqrt(np.arange(1, d + 1))
    X: Any = rng.standard_normal((n, d))
    if stored is not None:
        X = scipy.sparse.random(n, d, density=stored / d, random_state=rng, format="csr")
    signal = X @ w
    return X, signal + signal.std() * rng.standard_normal(n)


def seconds_of(solver: str, X: Any, y: Any) -> float:
    """Return the processor time of a fit with five folds."""
    found: list[float] = []
    while len(found) < REPEATS and sum(found) < LONG_SECONDS:
        start = time.process_time()
        rw.RidgePathCV(solver=solver, cv=5, random_state=0).fit(X, y)
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Print the map."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    limit = parser.parse_args().seconds
    worst = 1.0
    for solver in SOLVERS:  # what is imported with the first fit
        rw.RidgePathCV(solver=solver, random_state=0).fit(*problem(100, 3, None))
    for n, d, stored in [*((n, d, None) for n, d in DENSE), *SPARSE]:
        X, y = problem(n, d, stored)
        size = ProblemSize.of(check_batch(X, y, None, target_dtype=FLOAT64), 5)
        chosen = choose_solver(size).solver
        seconds = {}
        for solver in SOLVERS:
            if getattr(size, f"{solver}_seconds") <= limit:
                seconds[solver] = seconds_of(solver, X, y)
        worst = max(worst, seconds[chosen] / min(seconds.values()))
        cells = " | ".join(f"{seconds[name]:.2g}" if name in seconds else "-" for name in SOLVERS)
        form = "" if stored is None else f", {stored} stored in a row"
        print(f"| {n:,} x {d:,}{form} | {cells} | {chosen} |", flush=True)
    print(f"the choice takes at most {worst:.2f} times the fastest")


if __name__ == "__main__":
    main()
