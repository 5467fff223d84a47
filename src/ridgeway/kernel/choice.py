"""Choice of the average of a kernel run: by folds that share the kernel blocks, at the pace that suits it.

A geometric average of strength alpha rests on the first 1 / (step * alpha) steps. Where these are less than a pass,
the answer depends on which rows came first; where they are more than the run, the strength is not reached. So the step
is set for the strength that a pilot expects, and another one is tried where the folds prefer a strength it does not
suit. Where the longest plain step is too slow, targets are nearly noiseless: then leading directions are flattened,
tried on one fold, with a quarter of the rows as centres and then with all of them (half, if memory is short), while the
held-out error gains from it. For few rows that is cheap, and the first choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.kernel.attempt import MEMORY, Attempt, FlattenedAttempt, PlainAttempt, flattened_run, for_strength
from ridgeway.kernel.pilot import pilot
from ridgeway.kernel.problem import KernelPlan, Problem
from ridgeway.kernel.span import COPIES, Span, span_of
from ridgeway.selection.folds import Fold
from ridgeway.selection.settling import MIN_GAIN_TO_CONTINUE
from ridgeway.selection.table import Selection, marked
from ridgeway.sgd import LimitedStep
from ridgeway.trajectory import Trajectory

SHORT, LONG = 0.7, 16.0  # memories, in passes, for which another step is tried
CHANGE = 8.0  # factor between two steps that are tried
ATTEMPTS = 3  # plain ones
FEW_ROWS = 2000  # up to here all rows are centres from the beginning
SOME_ROWS = 4000  # up to here all rows are centres where plain runs are too slow
QUARTER, HALF = 4, 2  # beyond, every fourth row is, and then all, or every second if memory is short
WORTH_CENTRES = 0.03  # share of the error that centres must take away for more of them to be tried
BYTES = 8


@dataclass(frozen=True, eq=False)
class KernelOutcome:
    """A finished run and the average it stands at.

    Attributes
    ----------
    trajectory, scheme, selection, passes, falling : as in `selection.Outcome`.
    residuals : rows that were held out, and what the average of runs without them left of their standardized targets.
    """

    trajectory: Trajectory
    scheme: Scheme
    selection: Selection | None
    passes: int
    falling: bool
    residuals: tuple[NDArray[np.intp], NDArray[np.float64]] | None = None


def run_only(problem: Problem, plan: KernelPlan) -> KernelOutcome:
    """Run over all rows; the average is given."""
    assert plan.scheme is not None
    alpha = plan.scheme.alpha if isinstance(plan.scheme, Geometric) else 0.0
    step = plan.step or step_for(problem, plan, alpha)
    n_centres = plan.flattening
    if n_centres is None and plan.step is None and plan.batch_size == 1 and alpha > 0:
        slow = alpha * step.size * plan.passes * len(problem) < MEMORY
        n_centres = len(problem) if slow or len(problem) <= FEW_ROWS else 0
    if n_centres:
        span = _span(problem, plan, n_centres)
        trajectory = flattened_run(problem, plan, span, alpha, plan.passes)
    else:
        sweep = plan.sweep(problem, [problem.everything], step)
        sweep.advance(plan.passes * len(problem))
        trajectory = sweep.trajectory(0, problem.single_target)
    return KernelOutcome(trajectory, plan.scheme, None, plan.passes, False)


def by_folds(problem: Problem, folds: Sequence[Fold], plan: KernelPlan, method: str) -> KernelOutcome:
    """Run every fold, and choose the average that predicts the held-out rows best."""
    attempts = _attempts(problem, folds, plan)
    best = attempts[-1]
    others = [row for attempt in attempts[:-1] for row in attempt.contest.rows if row.step != best.step.size]
    table = marked(best.contest.rows, plan.one_standard_error, others)
    n_folds = len(best.folds)
    selection = Selection(method if n_folds == len(folds) else f"{method}, then one of them", table, best.halfway)
    scheme = selection.chosen.scheme
    rows = np.concatenate([fold.test for fold in best.folds])
    residuals = np.concatenate([trial.residuals(scheme) for trial in best.trials])
    passes = best.passes
    attempts.clear()  # their runs are large
    return KernelOutcome(best.final(), scheme, selection, passes, best.falling, (rows, residuals))


def _attempts(problem: Problem, folds: Sequence[Fold], plan: KernelPlan) -> list[Attempt]:
    """Return the attempts, the best one last."""
    centred = problem.y - problem.mean(problem.everything)
    alpha = pilot(problem.blocks.gram, centred, problem.weight, plan.rng).alpha
    flattening = plan.flattening
    if flattening is None and len(problem) <= FEW_ROWS and plan.step is None and plan.batch_size == 1:
        flattening = len(problem)
    if flattening:
        return [_flattened(problem, plan, folds, flattening, alpha)]
    attempts = _plain_attempts(problem, folds, plan, alpha)
    if plan.flattening == 0 or plan.step is not None or plan.batch_size > 1 or not plan.settles:
        return attempts
    if not (attempts[-1].memory() > LONG and attempts[-1].gain > MIN_GAIN_TO_CONTINUE):
        return attempts
    for n_centres in _numbers_of_centres(problem, plan):
        faster = _flattened(problem, plan, folds[:1], n_centres, alpha)
        before, now = attempts[-1].error_on_first(), faster.error_on_first()
        if now > before:
            break
        attempts.append(faster)
        if now > (1 - WORTH_CENTRES) * before:
            break
    return attempts


def _flattened(
    problem: Problem, plan: KernelPlan, folds: Sequence[Fold], n_centres: int, alpha: float
) -> FlattenedAttempt:
    span = _span(problem, plan, n_centres)
    attempt = FlattenedAttempt(problem, plan, folds, span, alpha)
    attempt.settle()
    return attempt


def _numbers_of_centres(problem: Problem, plan: KernelPlan) -> list[int]:
    """Numbers to try in turn: all rows if they are few, else a part of them first."""
    n_rows = len(problem)
    if n_rows <= min(plan.most_centres, SOME_ROWS):
        return [n_rows]
    most = n_rows if n_rows <= plan.most_centres else n_rows // HALF
    return list(dict.fromkeys(min(number, plan.most_centres) for number in (n_rows // QUARTER, most)))


def _span(problem: Problem, plan: KernelPlan, n_centres: int) -> Span:
    """Return the span of so many centres, fewer if memory is short, and make room for their directions."""
    n_centres = min(n_centres, plan.most_centres)
    problem.blocks.spare(COPIES * BYTES * float(n_centres) * len(problem))
    return span_of(problem.blocks.gram, problem.blocks.layout, n_centres, plan.rng)


def _plain_attempts(problem: Problem, folds: Sequence[Fold], plan: KernelPlan, alpha: float) -> list[Attempt]:
    """Try the step for the expected strength, and others as long as they are better and do not suit their average."""
    step = plan.step or step_for(problem, plan, alpha)
    longest = problem.longest_step(plan.batch_size, plan.rng).size
    attempts: list[Attempt] = []
    while len(attempts) < ATTEMPTS:
        attempt = PlainAttempt(problem, plan, folds, step)
        attempt.settle()
        attempts.append(attempt)
        attempts.sort(key=lambda attempt: -attempt.contest.least)
        if attempts[-1] is not attempt or plan.step is not None or not plan.settles:
            break
        memory = attempt.memory()
        if memory < SHORT:
            size = step.size / CHANGE
        elif memory > LONG and attempt.gain > MIN_GAIN_TO_CONTINUE:
            size = min(step.size * CHANGE, longest)
        else:
            break
        if any(np.isclose(size, other.step.size) for other in attempts):
            break
        step = LimitedStep(size, step.limit)
        plan.progress.extend(plan.passes * len(problem))
    return attempts


def step_for(problem: Problem, plan: KernelPlan, alpha: float) -> LimitedStep:
    """Return the longest step at which an average of strength alpha rests on MEMORY passes at least."""
    longest = problem.longest_step(plan.batch_size, plan.rng)
    steps_per_pass = -(-len(problem) // plan.batch_size)
    return LimitedStep(for_strength(longest.size, alpha, steps_per_pass), longest.limit)
