"""The law of strengths that a Krylov fit has not resolved, for every estimator that has such fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning


def require_warnings_of_weak_strengths(model: Any, X: Any) -> None:
    """Require a warning where an unresolved strength is asked for, and none of the chosen one and those above it."""
    assert model.alpha_ is not None
    model.path([model.alpha_, 1.0])
    model.at(model.alpha_)
    questions: list[Callable[[], Any]] = [
        lambda: model.at(1e-9),
        lambda: model.path([1e-9]),
        lambda: model.predict_path(X, [1e-9]),
    ]
    for asked in questions:
        with pytest.warns(ConvergenceWarning, match="alpha=1e-09 is weaker than the strengths that this fit solved"):
            asked()
    with pytest.warns(ConvergenceWarning, match="2 alphas up to 1e-08 are weaker"):
        model.path([1e-9, 1e-8, 1.0])
