"""The law of a sum of exponential times, X = sum_s eta_s Gamma(n_s), by integrals in the complex plane.

    P(X <= t) = 1/(2 pi i) int e^{z t} M(z) / z dz,  right of 0,   M(z) = prod_s (1 + z eta_s)^{-n_s}
    P(X > t)  = minus the same, between the first singularity -1 / max eta and 0
    density   = the same without 1 / z, anywhere right of the first singularity

Each integrand has one sign on the real axis and its least size there at a saddle point. Through it goes a hyperbola
that bends to the left like the path of steepest descent, on which the trapezoidal rule converges geometrically. The
size at the saddle point is kept as a logarithm, so values far out in the tails have their digits. The exponent is a
multiple of t - E[X] plus terms of second order, so that a sum of 1e12 times does not cancel.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled

Array = NDArray[np.float64]

LOWER: Final = 0  # P(X <= t)
UPPER: Final = 1  # P(X > t)
DENSITY: Final = 2

ANGLE = 0.6  # of the hyperbola; below pi / 4 a Gaussian integrand decays along it
SINE, COSINE = math.sin(ANGLE), math.cos(ANGLE)
# Distance of the nodes as a share of the width of the saddle, and its largest value.
NODE_SHARE, MAX_NODE_DISTANCE = 0.18, 0.08
MAX_NODES = 400
NEGLIGIBLE = -42.0  # logarithm of the size, relative to the saddle point, from which on the integrand is left out
MAX_NEWTON_STEPS = 100
SMALL = 0.3  # below, log(1 + x) - x is a series
N_SERIES_TERMS = 12
LARGEST_PLACE = 1e300


def log_probabilities(
    stair: NDArray[np.intp], done: Array, lengths: Array, sizes: Array, time: float, kind: int, floor: float
) -> Array:
    """Return the logarithm of P(X <= time), P(X > time) or the density of X there, for sums over several runs.

    Parameters
    ----------
    stair : (J,), the stair on which each run ends.
    done : (J,), steps on that stair, a real number above 0.
    lengths : (S,), steps of each stair that come before the next one.
    sizes : (S,), step sizes.
    time : t, above 0.
    kind : LOWER, UPPER or DENSITY.
    floor : a logarithm that is surely below comes out as minus infinity, at once.
    """
    wide = np.longdouble
    before = np.append(wide(0), np.cumsum(lengths[:-1].astype(wide) * sizes[:-1].astype(wide)))
    ahead = (wide(time) - before[stair] - done.astype(wide) * sizes.astype(wide)[stair]).astype(np.float64)
    values = np.empty(len(stair))
    _fill_logs(stair, done, lengths, sizes, time, ahead, kind, floor, values)
    return values


@compiled
def _fill_logs(
    stair: NDArray[np.intp],
    done: Array,
    lengths: Array,
    sizes: Array,
    time: float,
    ahead: Array,
    kind: int,
    floor: float,
    values: Array,
) -> None:
    """Fill values (J,); ahead (J,) is t - E[X]."""
    steps, gaps, rates = lengths.copy(), np.empty(len(sizes)), np.empty(len(sizes))
    for j in range(len(values)):
        last = stair[j] + 1
        steps[:last] = lengths[:last]
        steps[stair[j]] = done[j]
        n, eta = steps[:last], sizes[:last]
        # Places are w = z - origin: the distance from the pole at 0, or from the first singularity.
        origin = 0.0 if kind == LOWER else -1 / eta.max()
        for s in range(last):
            gaps[s] = 1 / eta[s] + origin
        # A fraction of a step has a weak singularity: it takes the path of a whole one.
        weight = max(1.0, 1 / n.sum()) if kind == UPPER else 1.0
        place, width, bend = _saddle(n, eta, gaps[:last], time, ahead[j], kind, origin, weight)
        for s in range(last):
            rates[s] = 1 / (gaps[s] + place)  # a = eta / (1 + z eta)
        size, slope = _exponent(n, eta, rates[:last], time, ahead[j], place + origin)
        if size < floor:
            values[j] = -math.inf
        else:
            integral = _integral(n, rates[:last], slope, place + origin, width, bend, kind)
            values[j] = size + math.log(integral) if integral > 0 else -math.inf


@compiled
def _saddle(
    n: Array, sizes: Array, gaps: Array, time: float, ahead: float, kind: int, origin: float, weight: float
) -> tuple[float, float, float]:
    """Return the place of the saddle point, its width, and the radius with which the path bends there.

    It is the root of t - sum_s n_s / (gap_s + w) - 1 / z, which increases with w, by Newton's method within a bracket.
    """
    total, largest, variance = 0.0, 0.0, 0.0
    for s in range(len(n)):
        total += weight * n[s]
        variance += weight * n[s] * sizes[s] * sizes[s]
        if gaps[s] == 0:
            largest += weight * n[s]
    if kind == LOWER:
        low, high = 1 / time, (total + 1) / time
        w = 2 / (math.sqrt(ahead * ahead + 4 * variance) + ahead)  # the root for a Gaussian law
    elif kind == UPPER:
        low, high = min(-origin / 2, largest / (time - 2 / origin)), -origin
        w = -origin - 2 / (math.sqrt(ahead * ahead + 4 * variance) - ahead)
    else:
        low, high = largest / time, total / time
        w = -origin - ahead / variance
    low, high = min(low, LARGEST_PLACE), min(high, LARGEST_PLACE)
    second, bend = 0.0, 0.0
    for _ in range(MAX_NEWTON_STEPS):
        if not low < w < high:
            w = math.sqrt(low) * math.sqrt(high)
        slope, second, third = time, 0.0, 0.0
        for s in range(len(n)):
            a = 1 / (gaps[s] + w)
            slope -= weight * n[s] * a
            second += weight * n[s] * a * a
            third += weight * n[s] * a * a * a
        bend = second / third
        if kind != DENSITY:
            pole = 1 / (w + origin)
            slope -= pole
            second += pole * pole
            if kind == LOWER:  # the path goes round the pole as well
                bend = second / (third + pole * pole * pole)
        if slope < 0:
            low = w
        else:
            high = w
        change = slope / second
        if abs(change) * math.sqrt(second) < 1e-2:
            break
        w -= change
    return w, 1 / math.sqrt(second), bend


@compiled
def _exponent(n: Array, sizes: Array, rates: Array, time: float, ahead: float, z: float) -> tuple[float, float]:
    """Return z t + log M(z) and its derivative at a real z."""
    total, slope, rest, apart = 0.0, 0.0, time, False
    for s in range(len(n)):
        x = z * sizes[s]
        if abs(x) > SMALL:
            apart = True
            total -= n[s] * math.log(sizes[s] / rates[s])
            slope -= n[s] * rates[s]
        else:
            rest -= n[s] * sizes[s]
            total -= n[s] * _log1p_rest(complex(x)).real
            slope += n[s] * x * rates[s]
    if not apart:
        rest = ahead
    return total + z * rest, slope + rest


@compiled
def _integral(n: Array, rates: Array, slope: float, centre: float, width: float, bend: float, kind: int) -> float:
    """Return the integral along the hyperbola through `centre`, divided by the exponential there."""
    scale = 1.5 * SINE / COSINE**2 * bend
    distance = min(NODE_SHARE * width / (scale * COSINE), MAX_NODE_DISTANCE)
    total = 0.0
    for k in range(MAX_NODES):
        u = k * distance
        sinh = math.sinh(u)
        fall = 2 * math.sinh(u / 2) ** 2  # cosh(u) - 1
        shift = scale * complex(-SINE * fall, COSINE * sinh)
        exponent = shift * slope
        for s in range(len(n)):
            exponent -= n[s] * _log1p_rest(shift * rates[s])
        if exponent.real < NEGLIGIBLE:
            break
        value = np.exp(exponent) * scale * complex(-SINE * sinh, COSINE * (1 + fall))
        if kind != DENSITY:
            value /= centre + shift
        total += value.imag * (0.5 if k == 0 else 1.0)
    return (-total if kind == UPPER else total) * distance / math.pi


@compiled
def _log1p_rest(x: complex) -> complex:
    """Return log(1 + x) - x."""
    if abs(x.real) + abs(x.imag) > SMALL:
        return complex(np.log(1.0 + x)) - x
    r = x / (2.0 + x)  # log(1 + x) = 2 artanh(r)
    square, series = r * r, 0.0j
    for k in range(N_SERIES_TERMS, 0, -1):
        series = (series + 1.0 / (2 * k + 1)) * square
    return 2.0 * r * series - x * r
