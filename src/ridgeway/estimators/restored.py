"""An estimator by averaged SGD from its state, whichever it is."""

from __future__ import annotations

from typing import TypeAlias

from ridgeway.estimators.averaged_kernel import AveragedKernelRegressor
from ridgeway.estimators.averaged_sgd import AveragedSGDRegressor
from ridgeway.storage.state import Stored

AnyAveraged: TypeAlias = AveragedSGDRegressor | AveragedKernelRegressor

KINDS: dict[str, type[AveragedSGDRegressor] | type[AveragedKernelRegressor]] = {
    "AveragedKernelRegressor": AveragedKernelRegressor,
    "AveragedSGDRegressor": AveragedSGDRegressor,
}


def averaged_of(stored: Stored) -> AnyAveraged:
    """Return the fitted estimator of a state."""
    return KINDS[stored.text("estimator", tuple(KINDS))].from_state(stored)
