"""The uniform average of Polyak and Ruppert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase

if TYPE_CHECKING:
    from numpy.typing import NDArray


def uniform_survival(j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
    """Return S, the share of the time that is left: (tau(T+1) - tau(j)) / tau(T+1)."""
    if steps.constant:
        return (n_steps + 1.0 - j) / (n_steps + 1.0)
    rates = np.array([steps.sizes])
    left: NDArray[np.float64] = steps.sums_left(rates, j.reshape(-1), n_steps + 1)[0]
    return left.reshape(j.shape) / float(steps.elapsed(n_steps + 1))


def time_shares(t: NDArray[np.float64], n_steps: int, steps: Staircase, first: int = 0) -> NDArray[np.float64]:
    """Return the time that each iterate t lasts, eta_{t+1}, as a share of the time from iterate `first` on."""
    lasts = np.array(steps.sizes)[steps.stairs_of(t + 1)]
    left = steps.sums_left(np.array([steps.sizes]), np.array([float(first)]), n_steps + 1)[0, 0]
    shares: NDArray[np.float64] = lasts / left
    return shares


@final
@dataclass(frozen=True)
class Uniform(Scheme):
    """Weights by the time that each iterate lasts (Polyak-Ruppert averaging).

    ::

        p_t = eta_{t+1} / tau(T+1),   S(j) = 1 - tau(j) / tau(T+1),   tau(j) = eta_1 + .. + eta_j

    With a constant step these are equal weights, p_t = 1 / (T + 1).

    The start is forgotten at the rate 1 / T only. If w_0 is far from the solution and the labels carry little
    noise, `Tail`, which drops the first iterates, has the smaller error.

    Examples
    --------
    >>> from ridgeway.averaging import Uniform
    >>> Uniform().survival([0, 1, 2, 3, 4], n_steps=3, step=0.1)
    array([1.  , 0.75, 0.5 , 0.25, 0.  ])
    """

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return the only instance."""
        return (cls(),)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        return uniform_survival(j, n_steps, steps)

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        return time_shares(t, n_steps, steps)
