"""Small tables: `RidgePathCV` beside scikit-learn's `RidgeCV` with 25 strengths on standardized features.

python -m benchmarks.small_tables [--splits 5]

Real tables of benchmarks/peers/sets.py. Seconds are the least of three fits of the first split; errors are means of
squared test errors over the splits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ridgeway as rw
from benchmarks.peers.sets import real_sets

SHORT_SECONDS = 0.02  # what RidgeCV does in less than this is judged by an absolute limit


def ridge_cv() -> Any:
    """Return what most people use."""
    return make_pipeline(StandardScaler(), RidgeCV(alphas=np.logspace(-6, 6, 25)))


def least_seconds(make: Callable[[], Any], X: Any, y: Any) -> float:
    """Return the least time of three fits."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        make().fit(X, y)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Print a line for each table, and geometric means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    n_splits = parser.parse_args().splits
    times: list[float] = []
    errors: list[float] = []
    short: list[float] = []
    for table in real_sets():
        splits = [table.split(seed) for seed in range(n_splits)]
        first = splits[0]
        ours, theirs = (least_seconds(make, first.X, first.y) for make in (rw.RidgePathCV, ridge_cv))
        error = [
            np.mean([np.mean((make().fit(s.X, s.y).predict(s.test_X) - s.test_y) ** 2) for s in splits])
            for make in (rw.RidgePathCV, ridge_cv)
        ]
        errors.append(error[0] / error[1])
        (short if theirs < SHORT_SECONDS else times).append(ours if theirs < SHORT_SECONDS else ours / theirs)
        n, d = first.X.shape
        timed = f"{1e3 * ours:7.1f} ms  RidgeCV {1e3 * theirs:7.1f} ms"
        print(f"{table.name:24} {n:6} x {d:4}  {timed}  error {errors[-1]:.4f}", flush=True)
    if short:
        print(f"{len(short)} tables that RidgeCV fits in under 20 ms: at most {1e3 * max(short):.1f} ms")
    for name, ratios in (("time of the others", times), ("error", errors)):
        if ratios:
            print(f"{name}: geometric mean {np.exp(np.mean(np.log(ratios))):.4f}, largest {max(ratios):.4f}")


if __name__ == "__main__":
    main()
