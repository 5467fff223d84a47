"""Paths: the distance of the predictions from exact ridge at each strength, and the cost of growing steps.

The distance is the standard deviation of the difference of predictions on test rows over that of ridge's predictions,
in percent. Tables of RIDGEWAY_DATA are included if it is set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import train_test_split

import ridgeway as rw
from benchmarks.planted import Array
from benchmarks.report import Case, Result, Target
from benchmarks.timing import REPEATS, interleave

ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)
WEAK_ALPHA = 0.001
SPLITS, SEEDS = 3, 5
ROWS, COLUMNS, BATCH = 1_000_000, 20, 10_000
FILES = {  # name -> file, target, whether to predict its logarithm
    "ames": ("ames_housing.csv.gz", "Sale_Price", True),
    "california": ("california_housing.csv.gz", "MedHouseVal", False),
    "chicago": ("chicago_ridership.csv.gz", "ridership", False),
    "diamonds": ("diamonds.csv.gz", "price", True),
}


def cases(quick: bool = False) -> Iterator[Case]:
    """Measure real tables with all defaults, then one pass and a stream over planted rows, then the cost."""
    for name, load in tables().items():
        yield _defaults(name, load, 1 if quick else SPLITS)
    n_rows = ROWS // 10 if quick else ROWS
    yield one_pass(n_rows, 1 if quick else SEEDS)
    for shuffle in (False, True):
        yield _cost(n_rows, shuffle)


def tables() -> dict[str, Callable[[], tuple[Array, Array]]]:
    """Return functions that load real tables as numbers, by name; those of RIDGEWAY_DATA if it is set."""
    found: dict[str, Callable[[], tuple[Array, Array]]] = {
        "diabetes": lambda: load_diabetes(return_X_y=True),
        "digits": lambda: load_digits(return_X_y=True),
    }
    folder = os.environ.get("RIDGEWAY_DATA")
    for name in FILES if folder else ():
        found[name] = lambda name=name: _from_file(Path(str(folder)), name)  # type: ignore[misc]
    return found


def _from_file(folder: Path, name: str) -> tuple[Array, Array]:
    file, target, log = FILES[name]
    frame = pd.read_csv(folder / file)
    if "date" in frame:
        frame["day"] = pd.to_datetime(frame.pop("date")).dt.day_name()
    y = frame.pop(target).to_numpy(np.float64)
    X = pd.get_dummies(frame, dtype=float)
    return X.fillna(X.mean()).to_numpy(np.float64), np.log(y) if log else y


def _defaults(name: str, load: Callable[[], tuple[Array, Array]], splits: int) -> Case:
    X, y = load()
    found = []
    for seed in range(splits):
        train, test, labels, _ = train_test_split(X, y.astype(np.float64), test_size=0.2, random_state=seed)
        model = rw.AveragedSGDRegressor(random_state=seed).fit(train, labels)
        found.append(distances(model, train, labels, test, (WEAK_ALPHA, *ALPHAS)))
    table = np.array(found)
    mean = np.exp(np.log(table[:, 1:]).mean())
    results = [
        Result("distance for alpha .01 to 100, geometric mean, %", float(mean), Target(high=0.6)),
        Result("distance for alpha .01 to 100, largest, %", float(table[:, 1:].max()), Target(high=3.0)),
        Result("distance for alpha .001, largest, %", float(table[:, 0].max()), Target(high=6.0)),
    ]
    return Case(f"defaults, {name}", results, {})


def one_pass(n_rows: int, seeds: int) -> Case:
    """Measure one pass of `fit` and of `partial_fit` over planted rows."""
    fits, streams = [], []
    for seed in range(seeds):
        X, y, test = _planted(n_rows, seed)
        fits.append(distances(rw.AveragedSGDRegressor(passes=1, random_state=seed).fit(X, y), X, y, test, ALPHAS))
        stream = rw.AveragedSGDRegressor(random_state=seed)
        for first in range(0, n_rows, BATCH):
            stream.partial_fit(X[first : first + BATCH], y[first : first + BATCH])
        streams.append(distances(stream, X, y, test, ALPHAS))
    fit, stream_means = np.mean(fits, axis=0), np.mean(streams, axis=0)
    results = [
        Result("one pass, distance for alpha .01 to 10, largest, %", float(fit[:-1].max()), Target(high=3.0)),
        Result("one pass, distance for alpha 100, %", float(fit[-1]), Target(high=6.0)),
        Result("stream, distance for alpha .01 to 10, largest, %", float(stream_means[:-1].max()), Target(high=8.0)),
        Result("stream, distance for alpha 100, %", float(stream_means[-1]), Target(high=12.0)),
    ]
    return Case(f"one pass, {n_rows:,} x {COLUMNS}", results, {})


def _cost(n_rows: int, shuffle: bool) -> Case:
    """Compare runs whose steps are constant, grow, and grow with outlying rows split; all are clipped at most at 1.

    Splitting needs the norms of all rows before the first step: one more read, as the automatic constant step needs it.
    """
    X, y, _ = _planted(n_rows, 0)
    size = 0.5 / float((X**2).sum(axis=1).mean())
    options: dict[str, Any] = {"store": "sketch", "random_state": 0, "shuffle": shuffle}
    timings = interleave(
        {
            "constant step, read in order": lambda: _run(X, y, rw.LimitedStep(size)),
            "growing step, read in order": lambda: _run(X, y, rw.GrowingStep(size, climb=n_rows // 4)),
            "constant step": lambda: rw.run_sgd(X, y, step=rw.LimitedStep(size), **options),
            "automatic constant step": lambda: rw.run_sgd(X, y, **options),
            "growing step, rows split": lambda: rw.run_sgd(X, y, step=rw.GrowingStep(size), **options),
        },
        REPEATS,
    )
    steps = rw.run_sgd(X, y, step=rw.GrowingStep(size), **options).n_steps / n_rows
    in_order, growing, constant, automatic, split = timings.values()
    each = "growing step, rows split / {} constant step, for each step made"
    results = [
        Result("growing / constant step", growing.over(in_order), Target(high=1.1)),
        Result(each.format("given"), split.over(constant) / steps),
        Result(each.format("automatic"), split.over(automatic) / steps, Target(high=1.1) if shuffle else None),
        Result("steps per row with rows split", steps),
    ]
    return Case(f"cost, {n_rows:,} x {COLUMNS}, {'shuffled' if shuffle else 'in order'}", results, timings)


def _run(X: Array, y: Array, step: rw.LimitedStep | rw.GrowingStep) -> rw.Trajectory:
    run = rw.SGDRun(step, store="sketch")
    run.update(X, y)
    return run.trajectory()


def _planted(n_rows: int, seed: int) -> tuple[Array, Array, Array]:
    """Rows with spectrum 1/i, targets with a signal-to-noise ratio of 1, and test rows."""
    rng = np.random.default_rng(seed)
    spectrum = 1 / np.arange(1, COLUMNS + 1)
    X = rng.standard_normal((n_rows, COLUMNS)) * np.sqrt(spectrum)
    w = rng.standard_normal(COLUMNS)
    w /= np.sqrt((spectrum * w * w).sum())
    return X, X @ w + rng.standard_normal(n_rows), rng.standard_normal((5000, COLUMNS)) * np.sqrt(spectrum)


def distances(model: Any, X: Array, y: Array, test: Array, alphas: tuple[float, ...]) -> Array:
    """Distance of the path from exact ridge on standardized features, in percent, for each alpha."""
    mean, scale = X.mean(axis=0), X.std(axis=0)
    scale[scale == 0] = 1.0
    Z, T = (X - mean) / scale, (test - mean) / scale
    values, vectors = np.linalg.eigh(Z.T @ Z / len(Z))
    b = vectors.T @ (Z.T @ (y - y.mean())) / len(Z)
    ridge = np.stack([T @ (vectors @ (b / (values.clip(0) + alpha))) for alpha in alphas], axis=1)
    difference = model.predict_path(test, list(alphas)) - ridge
    distances: Array = 100 * difference.std(axis=0) / ridge.std(axis=0)
    return distances
