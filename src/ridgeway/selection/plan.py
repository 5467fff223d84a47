"""What a fit has decided before it begins, and what it ends with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme
from ridgeway.progress import Progress
from ridgeway.rows.feed import Feed
from ridgeway.selection.sweep import Mask, Sweep
from ridgeway.selection.table import Selection
from ridgeway.sgd import LimitedStep, SGDRun
from ridgeway.trajectory import Layout, Trajectory

if TYPE_CHECKING:
    from ridgeway.selection.held_out import HeldOut

STEPS = 1_000_000  # steps in all that passes="auto" aims at
MOST_PASSES = 10_000  # over very few rows
MANY_ROWS = 100_000  # beyond, cv="auto" holds rows out once instead of folding
LONGER = 4  # passes="auto" goes on up to this many times as long while the error still falls


@dataclass(frozen=True)
class Plan:
    """How to run.

    Attributes
    ----------
    family : "auto", "geometric" or "tail", what competes; None when `scheme` is given.
    scheme : the average, when it is not chosen.
    step : the step, with its limit.
    safe_step : a smaller one that limits no row, to compete with it in a choice by folds; None if `step` limits none.
    passes : passes over the rows.
    most_passes : passes up to which a run goes on while the error still falls; `passes` when they are fixed.
    settles : whether a run may end before `passes` when the error has settled.
    chains, batch_size, shuffle, store, n_jobs : as in `run_sgd`.
    one_standard_error : choose the strongest regularization within a standard error of the best.
    rng : source of orders and folds.
    progress : the bar.
    """

    family: str | None
    scheme: Scheme | None
    step: LimitedStep
    safe_step: LimitedStep | None
    passes: int
    most_passes: int
    settles: bool
    chains: int
    batch_size: int
    shuffle: bool
    store: str | Layout
    n_jobs: int
    one_standard_error: bool
    rng: np.random.Generator
    progress: Progress

    def sweep(self, feed: Feed, trains: Sequence[Mask], steps: Sequence[LimitedStep] = ()) -> Sweep:
        """Return a sweep of fresh runs, one per mask of rows and step."""
        return Sweep(
            feed,
            trains,
            lambda step: SGDRun(step, self.store, self.batch_size),
            steps=steps or (self.step,),
            segments=self.chains,
            passes_apart=self.batch_size > 1,
            shuffle=self.shuffle,
            n_jobs=self.n_jobs,
            rng=self.rng,
            progress=self.progress,
        )


def auto_passes(n_rows: int) -> int:
    """One pass over many rows, about a million steps in all over few."""
    return min(max(1, round(STEPS / n_rows)), MOST_PASSES)


@dataclass(frozen=True)
class Outcome:
    """A finished run and the average it stands at.

    Attributes
    ----------
    trajectory : of the run over all rows.
    scheme : the average.
    selection : how it was chosen; None when it was given.
    run : the run itself, which can go on; None when it was several.
    passes : passes over the rows that were made.
    falling : whether the held-out error was still falling at the end.
    held_out : predictions of rows that had not been learned from; None where there were none.
    """

    trajectory: Trajectory
    scheme: Scheme
    selection: Selection | None
    run: SGDRun | None
    passes: float
    falling: bool = False
    held_out: HeldOut | None = None
