"""The engine over rows in memory: a feed, and sweeps of runs over it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Self

from ridgeway.averaging import Scheme
from ridgeway.rows import Batch, DenseRows
from ridgeway.rows.centre import Centre
from ridgeway.rows.feed import Feed
from ridgeway.selection.capped_errors import allowance
from ridgeway.selection.contest import Contest
from ridgeway.selection.folds import Fold, hold_out
from ridgeway.selection.held_out import HeldOut, predict_held_out
from ridgeway.selection.means import centre_without
from ridgeway.selection.plan import Plan
from ridgeway.selection.sweep import Mask, Sweep
from ridgeway.selection.trial import Trial
from ridgeway.sgd import GrowingStep, LimitedStep, SGDRun
from ridgeway.trajectory import Trajectory


class MemoryEngine:
    """Runs over the rows of a feed; see `ridgeway.selection.engine.Engine`.

    Parameters
    ----------
    feed : the rows.
    plan : how to run.
    steps : step sizes that compete.
    folds : training and held-out rows, one run for each fold.
    separate_final_run : True adds a run over all rows; otherwise the run of the only fold is the final one.

    Examples
    --------
    `over_folds`, `holding_out` and `over_all_rows` make the three engines that choices need.
    """

    def __init__(
        self,
        feed: Feed,
        plan: Plan,
        steps: Sequence[LimitedStep | GrowingStep],
        folds: Sequence[Fold],
        separate_final_run: bool,
    ) -> None:
        self.steps, self._feed, self._folds = list(steps), feed, list(folds)
        self._final_run_holds_out = not separate_final_run
        trains: list[Mask] = [fold.train for fold in folds]
        trains += [None] if separate_final_run else []
        self._sweeps = [sweep_of(feed, plan, trains, step) for step in self.steps]
        self._sparse = not isinstance(feed.source.rows, DenseRows)
        self._centres: list[Centre] = []  # centre of the rows of each fold, computed for the first trials
        self._trials: dict[int, list[Trial]] = {}

    @classmethod
    def over_folds(cls, feed: Feed, plan: Plan, folds: Sequence[Fold]) -> Self:
        """Return one run per fold and one over all rows, for each step of the plan."""
        return cls(feed, plan, plan.steps, folds, separate_final_run=True)

    @classmethod
    def holding_out(cls, feed: Feed, plan: Plan) -> Self:
        """Return one run that does not learn from a share of the rows: random rows, or the last ones."""
        fold = hold_out(len(feed), plan.shuffle, plan.rng)
        return cls(feed, plan, [plan.step], [fold], separate_final_run=False)

    @classmethod
    def over_all_rows(cls, feed: Feed, plan: Plan) -> Self:
        """Return one run over all rows."""
        return cls(feed, plan, [plan.step], [], separate_final_run=True)

    @property
    def n_rows(self) -> int:
        """Rows of one pass."""
        return len(self._feed)

    @property
    def rows_done(self) -> int:
        """Rows read so far, over all passes."""
        return self._sweeps[0].rows_done

    @property
    def begun(self) -> bool:
        """Whether every run has learned from some row."""
        return all(chain.begun for sweep in self._sweeps for chain in sweep.chains)

    @property
    def unit(self) -> float:
        """A squared error of 1 in standardized targets, in the user's units."""
        return self._feed.standardization.unit

    @property
    def n_held_out(self) -> int:
        """Number of rows that are held out from some run."""
        return sum(len(fold.test) for fold in self._folds)

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""
        return self._sweeps[0].passes

    def advance(self, n_rows: int) -> None:
        """Read the next n_rows rows."""
        for sweep in self._sweeps:
            sweep.advance(n_rows)

    def trajectory(self, step_index: int = 0) -> Trajectory:
        """Return the trajectory of the final run of a step."""
        return self._sweeps[step_index].chains[-1].trajectory()

    def run(self, step_index: int = 0) -> SGDRun | None:
        """Return the final run of a step; None if it consists of several chains."""
        return self._sweeps[step_index].chains[-1].only_run

    def trials(self, step_index: int, rough: bool) -> list[Trial]:
        """Return one trial per fold, for the runs of a step as they are now."""
        if not self._centres:
            self._centres = [centre_without(self._feed, ~fold.train) for fold in self._folds]
        one_group = rough and self._final_run_holds_out
        allowed = allowance([len(fold.test) for fold in self._folds])
        self._trials[step_index] = [
            Trial(
                chain.trajectory(),
                self._feed.standardization,
                self._sparse,
                centre,
                partial(self._groups, fold, one_group),
                allowed,
            )
            for chain, centre, fold in zip(self._sweeps[step_index].chains, self._centres, self._folds, strict=False)
        ]
        return self._trials[step_index]

    def scored(self, score: Callable[[], Contest]) -> Contest:
        """Return score(): a fit in memory is never resumed."""
        return score()

    def held_out(self, step_index: int, scheme: Scheme) -> HeldOut:
        """Return predictions of a sample of held-out rows."""
        return predict_held_out(self._feed, self._trials[step_index], [fold.test for fold in self._folds], scheme)

    def finish(self) -> None:
        """End the last pass. In a choice by hold-out, the final run learns from the held-out rows first."""
        for sweep in self._sweeps:
            if self._final_run_holds_out:
                (chain,), (fold,) = sweep.chains, self._folds
                chain.learn_all()
                sweep.go_on_with(fold.test)
            else:
                sweep.end_pass()

    def _groups(self, fold: Fold, one_group: bool) -> Iterator[Batch]:
        """Yield the held-out rows of a fold in groups; standard errors come from differences between groups."""
        groups = [fold.test] if one_group else fold.groups(2 if self._final_run_holds_out else len(self._folds))
        return (self._feed.take(rows) for rows in groups)


def sweep_of(feed: Feed, plan: Plan, trains: Sequence[Mask], step: LimitedStep | GrowingStep) -> Sweep:
    """Return a sweep of fresh runs, one for each mask of rows."""
    return Sweep(
        feed,
        trains,
        step,
        passes=plan.passes,
        store=plan.store,
        batch_size=plan.batch_size,
        segments=plan.chains,
        shuffle=plan.shuffle,
        n_jobs=plan.n_jobs,
        rng=copy.deepcopy(plan.rng),  # all competing steps read the rows in the same orders
        progress=plan.progress,
    )
