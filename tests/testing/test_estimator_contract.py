"""Every linear estimator keeps the contract, and the contract finds what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.testing import check_path_estimator

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ESTIMATORS: dict[str, Callable[[], Any]] = {
    "exact": lambda: rw.ExactRidgePath(alpha=0.1),
    "gram": lambda: rw.RidgePathCV(solver="gram", random_state=0),
    "krylov": lambda: rw.RidgePathCV(solver="krylov", random_state=0),
    "sgd": lambda: rw.AveragedSGDRegressor(passes=5, random_state=0),
}


# Law: our estimators keep the contract.
@pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS)
def test_estimators(make: Callable[[], Any]) -> None:
    check_path_estimator(make)


class Itself(rw.ExactRidgePath):
    """`at` returns the model itself."""

    def at(self, alpha: Any) -> Any:
        return self


class Shifted(rw.ExactRidgePath):
    """Predicts something else than its coefficients."""

    def predict(self, X: Any) -> Any:
        return super().predict(X) + 1.0


class Other(rw.ExactRidgePath):
    """The path is that of other strengths."""

    def predict_path(self, X: Any, alphas: Any) -> Any:
        return super().predict_path(X, 2.0 * np.asarray(alphas) + 1.0)


class Credulous(rw.ExactRidgePath):
    """Takes any number for 0."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(np.nan_to_num(X, posinf=0.0), np.nan_to_num(y, posinf=0.0), sample_weight)


# Law: each breach is named.
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Itself, "returned the model itself"),
        (Shifted, "predict"),
        (Other, "predict_path at alpha=0"),
        (Credulous, "fit took X with nan: expected a ValueError"),
    ],
)
def test_breaches(kind: type[Any], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_path_estimator(lambda: kind(alpha=0.1))
