"""The exponential moving average: geometric weights counted from the end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.powers import MAX_EXPONENT
from ridgeway.averaging.scheme import Scheme
from ridgeway.averaging.staircase import Staircase
from ridgeway.validation.scalars import real_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
@dataclass(frozen=True)
class Exponential(Scheme):
    """The exponential moving average, with its weight on the last iterates.

    ::

        p_t = (1 - decay) decay^{T-t} for t >= 1,  p_0 = decay^T;   S(j) = 1 - decay^{T-j+1}, j = 1..T

    It counts steps and ignores their sizes. It is the recursion avg_t = decay * avg_{t-1} + (1 - decay) * w_t from
    avg_0 = w_0, and regularises by the length of the run alone. It assumes that the last 1 / (1 - decay) iterates
    scatter about the solution: in a shorter run the start w_0 keeps the weight decay^T. `continued_survival` is held at
    a large finite value far beyond the run, and at j = 0 it is 1 - decay^{T+1}.

    Parameters
    ----------
    decay : float
        Weight of the past, in [0, 1); 0 is the last iterate.

    Examples
    --------
    >>> from ridgeway.averaging import Exponential
    >>> Exponential(decay=0.5).weights(n_steps=3, step=0.1)
    array([0.125, 0.125, 0.25 , 0.5  ])
    """

    decay: float

    def __post_init__(self) -> None:
        expected = "the decay must be a finite number in [0, 1)"
        decay = real_number("decay", self.decay, expected)
        if not 0 <= decay < 1:
            raise ValueError(f"decay={decay!r} is out of range: {expected}; decay=0 is the last iterate.")
        object.__setattr__(self, "decay", decay)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return decays of no memory (the last iterate), a short and a long one."""
        return cls(0.0), cls(0.9), cls(0.999)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        if self.decay == 0:
            return np.ones_like(j)
        return -np.expm1(np.minimum((n_steps + 1.0 - j) * math.log(self.decay), MAX_EXPONENT))

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        return np.power(self.decay, n_steps - t) * np.where(t == 0, 1.0, 1.0 - self.decay)
