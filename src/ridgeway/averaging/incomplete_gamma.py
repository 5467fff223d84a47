"""Probabilities of a Poisson law, continued to real arguments, with relative accuracy also in the far tails.

scipy's `gammainc` loses every digit in the tails of large arguments (a = 1e9, eight standard deviations out),
and x^t e^{-x} / t! by logarithms of its factors loses them at t = 1e12. Here the mass is in saddle-point form
(Loader 2000) and the tails are the mass times a continued fraction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Standard deviations from the mean beyond which the continued fractions take over, and their length there.
TAIL_BEGINS = 4.0
FRACTION_LENGTH = 40
# From this t on the Stirling series is exact to the last bit.
STIRLING_BEGINS = 16.0


def log_poisson_mass(t: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return log(mean^t e^{-mean} / Gamma(t + 1)) at real t >= 0, for mean > 0."""
    positive = np.where(t > 0, t, 1.0)
    log_mass = -_deviance(positive, mean) - _stirling_error(positive) - 0.5 * np.log(2 * math.pi * positive)
    return np.where(t > 0, log_mass, -mean)


def poisson_mass(t: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return mean^t e^{-mean} / Gamma(t + 1) at real t >= 0, for mean > 0."""
    return np.exp(log_poisson_mass(t, mean))


def poisson_upper(j: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return P(G >= j) = gammainc(j, mean) at real j >= 0, for mean > 0."""
    values: NDArray[np.float64] = np.asarray(special.gammainc(j, mean), dtype=np.float64)
    far = j - mean > TAIL_BEGINS * np.sqrt(j)
    a = j[far]
    # M(1, a + 1, x) = a / (a - x + x / (a + 1 - x + 2 x / (a + 2 - x + ...))): positive terms for x < a.
    fraction = a + FRACTION_LENGTH - mean
    for k in range(FRACTION_LENGTH, 0, -1):
        fraction = a + (k - 1) - mean + k * mean / fraction
    values[far] = poisson_mass(a, mean) * a / fraction
    return values


def poisson_lower(j: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return P(G < j) = gammaincc(j, mean) at real j >= 0, for mean > 0."""
    values: NDArray[np.float64] = np.asarray(special.gammaincc(j, mean), dtype=np.float64)
    far = (j >= 1) & (mean - j > TAIL_BEGINS * np.sqrt(j))  # the fraction converges slowly for small j and mean
    a = j[far]
    # Legendre's fraction: Gamma(a, x) = x^a e^{-x} / (x + 1 - a + (a - 1) / (x + 3 - a + 2 (a - 2) / ...)).
    fraction = mean + (2 * FRACTION_LENGTH + 1) - a
    for k in range(FRACTION_LENGTH, 0, -1):
        fraction = mean + (2 * k - 1) - a + k * (a - k) / fraction
    values[far] = poisson_mass(a, mean) * a / fraction
    return values


def _deviance(t: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return t log(t / mean) + mean - t, without cancellation near t = mean."""
    gap = t - mean
    v = gap / (t + mean)
    # t log(t / mean) = 2 t artanh(v), a series in v^2; sixteen terms are exact to the last bit for |v| < 0.3.
    series = np.zeros_like(t)
    for k in range(16, 0, -1):
        series = (series + 1 / (2 * k + 1)) * v * v
    near = gap * v + 2 * t * v * series
    return np.where(np.abs(v) < 0.3, near, t * (np.log(t) - math.log(mean)) - gap)


def _stirling_error(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Gamma(t + 1) - log(sqrt(2 pi t) (t / e)^t), t > 0."""
    large = np.maximum(t, STIRLING_BEGINS)
    s = 1 / (large * large)
    series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * 691 / 360360))))) / large
    small = np.minimum(t, STIRLING_BEGINS)
    exact = special.gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    return np.where(t < STIRLING_BEGINS, exact, series)
