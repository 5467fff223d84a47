"""The geometric average: ridge regression from the iterates of SGD."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.scheme import Scheme
from ridgeway.compiled import compiled
from ridgeway.number import ridge_strength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Below this value of (T + 1) log(1 + eta alpha) the average is the uniform one to the last bit.
FLAT = 1e-17
VANISHED = 746.0  # the exponential of minus this is 0


def log_growth(alpha: float, step: float) -> float:
    """Return log(1 + eta alpha), minus the logarithm of the discount, finite also if eta alpha overflows."""
    return math.log1p(min(step * alpha, sys.float_info.max))


def log_growths(alphas: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Return `log_growth` of several strengths."""
    with np.errstate(over="ignore"):
        growths: NDArray[np.float64] = np.log1p(np.minimum(step * alphas, sys.float_info.max))
    return growths


def geometric_survival(
    alphas: NDArray[np.float64], j: NDArray[np.float64], n_steps: int, step: float
) -> NDArray[np.float64]:
    """Return the formula of S of several strengths (L,) at real j: (L, shape of j)."""
    growth = log_growths(alphas, step)
    length = n_steps + 1.0
    values = np.empty((len(growth), *j.shape))
    _fill_survival(growth, np.ascontiguousarray(j).reshape(-1), length, values.reshape(len(growth), -1))
    values[growth * length < FLAT] = (length - j) / length
    return values


@compiled
def _fill_survival(
    growth: NDArray[np.float64], j: NDArray[np.float64], length: float, values: NDArray[np.float64]
) -> None:
    """Fill values (n_growths, n_places) with S(j) for minus the logarithms of the discounts, except where S is flat."""
    for a in range(len(growth)):
        g = growth[a]
        if g * length < FLAT:
            continue
        last, whole = math.exp(-g * length), -math.expm1(-g * length)
        for i in range(len(j)):
            left = length - j[i]
            if g * min(j[i], length) > VANISHED:
                values[a, i] = 0.0
            elif g * left > 1:
                values[a, i] = (math.exp(-g * j[i]) - last) / whole
            else:  # the difference of powers as a product: nothing cancels, and beyond T + 1 nothing overflows
                difference = -math.exp(-g * min(j[i], length)) * math.expm1(-g * abs(left))
                values[a, i] = math.copysign(difference / whole, left)


@final
@dataclass(frozen=True)
class Geometric(Scheme):
    r"""Weights that decay geometrically from the start: the average is a ridge estimate.

    ::

        p_t = (1 - rho) rho^t / (1 - rho^{T+1}),   rho = 1 / (1 + step * alpha)
        S(j) = (rho^j - rho^{T+1}) / (1 - rho^{T+1}),   j = 1..T

    In a long run of least-squares SGD the expected average is (Sigma + alpha I)^{-1} E[xy], ridge regression.
    This assumes a constant step and step * alpha * n_steps well above 1: the mean stopping time tends to
    1 / (step * alpha), and a run shorter than that is cut off and regularised by its length as well.

    Parameters
    ----------
    alpha : float
        Ridge strength, 0 or more, of the mean (not the sum) of squared errors; 0 is the uniform average.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.averaging import Geometric
    >>> Geometric(alpha=10.0).weights(n_steps=3, step=0.1)
    array([0.53333333, 0.26666667, 0.13333333, 0.06666667])
    >>> Geometric(alpha=10.0).survival([0, 1, 2, 3, 4], n_steps=3, step=0.1)
    array([1.        , 0.46666667, 0.2       , 0.06666667, 0.        ])
    >>> stops = Geometric(alpha=0.1).sample(10**6, 0.1, np.random.default_rng(0), size=10_000)
    >>> bool(abs(stops.mean() - 1 / (0.1 * 0.1)) < 3)
    True
    """

    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", ridge_strength(self.alpha))

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return the uniform average, a weak, a middling and a strong regularisation."""
        return cls(0.0), cls(1e-3), cls(0.5), cls(1e4)

    def _survival(self, j: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        row: NDArray[np.float64] = self._survivals([self], j, n_steps, step)[0]
        return row

    @classmethod
    def _survivals(
        cls, schemes: Sequence[Self], j: NDArray[np.float64], n_steps: int, step: float
    ) -> NDArray[np.float64]:
        return geometric_survival(np.array([scheme.alpha for scheme in schemes]), j, n_steps, step)

    def _weights(self, t: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        growth, length = log_growth(self.alpha, step), n_steps + 1.0
        if growth * length < FLAT:
            return np.full_like(t, 1.0 / length)
        return np.exp(-growth * t) * (math.expm1(-growth) / math.expm1(-growth * length))
