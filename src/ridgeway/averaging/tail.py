"""The tail average: weights by time from some iterate on."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Self, final

import numpy as np

from ridgeway.averaging.scheme import Scheme, checked_run
from ridgeway.averaging.staircase import Staircase
from ridgeway.averaging.uniform import time_shares, uniform_survival
from ridgeway.validation.scalars import real_number, whole_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

EXPECTED_START = (
    "the start must be an iterate index (an int, 0 or more) or a share of the run's time (a float in [0, 1))"
)


@final
@dataclass(frozen=True)
class Tail(Scheme):
    """Weights by the time that each iterate lasts, on the iterates from w_k to the last one.

    ::

        p_t = eta_{t+1} / (tau(T+1) - tau(k)) for t >= k,   tau(j) = eta_1 + .. + eta_j
        S(j) = 1 for j <= k,   (tau(T+1) - tau(j)) / (tau(T+1) - tau(k)) after

    With a constant step the weights are equal. It assumes that the first k steps have forgotten the start; a k too
    small averages the start in, a k too large leaves few iterates to average the noise out. S has a kink at k: see
    `snapped`.

    Parameters
    ----------
    start : int or float
        An int is the index k itself, and must not exceed the number of steps. A float in [0, 1) is a share of the time
        that elapses in the run: k is the iterate nearest to it, round(start * n_steps) with a constant step.

    Examples
    --------
    >>> from ridgeway.averaging import Tail
    >>> Tail(2).weights(n_steps=5, step=0.1)
    array([0.  , 0.  , 0.25, 0.25, 0.25, 0.25])
    >>> Tail(0.5).first(n_steps=1000)
    500
    >>> Tail(0.5).snapped([0, 256, 512, 1000], n_steps=1000)
    Tail(start=512)
    """

    start: float

    def __post_init__(self) -> None:
        if isinstance(self.start, Integral):
            start: float = whole_number("start", self.start, EXPECTED_START)
            remedy = "Tail(0) averages all iterates"
            valid = start >= 0
        else:
            start = real_number("start", self.start, EXPECTED_START)
            remedy = "Tail(1) starts at the first step, Last() is the end of the run"
            valid = 0 <= start < 1
        if not valid:
            raise ValueError(f"start={start!r} is out of range: {EXPECTED_START}; {remedy}.")
        object.__setattr__(self, "start", start)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Return tails of the whole run, of its second half and of its last tenth."""
        return cls(0), cls(0.5), cls(0.9)

    def first(self, n_steps: int, step: float | Staircase = 1.0) -> int:
        """Return k, the index of the first iterate averaged in a run of `n_steps` steps of these sizes."""
        n_steps, steps = checked_run(n_steps, step)
        if isinstance(self.start, float):
            if steps.constant:
                return round(self.start * n_steps)
            return min(round(steps.steps_until(self.start * float(steps.elapsed(n_steps)))), n_steps)
        if self.start > n_steps:
            raise ValueError(
                f"start={self.start} is beyond the run: the iterates of {n_steps} steps are 0..{n_steps}; "
                "a float in [0, 1) starts at a fraction of any run."
            )
        return self.start

    def snapped(self, edges: ArrayLike, n_steps: int, step: float | Staircase = 1.0) -> Tail:
        """Return the tail that starts at the nearest edge; of two that are equally near, at the earlier one."""
        first = self.first(n_steps, step)
        places = np.asarray(edges, dtype=np.int64)
        begin, end = np.searchsorted(places, [0, n_steps + 1])
        if begin == end:
            raise ValueError(f"edges={edges!r} has no step in 0..{n_steps}: a tail needs one to start at; add 0.")
        after = min(max(int(np.searchsorted(places, first)), begin + 1), end - 1)
        earlier, later = int(places[max(after - 1, begin)]), int(places[after])
        nearest = earlier if first - earlier <= later - first else later
        return self if nearest == first else Tail(nearest)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        first = self.first(n_steps, steps)
        if first == n_steps:  # the last iterate: continued like Last, without a kink at the end of the run
            return np.ones_like(j)
        at_first = uniform_survival(np.array([float(first)]), n_steps, steps)[0]
        shares: NDArray[np.float64] = np.minimum(1.0, uniform_survival(j, n_steps, steps) / at_first)
        return shares

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        first = self.first(n_steps, steps)
        return np.where(t < first, 0.0, time_shares(t, n_steps, steps, first))
