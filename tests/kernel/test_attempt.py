"""Attempts at a pace, compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.kernel.test_flattening import setup

from ridgeway.kernel.attempt import PlainAttempt
from ridgeway.selection.folds import k_folds
from ridgeway.sgd import LimitedStep


# Law: the error on the first fold is that of its own rows, however many folds ran beside it.
@pytest.mark.parametrize("n_folds", [1, 5])
def test_error_on_first(n_folds: int) -> None:
    _, _, problem, plan = setup()
    plan = replace(plan, family="geometric", scheme=None)
    folds = k_folds(150, 5, np.random.default_rng(0))
    attempt = PlainAttempt(problem, plan, folds[:n_folds], LimitedStep(1.0))
    attempt.settle()
    best = min(attempt.contest.rows, key=lambda row: row.error)
    expected = (attempt.trials[0].residuals(best.scheme) ** 2).mean()
    assert len(attempt.trials[0].residuals(best.scheme)) == 30
    np.testing.assert_allclose(attempt.error_on_first(), expected, rtol=1e-9)
