"""A fresh random order of the rows for each pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import AnyRows

CACHE_BYTES = 2**23  # rows up to this size are read in any order at full speed
RUN_BYTES = 2**13  # consecutive bytes that are read from larger data
POOL_RUNS = 512  # runs of consecutive rows whose rows are permuted together


def shuffled_order(rows: AnyRows, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a random order of all rows.

    Small data get a uniform permutation. Rows of larger data are read several times slower in random order than in
    sequence. So short runs of neighbouring rows are drawn in random order, and the rows of every 512 runs are permuted
    together.
    """
    n_rows = rows.shape[0]
    run = max(1, RUN_BYTES * n_rows // rows.nbytes)
    if rows.nbytes <= CACHE_BYTES or run == 1:
        return rng.permutation(n_rows)
    starts = rng.permutation(np.arange(0, n_rows, run))
    order = (starts[:, None] + np.arange(run)).reshape(-1)
    order = order[order < n_rows]
    pool = POOL_RUNS * run
    for first in range(0, n_rows, pool):
        rng.shuffle(order[first : first + pool])
    return order
