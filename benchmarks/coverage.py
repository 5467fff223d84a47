"""Coverage of prediction intervals on real sets and on a stream, and of coefficient intervals in a simulation.

Run from the root: ``python -m benchmarks.coverage [sets] [stream] [coefficients]``. It prints the tables of
docs/guide/evaluation.md. Sets come from packages, and from the folder that RIDGEWAY_DATA names.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ridgeway as rw
from benchmarks.peers.sets import real_sets

Array = NDArray[np.float64]

SETS = ("diabetes", "concrete", "ames", "diamonds", "wage", "computers", "chicago", "california", "car_prices")
SPLITS = 20
COVERAGE = 0.9
STREAM_ROWS, STREAM_BATCH = 200_000, 5000
DRAWS = 1000  # simulated data sets of 1,000 rows; a tenth for 10,000
LEVEL = 0.95

MODELS: dict[str, Callable[[int], Any]] = {
    "RidgePathCV": lambda seed: rw.RidgePathCV(random_state=seed),
    "AveragedSGDRegressor": lambda seed: rw.AveragedSGDRegressor(random_state=seed),
}


def inside(ends: Array, y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which rows lie within their intervals."""
    within: NDArray[np.bool_] = (ends[:, 0] <= y) & (y <= ends[:, 1])
    return within


def extreme_fifths(predicted: Array, within: NDArray[np.bool_]) -> Array:
    """Return the coverage of the fifth of the smallest predictions, and of the largest."""
    order = np.argsort(predicted, kind="stable")
    k = len(order) // 5
    return np.array([within[order[:k]].mean(), within[order[-k:]].mean()])


def on_sets() -> Iterator[str]:
    """Yield the table of the sets: coverage at the chosen average and at alpha = 1, and of the extreme fifths."""
    head = ("set", "rows", "chosen", "alpha = 1", "worse extreme fifth", "worse extreme fifth, normalized")
    for name, make in MODELS.items():
        yield f"{name}, 90% intervals, means of {SPLITS} splits, in %"
        yield "| " + " | ".join(head) + " |"
        yield "| --- |" + " --: |" * (len(head) - 1)
        found = []
        for table in real_sets():
            if table.name not in SETS:
                continue
            shares = []
            for seed in range(SPLITS):
                split = table.split(seed)
                model = make(seed).fit(split.X, split.y)
                within = [
                    inside(one.predict_interval(split.test_X, COVERAGE, normalized=normalized), split.test_y)
                    for one, normalized in ((model, False), (model.at(1.0), False), (model, True))
                ]
                fifths = [extreme_fifths(model.predict(split.test_X), within[place]) for place in (0, 2)]
                shares.append([within[0].mean(), within[1].mean(), *fifths[0], *fifths[1], within[2].mean()])
                if seed == 0:
                    require_same_when_saved(model, split.test_X)
            mean = 100 * np.mean(shares, axis=0)
            found.append(mean)
            numbers = (mean[0], mean[1], mean[2:4].min(), mean[4:6].min())
            yield f"| {table.name} | {len(split.y):,} | " + " | ".join(f"{share:.1f}" for share in numbers) + " |"
        overall = np.mean(found, axis=0)
        yield f"| mean | | {overall[0]:.1f} | {overall[1]:.1f} | | |"
        yield f"(normalized intervals, all rows: {overall[6]:.1f})"


def require_same_when_saved(model: Any, X: Array) -> None:
    """Stop unless a saved model gives the same intervals, to the bit."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "m.safetensors")
        loaded = rw.load(Path(folder) / "m.safetensors")
    for one, other in ((model, loaded), (model.at(1.0), loaded.at(1.0))):
        assert (one.predict_interval(X) == other.predict_interval(X)).all()


def on_stream() -> Iterator[str]:
    """Yield the coverage after a stream of 200,000 rows with unequal variances and heavy tails."""
    shares = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n, d = STREAM_ROWS + 20_000, 20
        X = rng.standard_normal((n, d)) @ np.diag(np.geomspace(1, 0.05, d))
        y = X @ rng.standard_normal(d) + rng.standard_t(4, n) * (1 + np.abs(X[:, 0]))
        model = rw.AveragedSGDRegressor()
        for start in range(0, STREAM_ROWS, STREAM_BATCH):
            model.partial_fit(X[start : start + STREAM_BATCH], y[start : start + STREAM_BATCH])
        new = slice(STREAM_ROWS, None)
        shares.append(
            [
                inside(one.predict_interval(X[new], COVERAGE), y[new]).mean()
                for one in (model, model.at(1.0), model.at(0.01))
            ]
        )
    mean = 100 * np.mean(shares, axis=0)
    yield (
        f"a stream of {STREAM_ROWS:,} rows, mean of 5: chosen {mean[0]:.1f}, alpha = 1 {mean[1]:.1f}, alpha = 0.01 "
        f"{mean[2]:.1f} (single streams {100 * np.min(shares):.1f} to {100 * np.max(shares):.1f})"
    )


def simulated(kind: str, n: int, d: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw rows: errors of equal variance, of unequal variances, or a curved truth."""
    X = rng.standard_normal((n, d))
    X[:, 1:] += 0.5 * X[:, :1]
    signal = X @ np.linspace(1, 0, d)
    if kind == "misspecified":
        signal = signal + 0.5 * (X[:, 0] ** 2 - 1)
    spread = 0.5 + np.abs(X[:, 0]) if kind == "unequal variances" else 1.0
    return X, signal + spread * rng.standard_normal(n)


def on_coefficients() -> Iterator[str]:
    """Yield the coverage of 95% intervals for the ridge coefficients of the population."""
    yield "| errors | d | n | alpha = 0 | alpha = 0.1 |"
    yield "| --- | --: | --: | --: | --: |"
    for kind in ("equal variances", "unequal variances", "misspecified"):
        for d in (5, 20):
            many = simulated(kind, 1_000_000, d, np.random.default_rng(99))
            population = rw.RidgePathCV(alpha=0.0, scale=False).fit(*many)
            truth = [population.at(alpha).coef_ for alpha in (0.0, 0.1)]
            for n in (1000, 10_000):
                rng, hits = np.random.default_rng(n + d), []
                for _ in range(DRAWS if n == 1000 else DRAWS // 5):
                    X, y = simulated(kind, n, d, rng)
                    model = rw.RidgePathCV(alpha=0.0, scale=False).fit(X, y)
                    hits.append(
                        [
                            inside(model.at(alpha).coef_interval(LEVEL, X, y), coef).mean()
                            for alpha, coef in zip((0.0, 0.1), truth, strict=True)
                        ]
                    )
                shares = 100 * np.mean(hits, axis=0)
                yield f"| {kind} | {d} | {n:,} | {shares[0]:.1f} | {shares[1]:.1f} |"


PARTS = {"sets": on_sets, "stream": on_stream, "coefficients": on_coefficients}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or PARTS:
        for line in PARTS[part]():
            print(line, flush=True)
