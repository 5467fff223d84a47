"""Random estimators: every engine, with random parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import KFold

import ridgeway as rw

SCHEMES = (
    rw.Geometric(0.1),
    rw.Geometric(1e-200),
    rw.Geometric(1e200),
    rw.Uniform(),
    rw.Last(),
    rw.Tail(0.5),
    rw.Tail(3),
    rw.NegativeBinomial(0.1, 2),
)


def draw_estimator(rng: np.random.Generator) -> Any:
    """Return an estimator that is not fitted."""
    kind = rng.choice(["sgd", "exact", "components", "kernel"], p=[0.74, 0.16, 0.07, 0.03])
    scale, fit_intercept = bool(rng.random() < 0.7), bool(rng.random() < 0.7)
    if kind == "exact":
        alpha = float(rng.choice([0.0, 1e-6, 1.0, 1e200, 1e-300]))
        return rw.ExactRidgePath(scale=scale, fit_intercept=fit_intercept, alpha=alpha)
    shared: dict[str, Any] = {
        "passes": 1 + int(rng.integers(3)),
        "batch_size": int(rng.choice([1, 1, 2, 7])),
        "shuffle": bool(rng.random() < 0.5),
        "cv": draw_cv(rng),
        "one_standard_error": bool(rng.random() < 0.2),
        "scale": scale,
        "fit_intercept": fit_intercept,
        "random_state": int(rng.integers(1000)),
        **draw_average(rng),
    }
    if rng.random() < 0.3:
        shared["step"] = (
            float(10.0 ** rng.uniform(-4, 1)) if rng.random() < 0.8 else float(10.0 ** rng.uniform(-300, 300))
        )
    if kind == "sgd":
        if rng.random() < 0.01:
            shared["passes"] = "auto"
        store = str(rng.choice(["auto", "replay"], p=[0.8, 0.2]))
        return rw.AveragedSGDRegressor(chains=int(rng.choice([1, 1, 1, 2])), store=store, **shared)
    if kind == "components":
        return rw.AveragedKernelRegressor(n_components=8, kernel=str(rng.choice(["rbf", "laplacian"])), **shared)
    return rw.AveragedKernelRegressor(kernel=str(rng.choice(["rbf", "linear"])), **shared)


def draw_average(rng: np.random.Generator) -> dict[str, Any]:
    """Return `averaging` or `alpha`, or neither."""
    kind = rng.choice(["auto", "family", "scheme", "alpha"], p=[0.5, 0.2, 0.2, 0.1])
    if kind == "family":
        return {"averaging": str(rng.choice(["geometric", "tail", "uniform", "last"]))}
    if kind == "scheme":
        return {"averaging": SCHEMES[rng.integers(len(SCHEMES))]}
    return {"alpha": float(10.0 ** rng.uniform(-300, 300))} if kind == "alpha" else {}


def draw_cv(rng: np.random.Generator) -> Any:
    """Return a way to choose."""
    kinds: list[Any] = ["auto", 2, 3, "holdout", "progressive", "gcv", KFold(3)]
    return kinds[rng.integers(len(kinds))]
