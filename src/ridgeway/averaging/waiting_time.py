"""The law of a sum of exponential times, X = sum_s eta_s Gamma(n_s), by integrals in the complex plane.

    P(X <= t) = 1/(2 pi i) int e^{z t} M(z) / z dz,   M(z) = prod_s (1 + z eta_s)^{-n_s}

The core integrates along a path of steepest descent, in logarithms, so values far out in the tails are accurate. This
file computes t - E[X] in extended precision, so that a sum of 1e12 times does not cancel.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core

Array = NDArray[np.float64]

LOWER: Final = 0  # P(X <= t)
UPPER: Final = 1  # P(X > t)
DENSITY: Final = 2


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
    floor : logarithms that are certainly below this are returned as minus infinity, which saves time.
    """
    wide = np.longdouble
    before = np.append(wide(0), np.cumsum(lengths[:-1].astype(wide) * sizes[:-1].astype(wide)))
    ahead = (wide(time) - before[stair] - done.astype(wide) * sizes.astype(wide)[stair]).astype(np.float64)
    values = np.empty(len(stair))
    _core.log_waiting_probabilities(
        lengths=lengths,
        sizes=sizes,
        stair=stair,
        done=done,
        ahead=ahead,
        time=time,
        kind=kind,
        floor=floor,
        values=values,
    )
    return values
