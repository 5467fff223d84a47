"""Spectra, starts and slopes that several checks share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ridgeway.paper.population import Array


def random_spectrum(rng: np.random.Generator) -> tuple[Array, Array]:
    """Return eigenvalues that are flat, or decay by a power or exponentially, and a start in their eigenbasis."""
    d = int(rng.choice([1, 2, 5, 20]))
    i = np.arange(1, d + 1)
    s = (np.ones(d), i ** -float(rng.uniform(0.5, 3)), float(rng.uniform(0.3, 0.9)) ** (i - 1))[rng.integers(3)]
    return np.asarray(s * 10 ** rng.uniform(-1, 1), np.float64), rng.standard_normal(d)


def slope(x: Sequence[float] | Array, y: Sequence[float] | Array) -> float:
    """Return the slope of log y against log x, by least squares."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def growth_exponent(scales: Array, exact: Sequence[float], above: Sequence[float]) -> float:
    """Return the exponent p with which the ratio exact / bound grows like scale^p, from the last two scales."""
    return slope(scales[-2:], np.array(exact[-2:]) / np.array(above[-2:]))
