"""The geometric average: ridge regression from the iterates of SGD."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway import _core
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase
from ridgeway.averaging.uniform import time_shares, uniform_survival
from ridgeway.validation.scalars import ridge_strength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Below this value of the sum of log(1 + eta alpha) over T + 1 steps the average is the uniform one to the last bit.
MIN_LOG_GROWTH = 1e-17


def log_growth(alpha: float, step: float) -> float:
    """Return log(1 + eta alpha), minus the logarithm of the discount, finite also if eta alpha overflows."""
    return math.log1p(min(step * alpha, sys.float_info.max))


def log_growths(alphas: NDArray[np.float64], steps: Staircase) -> NDArray[np.float64]:
    """Return `log_growth` of several strengths on each stair: (L, n_stairs)."""
    with np.errstate(over="ignore"):
        products = np.multiply.outer(alphas, np.array(steps.sizes))
    growths: NDArray[np.float64] = np.log1p(np.minimum(products, sys.float_info.max))
    return growths


def geometric_survival(
    alphas: NDArray[np.float64], j: NDArray[np.float64], n_steps: int, steps: Staircase
) -> NDArray[np.float64]:
    """Return the formula of S of several strengths (L,) at real j: (L, shape of j)."""
    growth, places = log_growths(alphas, steps), np.ascontiguousarray(j, np.float64).reshape(-1)
    past, left = steps.sums(growth, places), steps.sums_left(growth, places, n_steps + 1)
    total = steps.sums(growth, np.array([n_steps + 1.0]))[:, 0]
    values = np.empty_like(past)
    _core.fill_geometric_survival(past=past, left=left, total=total, flat=MIN_LOG_GROWTH, values=values)
    flat = total < MIN_LOG_GROWTH
    if flat.any():
        values[flat] = uniform_survival(places, n_steps, steps)
    return values.reshape(len(growth), *j.shape)


@final
@dataclass(frozen=True)
class Geometric(Scheme):
    r"""Weights that decay geometrically from the start: the average is a ridge estimate.

    ::

        rho_t = 1 / (1 + eta_t alpha),   Pi_j = rho_1 .. rho_j
        p_t = (1 - rho_{t+1}) Pi_t / (1 - Pi_{T+1})
        S(j) = (Pi_j - Pi_{T+1}) / (1 - Pi_{T+1}),   j = 1..T

    In a long run of least-squares SGD the expected average is (Sigma + alpha I)^{-1} E[xy], ridge regression, whatever
    the step sizes eta_t are. This assumes alpha * (eta_1 + .. + eta_T) well above 1: a run shorter than that is cut off
    and regularised by its length as well. The average depends mainly on the steps of the first 1 / alpha of time, so a
    strong alpha needs small steps at the beginning.

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
        """Return the uniform average, a weak, a medium and a strong regularisation."""
        return cls(0.0), cls(1e-3), cls(0.5), cls(1e4)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        row: NDArray[np.float64] = self._survivals([self], j, n_steps, steps)[0]
        return row

    @classmethod
    def _survivals(
        cls, schemes: Sequence[Self], j: NDArray[np.float64], n_steps: int, steps: Staircase
    ) -> NDArray[np.float64]:
        return geometric_survival(np.array([scheme.alpha for scheme in schemes]), j, n_steps, steps)

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        growth = log_growths(np.array([self.alpha]), steps)
        total = float(steps.sums(growth, np.array([n_steps + 1.0]))[0, 0])
        if total < MIN_LOG_GROWTH:
            return time_shares(t, n_steps, steps)
        stops: NDArray[np.float64] = -np.expm1(-growth[0])[steps.stairs_of(t + 1)]
        weights: NDArray[np.float64] = np.exp(-steps.sums(growth, t)[0]) * stops / -math.expm1(-total)
        return weights
