"""Choice of the average on a cluster: by folds, by hold-out, or given."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Uniform
from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.predictions import predict_held_out
from ridgeway.dask.scoring import JointTrial
from ridgeway.dask.split import Split
from ridgeway.dask.survey import Survey, add_surveys, starts_of, survey_rows
from ridgeway.dask.sweep import Convoy, Sweep, convoys_for
from ridgeway.rows import Batch
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import Outcome, Plan, Scored, Selection
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.outlying import allowance
from ridgeway.selection.settling import advance_until_settled
from ridgeway.selection.table import marked
from ridgeway.selection.trial import Centre, Trial
from ridgeway.sgd import GrowingStep, SGDRun, schedule_of
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.storage.state import State, Stored
from ridgeway.trajectory import Trajectory

HOLDS_OUT = "hold-out of {:,} rows"
FOLDS = "{} folds on a cluster"


@dataclass(frozen=True, eq=False)
class Problem:
    """All that is known before the first step.

    Attributes
    ----------
    executor : does the tasks.
    partitions : those that have rows.
    form : how they are loaded.
    survey : of all rows, by hands of the split.
    split : what is held out.
    standardization : of the rows.
    segments : numbers of the partitions of each segment of the chains.
    plan : how to run.
    checkpoint : where states are written.
    """

    executor: Executor
    partitions: Sequence[Partition]
    form: Form
    survey: Survey
    split: Split
    standardization: Standardization
    segments: Sequence[NDArray[np.int64]]
    plan: Plan
    checkpoint: Checkpoint

    @property
    def n_rows(self) -> int:
        """Rows in all."""
        return sum(self.survey.counts.values())

    @property
    def sparse(self) -> bool:
        """Whether the rows are."""
        return self.survey.total.sparse

    def sweep(self, folds: Sequence[int | None]) -> Sweep:
        """Return the sweep of one chain per fold, as a checkpoint left it or at its beginning."""
        plan, n_chains = self.plan, len(folds)

        def fresh(chain: int) -> SGDRun:
            held_out = self.n_rows // self.split.k if folds[chain] is not None and self.split.k > 1 else 0
            n_steps = plan.passes * (self.n_rows - held_out) // (len(self.segments) * plan.batch_size)
            return SGDRun(schedule_of(plan.step, n_steps, plan.batch_size) or "auto", plan.store, plan.batch_size)

        def state() -> State:
            return {"convoys": [convoy.state() for convoy in convoys]}

        convoys = list(convoys_for(n_chains, len(self.segments), self.executor.n_workers, fresh))
        found = self.checkpoint.follow("sweep", state)
        if found is not None:
            convoys[:] = [Convoy.from_state(part) for part in Stored(found, "sweep").parts("convoys")]
        return Sweep(
            self.executor,
            self.partitions,
            self.form,
            self.survey.counts,
            self.split,
            self.standardization,
            plan.step.size if isinstance(plan.step, GrowingStep) else None,
            plan.batch_size,
            convoys,
            folds,
            self.segments,
            plan.progress,
            self.checkpoint.tick,
        )

    def centre_without(self, held: RowMoments) -> Centre:
        """Means of the rows that a chain learns from; those of all rows are 0."""
        standardization, total = self.standardization, self.survey.total
        if standardization.constant == 0:
            return Centre(np.zeros(len(held.mean)), np.zeros(len(held.target_mean)))
        share = held.weight / (total.weight - held.weight)
        x = (held.mean - standardization.offset) / standardization.scale
        y = (held.target_mean - standardization.target_offset) / standardization.target_scale
        return Centre(-share * x, -share * y)


class Looks:
    """Remembers the error at each look, for a fit that is taken up again after some of them."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._least: dict[str, float] = {}
        self._least.update(checkpoint.follow("looks", lambda: dict(self._least)) or {})

    def at(self, sweep: Sweep, score: Callable[[], Contest]) -> Contest:
        """Return the contest as the chains stand, or what is remembered of it when they have gone on."""
        key = str(sweep.rows_done)
        if sweep.beyond:
            step = sweep.chains[0].trajectory().step
            return Contest(step, [Scored(Uniform(), step, self._least.get(key, math.nan), 0.0)], *np.zeros((2, 0)))
        contest = score()
        self._least[key] = contest.least
        return contest


def run_only(problem: Problem) -> Outcome:
    """Run over all rows; the average is given."""
    plan = problem.plan
    assert plan.scheme is not None
    sweep = problem.sweep([None])
    sweep.advance(plan.passes * problem.n_rows)
    (chain,) = sweep.chains
    return Outcome(chain.trajectory(), plan.scheme, None, chain.only_run, sweep.passes)


def by_folds(problem: Problem) -> Outcome:
    """One chain per fold and the final one: as `ridgeway.selection.by_folds` does it."""
    plan, k = problem.plan, problem.split.k
    sweep = problem.sweep([*range(k), None])
    held = [problem.survey.moments[fold] for fold in range(k)]
    centres = [problem.centre_without(moments) for moments in held]
    allowed = allowance([moments.n_rows for moments in held])
    looks = Looks(problem.checkpoint)
    joints: list[JointTrial] = []

    def score(rough: bool) -> Contest:
        *chains, final = sweep.chains
        trials = [
            _trial(problem, chain.trajectory(), centre, allowed) for chain, centre in zip(chains, centres, strict=True)
        ]
        joint = JointTrial(
            trials, problem.executor, problem.partitions, problem.form, problem.split, problem.standardization
        )
        joints[:] = [joint]
        candidates = Candidates.of(plan.family or "auto", final.trajectory().elapsed, plan.step.size, rough)
        return compare([joint], candidates, plan.step.size, problem.standardization.unit, refine=not rough)

    ending = advance_until_settled(sweep, problem.n_rows, plan, lambda rough: looks.at(sweep, lambda: score(rough)))
    selection = Selection(FOLDS.format(k), marked(ending.contest.rows, plan.one_standard_error), ending.halfway)
    scheme, chain = selection.chosen.scheme, sweep.chains[-1]
    predictions = predict_held_out(joints[0], starts_of(problem.survey.read), problem.n_rows, scheme)
    run, passes = chain.only_run, sweep.passes
    return Outcome(chain.trajectory(), scheme, selection, run, passes, ending.falling, predictions)


def by_holdout(problem: Problem) -> Outcome:
    """Run without the held-out rows, choose on them, then go on through them."""
    plan, executor = problem.plan, problem.executor
    kept, held = _kept(problem)
    everything = problem.split.of_held_rows()
    centre = problem.centre_without(held.total)
    sweep = problem.sweep([0])
    looks = Looks(problem.checkpoint)
    joints: list[JointTrial] = []

    def score(rough: bool) -> Contest:
        trajectory = sweep.chains[0].trajectory()
        trial = _trial(problem, trajectory, centre, allowance([held.total.n_rows]))
        joints[:] = [JointTrial([trial], executor, kept, None, everything, problem.standardization)]
        candidates = Candidates.of(plan.family or "auto", trajectory.elapsed, plan.step.size, rough)
        return compare(joints, candidates, plan.step.size, problem.standardization.unit, refine=not rough)

    ending = advance_until_settled(sweep, problem.n_rows, plan, lambda rough: looks.at(sweep, lambda: score(rough)))
    selection = Selection(
        HOLDS_OUT.format(held.total.n_rows), marked(ending.contest.rows, plan.one_standard_error), ending.halfway
    )
    scheme = selection.chosen.scheme
    predictions = predict_held_out(joints[0], starts_of(problem.survey.read), held.total.n_rows, scheme)
    _learn_held(problem, sweep, kept, held.counts)
    (chain,) = sweep.chains
    run, passes = chain.only_run, sweep.passes
    return Outcome(chain.trajectory(), scheme, selection, run, passes, ending.falling, predictions)


def _kept(problem: Problem) -> tuple[list[Partition], Survey]:
    """Return the held-out rows, which stay on the workers, and a survey of them."""
    split, executor = problem.split, problem.executor
    kept = [
        executor.keep(held_rows, partition, problem.form, split.without_starts(), partition.number)
        for partition in problem.partitions
        if split.holds_out(partition.number)
    ]
    executor.secure(kept)
    everything = split.of_held_rows().without_starts()
    return kept, executor.total(survey_rows, kept, None, lambda part: (everything, part.number), add_surveys)


def held_rows(batch: Batch | None, split: Split, number: int) -> Batch | None:
    """Return the held-out rows of a partition."""
    if batch is None:
        return None
    rows = np.flatnonzero(split.hands(number, len(batch)) == 0)
    return batch.take(rows) if len(rows) else None


def _learn_held(problem: Problem, sweep: Sweep, kept: Sequence[Partition], counts: dict[int, int]) -> None:
    """Let each segment's run learn from the held-out rows of its own partitions."""
    numbers = {partition.number for partition in kept if counts[partition.number]}
    segments = [np.array([n for n in segment.tolist() if n in numbers], np.int64) for segment in problem.segments]
    late = [convoy for convoy in sweep.convoys if len(segments[convoy.segment])]
    more = Sweep(
        problem.executor,
        kept,
        None,
        counts,
        replace(problem.split, k=0),
        problem.standardization,
        problem.plan.step.size if isinstance(problem.plan.step, GrowingStep) else None,
        problem.plan.batch_size,
        [Convoy(place, convoy.members, convoy.runs) for place, convoy in enumerate(late)],
        [None],
        [segments[convoy.segment] for convoy in late],
        problem.plan.progress,
        lambda: None,
    )
    more.advance(sum(counts[number] for number in numbers))
    for convoy, after in zip(late, more.convoys, strict=True):
        convoy.runs = after.runs


def _trial(problem: Problem, trajectory: Trajectory, centre: Centre, allowed: int) -> Trial:
    return Trial(trajectory, problem.standardization, problem.sparse, centre, lambda: (), allowed)
