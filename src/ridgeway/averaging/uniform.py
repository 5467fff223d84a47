"""The uniform average of Polyak and Ruppert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.scheme import Scheme

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class Uniform(Scheme):
    """Equal weights on all iterates (Polyak-Ruppert averaging).

    ::

        p_t = 1 / (T + 1),   S(j) = 1 - j / (T + 1)

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
        """Return the only instance there is."""
        return (cls(),)

    def _survival(self, j: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        length = n_steps + 1.0
        return (length - j) / length

    def _weights(self, t: NDArray[np.float64], n_steps: int, step: float) -> NDArray[np.float64]:
        return np.full_like(t, 1.0 / (n_steps + 1.0))
