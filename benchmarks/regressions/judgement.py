"""What a noisy machine can tell about a ratio of times: slower than a limit, not slower, or unsure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import comb
from statistics import median

MAX_ERROR_PROBABILITY = 0.02


class Verdict(Enum):
    """What the interval of a ratio says about a limit."""

    OK = "ok"
    UNSURE = "unsure"
    SLOWER = "slower"


def interval(ratios: Sequence[float]) -> tuple[float, float, float]:
    """Return (low, median, high): an interval that misses the true median with a probability of at most 2%.

    Its ends are order statistics, so it assumes nothing but that the ratios are independent draws. Without enough
    ratios (7) the interval is everything.
    """
    ordered, n = sorted(ratios), len(ratios)
    outside = 0  # ratios on each side of the interval
    while 2 * sum(comb(n, k) for k in range(outside + 1)) <= MAX_ERROR_PROBABILITY * 2**n:
        outside += 1
    if outside == 0:
        return 0.0, median(ordered), float("inf")
    return ordered[outside - 1], median(ordered), ordered[n - outside]


def verdict(ratios: Sequence[float], limit: float) -> Verdict:
    """Return whether the true ratio exceeds a limit, as far as its interval tells."""
    low, _, high = interval(ratios)
    return Verdict.SLOWER if low > limit else Verdict.OK if high <= limit else Verdict.UNSURE
