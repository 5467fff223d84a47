"""The main job on the embedded flights: fit once, the average chosen, every strength beside the exact ridge path."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ridgeway.datasets import load_flights
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.exact import ExactRidgePath
from ridgeway.rows import Float

ALPHAS = np.array([1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0])
MANY = np.logspace(-6, 3, 1000)

T = TypeVar("T")


def main() -> None:
    """Fit arrival delays of flights by both methods, and print the choice, the paths and the times."""
    flights = load_flights()
    order = np.random.default_rng(0).permutation(len(flights.y))
    test, train = order[: len(order) // 5], order[len(order) // 5 :]
    X, y, X_test, y_test = flights.X[train], flights.y[train], flights.X[test], flights.y[test]

    AveragedSGDRegressor(passes=1, cv="holdout", random_state=0).fit(X[:3000], y[:3000])  # compile before the clock
    read, _ = _timed(X.sum)
    fit_time, model = _timed(lambda: AveragedSGDRegressor(random_state=0).fit(X, y))
    at_time, _ = _timed(lambda: model.at(0.3).coef_)
    path_time, _ = _timed(lambda: model.path(MANY))
    exact_time, exact = _timed(lambda: ExactRidgePath().fit(X, y).at(1e-3))

    def rmse(predictions: Float) -> Float:
        errors: Float = np.sqrt(((predictions.T - y_test) ** 2).mean(axis=-1))
        return errors

    print(f"Arrival delay of {len(y):,} flights from {X.shape[1]} columns.")
    print(f"Test error in minutes, on {len(y_test):,} others")
    print(f"(always predicting the mean: {rmse(np.full(len(y_test), y.mean())):.3f})\n")
    print(model.selection_)
    print(f"\nTest error as chosen: {rmse(model.predict(X_test)):.3f}. Every other strength, from the same fit:\n")
    print(f"{'alpha':>8}  {'averaged SGD':>13}  {'exact ridge':>12}  {'ratio':>7}")
    ours, ridge = rmse(model.predict_path(X_test, ALPHAS)), rmse(exact.predict_path(X_test, ALPHAS))
    for alpha, a, b in zip(ALPHAS, ours, ridge, strict=True):
        print(f"{alpha:>8g}  {a:>13.3f}  {b:>12.3f}  {a / b:>7.4f}")
    print(f"\n{'time':>34}  {'seconds':>8}  {'reads of X':>10}")
    for name, seconds in (
        ("one read of X", read),
        (f"fit and choice, {model.n_steps_ / len(y):.1f} passes", fit_time),
        ("another alpha", at_time),
        (f"path of {len(MANY):,} alphas", path_time),
        ("exact: Gram matrix and eigenvectors", exact_time),
    ):
        print(f"{name:>34}  {seconds:>8.4f}  {seconds / read:>10.1f}")
    print(
        f"\n{model.n_steps_:,} steps of size {model.step_:.4g}, {model.trajectory_.limited:,} of them limited; "
        f"the model holds every alpha in {model.trajectory_.nbytes / 2**20:.1f} MiB."
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
