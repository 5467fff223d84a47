"""Settling: how long to go on. The error of the best candidate is looked at when the number of steps has doubled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ridgeway.progress import Progress
from ridgeway.selection.contest import Contest
from ridgeway.selection.engine import Advancing

SETTLED = 5e-4  # gain in mean squared error by twice the steps below which more of them are not worth it
FALLING = 2e-2  # gain above which the user should know
WORTH_MORE = 2e-3  # gain above which an automatic number of passes goes on
FIRST_LOOK = 16  # the first look is at this part of the planned steps


class Length(Protocol):
    """How long to go on; see `Plan`."""

    @property
    def passes(self) -> int:
        """Passes over the rows."""

    @property
    def max_passes(self) -> int:
        """Passes up to which to go on while the error still falls."""

    @property
    def settles(self) -> bool:
        """Whether to end early when the error has settled."""

    @property
    def climb(self) -> float:
        """Share of the planned steps over which the step grows: before its end there is nothing to see."""

    @property
    def progress(self) -> Progress:
        """The bar."""


@dataclass(frozen=True)
class Ending:
    """How a sweep ended: the last contest, the best error at half of the steps, and whether it was still falling."""

    contest: Contest
    halfway: float
    falling: bool


def advance_until_settled(runs: Advancing, plan: Length, score: Callable[[bool], Contest]) -> Ending:
    """Go through the planned passes, fewer if the error settles before, more while it falls and the plan allows it.

    Looks are at 1/16, 1/8, .. of the planned steps, once the step has grown, where the plan may end early; otherwise
    halfway and at the end.

    Parameters
    ----------
    runs : read the rows together.
    plan : how many passes.
    score : scores the candidates as the runs stand; roughly, if given True, where that will not be the end.
    """
    n_rows = runs.n_rows
    planned = plan.passes * n_rows
    middle = int(planned * (1 + plan.climb) / 2)  # of the time after the climb
    looks = [planned >> k for k in range(FIRST_LOOK.bit_length() - 1, 0, -1)] if plan.settles else []
    looks = [look for look in looks if look >= min(2 * n_rows, planned // 2) and look > plan.climb * planned]
    looks = [*(looks or ([middle] if middle else [])), planned]
    more = planned
    while (more := 2 * more) <= plan.max_passes * n_rows:
        looks.append(more)
    before, gain = math.nan, math.nan
    for look in looks:
        if look > planned and not gain > WORTH_MORE:
            break
        if look > planned:
            plan.progress.extend(look - runs.rows_done)
        runs.advance(look - runs.rows_done)
        if look < looks[-1] and not runs.begun:
            continue  # a fold whose rows come later
        contest, halfway = score(look < planned and not plan.settles), before
        before = contest.least
        gain = 1 - before / halfway if halfway > 0 else math.nan
        if look < planned and plan.settles and gain < SETTLED:
            break
    return Ending(contest, halfway, bool(gain > FALLING))
