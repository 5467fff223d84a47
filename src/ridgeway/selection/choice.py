"""The choice of the average: by folds, by hold-out, or given. One definition for all engines."""

from __future__ import annotations

from dataclasses import replace

from ridgeway.selection.candidate_table import Selection, marked
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.engine import Engine
from ridgeway.selection.plan import Plan
from ridgeway.selection.run_outcome import Outcome, RidgeRun
from ridgeway.selection.settling import advance_until_settled


def by_folds(engine: Engine, plan: Plan, method: str) -> Outcome:
    """Choose the average that predicts best, in the mean over all folds, the rows held out from each.

    Parameters
    ----------
    engine : one run per fold and a final run over all rows, for each step that competes.
    plan : how to run.
    method : name of the method, for the table of candidates.
    """
    return _by_held_out_rows(engine, plan, method)


def by_holdout(engine: Engine, plan: Plan) -> Outcome:
    """Choose the average that predicts held-out rows best; the run learns from these rows afterwards.

    Parameters
    ----------
    engine : one run, without the held-out rows.
    plan : how to run.
    """
    return _by_held_out_rows(engine, plan, f"hold-out of {engine.n_held_out:,} rows")


def run_given(engine: Engine, plan: Plan) -> Outcome:
    """Run over the rows; the average is the one of the plan."""
    assert plan.scheme is not None
    ran = run_all(engine, plan)
    return Outcome(ran.trajectory, plan.scheme, None, ran.run, engine.passes)


def run_all(engine: Engine, plan: Plan) -> RidgeRun:
    """Run over the rows, as many passes as planned."""
    engine.advance(plan.passes * engine.n_rows)
    engine.finish()
    return RidgeRun(engine.trajectory(), engine.run())


def _by_held_out_rows(engine: Engine, plan: Plan, method: str) -> Outcome:
    """Run until the held-out error settles, for all steps, and choose the best average of the best step."""
    contests: list[Contest] = []

    def contest(step_index: int, rough: bool) -> Contest:
        trials, size = engine.trials(step_index, rough), engine.steps[step_index].size
        candidates = Candidates.of(plan.family or "auto", engine.trajectory(step_index).elapsed, size, rough)
        return compare(trials, candidates, size, engine.unit, refine=not rough)

    def best(rough: bool) -> Contest:
        contests[:] = [contest(step_index, rough) for step_index in range(len(engine.steps))]
        return min(contests, key=lambda contest: contest.least)

    ending = advance_until_settled(engine, plan, lambda rough: engine.scored(lambda: best(rough)))
    others = [row for contest in contests if contest is not ending.contest for row in contest.rows]
    table = marked(ending.contest.rows, plan.one_standard_error, others)
    selection = Selection(method, table, ending.halfway)
    step_index, scheme = contests.index(ending.contest), selection.chosen.scheme
    predictions = engine.held_out(step_index, scheme)
    if step_index > 0 and predictions.path is not None:  # ridge strengths are answered from the first step's run
        predictions = replace(predictions, ridge_path=engine.held_out(0, scheme).path)
    engine.finish()
    return Outcome(
        engine.trajectory(step_index),
        scheme,
        selection,
        engine.run(step_index),
        engine.passes,
        ending.falling,
        predictions,
        RidgeRun(engine.trajectory(), engine.run()) if step_index > 0 else None,
    )
