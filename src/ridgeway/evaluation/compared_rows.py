"""Rows whose predictions are compared with actual values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows of one batch.

    Attributes
    ----------
    X : what the estimator predicts from.
    y : (n, targets), in units of the target.
    weight : (n,).
    groups : (n,), or None.
    times : (n,), values that sort in the order of time, or None.
    left_out : rows without a target or weight.
    """

    X: Any
    y: Array
    weight: Array
    groups: NDArray[np.object_] | None = None
    times: NDArray[Any] | None = None
    left_out: int = 0
