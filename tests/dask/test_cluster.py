"""Fits on a real cluster of two processes: the same bits, also when workers die; every failure is said in time."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask.array as da
import distributed
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.dask.conftest import COLUMNS
from tornado.iostream import IOStream

import dask
import ridgeway as rw
from ridgeway.cli.commands import run
from ridgeway.dask import ClusterError, cluster, cluster_client, work
from ridgeway.dask.cluster import Cluster
from ridgeway.dask.cluster_client import executor_of
from ridgeway.dask.partition import Partition
from ridgeway.dask.serial import Serial
from ridgeway.data import DataError
from ridgeway.storage import checkpoint, write_state

RESULTS_BEFORE_THE_KILL = 8  # of the 18 and more tasks of the fit whose worker is killed

Table = tuple[np.ndarray, np.ndarray, np.ndarray]

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask, about ports and workers that it had to kill


def model_of(path: Path, client: Any, **parameters: Any) -> rw.AveragedSGDRegressor:
    estimator = rw.AveragedSGDRegressor(random_state=0, **parameters)
    return rw.dask.fit(estimator, path, target="y", weight="w", client=client, partition_bytes=1)


def same(one: rw.AveragedSGDRegressor, other: rw.AveragedSGDRegressor) -> None:
    assert one.averaging_ == other.averaging_
    assert (one.path([0.0, 0.1, 1.0]).coefs == other.path([0.0, 0.1, 1.0]).coefs).all()
    assert one.intercept_ == other.intercept_
    if one.selection_ is not None and other.selection_ is not None:
        assert one.selection_.to_dict()["error"] == other.selection_.to_dict()["error"]


# Law: a cluster gives the bits of the same work in one process.
@pytest.mark.parametrize(
    "parameters",
    [{"alpha": 0.1, "passes": 2}, {"cv": 3, "passes": 1}, {"cv": "holdout", "passes": 1, "chains": 2}],
    ids=str,
)
def test_cluster_gives_the_same_bits(parquet: Path, client: Any, parameters: dict[str, Any]) -> None:
    same(model_of(parquet, client, **parameters), model_of(parquet, "serial", **parameters))


# Law: so does a cluster that the fit starts by itself; its tasks go by their functions' names.
def test_a_cluster_of_its_own_gives_the_same_bits(parquet: Path) -> None:
    executor = executor_of(None, workers=2)
    try:
        client = executor._client
        assert client.scheduler.address.startswith("inproc://")
        assert executor.dashboard.startswith("http")
        names = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.task_prefixes))
        assert not {"learn", "prepare"} & names
        parameters = {"cv": "holdout", "passes": 1, "chains": 2}
        same(model_of(parquet, client, **parameters), model_of(parquet, "serial", **parameters))
        names = client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.task_prefixes))
        assert {"learn", "prepare"} <= names
    finally:
        executor.close()


def weighed(rows: Any, shared: np.ndarray, factor: float, number: int) -> float:
    return float(rows + factor * shared.sum() + number)


# Law: a sum is the same whether what its tasks have in common travels with each of them, or by itself.
def test_common_arguments(client: Any) -> None:
    partitions = [Partition(number, f"part {number}", 10.0 * number) for number in range(20)]
    given = (weighed, partitions, None, lambda part: (part.number,), lambda *parts: sum(parts))
    common = (np.arange(1000.0), 2.0)
    on_cluster = Cluster(client).total(*given, common=common)
    assert on_cluster == Serial().total(*given, common=common)
    assert on_cluster == 20 * 2.0 * common[0].sum() + 11.0 * sum(range(20))


# Law: as many chains as workers.
def test_a_chain_per_worker(parquet: Path, client: Any) -> None:
    got = model_of(parquet, client, alpha=3.0, passes=1, chains="workers")
    same(got, model_of(parquet, "serial", alpha=3.0, passes=1, chains=2))


# Law: a damaged file is an error that names it, on a cluster as elsewhere.
def test_damaged_file_is_named(client: Any, tmp_path: Path) -> None:
    for part in range(3):
        pq.write_table(pa.table({"x": np.arange(2000.0), "y": np.arange(2000.0)}), tmp_path / f"{part}.parquet")
    damaged = bytearray((tmp_path / "1.parquet").read_bytes())
    damaged[200:4000] = b"\xff" * 3800
    (tmp_path / "1.parquet").write_bytes(damaged)
    with pytest.raises((DataError, ClusterError), match=r"1\.parquet"):
        rw.dask.fit(rw.AveragedSGDRegressor(alpha=0.1), tmp_path, target="y", client=client)


# Law: workers of another version are refused, with both versions.
def test_version_mismatch_is_said(parquet: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**work.versions(), "numpy": "0.1"}
    monkeypatch.setattr(work, "versions", lambda: other)
    with pytest.raises(ClusterError, match=r"has numpy .*, the client 0\.1"):
        model_of(parquet, client, alpha=0.1)


def test_unreachable_scheduler_is_said(parquet: Path) -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ClusterError, match="no scheduler"),
    ):
        executor_of("tcp://127.0.0.1:9", patience=1.0)
    with pytest.raises(TypeError, match=r"client is a int"):
        model_of(parquet, 7, alpha=0.1)


# Law: a worker that dies while it starts is an error of the cluster, not a bug of ours.
def test_worker_that_dies_at_its_start(parquet: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "end.py").write_text("import os\nos._exit(3)\n")
    with dask.config.set({"distributed.worker.preload": [str(tmp_path / "end.py")]}):
        assert run(["fit", str(parquet), "--target", "y", "--workers", "2"]) == 1
    assert "a worker died while it started (Nanny failed to start worker process)" in capfd.readouterr().err


# Law: a scheduler without workers, and one that is lost in the middle of a fit, are errors within the patience; the fit
# goes on from its checkpoint on another cluster.
def test_lost_scheduler_resumes_from_the_checkpoint(
    parquet: Path, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as empty,
        pytest.raises(ClusterError, match="no w"),
    ):
        model_of_with(parquet, empty.scheduler_address, patience=0.5)
    expected = model_of(parquet, "serial", cv=3, passes=3)
    scheduler, address = _other_cluster(tmp_path)
    file = tmp_path / "state"
    try:
        with monkeypatch.context() as patch:
            patch.setattr(checkpoint, "write_state", partial(_write_and_end, scheduler))
            with pytest.raises(ClusterError, match=r"the scheduler is lost .* checkpoint=FILE"):
                model_of_with(parquet, address, patience=3.0, checkpoint=file, checkpoint_every=0.0)
    finally:
        _end(scheduler)
    assert file.exists()
    same(model_of_with(parquet, client, patience=30.0, checkpoint=file, checkpoint_every=0.0), expected)
    assert not file.exists()


def model_of_with(path: Path, client: Any, **given: Any) -> rw.AveragedSGDRegressor:
    estimator = rw.AveragedSGDRegressor(random_state=0, cv=3, passes=3)
    return rw.dask.fit(estimator, path, target="y", weight="w", client=client, partition_bytes=1, **given)


def _other_cluster(folder: Path) -> tuple[psutil.Process, str]:
    """Start a scheduler with one worker thread in a process of its own."""
    script = folder / "scheduler.py"
    script.write_text(
        "import sys, time, distributed\n"
        "cluster = distributed.LocalCluster(n_workers=1, processes=False, threads_per_worker=1, "
        "dashboard_address=None, protocol='tcp')\n"
        "open(sys.argv[1], 'w').write(cluster.scheduler_address)\n"
        "time.sleep(300)\n"
    )
    said = folder / "address"
    process = psutil.Popen([sys.executable, str(script), str(said)])
    while not (said.exists() and said.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    return process, said.read_text()


def _write_and_end(process: psutil.Process, path: Path, state: Any, kind: str) -> None:
    """Write a checkpoint, and kill the scheduler once the fit has begun to learn."""
    write_state(path, state, kind)
    if "sweep" in state:
        _end(process)


def _end(process: psutil.Process) -> None:
    if process.is_running():
        process.kill()
        process.wait(30)


# Law: no rows pass through the client, nor through the scheduler in its process.
def test_rows_stay_on_the_workers(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n, d = 120_000, 60
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.standard_normal(n).astype(np.float32) for j in range(d)}
    pq.write_table(pa.table({**columns, "y": columns["x0"] * 2}), tmp_path / "rows.parquet", row_group_size=20_000)
    moved: list[int] = []
    for name in ("read_from_fd", "write_to_fd"):
        monkeypatch.setattr(IOStream, name, _counted(getattr(IOStream, name), moved))
    estimator = rw.AveragedSGDRegressor(random_state=0, passes=8)
    rw.dask.fit(estimator, tmp_path, target="y", client=client, partition_bytes=1 << 23)
    assert 0 < sum(moved) < 8 * n * d * 4 / 10


def _counted(transfer: Callable[..., int | None], moved: list[int]) -> Callable[..., int | None]:
    def counting(*given: Any) -> int | None:
        size = transfer(*given)
        moved.append(size or 0)
        return size

    return counting


# Law: the executor gives a result for every task, in any order, and names what it has begun.
def test_results_of_all_tasks(client: Any) -> None:
    cluster = Cluster(client)
    for number in range(5):
        cluster.submit(number, _twice, Partition(number, f"part {number}", number), None)
    assert sorted(cluster.results()) == [(number, 2 * number) for number in range(5)]
    kept = cluster.keep(_twice, Partition(0, "part 0", 21), None)
    cluster.submit("kept", _twice, kept, None)
    assert list(cluster.results()) == [("kept", 84)]
    cluster.close()


def _twice(number: int) -> int:
    return 2 * number


def _without_module(number: int) -> int:
    raise ModuleNotFoundError("No module named 'polars'", name="polars")


# Law: a module that a worker lacks is said by its name.
def test_missing_module_is_said(client: Any) -> None:
    cluster = Cluster(client)
    cluster.submit(0, _without_module, Partition(0, "part 0", 0), None)
    with pytest.raises(ClusterError, match=r"a worker has no module 'polars': expected the packages of the client"):
        list(cluster.results())
    cluster.close()


# Law: without a name, work goes to the active client, else to processes started here, which end with it; workers that
# all leave, and a client that was closed, are errors.
def test_clusters_found_and_started(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with client.as_current():
        found = executor_of(None)
        assert found.n_workers == 2
        found.close()
    assert client.status == "running"
    started = executor_of(None, workers=1, patience=1.0)
    assert started.n_workers == 1
    assert started.dashboard.startswith("http://")
    started.submit("first", _twice, Partition(0, "part 0", 21), None)
    assert list(started.results()) == [("first", 42)]
    inner = started._client
    (kept,) = inner.run(os.environ.get, "MALLOC_MMAP_THRESHOLD_").values()
    assert int(kept) >= 2**30  # memory of one partition is there for the next
    inner.retire_workers(list(inner.scheduler_info()["workers"]))
    monkeypatch.setattr("ridgeway.dask.cluster.CHECK_SECONDS", 0.2)
    started.submit("second", _twice, Partition(1, "part 1", 21), None)
    with pytest.raises(ClusterError, match=r"no worker for 1 s, while part 1 waited: expected at least one"):
        list(started.results())
    started.close()
    assert inner.status == "closed"
    with pytest.raises(ClusterError, match=r"the scheduler is lost \(the client is closed\)"):
        _ = started.n_workers


# The last ones: workers that were started anew have to import everything again, if they come back at all.


# Law: a worker that is killed changes nothing of the model.
def test_killed_worker_changes_nothing(parquet: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters: dict[str, Any] = {"cv": 3, "passes": 3}
    expected = model_of(parquet, "serial", **parameters)
    victim = next(iter(client.run(os.getpid).values()))
    results, seen = Cluster.results, list[Any]()

    def killing(executor: Cluster) -> Iterator[Any]:
        for result in results(executor):
            seen.append(result)
            if len(seen) == RESULTS_BEFORE_THE_KILL:
                os.kill(victim, signal.SIGKILL)
            yield result

    monkeypatch.setattr(Cluster, "results", killing)
    same(model_of(parquet, client, **parameters), expected)
    assert len(seen) > RESULTS_BEFORE_THE_KILL


def fatal(X: np.ndarray, here: int, block_id: tuple[int, ...] | None = None) -> np.ndarray:
    """Kill the process at block 2, unless it is that of the test."""
    if block_id is not None and block_id[0] == 2 and os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return X


# Law: a partition that kills every worker ends in an error that names it.
def test_fatal_partition_is_named(table: Table, client: Any) -> None:
    X, y, _ = table
    rows = da.from_array(X, chunks=(500, COLUMNS)).map_blocks(fatal, os.getpid(), dtype=X.dtype, meta=np.empty((0, 0)))
    data = rows, da.from_array(y, chunks=500)
    client.run_on_scheduler(_allow, failures=0)
    try:
        with pytest.raises(ClusterError, match=r"block 2 of the dask array.*: 1 worker died while working on it:"):
            rw.dask.fit(rw.AveragedSGDRegressor(alpha=0.1, passes=1), data, client=client)
    finally:
        client.run_on_scheduler(_allow, failures=3)


def _allow(dask_scheduler: Any, failures: int) -> None:
    dask_scheduler.allowed_failures = failures


class Unlistening:
    """What a scheduler of a later version might be: one that does not say where it listens."""

    async def listen(self, address: str) -> None:
        assert address == "inproc://"


# Law: a scheduler that cannot be reached within the process is reached as any other one is.
def test_scheduler_without_inner_address() -> None:
    assert asyncio.run(cluster_client._listen_within(Unlistening())) is None
    assert asyncio.run(cluster_client._listen_within(object())) is None
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as started:
        inner = started.sync(cluster_client._listen_within, started.scheduler)
        assert inner.startswith("inproc://")


class Listening:
    """A started cluster whose scheduler says where it listens."""

    loop = None
    listeners = (SimpleNamespace(contact_address="inproc://1"),)

    @property
    def scheduler(self) -> Any:
        return self

    async def listen(self, address: str) -> None:
        assert address == "inproc://"

    def sync(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return asyncio.run(function(*arguments))


class OtherClient:
    """What a client of a later version might be: one whose messages are not to be found."""

    def __init__(self, address: str, **options: Any) -> None:
        self.address = address


# Law: a client whose messages cannot be told to leave at once is taken as it is.
def test_client_without_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "Client", OtherClient)
    started: Any = Listening()
    found: Any = cluster_client.client_within(started)
    assert isinstance(found, OtherClient)
    assert found.address == "inproc://1"


# Law: of dask's objects, only what is public or looked for with care is used.
def test_no_internals_of_dask() -> None:
    source = inspect.getsource(cluster) + inspect.getsource(cluster_client)
    assert re.findall(r"_client\._\w+|client\._\w+", source) == []
