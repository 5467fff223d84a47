"""Choice of the average of a kernel run: by folds that share the kernel blocks, with the step and pace that suit it.

A geometric average of strength alpha rests on the first 1 / (step * alpha) steps. Where these are less than a pass,
the answer depends on which rows came first; where they are more than the run, the strength is not reached. So the step
is set for the strength that a pilot expects, and another one is tried where the folds prefer a strength it does not
suit. Where the longest plain step is too slow, targets are nearly noiseless: then leading directions are flattened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.kernel.blocks import Blocks
from ridgeway.kernel.flattening import Flattening, flatten
from ridgeway.kernel.pilot import pilot
from ridgeway.kernel.sweep import KernelSweep
from ridgeway.kernel.trial import KernelTrials
from ridgeway.progress import Progress
from ridgeway.rows import Float
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.folds import Fold
from ridgeway.selection.settling import WORTH_MORE, advance_until_settled
from ridgeway.selection.table import Scored, Selection, marked
from ridgeway.sgd import LimitedStep
from ridgeway.sgd.step_size import step_from
from ridgeway.trajectory import Trajectory

PASSES = 32
LONGER = 2
MEMORY = 6.0  # passes that a geometric average of the expected strength rests on
SHORT, LONG = 0.7, 16.0  # memories, in passes, that another step is tried for
CHANGE = 8.0  # factor between two steps that are tried
ATTEMPTS = 3
FEW_ROWS = 2000  # up to here flattening takes all rows as centres


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be learned.

    Attributes
    ----------
    blocks : the kernel matrix.
    y : (n, targets), standardized, in the order of the kernel matrix's rows.
    weight : (n,), of mean 1, likewise.
    single_target : True when y was 1-D.
    centred : whether each run is centred at the mean of its own targets.
    unit : what a squared error of 1 in standardized targets is in the user's units.
    """

    blocks: Blocks
    y: Float
    weight: Float
    single_target: bool
    centred: bool
    unit: float

    def means(self, trains: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
        """Means of the targets over the rows of each run, (runs, targets); 0 where nothing is centred."""
        if not self.centred:
            return np.zeros((len(trains), self.y.shape[1]))
        return np.stack([self.weight[train] @ self.y[train] / self.weight[train].sum() for train in trains])

    def plain_step(self) -> LimitedStep:
        """Return the longest step for single rows: the inverse of the largest weight * k(x, x), or limited.

        It is limited where few rows are far larger than the others, as with polynomial kernels.
        """
        q = self.blocks.gram.diagonal() * self.weight
        if not (q >= 0).all():
            raise ValueError(
                f"k(x, x) is {q.min():g} for some row: a positive definite kernel has no negative values there."
            )
        safe = 1 / float(q.max()) if q.max() > 0 else 1.0
        limited = step_from(q, np.ones_like(q))
        return limited if limited.size > safe else LimitedStep(safe)


@dataclass(frozen=True, eq=False)
class KernelPlan:
    """How to run and what to choose from; see the parameters of `AveragedKernelRegressor`.

    Attributes
    ----------
    family, scheme : what competes, or the average that is given.
    step : None for automatic.
    passes, most_passes, settles : as in `selection.Plan`.
    batch_size, shuffle, one_standard_error, rng, progress : likewise.
    flattening : number of centres, 0 for none; None for automatic.
    most_centres : that memory allows.
    """

    family: str | None
    scheme: Scheme | None
    step: LimitedStep | None
    passes: int
    most_passes: int
    settles: bool
    batch_size: int
    shuffle: bool
    one_standard_error: bool
    flattening: int | None
    most_centres: int
    rng: np.random.Generator
    progress: Progress


@dataclass(frozen=True, eq=False)
class Pace:
    """A step, and the flattening it is for."""

    step: LimitedStep
    flattening: Flattening | None = None


@dataclass(frozen=True, eq=False)
class Attempt:
    """Runs of one pace and how their averages compare."""

    pace: Pace
    sweep: KernelSweep
    contest: Contest
    halfway: float
    falling: bool

    @property
    def gain(self) -> float:
        """Share of the error that the second half of the passes took away."""
        return 1 - self.contest.least / self.halfway if self.halfway > 0 else 0.0

    def memory(self, n_rows: int) -> float:
        """Passes that the best average rests on; infinite for averages that rest on all."""
        best = min(self.contest.rows, key=lambda row: row.error)
        alpha = best.scheme.alpha if isinstance(best.scheme, Geometric) else 0.0
        steps_per_pass = self.contest.n_steps / self.sweep.passes
        return 1 / (self.pace.step.size * alpha * steps_per_pass) if alpha > 0 else np.inf


@dataclass(frozen=True, eq=False)
class KernelOutcome:
    """A finished run and the average it stands at; as `selection.Outcome`."""

    trajectory: Trajectory
    scheme: Scheme
    selection: Selection | None
    passes: int
    falling: bool


def run_only(problem: Problem, plan: KernelPlan) -> KernelOutcome:
    """Run over all rows; the average is given."""
    assert plan.scheme is not None
    alpha = plan.scheme.alpha if isinstance(plan.scheme, Geometric) else 0.0
    pace = _first_pace(problem, plan, alpha)
    everything = np.ones(len(problem.y), bool)
    sweep = _sweep(problem, plan, [everything], pace)
    sweep.advance(plan.passes * len(problem.y))
    return KernelOutcome(sweep.trajectory(0, problem.single_target), plan.scheme, None, sweep.passes, False)


def by_folds(problem: Problem, folds: Sequence[Fold], plan: KernelPlan, method: str) -> KernelOutcome:
    """Run every fold and all rows together, and choose the average that predicts the held-out rows best."""
    attempts = _attempts(problem, folds, plan)
    best = min(attempts, key=lambda attempt: attempt.contest.least)
    others = [row for attempt in attempts if attempt is not best for row in _distinct(attempt, best)]
    table = marked(best.contest.rows, plan.one_standard_error, others)
    selection = Selection(method, table, best.halfway)
    trajectory = best.sweep.trajectory(len(folds), problem.single_target)
    return KernelOutcome(trajectory, selection.chosen.scheme, selection, best.sweep.passes, best.falling)


def _distinct(attempt: Attempt, best: Attempt) -> Sequence[Scored]:
    """Candidates of an attempt whose step tells them from those of the best."""
    return [] if attempt.contest.step == best.contest.step else attempt.contest.rows


def _attempts(problem: Problem, folds: Sequence[Fold], plan: KernelPlan) -> list[Attempt]:
    """Try the first pace, and others as long as the best average does not suit the pace it was found with."""
    n_rows = len(problem.y)
    guess = pilot(problem.blocks.gram, _centred(problem), problem.weight.astype(np.float64), plan.rng).alpha
    attempts = [_attempt(problem, folds, plan, _first_pace(problem, plan, guess))]
    if plan.step is not None or not plan.settles:
        return attempts
    longest = problem.plain_step()
    while len(attempts) < ATTEMPTS:
        last = attempts[-1]
        memory, step = last.memory(n_rows), last.pace.step
        tried = [attempt.pace.step.size for attempt in attempts]
        if last is not min(attempts, key=lambda attempt: attempt.contest.least):
            break
        if memory < SHORT:
            pace = replace(last.pace, step=LimitedStep(step.size / CHANGE, step.limit))
        elif memory < LONG or last.gain < WORTH_MORE:
            break
        elif last.pace.flattening is None and step.size < longest.size:
            pace = Pace(LimitedStep(min(step.size * CHANGE, longest.size), longest.limit))
        else:
            faster = _flattened_pace(problem, plan, last.pace.flattening)
            if faster is None:
                break
            pace = faster
        if any(np.isclose(pace.step.size, size) for size in tried):
            break
        plan.progress.extend(plan.passes * n_rows)
        attempts.append(_attempt(problem, folds, plan, pace))
    return attempts


def _first_pace(problem: Problem, plan: KernelPlan, alpha: float) -> Pace:
    """Return the step for an expected strength: not so long that a strong average rests on less than MEMORY passes."""
    if plan.flattening:
        flattening = flatten(problem.blocks, min(plan.flattening, len(problem.y)), plan.rng)
        size = flattening.longest_step(problem.weight.astype(np.float64), problem.blocks.size)
        steps_per_pass = len(problem.blocks)
        if plan.step is not None:
            return Pace(plan.step, flattening)
        return Pace(LimitedStep(_for_strength(size, alpha, steps_per_pass), np.inf), flattening)
    if plan.step is not None:
        return Pace(plan.step)
    longest = problem.plain_step()
    size = longest.size
    if plan.batch_size > 1:
        size = _mini_batch_step(problem, plan, size)
    return Pace(LimitedStep(_for_strength(size, alpha, -(-len(problem.y) // plan.batch_size)), longest.limit))


def _for_strength(longest: float, alpha: float, steps_per_pass: int) -> float:
    return min(longest, 1 / (MEMORY * alpha * steps_per_pass)) if alpha > 0 else longest


def _mini_batch_step(problem: Problem, plan: KernelPlan, single: float) -> float:
    """Return the longest step of mini-batches: b over the largest eigenvalue of the kernel matrix within one."""
    rows = plan.rng.permutation(len(problem.y))[: plan.batch_size]
    root = np.sqrt(problem.weight[rows].astype(np.float64))
    matrix = problem.blocks.gram.between(rows, rows) * root[:, None] * root
    largest = float(np.linalg.eigvalsh(matrix.astype(np.float64))[-1])
    return min(plan.batch_size * single, len(rows) / (1.5 * largest)) if largest > 0 else single


def _flattened_pace(problem: Problem, plan: KernelPlan, before: Flattening | None) -> Pace | None:
    """Return a pace with directions flattened, more of them than before; None where that is not possible."""
    n_rows = len(problem.y)
    if plan.flattening == 0 or plan.batch_size > 1:
        return None
    wanted = n_rows if n_rows <= FEW_ROWS else n_rows // (4 if before is None else 2)
    n_centres = min(wanted, plan.most_centres)
    if n_centres < 2 or (before is not None and n_centres <= 1.2 * len(before.centres)):
        return None
    flattening = flatten(problem.blocks, n_centres, plan.rng)
    size = flattening.longest_step(problem.weight.astype(np.float64), problem.blocks.size)
    return Pace(LimitedStep(size, np.inf), flattening)


def _attempt(problem: Problem, folds: Sequence[Fold], plan: KernelPlan, pace: Pace) -> Attempt:
    trains = [*(fold.train for fold in folds), np.ones(len(problem.y), bool)]
    sweep = _sweep(problem, plan, trains, pace)
    centres = problem.means(trains)[:-1]

    def score(rough: bool) -> Contest:
        trajectories = [sweep.trajectory(run, problem.single_target) for run in range(len(folds))]
        trials = KernelTrials(problem.blocks, folds, trajectories, problem.y, problem.weight, centres).trials
        n_steps = max(trajectory.length for trajectory in trajectories)
        candidates = Candidates.of(plan.family or "auto", n_steps, pace.step.size, rough)
        return compare(trials, candidates, pace.step.size, n_steps, problem.unit, refine=not rough)

    ending = advance_until_settled(sweep, len(problem.y), plan, score)
    return Attempt(pace, sweep, ending.contest, ending.halfway, ending.falling)


def _sweep(problem: Problem, plan: KernelPlan, trains: Sequence[NDArray[np.bool_]], pace: Pace) -> KernelSweep:
    layout = problem.blocks.layout
    targets = problem.y[:, None, :] - problem.means(trains)  # (n, runs, targets)
    return KernelSweep(
        problem.blocks,
        targets[layout].astype(problem.blocks.gram.dtype),
        problem.weight[layout],
        [train[layout] for train in trains],
        pace.step,
        problem.blocks.size if pace.flattening is not None else plan.batch_size,
        pace.flattening,
        plan.shuffle,
        plan.rng,
        plan.progress,
    )


def _centred(problem: Problem) -> NDArray[np.float64]:
    return problem.y - problem.means([np.ones(len(problem.y), bool)])[0]
