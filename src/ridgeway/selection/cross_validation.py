"""Choice by folds: one chain per fold and the final one share each reading of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ridgeway.rows import Batch, DenseRows
from ridgeway.rows.feed import Feed
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.folds import Fold
from ridgeway.selection.held_out import predict_held_out
from ridgeway.selection.means import centre_without
from ridgeway.selection.outlying import allowance
from ridgeway.selection.plan import Outcome, Plan, RidgeRun
from ridgeway.selection.settling import advance_until_settled
from ridgeway.selection.sweep import SideBySide
from ridgeway.selection.table import Selection, marked
from ridgeway.selection.trial import Trial


def by_folds(feed: Feed, folds: Sequence[Fold], plan: Plan, method: str) -> Outcome:
    """Run every fold and all rows together, for each step, and choose the average that predicts held-out rows best."""
    side_by_side = SideBySide([plan.sweep(feed, [*(fold.train for fold in folds), None], step) for step in plan.steps])
    sweeps = side_by_side.sweeps
    sparse = not isinstance(feed.source.rows, DenseRows)
    centres = [centre_without(feed, ~fold.train) for fold in folds]
    trials_of: dict[int, list[Trial]] = {}

    def contest(place: int, rough: bool) -> Contest:
        *chains, final = sweeps[place].chains
        trials = [
            Trial(
                chain.trajectory(),
                feed.standardization,
                sparse,
                centre,
                partial(_groups, feed, fold, len(folds)),
                allowance([len(fold.test) for fold in folds]),
            )
            for chain, centre, fold in zip(chains, centres, folds, strict=True)
        ]
        trials_of[place] = trials
        step = plan.steps[place].size
        candidates = Candidates.of(plan.family or "auto", final.trajectory().elapsed, step, rough)
        return compare(trials, candidates, step, feed.standardization.unit, refine=not rough)

    contests: list[Contest] = []

    def preferred(rough: bool) -> Contest:
        contests[:] = [contest(place, rough) for place in range(len(sweeps))]
        return min(contests, key=lambda contest: contest.least)

    ending = advance_until_settled(side_by_side, len(feed), plan, preferred)
    others = [row for contest in contests if contest is not ending.contest for row in contest.rows]
    table = marked(ending.contest.rows, plan.one_standard_error, others)
    selection = Selection(method, table, ending.halfway)
    place, scheme = contests.index(ending.contest), selection.chosen.scheme
    predictions = predict_held_out(feed, trials_of[place], [fold.test for fold in folds], scheme)
    side_by_side.end_pass()
    chain, growing = sweeps[place].chains[-1], sweeps[0].chains[-1]
    return Outcome(
        chain.trajectory(),
        scheme,
        selection,
        chain.only_run,
        sweeps[place].passes,
        ending.falling,
        predictions,
        RidgeRun(growing.trajectory(), growing.only_run) if place > 0 else None,
    )


def _groups(feed: Feed, fold: Fold, n_folds: int) -> Iterator[Batch]:
    return (feed.take(rows) for rows in fold.groups(n_folds))


def run_only(feed: Feed, plan: Plan) -> Outcome:
    """Run over all rows; the average is given."""
    assert plan.scheme is not None
    ran = run_all(feed, plan)
    return Outcome(ran.trajectory, plan.scheme, None, ran.run, float(plan.passes))


def run_all(feed: Feed, plan: Plan) -> RidgeRun:
    """Run over all rows with the step of the plan."""
    sweep = plan.sweep(feed, [None])
    sweep.advance(plan.passes * len(feed))
    (chain,) = sweep.chains
    chain.end_pass()
    return RidgeRun(chain.trajectory(), chain.only_run)
