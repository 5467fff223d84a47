"""A small problem with named columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

COLUMNS = ["age", "size", "price", "weight", "height", "depth"]


def problem(targets: int | None = None) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Correlated columns of different scales, and y with noise."""
    rng = np.random.default_rng(0)
    d = len(COLUMNS)
    X = rng.standard_normal((150, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d))) * np.geomspace(0.1, 10.0, d)
    signal = X @ (rng.standard_normal((d,) if targets is None else (d, targets)).T / np.geomspace(0.1, 10.0, d)).T
    return pd.DataFrame(X, columns=COLUMNS), signal + rng.standard_normal(signal.shape)
