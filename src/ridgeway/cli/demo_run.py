"""The demo on the embedded flights: one fit, the selected average, and every strength compared with exact ridge."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from rich import box
from rich.table import Table

from ridgeway.cli.console import Console
from ridgeway.cli.model_text import choices, coefficients
from ridgeway.datasets import load_flights
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.exact import ExactRidgePath
from ridgeway.report import write_report
from ridgeway.rows import Float

DEMO_ALPHAS = np.array([1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0])
PATH_ALPHAS = np.logspace(-6, 3, 1000)

T = TypeVar("T")


def run_demo(console: Console, out: str) -> None:
    """Fit arrival delays of flights with SGD and exactly; print comparison, paths and times; write the report."""
    flights = load_flights()
    order = np.random.default_rng(0).permutation(len(flights.y))
    test, train = order[: len(order) // 5], order[len(order) // 5 :]
    X, y, X_test, y_test = flights.X[train], flights.y[train], flights.X[test], flights.y[test]

    def rmse(predictions: Float) -> Float:
        errors: Float = np.sqrt(((predictions.T - y_test) ** 2).mean(axis=-1))
        return errors

    mean = float(rmse(np.full(len(y_test), y.mean())))
    console.say(
        f"Predict the arrival delay of flights from {X.shape[1]} columns: {len(y):,} flights to fit, {len(y_test):,} "
        "to test.\n"
    )
    AveragedSGDRegressor(passes=1, cv="holdout", random_state=0).fit(X[:3000], y[:3000])  # imports come before timing
    read, _ = _timed(X.sum)
    fit_time, model = _timed(lambda: AveragedSGDRegressor(random_state=0).fit(X, y))
    at_time, _ = _timed(lambda: model.at(0.3).coef_)
    path_time, _ = _timed(lambda: model.path(PATH_ALPHAS))
    exact_time, exact = _timed(lambda: ExactRidgePath().fit(X, y).at(1e-3))
    console.say(choices(model))
    chosen = float(rmse(model.predict(X_test)))
    console.say(f"Test error (RMSE) {chosen:.3f} minutes; always predicting the mean: {mean:.3f}.\n")
    ours, ridge = rmse(model.predict_path(X_test, DEMO_ALPHAS)), rmse(exact.predict_path(X_test, DEMO_ALPHAS))
    console.say(_strengths(ours, ridge))
    times = {
        "one read of X": read,
        f"fit and selection, {model.passes_:.1f} passes": fit_time,
        "another alpha": at_time,
        f"path of {len(PATH_ALPHAS):,} alphas": path_time,
        "exact: Gram matrix and eigenvectors": exact_time,
    }
    console.say(_times(times, read))
    console.say(coefficients(model, list(flights.feature_names)))
    console.say(
        f"{model.n_steps_:,} steps up to size {model.step_:.4g}; {model.n_split_:,} outlying rows were split into "
        f"several steps. The model holds every alpha in {model.trajectory_.nbytes / 2**20:.1f} MiB."
    )
    names = list(flights.feature_names)
    options = {"X": X_test, "y": y_test, "unseen": True, "seconds": fit_time}
    write_report(
        model, out, feature_names=names, target_names=["arrival delay"], title="Flights out of New York", **options
    )
    console.say(f"Written: {out}. Open this report in a browser and move the slider.")
    console.result(
        {
            "report": out,
            "test_error": chosen,
            "test_error_of_mean": mean,
            "averaging": model.averaging_.state(),
            "alphas": DEMO_ALPHAS.tolist(),
            "averaged_sgd": [float(error) for error in ours],
            "exact_ridge": [float(error) for error in ridge],
            "seconds": times,
        }
    )


def _strengths(ours: Float, ridge: Float) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, title="Test error (RMSE) of other strengths, from the same fit", title_justify="left"
    )
    for name in ("alpha", "averaged SGD", "exact ridge", "ratio"):
        table.add_column(name, justify="right")
    for alpha, a, b in zip(DEMO_ALPHAS, ours, ridge, strict=True):
        table.add_row(f"{alpha:g}", f"{a:.3f}", f"{b:.3f}", f"{a / b:.4f}")
    return table


def _times(times: dict[str, float], read: float) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("time")
    table.add_column("seconds", justify="right")
    table.add_column("reads of X", justify="right")
    for name, seconds in times.items():
        table.add_row(name, f"{seconds:.4f}", f"{seconds / read:.1f}")
    return table


def _timed(job: Callable[[], T]) -> tuple[float, T]:
    """Return the best time of three, and the result."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = job()
        times.append(time.perf_counter() - start)
    return min(times), result
