"""Models that reports are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse

import ridgeway as rw

HOSTILE = (
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 2'>",
    '"><svg onload=window.ran=3>',
    "{{ 7 * 7 }} ${window.ran = 4} \u2028 \u2029 & @x{safe} $index",
    "<!-- <script>",
    "a name of a column that goes on and on and on and on without an end, in kilograms per square metre",
)


def rows(n: int, d: int, targets: int | None = None, seed: int = 0) -> tuple[Any, Any]:
    """Rows in different units, and targets with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.geomspace(0.01, 100.0, d) + 5.0
    w = rng.standard_normal((d,) if targets is None else (d, targets)) / np.geomspace(0.01, 100.0, d).reshape(
        (d,) if targets is None else (d, 1)
    )
    return X, 20 + X @ w + 2 * rng.standard_normal((n,) if targets is None else (n, targets))


def _sparse() -> Any:
    rng = np.random.default_rng(0)
    X: Any = scipy.sparse.random(400, 300, 0.05, format="csr", random_state=np.random.default_rng(1))
    return rw.AveragedSGDRegressor(random_state=0, passes=20).fit(
        X, X @ rng.standard_normal(300) + rng.normal(size=400)
    )


def _stream() -> Any:
    X, y = rows(4000, 5)
    model = rw.AveragedSGDRegressor()
    for first in range(0, 4000, 700):
        model.partial_fit(X[first : first + 700], y[first : first + 700])
    return model


def _fit(n: int, d: int, targets: int | None = None, dtype: Any = np.float64, **options: Any) -> Callable[[], Any]:
    def fit() -> Any:
        X, y = rows(n, d, targets)
        options_ = {"random_state": 0, "passes": 20} | options
        return rw.AveragedSGDRegressor(**options_).fit(X.astype(dtype), y)

    return fit


def _outliers() -> Any:
    X, y = rows(3000, 5)
    y[7] += 20.0  # capped when averages are compared
    return rw.AveragedSGDRegressor(random_state=0, passes=5).fit(X, y)


def _exact() -> Any:
    return rw.ExactRidgePath(alpha=0.1).fit(*rows(300, 5))


FITS: dict[str, Callable[[], Any]] = {
    "folds": _fit(600, 6),
    "hold-out": _fit(600, 6, cv="holdout", dtype=np.float32),
    "one standard error": _fit(600, 6, one_standard_error=True, averaging="geometric"),
    "tails": _fit(600, 6, averaging="tail"),
    "gcv": _fit(300, 4, cv="gcv"),
    "stream": _stream,
    "given": _fit(300, 4, alpha=0.05),
    "chains": _fit(600, 4, chains=3, alpha=0.05),
    "replay": _fit(300, 4, store="replay", averaging=rw.NegativeBinomial(0.1, 2)),
    "outliers": _outliers,
    "several targets": _fit(500, 5, targets=3),
    "sparse": _sparse,
    "exact": _exact,
    "no effect": _fit(50, 1, alpha=1e9),
}


@cache
def fitted(name: str) -> Any:
    """Return one of the models, fitted once."""
    return FITS[name]()
