"""The last iterate, not averaged at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class Last(Scheme):
    """All weight on the last iterate.

    ::

        p_T = 1,   S(j) = 1 for j = 1..T

    In expectation this is gradient descent stopped at step T (Landweber iteration). It assumes labels with
    little noise: with a constant step the variance of the last iterate does not vanish, it stays of the order
    of the step.

    Examples
    --------
    >>> from ridgeway.averaging import Last
    >>> Last().weights(n_steps=3, step=0.1)
    array([0., 0., 0., 1.])
    """

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return the only instance."""
        return (cls(),)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        return np.ones_like(j)

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        return np.where(t == n_steps, 1.0, 0.0)
