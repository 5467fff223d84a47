"""The tasks that are compared, and the yardstick that each is divided by. They use only names that releases share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

import ridgeway as rw

ALPHAS = np.logspace(-6, 3, 100)
Task = Callable[[], object]


def tasks(scale: float = 1.0) -> dict[str, tuple[Task, Task]]:
    """Return (task, yardstick) by name; `scale` multiplies the number of rows. Names a version lacks are left out."""
    rng = np.random.default_rng(0)
    n = max(int(100_000 * scale), 500)
    X = rng.standard_normal((n, 100))
    y = X @ rng.standard_normal(100) + rng.standard_normal(n)
    narrow, short = X.astype(np.float32), slice(0, max(n // 10, 200))
    sparse: Any = scipy.sparse.random_array((n, 1000), density=0.02, rng=rng, format="csr")
    vector = np.ones(1000)
    sketch = rw.run_sgd(X, y, store="sketch")
    found: dict[str, tuple[Task, Task]] = {
        "sketch, float64": (lambda: rw.run_sgd(X, y, step=1e-3, store="sketch"), X.sum),
        "sketch, float32": (lambda: rw.run_sgd(narrow, y.astype(np.float32), step=1e-3, store="sketch"), narrow.sum),
        "replay, float64": (lambda: rw.run_sgd(X, y, step=1e-3), X.sum),
        "sketch, CSR": (lambda: rw.run_sgd(sparse, y, step=1e-2, store="sketch"), lambda: sparse @ vector),
        "path of 100 alphas": (lambda: sketch.path(ALPHAS), X[short].sum),
        "ExactRidgePath": (lambda: rw.ExactRidgePath().fit(X, y), lambda: X.T @ X),
    }
    if hasattr(rw, "RidgePathCV"):
        for solver in ("gram", "krylov"):
            model = rw.RidgePathCV(solver=solver, cv=5, random_state=0)
            found[f"RidgePathCV, {solver}"] = (lambda model=model: model.fit(X[short], y[short]), lambda: X.T @ X)  # type: ignore[misc]
    return found
