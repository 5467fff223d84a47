"""High-precision references: each law from its definition, with digits enough for the cancellation."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np

ALPHAS = [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.3, 1.0, 1e2, 1e6, 1e12]
STEPS = [1e-8, 1e-3, 0.37, 1.0]
LENGTHS = [1, 5, 100, 10**4, 10**6, 10**9, 10**12]
SMALLEST = mp.mpf("1e-290")


def places(n_steps: int) -> list[int]:
    """Return steps at the start, in the middle and at the end of a run."""
    j = [1, 2, 7, n_steps // 1000, n_steps // 7, n_steps // 2, n_steps - n_steps // 10, n_steps - 1, n_steps]
    return sorted({k for k in j if 1 <= k <= n_steps})


def relative_error(values: Any, references: list[Any]) -> float:
    """Return the largest relative error where the reference is above 1e-290; below, values are tiny too."""
    worst = 0.0
    for value, reference in zip(np.asarray(values).tolist(), references, strict=True):
        if reference > SMALLEST:
            worst = max(worst, abs(float((mp.mpf(value) - reference) / reference)))
        else:
            assert 0 <= value < 1.1e-290
    return worst


def negative_binomial(alpha: float, order: int, step: float, n_steps: int, j: list[int]) -> tuple[list[Any], list[Any]]:
    """Return (survival, weights) at j of the negative binomial law, conditioned on n_steps."""
    with mp.workdps(340 + 24 * order):
        x = mp.mpf(alpha) * mp.mpf(step)
        p, q = x / (1 + x), 1 / (1 + x)

        def below(d: int) -> Any:
            if alpha == 0:
                return mp.mpf(math.comb(d - 1 + order, order))
            return 1 - q**d * mp.fsum(math.comb(d - 1 + i, i) * p**i for i in range(order))

        total = below(n_steps + 1)
        scale = (p**order if alpha > 0 else 1) / total
        survival = [(total - below(k)) / total for k in j]
        weights = [math.comb(k + order - 1, order - 1) * q**k * scale for k in j]
        return survival, weights
