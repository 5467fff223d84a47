"""The problem of a fit by partitions: a survey of the rows, what is held out, and the plan of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.partition_folds import PartitionFolds, spread_over
from ridgeway.dask.partition_sweep import PartitionSweep, RunGroup, run_groups_for, segments_of
from ridgeway.dask.survey import (
    Survey,
    add_surveys,
    counts_of,
    norms_for_step,
    starts_of,
    state_of_counts,
    survey_partition,
)
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.estimators.options import fit_options, generator
from ridgeway.messages.progress import Progress
from ridgeway.rows.centre import Centre
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import AutomaticSteps, FitOptions, Plan, decide_plan
from ridgeway.selection.folds import HELD_OUT_SHARE, MAX_HELD_OUT_ROWS
from ridgeway.selection.plan import MAX_ROWS_TO_FOLD, MIN_ROWS_TO_CHOOSE, decide_method
from ridgeway.sgd import GrowingStep, SGDRun, schedule_of
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.storage.state import State, Stored

HELD_OUT_PARTITIONS = 16  # partitions that a hold-out takes its rows from


@dataclass(frozen=True, eq=False)
class Problem:
    """All that is known before the first step.

    Attributes
    ----------
    executor : does the tasks.
    partitions : those that have rows.
    form : how they are loaded.
    survey : of all rows, by fold.
    folds : which rows are held out.
    standardization : of the rows.
    segments : numbers of the partitions of each segment of the chains.
    plan : how to run.
    checkpoint : where states are written.
    """

    executor: Executor
    partitions: Sequence[Partition]
    form: Form
    survey: Survey
    folds: PartitionFolds
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
        """Whether the rows are sparse."""
        return self.survey.total.sparse

    def sweep(self, fold_of_chain: Sequence[int | None]) -> PartitionSweep:
        """Return the sweep of some chains, as a checkpoint left it or at its beginning.

        Parameters
        ----------
        fold_of_chain : the fold that each chain does not learn from, None for one that learns from every row.
        """
        plan, n_chains = self.plan, len(fold_of_chain)

        def fresh(chain: int) -> SGDRun:
            held_out = self.n_rows // self.folds.k if fold_of_chain[chain] is not None and self.folds.k > 1 else 0
            n_steps = plan.passes * (self.n_rows - held_out) // (len(self.segments) * plan.batch_size)
            return SGDRun(schedule_of(plan.step, n_steps, plan.batch_size) or "auto", plan.store, plan.batch_size)

        def state() -> State:
            return {"run_groups": [group.state() for group in groups]}

        groups = list(run_groups_for(n_chains, len(self.segments), self.executor.n_workers, fresh))
        found = self.checkpoint.follow("sweep", state)
        if found is not None:
            groups[:] = [RunGroup.from_state(part) for part in Stored(found, "sweep").parts("run_groups")]
        return PartitionSweep(
            self.executor,
            self.partitions,
            self.form,
            self.survey.counts,
            self.folds,
            self.standardization,
            plan.step.size if isinstance(plan.step, GrowingStep) else None,
            plan.batch_size,
            groups,
            fold_of_chain,
            self.segments,
            plan.progress,
            self.checkpoint.tick,
        )

    def centre_without(self, held: RowMoments) -> Centre:
        """Means of the rows that a chain learns from, relative to the means of all rows."""
        standardization, total = self.standardization, self.survey.total
        if standardization.constant == 0:
            return Centre(np.zeros(len(held.mean)), np.zeros(len(held.target_mean)))
        share = held.weight / (total.weight - held.weight)
        x = (held.mean - standardization.offset) / standardization.scale
        y = (held.target_mean - standardization.target_offset) / standardization.target_scale
        return Centre(-share * x, -share * y)


def survey_and_plan(
    estimator: AveragedSGDRegressor,
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form,
    checkpoint: Checkpoint,
    progress: Progress,
) -> Problem:
    """Survey the rows and decide how to run."""
    settings = checkpoint.part("settings", lambda: _settings(estimator, executor))
    seed = settings.integer("seed", most=2**62) if estimator.shuffle else None
    options = fit_options(estimator)
    folds_of_few_rows = _n_folds(options, MIN_ROWS_TO_CHOOSE)
    folds = PartitionFolds(
        seed, folds_of_few_rows if folds_of_few_rows > 1 and seed is not None else 0, np.empty(0, np.int64)
    )
    survey = _survey(checkpoint, "survey", executor, partitions, form, folds)
    total, n_rows = survey.total, survey.total.n_rows
    k = _n_folds(options, n_rows)
    filled = [partition for partition in partitions if survey.counts[partition.number]]
    folds = PartitionFolds(seed, k, starts_of(survey.counts))
    if k == 1:
        where = spread_over(np.array([part.number for part in filled], np.int64), HELD_OUT_PARTITIONS, seed)
        folds = replace(folds, share=HELD_OUT_SHARE, most=MAX_HELD_OUT_ROWS, from_partitions=tuple(where))
    elif k > 1 and seed is None:
        again = _survey(checkpoint, "folds", executor, partitions, form, folds)
        survey = Survey(survey.counts, survey.read, again.moments)
    empty = [fold for fold in range(k if k > 1 else 0) if fold not in survey.moments]
    if empty:
        raise ValueError(
            f"cv: fold {empty[0]} of {k} has none of the {n_rows} rows: expected some in each; give an alpha, or "
            "fit these few rows with estimator.fit."
        )
    standardization = Standardization.from_moments(total, bool(estimator.scale), bool(estimator.fit_intercept))
    chains = settings.integer("chains", 1)
    segments = segments_of(survey.counts, min(chains, len(filled)) if isinstance(estimator.chains, str) else chains)

    def automatic_steps() -> AutomaticSteps:
        def made() -> State:
            every = n_rows <= MAX_ROWS_TO_FOLD
            norms = norms_for_step(executor, filled, form, standardization, every, seed)
            return {"given": None, "growing": GrowingStep(norms.step).state()}

        stored = checkpoint.part("steps", made).part("growing")
        return AutomaticSteps(GrowingStep.from_state(stored).size, None)

    plan = decide_plan(
        options,
        n_rows,
        len(total.mean),
        automatic_steps,
        chains=len(segments),
        rng=np.random.default_rng(seed),
        progress=progress,
    )
    progress.total = plan.passes * n_rows
    return Problem(executor, filled, form, survey, folds, standardization, segments, plan, checkpoint)


def _n_folds(options: FitOptions, n_rows: int) -> int:
    """Return the number of folds; 1 for a hold-out, 0 where nothing is chosen."""
    return decide_method(options.cv, n_rows).n_models if options.asked.can_choose(n_rows) else 0


def _settings(estimator: AveragedSGDRegressor, executor: Executor) -> State:
    chains = executor.n_workers if isinstance(estimator.chains, str) else estimator.chains
    return {"seed": int(generator(estimator.random_state).integers(2**62)), "chains": int(chains)}


def _survey(
    checkpoint: Checkpoint,
    name: str,
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form,
    folds: PartitionFolds,
) -> Survey:
    def made() -> State:
        survey: Survey = executor.total(
            survey_partition, partitions, None, lambda part: (form, folds, part.number, part.name), add_surveys
        )
        fold_ids = sorted(survey.moments)
        return {
            **state_of_counts(survey.counts, survey.read),
            "folds": fold_ids,
            "moments": [survey.moments[fold].state() for fold in fold_ids],
        }

    stored = checkpoint.part(name, made)
    moments = [RowMoments.from_state(part) for part in stored.parts("moments")]
    return Survey(*counts_of(stored, len(partitions)), dict(zip(stored.raw("folds"), moments, strict=True)))
