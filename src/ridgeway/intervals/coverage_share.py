"""Coverage: the share of rows that intervals are to hold, and how many held-out rows it takes."""

from __future__ import annotations

import math
from typing import Any

from ridgeway.validation.scalars import real_number

RANK_ROUNDING = 1e-9  # of a rank: 10 * 0.9 is 9, whatever binary fractions make of it


def coverage_share(coverage: Any) -> float:
    """Return a coverage between 0 and 1, both excluded."""
    share = real_number("coverage", coverage, "it must be a number between 0 and 1, such as 0.9")
    if not 0 < share < 1:
        raise ValueError(
            f"coverage={share:g}: expected a number between 0 and 1, such as 0.9; no finite interval is sure to hold "
            "every row."
        )
    return share


def rank_of(coverage: float, n_rows: int) -> int:
    """Return the rank r, counted from 1, such that the r-th smallest of n scores covers a new one: ceil((n + 1) c)."""
    return math.ceil((n_rows + 1) * coverage - RANK_ROUNDING)


def required_rows(coverage: float) -> int:
    """Return the least number of held-out rows for a finite interval: rank_of(c, n) <= n.

    Examples
    --------
    >>> [required_rows(coverage) for coverage in (0.5, 0.9, 0.95, 0.99)]
    [1, 9, 19, 99]
    """
    return max(1, math.ceil(coverage / (1 - coverage) - RANK_ROUNDING * coverage / (1 - coverage)))


def largest_coverage(n_rows: int) -> float:
    """Return the largest coverage that held-out rows allow, rounded down to a few digits: n / (n + 1).

    Examples
    --------
    >>> [largest_coverage(n) for n in (1, 8, 9, 2339)]
    [0.5, 0.888, 0.9, 0.99957]
    """
    unit: int = 10 ** max(3, len(str(n_rows + 1)) + 1)
    return n_rows * unit // (n_rows + 1) / unit
