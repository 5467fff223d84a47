"""A hash of row numbers: random choices that depend on the numbers of rows alone, not on how a stream is cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def hashed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64 mixed bits for each number (splitmix64).

    Examples
    --------
    >>> hashed(np.array([0, 1], np.uint64)).tolist()
    [0, 16294208416658607535]
    """
    with np.errstate(over="ignore"):
        z = numbers * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed
