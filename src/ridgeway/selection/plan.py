"""`Plan`: the decisions of a fit before it begins.

`decide_plan` is the only place that makes these decisions: it turns checked parameters and the numbers of rows and
columns into steps, passes and a method of choice, for every SGD engine. An engine may have automatic passes of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ridgeway.averaging import Geometric, Scheme, Uniform
from ridgeway.messages.progress import Progress
from ridgeway.messages.user_warning import warn_user
from ridgeway.selection.cross_validation import CrossValidation
from ridgeway.sgd import GrowingStep, LimitedStep
from ridgeway.sgd.schedule import climb_share
from ridgeway.trajectory import Layout

TARGET_STEPS = 1_000_000  # steps in all that passes="auto" aims at
MAX_PASSES = 10_000  # largest number of automatic passes
MAX_PASSES_FACTOR = 4  # passes="auto" continues up to this many times as long while the error still falls
MAX_ROWS_TO_FOLD = 100_000  # with more rows, cv="auto" holds rows out once instead of using folds
MIN_ROWS_TO_CHOOSE = 4  # with fewer rows, nothing is held out
MAX_COLUMNS_OF_RIVALS = 1000  # columns beyond which each further run takes too much memory
RIVAL_STEP_RATIOS = (1 / 2, 1 / 4, 1 / 8)  # slower constant steps that compete when there is one pass


class Averaging(NamedTuple):
    """The requested average: a scheme, or a family to choose from."""

    scheme: Scheme | None
    family: str | None

    def can_choose(self, n_rows: int) -> bool:
        """Return whether there is a choice to make, and enough rows to make it."""
        return self.family is not None and n_rows >= MIN_ROWS_TO_CHOOSE

    def of_rows(self, n_rows: int, otherwise: Scheme) -> Averaging:
        """Return what is requested of these rows; if they are too few to choose from, warn, and take `otherwise`."""
        if self.scheme is not None or self.can_choose(n_rows):
            return self
        warn_nothing_to_choose(n_rows, otherwise)
        return Averaging(otherwise, None)


@dataclass(frozen=True)
class FitOptions:
    """Checked parameters of an estimator, from which a plan is made.

    Attributes
    ----------
    asked : the average, or the family that it is chosen from.
    step : None for automatic.
    passes : None for automatic.
    cv : how the average is chosen.
    batch_size, shuffle, store, n_jobs, one_standard_error : as in `Plan`.
    """

    asked: Averaging
    step: LimitedStep | GrowingStep | None
    passes: int | None
    cv: CrossValidation
    batch_size: int
    shuffle: bool
    store: str | Layout
    n_jobs: int
    one_standard_error: bool


@dataclass(frozen=True)
class Plan:
    """How to run and how to choose.

    Attributes
    ----------
    family : "auto", "geometric" or "tail", the averages that compete; None when `scheme` is given.
    scheme : the average, when it is given.
    cv : how the average is chosen; "auto" is decided.
    step : the step.
    rivals : constant steps that compete with it in a choice by folds.
    passes : passes over the rows.
    max_passes : passes up to which a run continues while the error still falls; `passes` when they are fixed.
    settles : whether a run may end before `passes` when the error has settled.
    chains, batch_size, shuffle, store, n_jobs : as in `run_sgd`.
    one_standard_error : choose the strongest regularization within a standard error of the best.
    rng : random numbers for orders and folds.
    progress : the progress bar.
    """

    family: str | None
    scheme: Scheme | None
    cv: CrossValidation
    step: LimitedStep | GrowingStep
    rivals: tuple[LimitedStep, ...]
    passes: int
    max_passes: int
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


class AutomaticSteps(NamedTuple):
    """Steps derived from the norms of the rows.

    Attributes
    ----------
    final_size : the final size of a growing step.
    constant : a constant step that may compete with it; None if the engine runs one step only.
    """

    final_size: float
    constant: LimitedStep | None


class Passes(NamedTuple):
    """How many passes over the rows a run makes.

    Attributes
    ----------
    planned : passes that the steps are planned for.
    largest : passes up to which the run continues while the error still falls.
    settles : whether the run may end before `planned` when the error has settled.
    """

    planned: int
    largest: int
    settles: bool


def decide_plan(
    options: FitOptions,
    n_rows: int,
    n_columns: int,
    automatic_steps: Callable[[], AutomaticSteps],
    chains: int,
    rng: np.random.Generator,
    progress: Progress,
    automatic_passes: Passes | None = None,
) -> Plan:
    """Decide steps, passes and the method of choice.

    Parameters
    ----------
    options : checked parameters.
    n_rows, n_columns : size of the data.
    automatic_steps : computes steps from the rows; called only if `options.step` is automatic.
    chains : number of chains.
    rng : random numbers for orders and folds.
    progress : the progress bar.
    automatic_passes : of an engine with a default of its own; None for those of linear SGD.
    """
    passes, max_passes, settles = decide_passes(options, automatic_passes or linear_passes(n_rows))
    step = options.step
    rivals: tuple[LimitedStep, ...] = ()
    if step is None:
        final_size, constant = automatic_steps()
        step = GrowingStep(final_size, climb_share(passes))
        rivals = () if constant is None else rival_steps(constant, n_rows, n_columns, passes)
    scheme, family = options.asked.of_rows(n_rows, Uniform())
    return Plan(
        family=family,
        scheme=scheme,
        cv=decide_method(options.cv, n_rows),
        step=step,
        rivals=rivals,
        passes=passes,
        max_passes=max_passes,
        settles=settles,
        chains=chains,
        batch_size=options.batch_size,
        shuffle=options.shuffle,
        store=options.store,
        n_jobs=options.n_jobs,
        one_standard_error=options.one_standard_error,
        rng=rng,
        progress=progress,
    )


def decide_method(cv: CrossValidation, n_rows: int) -> CrossValidation:
    """Return the method of choice: "auto" means folds, or a hold-out of many rows."""
    return cv.automatic("folds" if n_rows <= MAX_ROWS_TO_FOLD else "holdout")


def linear_passes(n_rows: int) -> Passes:
    """Return the automatic passes of linear SGD: one over many rows, about a million steps in all over few."""
    passes = min(max(1, round(TARGET_STEPS / n_rows)), MAX_PASSES)
    return Passes(passes, passes * MAX_PASSES_FACTOR if n_rows <= MAX_ROWS_TO_FOLD else passes, passes > 1)


def decide_passes(options: FitOptions, automatic: Passes) -> Passes:
    """Return the passes that are given, or else the automatic ones of the engine."""
    if options.asked.family is not None and options.cv.method == "progressive":
        return Passes(1, 1, settles=False)  # each row is predicted once before it is learned from
    if options.passes is not None:
        return Passes(options.passes, options.passes, settles=False)
    return automatic


def rival_steps(step: LimitedStep, n_rows: int, n_columns: int, passes: int) -> tuple[LimitedStep, ...]:
    """Return constant steps that compete with a growing one: this step and smaller ones.

    There are some only for one pass over a moderate number of rows and columns. In one pass the growth of the step
    takes time that weak alphas need; in several passes this does not matter.
    """
    if passes > 1 or n_rows > MAX_ROWS_TO_FOLD:
        return ()
    ratios = RIVAL_STEP_RATIOS if n_columns <= MAX_COLUMNS_OF_RIVALS else ()
    return (step, *(LimitedStep(step.size * ratio, step.limit) for ratio in ratios))


def warn_nothing_to_choose(n_rows: int, used: Scheme) -> None:
    """Warn that there are too few rows to choose an average, and say which one is used."""
    rows = "1 row" if n_rows == 1 else f"{n_rows} rows"
    named = f"alpha={used.alpha:g}" if isinstance(used, Geometric) else "the uniform average"
    warn_user(
        f"nothing could be chosen from {rows}: {named} is used; expected at least {MIN_ROWS_TO_CHOOSE} rows. Pass more "
        "rows, or an alpha."
    )
