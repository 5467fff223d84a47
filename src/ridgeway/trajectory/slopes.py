"""Slopes: averages of a run as coefficients of the standardized features."""

from __future__ import annotations

from collections.abc import Sequence

from ridgeway.averaging import Scheme
from ridgeway.rows import Float
from ridgeway.rows.standardization import Standardization
from ridgeway.trajectory.trajectory import Trajectory


def slopes_of(
    trajectory: Trajectory, standardization: Standardization, sparse: bool, schemes: Sequence[Scheme]
) -> Float:
    """Coefficients of the standardized features, (L, targets, d), by the nearest schemes that can be answered."""
    coefs = trajectory.nearest_average(schemes)
    return standardization.slopes(coefs.reshape(len(schemes), -1, coefs.shape[-1]), sparse)
