"""Kernel SGD as an engine of the choice: constant steps over shared kernel blocks, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.kernel.definiteness import NotPositiveDefiniteError
from ridgeway.kernel.kernel_sweep import KernelSweep
from ridgeway.kernel.kernel_trial import KernelTrial, KernelTrials
from ridgeway.sgd import LimitedStep
from ridgeway.sgd.step_size import step_from

if TYPE_CHECKING:
    from ridgeway.averaging import Scheme
    from ridgeway.kernel.blocks import Blocks
    from ridgeway.kernel.problem import KernelProblem
    from ridgeway.selection.contest import Contest
    from ridgeway.selection.folds import Fold
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.selection.plan import Plan
    from ridgeway.sgd import GrowingStep, SGDRun
    from ridgeway.trajectory import Trajectory

MAX_BATCH_EIGENVALUE_RATIO = 1.5  # the largest eigenvalue within other mini-batches may be so many times that of one


class KernelEngine:
    """Runs of one constant step, one per fold and one over all rows, which read each kernel block together.

    Parameters
    ----------
    problem : what is to be learned.
    blocks : its kernel matrix.
    folds : rows to learn from and to try on.
    plan : how to run.
    step : the step.
    """

    def __init__(
        self, problem: KernelProblem, blocks: Blocks, folds: Sequence[Fold], plan: Plan, step: LimitedStep
    ) -> None:
        self._problem, self._blocks, self._folds, self._step = problem, blocks, list(folds), step
        self._trials: list[KernelTrial] = []
        trains = [*(fold.train for fold in folds), np.ones(len(problem), bool)]
        means = np.stack([problem.mean(train) for train in trains])
        layout = blocks.layout
        self._means = means[:-1]
        self._sweep = KernelSweep(
            blocks,
            (problem.y[:, None, :] - means)[layout].astype(problem.entries.dtype),
            problem.weight[layout],
            [train[layout] for train in trains],
            step,
            plan.batch_size,
            plan.shuffle,
            plan.rng,
            plan.progress,
        )

    @property
    def steps(self) -> Sequence[LimitedStep | GrowingStep]:
        """The step."""
        return [self._step]

    @property
    def n_rows(self) -> int:
        """Rows of one pass."""
        return len(self._problem)

    @property
    def rows_done(self) -> int:
        """Rows read so far, over all passes."""
        return self._sweep.rows_done

    @property
    def begun(self) -> bool:
        """Whether every run has learned from some row: runs advance by whole passes."""
        return True

    @property
    def unit(self) -> float:
        """A squared error of 1 in standardized targets, in the user's units."""
        return self._problem.standardization.unit

    @property
    def n_held_out(self) -> int:
        """Number of rows that are held out from some run."""
        return sum(len(fold.test) for fold in self._folds)

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""
        return float(self._sweep.passes)

    def advance(self, n_rows: int) -> None:
        """Read the next rows, in whole passes."""
        self._sweep.advance(n_rows)

    def trajectory(self, step_index: int = 0) -> Trajectory:
        """Return the run over all rows."""
        return self._trajectory(len(self._folds))

    def _trajectory(self, run: int) -> Trajectory:
        return self._sweep.trajectory(run, self._problem.batch.single_target)

    def run(self, step_index: int = 0) -> SGDRun | None:
        """Return None: a kernel run cannot continue with more rows."""
        return None

    def trials(self, step_index: int, rough: bool) -> Sequence[KernelTrial]:
        """Return one trial per fold, for the runs as they are now."""
        problem = self._problem
        trajectories = [self._trajectory(fold) for fold in range(len(self._folds))]
        together = KernelTrials(self._blocks, self._folds, trajectories, problem.y, problem.weight, self._means)
        self._trials = together.trials
        return self._trials

    def scored(self, score: Callable[[], Contest]) -> Contest:
        """Return score(): a fit in memory is never resumed."""
        return score()

    def held_out(self, step_index: int, scheme: Scheme) -> HeldOut:
        """Return predictions of a sample of held-out rows."""
        return self._problem.held_out(scheme, self._folds, [trial.residuals(scheme) for trial in self._trials])

    def finish(self) -> None:
        """Do nothing: passes are whole, and the last run has learned from all rows."""


def longest_step(problem: KernelProblem, batch_size: int, rng: np.random.Generator) -> LimitedStep:
    """Return the longest step that is safe: the inverse of the largest weight * k(x, x), or a limited one.

    It is limited where few rows are far larger than the others, as with polynomial kernels. The step of mini-batches is
    b over the largest eigenvalue of the kernel matrix within one, with some room.

    Parameters
    ----------
    problem : what is to be learned.
    batch_size : rows of a step.
    rng : draws a mini-batch.
    """
    q = problem.entries.diagonal() * problem.weight
    if not (q >= 0).all():
        raise NotPositiveDefiniteError(f"k(x, x) is {q.min():g} for some row")
    safe = 1 / float(q.max()) if q.max() > 0 else 1.0
    limited = step_from(q, np.ones_like(q))
    longest = limited if limited.size > safe else LimitedStep(safe)
    if batch_size == 1:
        return longest
    rows = rng.permutation(len(problem))[:batch_size]
    root = np.sqrt(problem.weight[rows])
    within = problem.entries.between(rows, rows).astype(np.float64) * root[:, None] * root
    largest = MAX_BATCH_EIGENVALUE_RATIO * float(np.linalg.eigvalsh(within)[-1])
    size = len(rows) * min(longest.size, 1 / largest if largest > 0 else longest.size)
    return LimitedStep(size, longest.limit * len(rows))
