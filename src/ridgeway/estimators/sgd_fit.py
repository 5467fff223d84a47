"""The fit of rows in memory: make the engine that the plan asks for, and choose the average."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Uniform
from ridgeway.estimators.steps import StreamSteps, stream_steps
from ridgeway.estimators.stream import Stream
from ridgeway.rows import require_finite_rows
from ridgeway.rows.feed import Feed
from ridgeway.selection import (
    MemoryEngine,
    Outcome,
    Plan,
    Progressive,
    Selection,
    alike,
    by_folds,
    by_gcv,
    by_holdout,
    run_all,
    run_given,
)
from ridgeway.selection.candidate_table import PROGRESSIVE, marked
from ridgeway.sgd import LimitedStep


def choose(feed: Feed, plan: Plan, X: Any, y: Any) -> Outcome:
    """Run over the rows and choose the average, unless it is given.

    Parameters
    ----------
    feed : the rows.
    plan : how to run.
    X, y : as the user gave them, for splitters.
    """
    cv = plan.cv
    if plan.family is None:
        # The same run as in a choice; only the average is given.
        holds_out = cv.method == "holdout"
        engine = MemoryEngine.holding_out(feed, plan) if holds_out else MemoryEngine.over_all_rows(feed, plan)
        return run_given(engine, plan)
    if cv.method == "folds":
        rng = plan.rng.spawn(1)[0] if plan.shuffle else plan.rng
        folds, name = cv.folds(len(feed), rng, plan.shuffle, lambda: _ranking(feed))
        return by_folds(MemoryEngine.over_folds(feed, plan, folds), plan, f"{name} in one sweep")
    if cv.method == "splits":
        folds, name = cv.with_splits(feed.source, X, y).splits
        return by_folds(MemoryEngine.over_folds(feed, plan, folds), plan, name)
    if cv.method == "holdout":
        return by_holdout(MemoryEngine.holding_out(feed, plan), plan)
    if cv.method == "progressive":
        return _progressively(feed, plan)
    if plan.chains > 1 or plan.store == "replay":
        raise ValueError(
            "cv='gcv' needs one chain and a sketch: leave chains=1 and store='auto', or choose another cv."
        )
    return by_gcv(feed, plan)


def _ranking(feed: Feed) -> NDArray[np.intp] | None:
    """Rank the rows as `alike` does, if they are kept in memory; rows that are not finite are refused."""
    if feed.kept is None:
        return None
    norms = feed.kept.rows.squared_norms()
    require_finite_rows(feed.kept.rows, norms, feed.kept.numbers)
    return alike(norms, feed.kept.y)


def best_so_far(progressive: Progressive, unit: float, one_standard_error: bool) -> Selection | None:
    """Return the choice of a stream so far; None as long as nothing was predicted.

    Parameters
    ----------
    progressive : its scores.
    unit : a squared error of 1, in the user's units.
    one_standard_error : whether to prefer the strongest average that is about as good as the best.
    """
    scores = progressive.scores(unit)
    if not scores:
        return None
    best = scores[progressive.preferred()]
    return Selection(PROGRESSIVE, marked(scores, one_standard_error, best=best))


def _progressively(feed: Feed, plan: Plan) -> Outcome:
    """Make one pass that predicts every row before it learns from it.

    Up to 100,000 rows, the constant rival step makes this pass, and the growing step makes a pass of its own.
    """
    if plan.rivals:
        plan.progress.extend(len(feed))
        one_chain = replace(plan, chains=1)
        ridge = run_all(MemoryEngine.over_all_rows(feed, one_chain), one_chain)
        steps = StreamSteps(plan.rivals[0], None)
    else:
        ridge, steps = None, stream_steps(plan.step if isinstance(plan.step, LimitedStep) else "auto", feed, plan.store)
    stream = Stream.begin(feed, *steps, plan.store, plan.batch_size, plan.family)
    order = plan.rng.permutation(len(feed)) if plan.shuffle else range(len(feed))
    stream.learn_all(feed, order, plan.progress)
    stream.run.end_pass()
    assert stream.progressive is not None
    selection = best_so_far(stream.progressive, feed.standardization.unit, plan.one_standard_error)
    scheme = selection.chosen.scheme if selection else Uniform()
    predictions = stream.progressive.held_out(scheme) if selection else None
    return Outcome(
        stream.run.trajectory(), scheme, selection, stream.run, passes=1.0, held_out=predictions, ridge=ridge
    )
