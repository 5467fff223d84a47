"""Clients of a cluster: of a scheduler that is given, or of processes that are started on this machine."""

from __future__ import annotations

from typing import Any

from ridgeway.dask.cluster import CONNECT_SECONDS, LOST_ERRORS, Cluster
from ridgeway.dask.cluster_error import ClusterError
from ridgeway.dask.library import dask, distributed

GATHERING_SECONDS = 0.001  # seconds in which messages to the scheduler are gathered, instead of 0.01
# These settings save workers that are started here more than a third of their time. By default a worker samples all
# stacks every 10 ms; workers, and the client for each of them, check the clock every 20 ms and the memory every 100 ms;
# and the memory of a partition is returned to the system, which fills that of the next one with zeros.
ENVIRONMENT = {
    "MALLOC_ARENA_MAX": 1,  # other arenas give back all blocks beyond 64 MB
    "MALLOC_TRIM_THRESHOLD_": 2**30,
    "MALLOC_MMAP_THRESHOLD_": 2**30,
    "MIMALLOC_PURGE_DELAY": -1,  # what Arrow allocates with
}
LOCAL_CLUSTER_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.worker.memory.monitor-interval": "1s",
    **{f"distributed.nanny.pre-spawn-environ.{name}": value for name, value in ENVIRONMENT.items()},
}


def executor_of(client: Any, workers: int | None = None, patience: float = 60.0) -> Cluster:
    """Return the executor of a client, of a scheduler's address, or of a cluster that is started here.

    Parameters
    ----------
    client : distributed client, address of a scheduler, or None: the active client, if any, or a cluster of processes
        on this machine, with one thread each.
    workers : number of those processes; one per core by default.
    patience : as in `Cluster`.
    """
    if isinstance(client, str):
        seconds = min(CONNECT_SECONDS, patience)
        try:
            connected = distributed.Client(client, timeout=seconds, set_as_default=False)
        except (*LOST_ERRORS, ValueError) as error:
            raise ClusterError(
                f"no scheduler answers at {client!r} within {seconds:g} s ({str(error).splitlines()[0]}): expected an "
                "address such as 'tcp://127.0.0.1:8786'; start one with `dask scheduler`, or leave the address out."
            ) from None
        return Cluster(connected, patience, [connected])
    if isinstance(client, distributed.Client):
        return Cluster(client, patience)
    if client is not None:
        raise TypeError(
            f"client is a {type(client).__name__}: expected a distributed.Client, the address of a scheduler, 'serial' "
            "or None."
        )
    if workers is None:
        try:
            return Cluster(distributed.default_client(), patience)
        except ValueError:
            pass
    started = local_cluster(workers)
    connected = client_within(started)
    return Cluster(connected, patience, [connected, started])


def local_cluster(workers: int | None = None) -> distributed.LocalCluster:
    """Start processes on this machine, of one thread each; one per core by default."""
    with dask.config.set(LOCAL_CLUSTER_SETTINGS):
        try:
            return distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
            )
        except RuntimeError as error:  # distributed has closed the others
            raise ClusterError(
                f"a worker died while it started ({error.__cause__ or error}), so nothing was fitted: repeat it, with "
                "fewer workers if memory is short; a script has to start workers below `if __name__ == '__main__':`."
            ) from None


def client_within(started: distributed.LocalCluster) -> distributed.Client:
    """Connect to a scheduler of this process without sockets, which take a fifth of the client's time.

    Messages are hardly gathered before they are sent, because a worker would be idle meanwhile. Both need private parts
    of distributed. Where a version does not have them, the client connects as to any other scheduler.
    """
    address = started.sync(_listen_within, started.scheduler)
    client = distributed.Client(address or started, loop=started.loop, set_as_default=False)
    messages: Any = getattr(client, "scheduler_comm", None)
    if hasattr(messages, "interval"):
        messages.interval = GATHERING_SECONDS
    return client


async def _listen_within(scheduler: Any) -> str | None:
    """Return an address of the scheduler within this process, None if this version has none."""
    try:
        await scheduler.listen("inproc://")
        return str(scheduler.listeners[-1].contact_address)
    except (AttributeError, IndexError, TypeError, ValueError, NotImplementedError):
        return None
