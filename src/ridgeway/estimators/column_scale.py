"""The scales by which an estimator divided the columns of X; they make coefficients comparable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.estimators import AveragedSGDRegressor, RidgePathCV
from ridgeway.exact import ExactRidgePath

if TYPE_CHECKING:
    from ridgeway.rows import Float


def column_scale(estimator: Any) -> Float | None:
    """Return the scales of the columns, (d,), or None if they are not known."""
    if isinstance(estimator, AveragedSGDRegressor | RidgePathCV):
        return estimator._fitted().averages.standardization.scale
    if isinstance(estimator, ExactRidgePath):
        spectrum = estimator._fitted().spectrum
        moments = spectrum.moments
        deviation = np.sqrt(np.where(moments.constant, 1.0, moments.xx.diagonal() / moments.weight))
        return deviation if spectrum.scale else np.ones_like(deviation)
    return None
