"""The residual filter of a preconditioned run, in which each leading direction has its own step and discount."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.kernel.flattened import START_SHRINKAGE
from ridgeway.theory.spectral_filter import residual_filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.kernel.flattened import Flattened


def learned_share(run: Flattened, scheme: Scheme, eigenvalues: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each eigenvalue, how much of that component the expected average has learned, 1 - q(s).

    Below the smallest preconditioned eigenvalue the step is not preconditioned, and the run starts at 0.
    """
    leading = eigenvalues >= run.eigenvalues[-1]
    factors = np.where(leading, run.level / (eigenvalues + run.level), 1.0)
    at_start = np.where(leading, eigenvalues / (eigenvalues + START_SHRINKAGE * run.level), 0.0)
    left = np.array(
        [
            float(residual_filter(scheme, s, run.step * p, run.length))
            for s, p in zip(eigenvalues.tolist(), factors.tolist(), strict=True)
        ]
    )
    strength = scheme.alpha if isinstance(scheme, Geometric) else 0.0
    learned: NDArray[np.float64] = at_start * eigenvalues / (eigenvalues + strength) + (1 - left) * (1 - at_start)
    return learned
