"""Growth: twice the rows, or twice the columns, take twice the time.

Each doubling has the same target, from small sizes, where the overhead of a call and of a row is visible (the ratio is
then below 2), to both shapes of the dense suite and their doubles.
"""

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
    sketch_path(*dense_rows(5_000, 20, np.float32))  # a first call
    repeats = QUICK_REPEATS if quick else REPEATS
    part = 5 if quick else 1
    for n_columns, sizes in ((100, (250_000, 500_000, 1_000_000, 2_000_000)), (1000, (200_000, 400_000))):
        X, y = dense_rows(sizes[-1] // part, n_columns, np.float32)
        rows = [(n // part, X[: n // part], y[: n // part]) for n in sizes]
        yield _case(f"growth with n, d = {n_columns}", "n", rows, repeats)
        del X, y, rows
    for n_rows, widths in ((200_000 // part, (250, 500, 1000, 2000)), (1_000_000 // part, (100, 200))):
        columns = [(d, *dense_rows(n_rows, d, np.float32)) for d in widths]
        yield _case(f"growth with d, n = {n_rows:,}", "d", columns, repeats)
        del columns


def _case(name: str, symbol: str, sizes: Sequence[tuple[int, Array, Array]], repeats: int) -> Case:
    def task(X: Array, y: Array) -> Callable[[], object]:
        return lambda: sketch_path(X, y)

    timings = interleave({f"{size:,}": task(X, y) for size, X, y in sizes}, repeats)
    results = [
        Result(f"time at {symbol} = {large} / at {small}", timings[large].over(timings[small]), DOUBLED)
        for small, large in pairwise(timings)
    ]
    return Case(name, results, timings)
