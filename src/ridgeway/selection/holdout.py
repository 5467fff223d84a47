"""Choice by hold-out: one chain, scored on rows it has not seen, which it then goes on to learn from."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeway.rows import Batch, DenseRows
from ridgeway.rows.feed import Feed
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.folds import held_out
from ridgeway.selection.held_out import predict_held_out
from ridgeway.selection.means import centre_without
from ridgeway.selection.outlying import allowance
from ridgeway.selection.plan import Outcome, Plan
from ridgeway.selection.settling import advance_until_settled
from ridgeway.selection.table import Selection, marked
from ridgeway.selection.trial import Trial

SHARE = 0.1
MOST = 10_000  # rows held out: enough to tell candidates apart to two percent of their error


def run_holdout_only(feed: Feed, plan: Plan) -> Outcome:
    """Run over the rows in the order of `by_holdout`, to an average that is given: the same run, nothing to choose."""
    assert plan.scheme is not None
    fold = held_out(len(feed), SHARE, MOST, plan.shuffle, plan.rng)
    sweep = plan.sweep(feed, [fold.train])
    (chain,) = sweep.chains
    sweep.advance(plan.passes * len(feed))
    passes = sweep.passes
    chain.learn_all()
    sweep.go_on_with(fold.test)
    return Outcome(chain.trajectory(), plan.scheme, None, chain.only_run, passes)


def by_holdout(feed: Feed, plan: Plan) -> Outcome:
    """Run over nine tenths of the rows, choose on the others, then go on through these."""
    fold = held_out(len(feed), SHARE, MOST, plan.shuffle, plan.rng)
    sweep = plan.sweep(feed, [fold.train])
    (chain,) = sweep.chains
    sparse = not isinstance(feed.source.rows, DenseRows)
    centre = centre_without(feed, ~fold.train)

    def groups() -> Iterator[Batch]:
        return (feed.take(rows) for rows in fold.groups(2))

    def together() -> Iterator[Batch]:
        return iter([feed.take(fold.test)])

    trials: list[Trial] = []

    def score(rough: bool) -> Contest:
        trajectory = chain.trajectory()
        tests = together if rough else groups
        trial = Trial(trajectory, feed.standardization, sparse, centre, tests, allowance([len(fold.test)]))
        trials[:] = [trial]
        candidates = Candidates.of(plan.family or "auto", trajectory.elapsed, plan.step.size, rough)
        return compare([trial], candidates, plan.step.size, feed.standardization.unit, refine=not rough)

    ending = advance_until_settled(sweep, len(feed), plan, score)
    passes = sweep.passes
    selection = Selection(
        f"hold-out of {len(fold.test):,} rows", marked(ending.contest.rows, plan.one_standard_error), ending.halfway
    )
    scheme = selection.chosen.scheme
    predictions = predict_held_out(feed, trials, [fold.test], scheme)
    chain.learn_all()
    sweep.go_on_with(fold.test)
    return Outcome(chain.trajectory(), scheme, selection, chain.only_run, passes, ending.falling, predictions)
