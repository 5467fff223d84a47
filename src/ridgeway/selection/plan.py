"""What a fit has decided before it begins, and what it ends with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme
from ridgeway.progress import Progress
from ridgeway.selection.table import Selection
from ridgeway.sgd import GrowingStep, LimitedStep, SGDRun
from ridgeway.trajectory import Layout, Trajectory

if TYPE_CHECKING:
    from ridgeway.selection.held_out import HeldOut

STEPS = 1_000_000  # steps in all that passes="auto" aims at
MOST_PASSES = 10_000  # over very few rows
MANY_ROWS = 100_000  # beyond, cv="auto" holds rows out once instead of folding
WIDE = 1000  # columns beyond which each further run takes too much memory
SLOWER = (1 / 2, 1 / 4, 1 / 8)  # of the constant step, which compete with it when there is one pass
LONGER = 4  # passes="auto" goes on up to this many times as long while the error still falls


@dataclass(frozen=True)
class Plan:
    """How to run.

    Attributes
    ----------
    family : "auto", "geometric" or "tail", what competes; None when `scheme` is given.
    scheme : the average, when it is not chosen.
    step : the step.
    rivals : constant steps that compete with it in a choice by folds.
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
    step: LimitedStep | GrowingStep
    rivals: tuple[LimitedStep, ...]
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

    @property
    def steps(self) -> list[LimitedStep | GrowingStep]:
        """All steps that compete in a choice by folds."""
        return [self.step, *self.rivals]

    @property
    def climb(self) -> float:
        """Share of the planned steps over which the step grows."""
        if not isinstance(self.step, GrowingStep):
            return 0.0
        return self.step.share if self.step.climb is None else 0.0


def rival_steps(step: LimitedStep, n_rows: int, n_columns: int, passes: int) -> tuple[LimitedStep, ...]:
    """Return constant steps, this one and slower ones, for one pass over rows that are neither many nor wide.

    In one pass the climb of a growing step costs time that weak alphas need; in several it does not matter.
    """
    if passes > 1 or n_rows > MANY_ROWS:
        return ()
    return (step, *(LimitedStep(step.size * part, step.limit) for part in (SLOWER if n_columns <= WIDE else ())))


def auto_passes(n_rows: int) -> int:
    """One pass over many rows, about a million steps in all over few."""
    return min(max(1, round(STEPS / n_rows)), MOST_PASSES)


@dataclass(frozen=True)
class RidgeRun:
    """A run beside the chosen one.

    Attributes
    ----------
    trajectory : of the run over all rows.
    run : the run itself, which can go on; None when it was several.
    """

    trajectory: Trajectory
    run: SGDRun | None


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
    ridge : the run with the growing step, whose averages are ridge, where one with a constant step was chosen; None
        where the chosen run is the one to ask.
    """

    trajectory: Trajectory
    scheme: Scheme
    selection: Selection | None
    run: SGDRun | None
    passes: float
    falling: bool = False
    held_out: HeldOut | None = None
    ridge: RidgeRun | None = None
