"""The engine over partitions: runs that an executor carries from partition to partition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ridgeway.averaging import Scheme, Uniform
from ridgeway.dask.cluster_problem import Problem
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.partition_folds import PartitionFolds
from ridgeway.dask.partition_sweep import PartitionSweep, RunGroup
from ridgeway.dask.sampled_predictions import predict_sample
from ridgeway.dask.scoring import JointTrial
from ridgeway.dask.survey import Survey, add_surveys, starts_of, survey_rows
from ridgeway.rows import Batch
from ridgeway.rows.moments import RowMoments
from ridgeway.selection import HeldOut, Scored
from ridgeway.selection.capped_errors import allowance
from ridgeway.selection.contest import Contest
from ridgeway.selection.trial import Trial
from ridgeway.sgd import GrowingStep, SGDRun
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.trajectory import Trajectory


class RecordedErrors:
    """The held-out error at each check so far, for a fit that is resumed from a checkpoint."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._least: dict[str, float] = {}
        self._least.update(checkpoint.follow("errors", lambda: dict(self._least)) or {})

    def at(self, sweep: PartitionSweep, score: Callable[[], Contest]) -> Contest:
        """Return score(), or the recorded error where the chains of a resumed fit are already further."""
        key = str(sweep.rows_done)
        if sweep.beyond:
            step = sweep.chains[0].trajectory().step
            return Contest(step, [Scored(Uniform(), step, self._least.get(key, math.nan), 0.0)])
        contest = score()
        self._least[key] = contest.least
        return contest


class PartitionEngine:
    """Runs over the partitions of a problem; see `ridgeway.selection.engine.Engine`.

    The folds of the problem decide what is held out: k folds, one share of the rows, or nothing.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, k = problem, problem.folds.k
        self.steps = [problem.plan.step]
        self._kept: list[Partition] = []
        self._held: list[RowMoments] = []
        self._kept_counts: dict[int, int] = {}
        if k == 1:
            self._kept, survey = _kept(problem)
            self._held, self._kept_counts = [survey.total], survey.counts
        elif k > 1:
            self._held = [problem.survey.moments[fold] for fold in range(k)]
        self._centres = [problem.centre_without(moments) for moments in self._held]
        self._sweep = problem.sweep([0] if k == 1 else [*range(k), None])
        self._recorded = RecordedErrors(problem.checkpoint) if k else None
        self._joint: JointTrial | None = None

    @property
    def n_rows(self) -> int:
        """Rows of one pass."""
        return self._problem.n_rows

    @property
    def rows_done(self) -> int:
        """Rows read so far, over all passes."""
        return self._sweep.rows_done

    @property
    def begun(self) -> bool:
        """Whether every run has learned from some row."""
        return all(chain.begun for chain in self._sweep.chains)

    @property
    def unit(self) -> float:
        """A squared error of 1 in standardized targets, in the user's units."""
        return self._problem.standardization.unit

    @property
    def n_held_out(self) -> int:
        """Number of rows that are held out from some run."""
        return sum(moments.n_rows for moments in self._held)

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""
        return self._sweep.passes

    def advance(self, n_rows: int) -> None:
        """Read the next n_rows rows, up to the nearest ends of partitions."""
        self._sweep.advance(n_rows)

    def trajectory(self, step_index: int = 0) -> Trajectory:
        """Return the trajectory of the final run; there is one step."""
        return self._sweep.chains[-1].trajectory()

    def run(self, step_index: int = 0) -> SGDRun | None:
        """Return the final run; None if it consists of several chains."""
        return self._sweep.chains[-1].only_run

    def trials(self, step_index: int, rough: bool) -> list[JointTrial]:
        """Return the trials of all folds, joined: each partition is read once for all of them."""
        problem = self._problem
        allowed = allowance([moments.n_rows for moments in self._held])
        trials = [
            Trial(chain.trajectory(), problem.standardization, problem.sparse, centre, lambda: (), allowed)
            for chain, centre in zip(self._sweep.chains, self._centres, strict=False)
        ]
        where: tuple[Sequence[Partition], Form | None, PartitionFolds] = problem.partitions, problem.form, problem.folds
        if self._kept:
            where = self._kept, None, problem.folds.of_held_rows()
        self._joint = JointTrial(trials, problem.executor, *where, problem.standardization)
        return [self._joint]

    def scored(self, score: Callable[[], Contest]) -> Contest:
        """Return score(), or the recorded error if this fit was resumed and its runs are already further."""
        assert self._recorded is not None
        return self._recorded.at(self._sweep, score)

    def held_out(self, step_index: int, scheme: Scheme) -> HeldOut:
        """Return predictions of a sample of held-out rows."""
        assert self._joint is not None
        return predict_sample(self._joint, starts_of(self._problem.survey.read), self.n_held_out, scheme)

    def finish(self) -> None:
        """Let a final run that has held rows out learn from them; passes end with their last partitions."""
        if self._kept:
            _learn_held(self._problem, self._sweep, self._kept, self._kept_counts)


def _kept(problem: Problem) -> tuple[list[Partition], Survey]:
    """Return the held-out rows, which stay on the workers, and a survey of them."""
    folds, executor = problem.folds, problem.executor
    kept = [
        executor.keep(held_rows, partition, problem.form, folds.without_starts(), partition.number)
        for partition in problem.partitions
        if folds.holds_out(partition.number)
    ]
    executor.secure(kept)
    everything = folds.of_held_rows().without_starts()
    return kept, executor.total(survey_rows, kept, None, lambda part: (everything, part.number), add_surveys)


def held_rows(batch: Batch | None, folds: PartitionFolds, number: int) -> Batch | None:
    """Return the held-out rows of a partition."""
    if batch is None:
        return None
    rows = np.flatnonzero(folds.fold_ids(number, len(batch)) == 0)
    return batch.take(rows) if len(rows) else None


def _learn_held(problem: Problem, sweep: PartitionSweep, kept: Sequence[Partition], counts: dict[int, int]) -> None:
    """Let each segment's run learn from the held-out rows of its own partitions."""
    numbers = {partition.number for partition in kept if counts[partition.number]}
    segments = [np.array([n for n in segment.tolist() if n in numbers], np.int64) for segment in problem.segments]
    late = [group for group in sweep.groups if len(segments[group.segment])]
    more = PartitionSweep(
        problem.executor,
        kept,
        None,
        counts,
        replace(problem.folds, k=0),
        problem.standardization,
        problem.plan.step.size if isinstance(problem.plan.step, GrowingStep) else None,
        problem.plan.batch_size,
        [RunGroup(segment, group.members, group.runs) for segment, group in enumerate(late)],
        [None],
        [segments[group.segment] for group in late],
        problem.plan.progress,
        lambda: None,
    )
    more.advance(sum(counts[number] for number in numbers))
    for group, after in zip(late, more.groups, strict=True):
        group.runs = after.runs
