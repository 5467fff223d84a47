"""An attempt: runs of one pace over the folds, and how their averages compare on the rows held out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from ridgeway.averaging import Geometric
from ridgeway.kernel.flattening import Flattening, flatten
from ridgeway.kernel.problem import KernelPlan, Mask, Problem
from ridgeway.kernel.span import Span
from ridgeway.kernel.sweep import KernelSweep
from ridgeway.kernel.trial import KernelTrial, KernelTrials
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.folds import Fold
from ridgeway.selection.settling import advance_until_settled
from ridgeway.sgd import LimitedStep
from ridgeway.trajectory import Trajectory

MEMORY = 6.0  # passes that a geometric average of the expected strength rests on
FAR_BELOW, FAR_ABOVE = 1e-2, 10.0
NOTHING = 1e-12  # of the largest eigenvalue: below, strengths are rounding errors


class Attempt(ABC):
    """Runs until their held-out error settles.

    Attributes
    ----------
    contest : the candidates.
    gain : share of the error that the last doubling of the passes took away.
    halfway : error of the best candidate before it.
    falling : whether the error was clearly falling.
    trials : one per fold.
    """

    contest: Contest
    gain: float
    halfway: float
    falling: bool
    trials: Sequence[KernelTrial]

    def __init__(self, problem: Problem, plan: KernelPlan, folds: Sequence[Fold]) -> None:
        self.problem, self.plan, self.folds = problem, plan, folds
        self.rows_done = 0

    @property
    def n_rows(self) -> int:
        """Rows of one pass."""
        return len(self.problem)

    @property
    def begun(self) -> bool:
        """Whether every run has learned from some row; the first pass reaches all of them."""
        return True

    @property
    def passes(self) -> int:
        """Passes made."""
        return self._sweeps[0].passes

    @property
    @abstractmethod
    def step(self) -> LimitedStep:
        """The step of the runs."""

    @property
    @abstractmethod
    def _sweeps(self) -> Sequence[KernelSweep]:
        """Runs over the folds."""

    @abstractmethod
    def _trajectory(self, fold: int) -> Trajectory:
        """Return the run of a fold."""

    @abstractmethod
    def final(self) -> Trajectory:
        """Return the run over all rows."""

    def advance(self, n_rows: int) -> None:
        """Go through so many rows, in whole passes."""
        for sweep in self._sweeps:
            sweep.advance(n_rows)
        self.rows_done = self._sweeps[0].rows_done

    def settle(self) -> None:
        """Make the passes of the plan, fewer or more of them as the held-out error has it, and compare candidates.

        On the way a rough look at the candidates is enough.
        """
        ending = advance_until_settled(self, self.plan, lambda _: self._compare(rough=True))
        self.halfway, self.falling = ending.halfway, ending.falling
        self.gain = 1 - ending.contest.least / ending.halfway if ending.halfway > 0 else 0.0
        self.contest = self._compare(rough=False)

    def memory(self) -> float:
        """Passes that the best average rests on; infinite for averages that rest on all."""
        best = min(self.contest.rows, key=lambda row: row.error)
        alpha = best.scheme.alpha if isinstance(best.scheme, Geometric) else 0.0
        return self.passes / (self.step.size * alpha * self._n_steps) if alpha > 0 else np.inf

    def error_on_first(self) -> float:
        """Error of the best candidate on the held-out rows of the first fold, in standardized targets."""
        n_groups = len(self.folds[0].groups(len(self.folds)))
        best = int(np.argmin([row.error for row in self.contest.rows]))
        errors, weight = self.contest.uncapped[best, :n_groups], self.contest.weight[:n_groups]
        return float(errors.sum() / weight.sum())

    def _candidates(self, n_steps: int, rough: bool) -> Candidates:
        return Candidates.of(self.plan.family or "auto", n_steps * self.step.size, self.step.size, rough)

    def _compare(self, rough: bool) -> Contest:
        problem = self.problem
        trajectories = [self._trajectory(fold) for fold in range(len(self.folds))]
        means = np.stack([problem.mean(fold.train) for fold in self.folds])
        self.trials = KernelTrials(problem.blocks, self.folds, trajectories, problem.y, problem.weight, means).trials
        self._n_steps = max(trajectory.length for trajectory in trajectories)
        candidates = self._candidates(self._n_steps, rough)
        return compare(self.trials, candidates, self.step.size, problem.unit, refine=not rough)


class PlainAttempt(Attempt):
    """Plain runs: all folds and all rows together in one sweep."""

    def __init__(self, problem: Problem, plan: KernelPlan, folds: Sequence[Fold], step: LimitedStep) -> None:
        super().__init__(problem, plan, folds)
        self._step = step
        self._sweep = plan.sweep(problem, [*(fold.train for fold in folds), problem.everything], step)

    @property
    def step(self) -> LimitedStep:
        """The step of the runs."""
        return self._step

    @property
    def _sweeps(self) -> Sequence[KernelSweep]:
        return [self._sweep]

    def block_by_block(self, n_rows: int) -> Iterator[int]:
        """Go through so many rows, and yield the number of each block when it is done."""
        return self._sweep.block_by_block(n_rows)

    def rough_error(self) -> float:
        """Held-out error of the best candidate as the runs stand, at a rough look."""
        return self._compare(rough=True).least

    def _trajectory(self, fold: int) -> Trajectory:
        return self._sweep.trajectory(fold, self.problem.single_target)

    def final(self) -> Trajectory:
        """Return the run over all rows."""
        return self._sweep.trajectory(len(self.folds), self.problem.single_target)


class FlattenedAttempt(Attempt):
    """Runs with directions flattened: each has directions, step and start of its own, in the same span."""

    def __init__(self, problem: Problem, plan: KernelPlan, folds: Sequence[Fold], span: Span, alpha: float) -> None:
        super().__init__(problem, plan, folds)
        self.span, self._alpha = span, alpha
        paces = [flattened_pace(problem, plan, span, alpha, fold.train) for fold in folds]
        # One step for all folds: candidates are compared by it.
        self._step = min((step for _, step in paces), key=lambda step: step.size)
        # A fold may be left with rows whose kernel is 0; where all are, any strength will do.
        found = [flattening.eigenvalues for flattening, _ in paces if len(flattening.eigenvalues)]
        self._largest = max((float(eigenvalues[0]) for eigenvalues in found), default=1.0)
        self._smallest = min((float(eigenvalues[-1]) for eigenvalues in found), default=1.0)
        self._runs = [
            plan.sweep(problem, [fold.train], self._step, flattening)
            for fold, (flattening, _) in zip(folds, paces, strict=True)
        ]

    @property
    def step(self) -> LimitedStep:
        """The step of the runs."""
        return self._step

    @property
    def _sweeps(self) -> Sequence[KernelSweep]:
        return self._runs

    def _trajectory(self, fold: int) -> Trajectory:
        return self._runs[fold].trajectory(0, self.problem.single_target)

    def _candidates(self, n_steps: int, rough: bool) -> Candidates:
        # Strengths beyond the largest eigenvalue leave nothing; those far below the smallest change nothing.
        weakest = min(FAR_BELOW * self._smallest, 1 / (self.step.size * n_steps))
        return Candidates.over(
            self.plan.family or "auto", max(weakest, NOTHING * self._largest), FAR_ABOVE * self._largest, rough
        )

    def final(self) -> Trajectory:
        """Run over all rows, as many passes as the folds, whose runs make room for it."""
        passes = self.passes
        self._runs, self.trials = [], []
        return flattened_run(self.problem, self.plan, self.span, self._alpha, passes)


def flattened_run(problem: Problem, plan: KernelPlan, span: Span, alpha: float, passes: int) -> Trajectory:
    """Run over all rows with directions flattened, at a pace for strengths about alpha."""
    flattening, step = flattened_pace(problem, plan, span, alpha, problem.everything)
    sweep = plan.sweep(problem, [problem.everything], step, flattening)
    plan.progress.extend(passes * len(problem))
    sweep.advance(passes * len(problem))
    return sweep.trajectory(0, problem.single_target)


def flattened_pace(
    problem: Problem, plan: KernelPlan, span: Span, alpha: float, train: Mask
) -> tuple[Flattening, LimitedStep]:
    """Return the directions of a run, and its step."""
    layout = problem.blocks.layout
    weight = (problem.weight * train)[layout]
    flattening = flatten(span, problem.blocks, weight, (problem.y - problem.mean(train))[layout], plan.rng)
    size = for_strength(flattening.longest_step(weight, problem.blocks.size), alpha, len(problem.blocks))
    return flattening, plan.step or LimitedStep(size, np.inf)


def for_strength(longest: float, alpha: float, steps_per_pass: int) -> float:
    """Return the longest step, or a shorter one at which an average of strength alpha rests on MEMORY passes."""
    return min(longest, 1 / (MEMORY * alpha * steps_per_pass)) if alpha > 0 else longest
