"""Step schedules: a constant step, or one that grows so that every ridge strength uses many rows.

The geometric average at alpha depends mainly on the steps of the first 1/alpha of time. With a constant step eta these
are 1 / (eta alpha) steps. For a strong alpha these are few, and the average is noise. If steps double from stair to
stair, over stairs of equal length, every alpha depends on about one stair of small steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ridgeway.averaging import Staircase
from ridgeway.sgd.step_size import CLIPPING_LIMIT, LimitedStep
from ridgeway.storage.state import State, Stored
from ridgeway.validation.scalars import counted, real_number

CLIMB_SHARE = 0.25  # share of a run over which the step grows
CLIMB_SHARE_OF_FEW_PASSES = 0.5  # the share in few passes, where noise matters more than time
MAX_FEW_PASSES = 8
STRONGEST_ALPHA = 1e3  # averages are close to ridge up to this strength, in units of the given rows
FIRST_STEP_FACTOR = 3.0  # c in the size of the first step
LENGTH_BITS = 3  # the length of a stair is rounded to these leading bits; blocks of a sketch are powers of two


@dataclass(frozen=True)
class GrowingStep:
    """A step that doubles from stair to stair over the first part of a run, and is then constant.

    If the step grows over k = share * n_steps steps, the first step is

        eta_lo = 3 log(size * strongest * k) / (strongest * k) ,

    and stairs of equal length lead from there to `size`. Averages of ridge strengths up to `strongest` then use enough
    steps to be close to ridge. If size * strongest * k is below e, the step is constant. Rows that are too large for
    `size` are split into several smaller steps, so no run diverges.

    Parameters
    ----------
    size : float
        The final step; .5 over the mean squared row norm is a good one.
    share : float
        Share of the run over which the step grows, in (0, 1). A larger share brings strong alphas closer to ridge, and
        leaves less time for weak ones. The length of the run must be known.
    strongest : float
        Largest strength for which averages are close to ridge, in units of the rows of the run.
    climb : int, optional
        Number of steps over which the step grows, instead of a share, for runs of unknown length.

    Examples
    --------
    >>> from ridgeway import GrowingStep
    >>> steps = GrowingStep(0.1).staircase(n_steps=100_000)
    >>> len(steps.sizes), steps.sizes[0] < 1e-5, steps.last, steps.edges[-1] <= 25_000
    (17, True, 0.1, True)
    """

    size: float
    share: float = CLIMB_SHARE
    strongest: float = STRONGEST_ALPHA
    climb: int | None = None

    def __post_init__(self) -> None:
        LimitedStep(self.size)  # checks it
        share = real_number("share", self.share, "expected the share of the run that climbs, above 0 and below 1")
        if not 0 < share < 1:
            raise ValueError(f"share={share}: expected the share of the run that climbs, above 0 and below 1.")
        strongest = real_number("strongest", self.strongest, "expected a ridge strength above 0")
        if strongest <= 0:
            raise ValueError(f"strongest={strongest}: expected a ridge strength above 0.")
        object.__setattr__(self, "size", float(self.size))
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "strongest", strongest)
        if self.climb is not None:
            object.__setattr__(self, "climb", counted("climb", self.climb, "expected None or a number of steps"))

    def staircase(self, n_steps: int | None = None) -> Staircase:
        """Return the step sizes of a run of n_steps; with `climb` the length does not matter."""
        if self.climb is None and n_steps is None:
            raise ValueError(
                f"{self} needs the length of the run, which is not known here: pass climb=, the number of steps over "
                "which it grows."
            )
        climb = self.climb if self.climb is not None else int(self.share * (n_steps or 0))
        reach = self.size * self.strongest * climb
        if not math.e < reach < math.inf:
            return Staircase((self.size,))
        first = FIRST_STEP_FACTOR * math.log(reach) / (self.strongest * climb)
        n_stairs = min(math.ceil(math.log2(self.size / first)), climb // 2)
        if n_stairs < 1:
            return Staircase((self.size,))
        length = _rounded_length(climb // n_stairs)
        sizes = tuple(self.size * 2.0**-k for k in range(n_stairs, -1, -1))
        return Staircase(sizes, tuple(length * k for k in range(1, n_stairs + 1)))

    def state(self) -> State:
        """Return the parameters."""
        return {"size": self.size, "share": self.share, "strongest": self.strongest, "climb": self.climb}

    @classmethod
    def from_state(cls, stored: Stored) -> GrowingStep:
        """Return the step of a state; `climb` is None where it is not given."""
        climb = stored.integer("climb", 1) if "climb" in stored else None
        return cls(stored.positive("size"), stored.positive("share"), stored.positive("strongest"), climb)


def climb_share(passes: int) -> float:
    """Return the default share of a run over which the step grows."""
    return CLIMB_SHARE_OF_FEW_PASSES if passes < MAX_FEW_PASSES else CLIMB_SHARE


@dataclass(frozen=True)
class Schedule:
    """The step sizes of a run, and `limit`: where size * weight * |x|^2 exceeds it, the step of that row is clipped."""

    sizes: Staircase
    limit: float = math.inf

    @property
    def size(self) -> float:
        """The last step size."""
        return self.sizes.last

    def state(self) -> State:
        """Return sizes and limit; None for an infinite limit."""
        return {"sizes": self.sizes.state(), "limit": self.limit if math.isfinite(self.limit) else None}

    @classmethod
    def from_state(cls, stored: Stored) -> Schedule:
        """Return the schedule of a state; format 1 had one size. An infinite limit is stored as None."""
        sizes = stored.optional("sizes")
        return cls(
            Staircase((stored.positive("size"),)) if sizes is None else Staircase.from_state(sizes),
            stored.positive("limit") if "limit" in stored else math.inf,
        )


def schedule_of(step: Any, n_steps: int | None = None, batch_size: int = 1) -> Schedule | None:
    """Return the schedule of a run of n_steps; None for "auto".

    A number or a staircase is used unchanged. Growing steps are safe, because rows too large for them are split; a
    large row that is not split is clipped. A row of a mini-batch counts with its share.
    """
    if isinstance(step, Schedule):
        return step
    if isinstance(step, LimitedStep):
        return Schedule(Staircase((step.size,)), step.limit)
    if isinstance(step, Staircase):
        return Schedule(step)
    if isinstance(step, GrowingStep):
        return Schedule(step.staircase(n_steps), CLIPPING_LIMIT * batch_size)
    if isinstance(step, str):
        if step == "auto":
            return None
        raise ValueError(f"step={step!r}: expected 'auto', a positive number, a LimitedStep or a GrowingStep.")
    return Schedule(Staircase((LimitedStep(step).size,)))


def _rounded_length(length: int) -> int:
    """Return an even length, rounded down to a few leading bits."""
    spare = max(1, length.bit_length() - LENGTH_BITS)
    return max(2, length >> spare << spare)
