"""Fits of every kind that the compiled core has loops for, each as a digest of its bits.

`python -m tests.core.fitted_bits` prints them, for processes of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray

import ridgeway as rw
from ridgeway import _core

Array = NDArray[Any]
ALPHAS = np.geomspace(0.01, 100, 7)
SMOOTH = (rw.Geometric(0.1), rw.Uniform(), rw.Last(), rw.NegativeBinomial(0.1, 2))
OTHERS = (rw.Tail(0.5), rw.Poisson(40.0), rw.Exponential(0.99))  # a sketch of so few steps cannot answer them


def rows(dtype: DTypeLike, sparse: bool, targets: int = 1, d: int = 37) -> tuple[Any, Array]:
    """Return X, whose width fills no whole number of lanes, and y; too small for BLAS to share among threads."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, d)) * np.geomspace(0.3, 3, d)
    X[::50] *= 6  # outliers
    if sparse:
        X[rng.random(X.shape) < 0.7] = 0
    y = X @ rng.standard_normal((d, targets)) + rng.standard_normal((300, targets))
    X, y = X.astype(dtype), (y if targets > 1 else y[:, 0]).astype(dtype)
    return scipy.sparse.csr_array(X) if sparse else X, y


def fitted(X: Any, y: Array, **options: Any) -> Iterator[Array]:
    """Yield what a fit to rows in memory gives."""
    model = rw.AveragedSGDRegressor(random_state=0, **options)
    model.fit(X, y, sample_weight=np.linspace(0.5, 2, len(y)))
    path = model.path(ALPHAS)
    yield from (model.coef_, np.asarray(model.intercept_), path.coefs, path.intercepts, model.predict(X))


def streamed(X: Any, y: Array, **options: Any) -> Iterator[Array]:
    """Yield what a stream in batches of several sizes gives."""
    model = rw.AveragedSGDRegressor(random_state=0, **options)
    for begin, end in ((0, 50), (50, 51), (51, 200), (200, 300)):
        model.partial_fit(X[begin:end], y[begin:end])
    path = model.path(ALPHAS)
    yield from (model.coef_, np.asarray(model.intercept_), path.coefs, path.intercepts)


def run(X: Any, y: Array, schemes: Sequence[rw.Scheme], **options: Any) -> Iterator[Array]:
    """Yield the averages of a run of a constant step."""
    trajectory = rw.run_sgd(X, y, step=0.001, passes=2, shuffle=True, random_state=0, **options)
    yield from (trajectory.coef(scheme) for scheme in schemes)


def by_kernel(X: Any, y: Array, **options: Any) -> Iterator[Array]:
    """Yield what a fit by a kernel gives."""
    model = rw.AveragedKernelRegressor(kernel="rbf", random_state=0, **options).fit(X, y)
    yield from (model.coef_, model.predict(X))


def risks() -> Iterator[Array]:
    """Yield exact risks, by recursion and by sums, and iterates of regularised steps."""
    s = 1 / np.arange(1, 12)
    for scheme in (rw.Geometric(0.1), rw.Tail(0.5), rw.Uniform()):
        for n_steps in (300, 10**9):
            risk = rw.theory.excess_risk(scheme, s, np.ones(11), noise_variance=0.25, step=0.05, n_steps=n_steps)
            yield np.array([risk.deterministic_bias, risk.multiplicative_bias, risk.variance])
    X, y = rows("float64", sparse=False)
    yield rw.theory.tikhonov_sgd(X, y, alpha=0.5, step=0.001)


def cases() -> Iterator[tuple[str, Iterator[Array]]]:
    """Yield names of fits, and what each gives."""
    for dtype in ("float32", "float64"):
        for sparse in (False, True):
            X, y = rows(dtype, sparse)
            kind = f"{dtype} {'csr' if sparse else 'dense'}"
            yield f"{kind} fit", fitted(X, y, passes=3, cv=3)
            yield f"{kind} mini-batches", fitted(X, y, passes=3, batch_size=7, alpha=0.1)
            yield f"{kind} partial_fit", streamed(X, y)
            yield f"{kind} partial_fit of mini-batches", streamed(X, y, batch_size=7)
            yield f"{kind} sketch", run(X, y, SMOOTH, store="sketch")
            yield f"{kind} replay", run(X, y, (*SMOOTH, *OTHERS), store="replay")
            yield f"{kind} two targets", fitted(*rows(dtype, sparse, targets=2), passes=3, alpha=0.1)
        X, y = rows(dtype, sparse=False, d=5)
        yield f"{dtype} kernel", by_kernel(X, y, gamma=0.1, alpha=0.1, passes=3)
        yield f"{dtype} components", by_kernel(X, y, gamma=0.1, alpha=0.1, passes=3, n_components=20)
    yield "risks", risks()


def digests() -> dict[str, str]:
    """Return a digest of each fit."""
    found = {}
    for name, arrays in cases():
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        found[name] = digest.hexdigest()
    return found


if __name__ == "__main__":
    print(json.dumps({"level": _core.level(), "bits": digests()}))
