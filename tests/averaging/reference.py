"""High-precision references: each law from its definition, with digits enough for the cancellation."""

from __future__ import annotations

import itertools
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


def events_on_steps(alpha: float, order: int, sizes: list[float]) -> tuple[list[Any], list[Any]]:
    """Return (survival, weights) at 0..T of the step of event number `order`, for steps eta_1 .. eta_{T+1}.

    Before a step has ended, event number i + 1 comes first with probability p = eta alpha / (1 + eta alpha). At
    alpha = 0, p stands for p / alpha.
    """
    with mp.workdps(80 + 24 * order):
        chance, weights = [mp.mpf(1)] + [mp.mpf(0)] * (order - 1), []
        for eta in sizes:
            x = mp.mpf(eta) * mp.mpf(alpha)
            p, q = (x / (1 + x), 1 / (1 + x)) if alpha else (mp.mpf(eta), mp.mpf(1))
            weights.append(mp.fsum(chance[i] * p ** (order - i) for i in range(order)))
            after: list[Any] = []
            for k in range(order):
                after.append(chance[k] * q + (p * after[k - 1] if k else 0))
            chance = after
        total = mp.fsum(weights)
        weights = [weight / total for weight in weights]
        return [mp.fsum(weights[j:]) for j in range(len(sizes))], weights


def waiting_on_steps(time: float, sizes: list[float]) -> tuple[list[Any], list[Any]]:
    """Return (survival, weights) at 0..T of the number of steps done at a time, for different steps eta_1 .. eta_{T+1}.

    By partial fractions: P(X_j > t) = sum_i e^{-t / eta_i} prod_{k != i} eta_i / (eta_i - eta_k) over i, k <= j.
    """
    with mp.workdps(400):
        eta, t = [mp.mpf(size) for size in sizes], mp.mpf(time)
        factors: list[Any] = []
        upper = [mp.mpf(0)]  # P(X_j > t), j = 0..T+1
        for j, last in enumerate(eta):
            factors = [factor * eta[i] / (eta[i] - last) for i, factor in enumerate(factors)]
            factors.append(mp.fprod(last / (last - eta[k]) for k in range(j)))
            upper.append(mp.fsum(factor * mp.exp(-t / eta[i]) for i, factor in enumerate(factors)))
        total = upper[-1]
        survival = [1 - value / total for value in upper[:-1]]
        return survival, [(after - before) / total for before, after in itertools.pairwise(upper)]
