"""The main job on the embedded flights: one pass of SGD, the whole path, and the exact ridge path beside it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ridgeway.datasets import load_flights
from ridgeway.exact import ExactRidgePath
from ridgeway.sgd import run_sgd

ALPHAS = np.array([1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0])
ALPHAS_TIMED = np.logspace(-6, 3, 100)

T = TypeVar("T")


def main() -> None:
    """Fit arrival delays of flights by both methods and print the paths and the times side by side."""
    flights = load_flights()
    order = np.random.default_rng(0).permutation(len(flights.y))
    test, train = order[: len(order) // 5], order[len(order) // 5 :]
    X, y = flights.X[train], flights.y[train]
    mean, sd = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    sd[sd == 0] = 1
    centre = y.mean(dtype=np.float64)
    X, y = ((X - mean) / sd).astype(np.float32), (y - centre).astype(np.float32)
    X_test, y_test = ((flights.X[test] - mean) / sd).astype(np.float32), flights.y[test] - centre

    run_sgd(X[:3000], y[:3000], store="sketch").path(ALPHAS)  # compile before the clock starts
    read, _ = _timed(X.sum)
    pass_time, run = _timed(lambda: run_sgd(X, y, store="sketch"))
    path_time, _ = _timed(lambda: run.path(ALPHAS_TIMED))
    exact_time, exact = _timed(lambda: ExactRidgePath(scale=False, fit_intercept=False).fit(X, y))
    whole_time, _ = _timed(lambda: ExactRidgePath(scale=False, fit_intercept=False).fit(X, y).path(ALPHAS_TIMED))

    def rmse(coefs: NDArray[np.floating]) -> NDArray[np.float64]:
        errors: NDArray[np.float64] = np.sqrt(((X_test @ coefs.T - y_test[:, None]) ** 2).mean(axis=0))
        return errors

    ours, ridge = run.path(ALPHAS), exact.path(ALPHAS).coefs
    print(
        f"Arrival delay of {len(y):,} flights from {X.shape[1]} columns; "
        f"test error on {len(y_test):,} others, in minutes"
    )
    print(f"(always predicting the mean: {np.sqrt((y_test**2).mean()):.3f})\n")
    print(f"{'alpha':>8}  {'one pass of SGD':>16}  {'exact ridge':>12}  {'ratio':>7}")
    for alpha, a, b in zip(ALPHAS, rmse(ours), rmse(ridge), strict=True):
        print(f"{alpha:>8g}  {a:>16.3f}  {b:>12.3f}  {a / b:>7.4f}")
    print(f"\n{'time':>30}  {'seconds':>8}  {'reads of X':>10}")
    for name, seconds in (
        ("one read of X", read),
        ("SGD pass with sketch", pass_time),
        (f"path of {len(ALPHAS_TIMED)} alphas", path_time),
        ("both", pass_time + path_time),
        ("exact: Gram matrix", exact_time),
        (f"exact: Gram, eigh, {len(ALPHAS_TIMED)} alphas", whole_time),
    ):
        print(f"{name:>30}  {seconds:>8.4f}  {seconds / read:>10.1f}")
    print(
        f"\n{run.n_steps:,} steps of size {run.step:.4g} (R^2 = {run.r2:.1f}, {run.limited} rows limited); "
        f"the sketch holds every alpha in {run.nbytes / 2**20:.1f} MiB."
    )


def _timed(job: Callable[[], T]) -> tuple[float, T]:
    """Return the best time of three, and the result."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = job()
        times.append(time.perf_counter() - start)
    return min(times), result


if __name__ == "__main__":
    main()
