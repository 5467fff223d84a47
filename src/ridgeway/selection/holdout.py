"""Choice by hold-out: one chain, scored on rows it has not seen, which it then goes on to learn from."""

from __future__ import annotations

from ridgeway.rows import DenseRows
from ridgeway.rows.feed import Feed
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import compare
from ridgeway.selection.cross_validation import unit
from ridgeway.selection.folds import held_out
from ridgeway.selection.means import centre_without
from ridgeway.selection.plan import Outcome, Plan
from ridgeway.selection.settling import advance_until_settled
from ridgeway.selection.table import Scored, Selection, marked
from ridgeway.selection.trial import Trial

SHARE = 0.1
MOST = 20_000  # rows held out: enough to tell candidates apart to a percent of their error


def by_holdout(feed: Feed, plan: Plan) -> Outcome:
    """Run over nine tenths of the rows, choose on the others, then go on through these."""
    fold = held_out(len(feed), SHARE, MOST, plan.shuffle, plan.rng)
    sweep = plan.sweep(feed, [fold.train])
    (chain,) = sweep.chains
    sparse = not isinstance(feed.source.rows, DenseRows)
    centre = centre_without(feed, ~fold.train)

    def score() -> list[Scored]:
        trajectory = chain.trajectory()
        trial = Trial(trajectory, feed.standardization, sparse, centre, lambda: (feed.take(rows) for rows in fold.groups(1)))
        return compare([trial], Candidates.of(plan.family or "auto", trajectory.length, plan.step.size), unit(feed))

    ending = advance_until_settled(sweep, len(feed), plan, score)
    chain.learn_all()
    sweep.go_on_with(fold.test)
    selection = Selection(
        f"hold-out of {len(fold.test):,} rows", marked(ending.scores, plan.one_standard_error), ending.halfway
    )
    trajectory = chain.trajectory()
    return Outcome(trajectory, trajectory.nearest(selection.chosen.scheme), selection, chain.only_run, ending.falling)
