"""The fitted estimator of a state, whichever it is."""

from __future__ import annotations

from typing import TypeAlias

from ridgeway.estimators.averaged_kernel import AveragedKernelRegressor
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.estimators.ridge_path_cv import RidgePathCV
from ridgeway.storage.class_registry import ClassRegistry
from ridgeway.storage.state import Stored

AnyAveraged: TypeAlias = AveragedSGDRegressor | AveragedKernelRegressor | RidgePathCV

AVERAGED: ClassRegistry[AnyAveraged] = ClassRegistry(
    "estimator", (AveragedKernelRegressor, AveragedSGDRegressor, RidgePathCV)
)


def averaged_of(stored: Stored) -> AnyAveraged:
    """Return the fitted estimator of a state."""
    return AVERAGED.from_state(stored)
