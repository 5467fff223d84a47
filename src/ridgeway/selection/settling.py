"""Settling: when to stop. The error of the best candidate is checked whenever the number of steps has doubled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ridgeway.messages.progress import Progress
from ridgeway.selection.contest import Contest
from ridgeway.selection.engine import Advancing

# Decreases are relative, of the mean squared error when the number of steps doubles.
SETTLED_DECREASE = 5e-4  # with a smaller decrease the run ends early
FALLING_DECREASE = 2e-2  # with a larger decrease at the end the user is warned
MIN_DECREASE_TO_CONTINUE = 2e-3  # with a larger decrease an automatic number of passes is extended
FIRST_CHECK_DIVISOR = 16  # the first check is after this fraction of the planned steps


class Length(Protocol):
    """The fields of a `Plan` that decide how many passes are made."""

    @property
    def passes(self) -> int:
        """Planned passes over the rows."""

    @property
    def max_passes(self) -> int:
        """Largest number of passes while the error still falls."""

    @property
    def settles(self) -> bool:
        """Whether to end early when the error has settled."""

    @property
    def climb(self) -> float:
        """Share of the planned steps over which the step grows; before that, errors are not compared."""

    @property
    def progress(self) -> Progress:
        """The progress bar."""


@dataclass(frozen=True)
class Ending:
    """The end of a sweep: the last contest, the best error at half of the steps, and whether it was still falling."""

    contest: Contest
    halfway: float
    falling: bool


def advance_until_settled(runs: Advancing, plan: Length, score: Callable[[bool], Contest]) -> Ending:
    """Make the planned passes: fewer if the error settles, more if it still falls and the plan allows it.

    If the plan may end early, the error is checked at 1/16, 1/8, .. of the planned steps, once the step has grown;
    otherwise halfway and at the end.

    Parameters
    ----------
    runs : runs that read the rows together.
    plan : number of passes.
    score : scores the candidates for the current state of the runs; score(True) may be approximate.
    """
    n_rows = runs.n_rows
    planned = plan.passes * n_rows
    middle = int(planned * (1 + plan.climb) / 2)  # half of the steps after the step has grown
    checks = [planned >> k for k in range(FIRST_CHECK_DIVISOR.bit_length() - 1, 0, -1)] if plan.settles else []
    checks = [check for check in checks if check >= min(2 * n_rows, planned // 2) and check > plan.climb * planned]
    checks = [*(checks or ([middle] if middle else [])), planned]
    more = planned
    while (more := 2 * more) <= plan.max_passes * n_rows:
        checks.append(more)
    before, decrease = math.nan, math.nan
    for check in checks:
        if check > planned and not decrease > MIN_DECREASE_TO_CONTINUE:
            break
        if check > planned:
            plan.progress.extend(check - runs.rows_done)
        runs.advance(check - runs.rows_done)
        if check < checks[-1] and not runs.begun:
            continue  # all rows of some fold come later
        contest, halfway = score(check < planned and not plan.settles), before
        before = contest.least
        decrease = 1 - before / halfway if halfway > 0 else math.nan
        if check < planned and plan.settles and decrease < SETTLED_DECREASE:
            break
    return Ending(contest, halfway, bool(decrease > FALLING_DECREASE))
