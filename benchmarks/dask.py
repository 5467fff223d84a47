"""A cluster: two workers against one, the overhead of a partition, and the cost model compared with both."""

from __future__ import annotations

import os
import pickle
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ridgeway as rw
from benchmarks.pipelining import Costs, simulate, sizes_of
from benchmarks.planted import dense_rows
from benchmarks.report import Case, Result, Target
from benchmarks.timing import Timing
from ridgeway.dask.cluster import Cluster
from ridgeway.dask.cluster_client import client_within, local_cluster
from ridgeway.dask.fitting import PARTITION_BYTES, fit_opened
from ridgeway.dask.opened_data import Opened, opened_files
from ridgeway.dask.partition_folds import PartitionFolds
from ridgeway.dask.partition_sweep import learn, prepare
from ridgeway.dask.scoring import tally
from ridgeway.dask.survey import survey_rows
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out_errors import HeldOutErrors

COLUMNS = 100
GROUP_ROWS = 40_000  # rows of a row group: 16 MB
DIRECTIONS = 20  # approximate dimension of the space of candidates
FITS = 2  # on each cluster; in the first one workers allocate their memory
TASK_LATENCY_SECONDS = 0.015  # between two tasks of a run group
MODES: dict[str, dict[str, Any]] = {
    "parallel chains": {"alpha": 1.0, "chains": 2},
    "5-fold selection": {"cv": 5},
}
TARGETS = {"parallel chains": Target(low=1.7), "5-fold selection": Target(low=1.6)}


def cases(quick: bool = False) -> Iterator[Case]:
    """Fit Parquet files of DASK_GB gigabytes; 2 is what the targets are meant for."""
    gigabytes = float(os.environ.get("DASK_GB", "0.1" if quick else "2"))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder)
        write(path, gigabytes)
        table = opened_files(path, "y", None, PARTITION_BYTES)
        costs, results = measured_costs(table)
        yield Case(f"one partition, {COLUMNS} columns", results, {})
        taken = {name: {workers: Taken([], []) for workers in (1, 2)} for name in MODES}
        for workers in (1, 2, 2, 1):  # one cluster at a time: idle processes take time from the others
            with cluster(workers) as client:
                warm(Cluster(client), path)
                for name, parameters in MODES.items():
                    for _ in range(FITS):
                        taken[name][workers].fit(client, table, parameters)
        for name, parameters in MODES.items():
            yield speedup(name, gigabytes, table, parameters, costs, taken[name], TARGETS[name])
        with ExitStack() as stack:
            clients = {workers: stack.enter_context(cluster(workers)) for workers in (1, 2)}
            for client in clients.values():  # imports and compilation
                warm(Cluster(client), path)
            yield sizes(clients, path, costs)
            yield overhead(Cluster(clients[1]), path)


class Taken(NamedTuple):
    """The times of fits: seconds, and processor time of the busiest worker."""

    seconds: list[float]
    busiest: list[float]

    def fit(self, client: distributed.Client, table: Opened, parameters: dict[str, Any]) -> None:
        """Fit once more."""
        before = client.run(process_time)
        self.seconds.append(seconds(partial(fit_opened, estimator(parameters), table, Cluster(client)), 1))
        after = client.run(process_time)
        self.busiest.append(max(after[worker] - before[worker] for worker in after))


@contextmanager
def cluster(workers: int) -> Iterator[distributed.Client]:
    """Start workers as a fit without a client does."""
    with local_cluster(workers) as started, client_within(started) as client:
        yield client


def write(folder: Path, gigabytes: float) -> None:
    """Write float32 rows to files of eight row groups each."""
    n_rows = max(8 * GROUP_ROWS, round(gigabytes * 1e9 / 4 / COLUMNS))
    for part, first in enumerate(range(0, n_rows, 8 * GROUP_ROWS)):
        X, y = dense_rows(min(8 * GROUP_ROWS, n_rows - first), COLUMNS, np.float32, seed=part)
        columns = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(COLUMNS)}
        pq.write_table(
            pa.table({**columns, "y": y}),
            folder / f"part{part:03d}.parquet",
            row_group_size=GROUP_ROWS,
            use_dictionary=False,
        )


def warm(executor: Cluster, folder: Path) -> None:
    """Let every worker import and compile what it needs."""
    small = opened_files(folder / "part000.parquet", "y", None, 1)
    some = replace(small, partitions=small.partitions[:4])
    for parameters in MODES.values():
        fit_opened(estimator(parameters), some, executor)


def estimator(parameters: dict[str, Any]) -> rw.AveragedSGDRegressor:
    return rw.AveragedSGDRegressor(**{"passes": 1, "random_state": 0, **parameters})


def seconds(task: Callable[[], object], repeats: int = 3) -> float:
    """Least time of a few runs."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        task()
        times.append(perf_counter() - start)
    return min(times)


def measured_costs(table: Opened) -> tuple[dict[str, float], list[Result]]:
    """Time what tasks do with the first partition, here: seconds per gigabyte of float32 rows."""
    partition, form = table.partitions[0], table.form

    def loaded() -> Any:
        return form.batch(partition.source.load(), partition.name)

    batch = loaded()
    folds = PartitionFolds(0, 5, np.empty(0, np.int64))
    standardization = Standardization.from_moments(RowMoments.of(batch), True, True)
    step = rw.LimitedStep(1e-3)
    ready = prepare(batch, folds, standardization, 0, 0)

    def learned(n_runs: int) -> Any:
        return learn(ready, [rw.SGDRun(step) for _ in range(n_runs)], [None] * n_runs, False)

    rng = np.random.default_rng(0)
    directions = rng.standard_normal((DIRECTIONS, 1, COLUMNS))
    held = HeldOutErrors(directions, True, rng.standard_normal((1, 8, DIRECTIONS + 2)), 10)
    size = batch.rows.nbytes / 1e9
    found = {
        "load": seconds(loaded) / size,
        "survey": seconds(lambda: survey_rows(batch, folds, 0)) / size,
        "prepare": seconds(lambda: prepare(batch, folds, standardization, 0, 0)) / size,
        "score, five folds": seconds(lambda: tally(batch, [held] * 5, folds, standardization, 0, [0])) / size,
        "learn, one run": seconds(lambda: learned(1)) / size,
        "learn, six runs": seconds(lambda: learned(6)) / size,
    }
    (run,) = learned(1)
    (more,) = learn(ready, [run.without_finished_blocks()], [None], False)
    results = [Result(f"{name}, MB/s of rows", 1e3 / value) for name, value in found.items()]
    results.append(Result("state sent to a task, KB", len(pickle.dumps(run.without_finished_blocks(), 5)) / 1e3))
    results.append(Result("state returned, KB", len(pickle.dumps(more, 5)) / 1e3))
    return found, results


def speedup(
    name: str,
    gigabytes: float,
    table: Opened,
    parameters: dict[str, Any],
    costs: dict[str, float],
    taken: dict[int, Taken],
    target: Target,
) -> Case:
    """Compare two workers with one, and both with the cost model."""
    times = {workers: min(found.seconds) for workers, found in taken.items()}
    busiest = {workers: min(found.busiest) for workers, found in taken.items()}
    results = [
        Result("2 workers, times as fast as 1", times[1] / times[2], target),
        Result("the same by processor time of the busiest worker", busiest[1] / busiest[2]),
    ]
    for workers, took in times.items():
        expected = modelled(table, parameters, workers, costs, gigabytes)
        results.append(Result(f"{workers} worker(s): measured over modelled time", took / expected))
    return Case(
        f"{name}, {gigabytes:g} GB",
        results,
        {f"{workers} workers": Timing(tuple(found.seconds)) for workers, found in taken.items()},
    )


def sizes(clients: dict[int, Any], folder: Path, costs: dict[str, float]) -> Case:
    """Fit one chain to the first file, in partitions of several sizes, and compare with the cost model."""
    results = []
    for megabytes in (16, 32, 64, 128):
        table = opened_files(folder / "part000.parquet", "y", None, megabytes << 21)
        for workers, client in clients.items():
            took = seconds(partial(fit_opened, estimator({"alpha": 1.0}), table, Cluster(client)), 2)
            ratio = took / modelled(table, {"alpha": 1.0}, workers, costs, 8 * GROUP_ROWS * COLUMNS * 4e-9)
            name = f"{megabytes} MB, {workers} worker(s): measured over modelled"
            results.append(Result(name, ratio))
    return Case("one chain, one file", results, {})


def modelled(
    table: Opened, parameters: dict[str, Any], workers: int, costs: dict[str, float], gigabytes: float
) -> float:
    """Seconds by the cost model of docs/cluster_measurements.md."""
    n_partitions = len(table.partitions)
    size = gigabytes / n_partitions
    n_chains, segments = (6, 1) if "cv" in parameters else (1, parameters.get("chains", 1))
    learning = costs["learn, six runs"] / 6 if n_chains == 6 else costs["learn, one run"]
    task = Costs((costs["load"] + costs["prepare"]) * size, learning * size, TASK_LATENCY_SECONDS)
    parallel = min(segments, workers)
    swept = simulate(
        sizes_of(n_chains, workers // parallel), n_partitions // parallel, workers // parallel, task
    ).seconds
    survey = n_partitions * (costs["load"] + costs["survey"]) * size / workers
    group = 4 * COLUMNS * GROUP_ROWS / 1e9  # gigabytes of a row group
    norms = min(16, n_partitions) * (costs["load"] + costs["prepare"]) * group / workers
    looks = 2 * n_partitions if "cv" in parameters else 0  # halfway and at the end
    scored = looks * (costs["load"] + costs["score, five folds"]) * size / workers
    sampled = min(16, n_partitions) * costs["load"] * size / workers if looks else 0.0  # predictions, a sample
    return survey + norms + swept + scored + sampled


def overhead(executor: Cluster, folder: Path) -> Case:
    """Time a chain over nearly empty partitions: the overhead of a task."""
    tiny = folder / "tiny.parquet"
    X, y = dense_rows(6400, COLUMNS, np.float32)
    columns = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(COLUMNS)}
    pq.write_table(pa.table({**columns, "y": y}), tiny, row_group_size=100)
    tables = {n: opened_files(tiny, "y", None, 1) for n in (8, 64)}
    times = {}
    for n, table in tables.items():
        some = replace(table, partitions=table.partitions[:n])
        model = estimator({"alpha": 1.0, "step": 1e-3, "passes": 4})
        times[n] = seconds(partial(fit_opened, model, some, executor))
    per_task = (times[64] - times[8]) / (56 * 4)
    return Case("tiny partitions", [Result("milliseconds per task of a chain", 1e3 * per_task)], {})
