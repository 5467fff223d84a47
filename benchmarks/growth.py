"""Growth: twice the rows, or twice the columns, take twice the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.dense import sketch_path
from benchmarks.planted import Array, dense_rows
from benchmarks.report import Case, Result, Target
from benchmarks.timing import QUICK_REPEATS, REPEATS, interleave

DOUBLED = Target(1.7, 2.3)  # within 15% of 2


def cases(quick: bool = False) -> Iterator[Case]:
    """Double the rows, then the columns."""
    sketch_path(*dense_rows(5_000, 20, np.float32))  # compiles the kernels
    repeats = QUICK_REPEATS if quick else REPEATS
    n_rows = 100_000 if quick else 500_000
    X, y = dense_rows(4 * n_rows, 100, np.float32)
    first_rows = [(n, X[:n], y[:n]) for n in (n_rows, 2 * n_rows, 4 * n_rows)]
    yield _case("growth with n, d = 100", "n", first_rows, repeats)
    del X, y, first_rows
    n_rows = 40_000 if quick else 200_000
    columns = [(d, *dense_rows(n_rows, d, np.float32)) for d in (500, 1000, 2000)]
    yield _case(f"growth with d, n = {n_rows:,}", "d", columns, repeats)


def _case(name: str, symbol: str, sizes: Sequence[tuple[int, Array, Array]], repeats: int) -> Case:
    def task(X: Array, y: Array) -> Callable[[], object]:
        return lambda: sketch_path(X, y)

    timings = interleave({f"{size:,}": task(X, y) for size, X, y in sizes}, repeats)
    results = [
        Result(f"time at {symbol} = {large} / at {small}", timings[large].over(timings[small]), DOUBLED)
        for small, large in pairwise(timings)
    ]
    return Case(name, results, timings)
