"""HC3 intervals of coefficients as `show` and the report print them, where a model has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.estimators import AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.solver_facts import SOLVER_FACTS, Ability, can

INTERVAL_LEVEL = 0.95
INTERVAL_NOTE = (
    "Intervals (HC3) cover the population ridge coefficient at this alpha, which is shrunk; alpha counts as given."
)


def coefficient_intervals(model: Any) -> NDArray[np.float64] | None:
    """Return HC3 intervals, (targets, features, 2); None where the model has no errors of its coefficients."""
    if not isinstance(model, RidgePathCV):
        return None
    try:
        intervals = model.coef_interval(INTERVAL_LEVEL)
    except ValueError:  # another engine ran, or the model has neither the rows nor saved errors
        return None
    return intervals.reshape(-1, *intervals.shape[-2:])


def why_no_intervals(model: Any) -> str | None:
    """Return why a linear model has no intervals of its coefficients, and what to do; None if it has them."""
    if not isinstance(model, RidgePathCV | AveragedSGDRegressor):
        return None
    solver = model.solver_ if isinstance(model, RidgePathCV) else "sgd"
    if not can(solver, Ability.LEVERAGES):
        return (
            "No intervals of the coefficients: they need Gram matrices, and "
            f"{SOLVER_FACTS[solver].title} ran; fit with --solver gram (in Python: RidgePathCV(solver='gram'))."
        )
    try:
        model.coef_interval(INTERVAL_LEVEL)
    except ValueError as error:
        return f"No intervals of the coefficients: {error}"
    return None
