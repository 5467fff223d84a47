"""Streams from disk: a Parquet file larger than the memory that a learner may use, read once in batches.

Each learner runs in its own process with a limited data segment, so none can hold the file.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler

import ridgeway as rw
from benchmarks.planted import Array
from benchmarks.report import Case, Result
from benchmarks.timing import Timing

BATCH_ROWS = 20_000  # rows
GIGABYTE = 2**30
LEARNERS = ("read only", "RidgePathCV", "AveragedSGDRegressor", "SGDRegressor, averaged", "SGDRegressor")


def cases(quick: bool = False) -> Iterator[Case]:
    """Write files of few and of many columns, and learn from each."""
    for n_columns in (50, 500):
        gigabytes, bound = (0.05, 1.0) if quick else (3.0, 1.5)
        n_rows = round(gigabytes * GIGABYTE / 4 / (n_columns + 1))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            write(path, n_rows, n_columns)
            yield _case(path, n_rows, n_columns, bound)


def pieces(n_rows: int, n_columns: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Yield batches of correlated float32 columns and targets."""
    mixing = np.random.default_rng(0)
    coef = mixing.standard_normal(n_columns).astype(np.float32) / np.sqrt(n_columns)
    factor = mixing.standard_normal((5, n_columns)).astype(np.float32)
    rng = np.random.default_rng(seed)
    for first in range(0, n_rows, BATCH_ROWS):
        n = min(BATCH_ROWS, n_rows - first)
        X = rng.standard_normal((n, n_columns), dtype=np.float32)
        X += rng.standard_normal((n, 5), dtype=np.float32) @ factor
        yield X, X @ coef + rng.standard_normal(n, dtype=np.float32)


def write(path: Path, n_rows: int, n_columns: int) -> None:
    """Write the file piece by piece, uncompressed."""
    names = [*(f"x{k}" for k in range(n_columns)), "y"]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pyarrow.parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
        for X, y in pieces(n_rows, n_columns, seed=1):
            file.write_table(pa.table([*X.T, y], schema=schema))


def batches(path: Path) -> Iterator[tuple[Array, Array]]:
    """Read the file in batches."""
    for batch in pyarrow.parquet.ParquetFile(path, pre_buffer=False).iter_batches(BATCH_ROWS):
        table = np.column_stack([column.to_numpy() for column in batch.columns])
        yield np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.float64)


def learn(path: Path, name: str) -> Any:
    """Read the file once; return a function that predicts, or None if nothing is learned."""
    if name == "read only":
        for _ in batches(path):
            pass
        return None
    if name.startswith("SGD"):
        scaler, sgd = StandardScaler(), SGDRegressor(average="averaged" in name, random_state=0)
        for X, y in batches(path):
            sgd.partial_fit(scaler.partial_fit(X).transform(X), y)
        return lambda X: sgd.predict(scaler.transform(X))
    model: Any = rw.AveragedSGDRegressor() if name == "AveragedSGDRegressor" else rw.RidgePathCV(random_state=0)
    for X, y in batches(path):
        model.partial_fit(X, y)
    model.predict(X[:1])  # Gram matrices are solved when the model is first read
    return model.predict


def _case(path: Path, n_rows: int, n_columns: int, bound: float) -> Case:
    found = {}
    for name in LEARNERS:
        command = [sys.executable, "-m", "benchmarks.peers.disk", str(path), name, str(n_columns), str(bound)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        found[name] = json.loads(answer.stdout.splitlines()[-1])
    exact, read = found["RidgePathCV"]["error"], found["read only"]["seconds"]
    results = [Result(f"{name}: time / reading", found[name]["seconds"] / read) for name in LEARNERS[1:]]
    results += [Result(f"{name}: error / exact", found[name]["error"] / exact) for name in LEARNERS[1:]]
    results += [Result("file, MB", path.stat().st_size / 1e6), Result("bound, MB", bound * GIGABYTE / 1e6)]
    timings = {name: Timing((found[name]["seconds"],)) for name in LEARNERS}
    return Case(f"{n_rows:,} x {n_columns}", results, timings)


def _bounded(path: Path, name: str, n_columns: int, bound: float) -> dict[str, float]:
    """Learn within the bound; return seconds and test error."""
    resource.setrlimit(resource.RLIMIT_DATA, (round(bound * GIGABYTE),) * 2)
    rows = [next(pieces(2_000, n_columns, seed=5))]
    rw.AveragedSGDRegressor().partial_fit(*rows[0]).predict(rows[0][0])  # imports
    start = perf_counter()
    predict = learn(path, name)
    seconds = perf_counter() - start
    X, y = next(pieces(BATCH_ROWS, n_columns, seed=2))
    error = float(np.sqrt(np.mean((predict(X) - y) ** 2))) if predict is not None else float("nan")
    return {"seconds": seconds, "error": error}


if __name__ == "__main__":
    print(json.dumps(_bounded(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))))
