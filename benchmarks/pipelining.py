"""Simulation of pipelining: serial chains over partitions that all workers load ahead.

A discrete-event simulation of what `ridgeway.dask.partition_sweep` does. Workers load partitions, a few ahead of the
slowest chain; a run group of chains learns from a partition on the worker that has loaded it, before that worker loads
another; its next task is sent when its last result has reached the client. It shows how many workers serial chains keep
busy, and gives the times of `docs/cluster_measurements.md`. Run it with `python -m benchmarks.pipelining`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report import Case, Result, Target, header, lines
from ridgeway.dask.cluster import Cluster
from ridgeway.dask.partition_sweep import run_groups_for, under_way
from ridgeway.sgd import SGDRun

BUSY = Target(low=0.9)


@dataclass(frozen=True)
class Costs:
    """Seconds of the parts of a task.

    Attributes
    ----------
    load : of a worker, until a partition is there, standardized and in order.
    learn : of one run, for a partition.
    latency : between the end of a task of a group and the start of its next, at least.
    """

    load: float
    learn: float
    latency: float


@dataclass(frozen=True)
class Simulated:
    """The result of a simulation: seconds in all, and the share of them in which workers loaded or learned."""

    seconds: float
    busy: float


def simulate(sizes: list[int], n_partitions: int, n_workers: int, costs: Costs) -> Simulated:
    """Simulate run groups of these sizes over the partitions.

    Every worker does waiting learning tasks first, then the first waiting loading task.
    """
    now = worked = 0.0
    places = [0] * len(sizes)
    ready = [0.0] * len(sizes)  # when the next task of each group has been handed out
    loaded_by: dict[int, int] = {}
    loaded = 0  # partitions that are loaded or being loaded
    running: list[tuple[float, int, int]] = []  # end, worker, group or -1
    free = set(range(n_workers))
    ahead = under_way(n_workers, 1, Cluster.ahead)
    while min(places) < n_partitions:
        for worker in sorted(free):
            mine = [
                c
                for c, place in enumerate(places)
                if ready[c] <= now and place < n_partitions and loaded_by.get(place) == worker
            ]
            if mine:
                group = min(mine, key=lambda c: places[c])
                ready[group] = float("inf")
                took = sizes[group] * costs.learn
                heapq.heappush(running, (now + took, worker, group))
            elif loaded < min(n_partitions, min(places) + ahead):
                took = costs.load
                heapq.heappush(running, (now + took, worker, -1 - loaded))
                loaded += 1
            else:
                continue
            worked += took
            free.discard(worker)
        later = [time for time in ready if now < time < float("inf")]
        now = min([running[0][0], *later] if running else later)
        while running and running[0][0] <= now:
            _, worker, what = heapq.heappop(running)
            free.add(worker)
            if what < 0:
                loaded_by[-1 - what] = worker
            else:
                places[what] += 1
                ready[what] = now + costs.latency
    return Simulated(now, worked / (n_workers * now))


def sizes_of(n_chains: int, n_workers: int) -> list[int]:
    """Return the sizes of the run groups that the library forms."""
    return [len(group.members) for group in run_groups_for(n_chains, 1, n_workers, lambda _: SGDRun(0.1))]


def cases(quick: bool = False) -> Iterator[Case]:
    """Simulate one chain and five folds on 2 to 32 workers: 0.5 s to load a partition, 0.08 s to learn from it."""
    costs = Costs(load=0.5, learn=0.08, latency=0.015)
    n_partitions = 200 if quick else 1000
    for name, n_chains in (("one chain", 1), ("5 folds", 6)):
        alone = simulate(sizes_of(n_chains, 1), n_partitions, 1, costs)
        results = []
        for n_workers in (2, 4, 8, 16, 32):
            found = simulate(sizes_of(n_chains, n_workers), n_partitions, n_workers, costs)
            keeps_up = n_workers <= 4
            results.append(Result(f"busy share of {n_workers} workers", found.busy, BUSY if keeps_up else None))
            results.append(Result(f"{n_workers} workers, times as fast as 1", alone.seconds / found.seconds))
        yield Case(f"simulated {name}", results, {})


@dataclass(frozen=True)
class Rates:
    """What one worker does with float32 rows, in MB/s: measured by `benchmarks.dask` on 100 columns of Parquet files.

    Attributes
    ----------
    load : reading and decoding, from memory of the operating system.
    survey : moments of the rows.
    prepare : standardizing in random order.
    learn : of one run.
    """

    load: float = 1000.0
    survey: float = 2800.0
    prepare: float = 3200.0
    learn: float = 10500.0


def ten_terabytes(storage: float | None, megabytes: int, n_workers: int = 100) -> dict[str, float]:
    """Hours of a pass over 10 TB, by mode, in partitions of so many MB from storage of so many MB/s per worker."""
    rates, latency, simulated = Rates(), 0.015, 2000
    n_partitions = 10e6 / megabytes
    reading = 1 / rates.load + (0.0 if storage is None else 1 / storage)
    costs = Costs((reading + 1 / rates.prepare) * megabytes, megabytes / rates.learn, latency)
    hours = {"survey": n_partitions * (reading + 1 / rates.survey) * megabytes / n_workers / 3600}
    for name, n_chains in (("one chain", 1), ("5 folds", 6)):
        found = simulate(sizes_of(n_chains, n_workers), simulated, n_workers, costs)
        hours[name] = found.seconds / simulated * n_partitions / 3600
    hours["chains=workers"] = n_partitions * (costs.load + costs.learn + latency) / n_workers / 3600
    return hours


if __name__ == "__main__":
    print(header())
    for case in cases():
        print(lines(case))
    print("\nHours of a pass over 10 TB on 100 workers:")
    for storage in (None, 200.0):
        for megabytes in (16, 64, 256, 1024):
            hours = {name: round(found, 2) for name, found in ten_terabytes(storage, megabytes).items()}
            print(f"storage {storage or 'in memory'}, partitions of {megabytes} MB: {hours}")
