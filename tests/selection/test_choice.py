"""The choice asks engines through the protocol alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ridgeway import AveragedSGDRegressor
from ridgeway.estimators.options import fit_options
from ridgeway.estimators.steps import automatic_steps
from ridgeway.messages.progress import Progress
from ridgeway.rows import FLOAT64, check_batch
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization
from ridgeway.selection import (
    CrossValidation,
    Engine,
    MemoryEngine,
    Plan,
    by_folds,
    by_holdout,
    decide_plan,
    k_folds,
    run_given,
)
from ridgeway.selection.plan import MAX_ROWS_TO_FOLD, decide_method


def problem(**parameters: object) -> tuple[Feed, Plan]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    batch = check_batch(X, X @ [1.0, 2.0, 0.0, -1.0] + rng.standard_normal(300), None, target_dtype=FLOAT64)
    feed = Feed(batch, Standardization.of(batch, scale=True, centre=True), several_passes=True)
    options = fit_options(AveragedSGDRegressor(passes=4, **parameters))  # type: ignore[arg-type]
    progress = Progress(1200, shown=False)
    rng = np.random.default_rng(1)
    return feed, decide_plan(options, 300, 4, lambda: automatic_steps(feed), chains=1, rng=rng, progress=progress)


# Law: the final run of a choice by folds is the run that a given average would have.
def test_the_final_run_does_not_depend_on_the_folds() -> None:
    feed, plan = problem(averaging="geometric")
    engine: Engine = MemoryEngine.over_folds(feed, plan, k_folds(300, 3, np.random.default_rng(2)))
    chosen = by_folds(engine, plan, "3 folds")
    given = run_given(MemoryEngine.over_all_rows(feed, plan), replace(plan, scheme=chosen.scheme, family=None))
    assert (chosen.trajectory.coef(chosen.scheme) == given.trajectory.coef(chosen.scheme)).all()
    assert engine.begun
    assert chosen.passes == given.passes == 4


# Law: a hold-out is learned from at the end, so the run has made a step for every row.
def test_held_out_rows_are_learned_from() -> None:
    feed, plan = problem(cv="holdout")
    engine = MemoryEngine.holding_out(feed, plan)
    outcome = by_holdout(engine, plan)
    assert engine.n_held_out == 30
    assert outcome.selection is not None
    assert outcome.selection.method == "hold-out of 30 rows"
    assert outcome.trajectory.n_steps >= 4 * 270 + 30


# Law: cv="auto" uses folds for few rows and a hold-out for many.
@pytest.mark.parametrize(("n_rows", "method"), [(MAX_ROWS_TO_FOLD, "folds"), (MAX_ROWS_TO_FOLD + 1, "holdout")])
def test_the_method_of_choice(n_rows: int, method: str) -> None:
    assert decide_method(CrossValidation("auto"), n_rows).method == method
    assert decide_method(CrossValidation("folds", 7), n_rows).n_folds == 7
