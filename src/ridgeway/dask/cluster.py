"""Cluster: tasks on the workers of a dask scheduler, watched so that no call waits indefinitely.

No task is pinned to a worker and no rows are scattered: each task loads its partition, so any worker can repeat it.
Only what a task returns is kept, by the client. So losing a worker loses only its running tasks.
"""

from __future__ import annotations

import asyncio
import queue
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ridgeway.dask.cluster_error import ClusterError
from ridgeway.dask.library import dask, distributed
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.serial import MAX_SUMMANDS
from ridgeway.dask.work import Common, Work
from ridgeway.messages.quantity import quantity

CHECK_SECONDS = 1.0  # seconds without a result after which the workers are counted
FIRST_PRIORITY = 10  # priority of tasks that others wait for, over those that work ahead
CONNECT_SECONDS = 10.0  # seconds that a scheduler has to answer
MAX_SUMS_GATHERED = 64  # largest number of sums that a tree returns, to be added up in this process
MAX_ARGUMENT_SIZE = "1 GiB"  # of a task's arguments, beyond which dask warns
LOST_ERRORS = (OSError, TimeoutError, asyncio.TimeoutError, asyncio.CancelledError, distributed.CancelledError)


class Cluster:
    """Executes tasks on the workers of a client.

    Parameters
    ----------
    client : connected.
    patience : seconds to wait for a scheduler that does not answer, or for workers when there are none.
    owned : things to close at the end.

    Attributes
    ----------
    ahead : partitions that a worker with chains of its own should have under way: one that they learn from, one that
        is being loaded, and one that waits, so that the worker is busy while a result travels to the client.
    """

    ahead = 3

    def __init__(self, client: distributed.Client, patience: float = 60.0, owned: Sequence[Any] = ()) -> None:
        self._client, self._patience, self._owned = client, patience, list(owned)
        self._pending: dict[Any, tuple[Any, Partition]] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._kept: set[Any] = set()
        self._name = uuid.uuid4().hex[:8]
        self._count = 0
        self._answers = True  # as far as is known
        try:
            self._require_workers()
        except ClusterError:
            self.close()
            raise

    @property
    def n_workers(self) -> int:
        """Number of tasks that can run at a time: threads of all workers."""
        return max(1, sum(int(worker["nthreads"]) for worker in self._identity()["workers"].values()))

    @property
    def dashboard(self) -> str:
        """Address of the dashboard."""
        return str(self._client.dashboard_link)

    def submit(
        self, tag: Any, function: Callable[..., Any], partition: Partition, form: Form | None, *arguments: Any
    ) -> None:
        """Begin a task; `results` gives its result with the tag."""
        future = self._future(function, partition, form, arguments, FIRST_PRIORITY)
        self._pending[future] = (tag, partition)
        future.add_done_callback(self._done.put)

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield tags and results until no task is left; more tasks may be submitted in between."""
        while self._pending:
            future = self._next_done(partition.name for _, partition in self._pending.values())
            tag, partition = self._pending.pop(future)
            yield tag, self._result(future, [(future, partition)])

    def keep(self, function: Callable[..., Any], partition: Partition, form: Form | None, *arguments: Any) -> Partition:
        """Return the result of a task as a partition that later tasks can read; it stays on its worker.

        When that worker dies, dask loads it again from the partition.
        """
        future = self._future(function, partition, form, arguments)
        self._kept.add(future)
        return Partition(partition.number, partition.name, future)

    def secure(self, kept: Sequence[Partition]) -> None:
        """Copy what was kept to a second worker as soon as it exists, so that none of it is lost with one worker."""
        for partition in kept:
            partition.source.add_done_callback(self._copy)

    def _copy(self, future: Any) -> None:
        async def copied() -> None:
            # Tasks that need rows which were lost report why, so a failed copy is no error here. The scheduler raises
            # the last two errors when a worker dies meanwhile.
            with suppress(*LOST_ERRORS, ValueError, KeyError):
                await self._client.replicate([future], n=2, asynchronous=True)

        if future.status == "finished":
            self._client.loop.add_callback(copied)

    def release(self, kept: Partition) -> None:
        """Release the results kept on workers."""
        self._kept.discard(kept.source)
        kept.source.release()

    def total(
        self,
        function: Callable[..., Any],
        partitions: Sequence[Partition],
        form: Form | None,
        arguments: Callable[[Partition], tuple[Any, ...]],
        add: Callable[..., Any],
        common: tuple[Any, ...] = (),
    ) -> Any:
        """Return the sum of the results of one task per partition, added up in a tree on the workers.

        The last few sums are added in this process as results arrive. The inputs of a finished sum are released at
        once: otherwise dask would recompute them if their worker died.
        """
        shared = self._common(common) if common else None
        level = [
            Sum(self._future(function, part, form, arguments(part), common=shared), [], part) for part in partitions
        ]
        while len(level) > MAX_SUMS_GATHERED or not level[0].parts:
            level = [
                self._added(add, level[first : first + MAX_SUMMANDS]) for first in range(0, len(level), MAX_SUMMANDS)
            ]
        sums = self._gathered(level, [partition.name for partition in partitions])
        while len(sums) > 1:
            sums = [add(*sums[first : first + MAX_SUMMANDS]) for first in range(0, len(sums), MAX_SUMMANDS)]
        return sums[0]

    def close(self) -> None:
        """Release what the cluster holds for this work; close what was started for it."""
        futures = [*self._pending, *self._kept]
        self._pending.clear()
        self._kept.clear()
        if self._answers and self._client.status == "running" and futures:
            self._client.cancel(futures, asynchronous=False)
        del futures
        for thing in self._owned:
            thing.close(timeout=CONNECT_SECONDS)

    def _added(self, add: Callable[..., Any], parts: list[Sum]) -> Sum:
        futures = [part.future for part in parts]
        return Sum(self._client.submit(add, *futures, key=self._key("sum"), pure=False), parts)

    def _gathered(self, sums: list[Sum], waiting: Sequence[str]) -> list[Any]:
        """Return the results of sums; each sum is released as soon as its result has arrived."""
        found: list[Any] = [None] * len(sums)
        places = {one.future.key: (place, one) for place, one in enumerate(sums)}
        for one in sums:
            one.future.add_done_callback(self._done.put)
        sums.clear()
        while places:
            future = self._next_done(waiting)
            place, one = places.pop(future.key)
            found[place] = self._result(future, one.leaves())
            del future, one
        return found

    def _key(self, what: str) -> str:
        """Name a task. The first word names the group of tasks of which dask measures and shows times."""
        self._count += 1
        return f"{what}-{self._name}-{self._count}"

    def _future(
        self,
        function: Callable[..., Any],
        partition: Partition,
        form: Form | None,
        arguments: tuple[Any, ...],
        priority: int = 0,
        common: Any = None,
    ) -> Any:
        work = Work(function, arguments, partition, form)
        key = self._key(getattr(function, "__name__", "task"))
        given = (partition.source,) if common is None else (partition.source, common)
        with self._sending():
            if hasattr(partition.source, "__dask_graph__"):
                task = dask.delayed(work.do, pure=False)(*given, dask_key_name=key)
                return self._client.compute(task, priority=priority)
            return self._client.submit(work.do, *given, key=key, pure=False, priority=priority)

    def _common(self, values: tuple[Any, ...]) -> Any:
        with self._sending():
            return self._client.submit(
                Common(values).itself, key=self._key("common"), pure=False, priority=FIRST_PRIORITY
            )

    @contextmanager
    def _sending(self) -> Iterator[None]:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": MAX_ARGUMENT_SIZE}):
            try:
                yield
            except LOST_ERRORS as error:
                raise self._lost(error) from None

    def _next_done(self, waiting: Iterable[str]) -> Any:
        """Return the next future that has ended; while there is none, check that the cluster still has workers."""
        alone_since: float | None = None
        while True:
            try:
                return self._done.get(timeout=CHECK_SECONDS)
            except queue.Empty:
                n_workers = len(self._identity()["workers"])
            now = time.monotonic()
            alone_since = None if n_workers else alone_since or now
            if alone_since is not None and now - alone_since > self._patience:
                names = sorted(set(waiting))[:3]
                raise ClusterError(
                    f"there has been no worker for {self._patience:g} s, while {', '.join(names)} waited: expected at "
                    "least one; check whether they run out of memory, start others, and repeat the call."
                )

    def _result(self, future: Any, leaves: Iterable[tuple[Any, Partition]]) -> Any:
        while future.status == "finished":
            try:
                return future.result(timeout=self._patience)
            except TimeoutError:  # its worker may have died, and dask computes it again; or the scheduler is lost
                self._identity()
            except LOST_ERRORS as error:
                raise self._lost(error) from None
        if future.status != "error":  # cancelled, lost
            raise self._lost(f"a task was {future.status}")
        failure = future.exception(timeout=self._patience)
        if isinstance(failure, distributed.scheduler.KilledWorker):
            culprits = [partition.name for leaf, partition in leaves if leaf.status == "error"]
            raise ClusterError(
                f"{', '.join(culprits[:3]) or 'a sum of results'}: {quantity(failure.allowed_failures + 1, 'worker')} "
                "died while working on it: expected a partition that fits in a worker's memory. Give workers more "
                "memory, or use smaller partitions (Parquet: smaller row groups). If it cannot be read alone either, "
                "it is damaged."
            ) from None
        if isinstance(failure, ModuleNotFoundError):
            raise ClusterError(
                f"a worker has no module {failure.name!r}: expected the packages of the client on every worker; "
                "pip install 'ridgeway[dask,cli]' there."
            ) from None
        raise failure.with_traceback(future.traceback(timeout=self._patience))

    def _identity(self) -> Any:
        """Return what the scheduler tells of itself and its workers, within bounded time."""
        try:
            if self._client.status not in ("running", "connecting"):
                raise OSError(f"the client is {self._client.status}")
            return self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=self._patience)
        except LOST_ERRORS as error:
            raise self._lost(error) from None

    def _require_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=self._patience)
        except LOST_ERRORS:
            raise ClusterError(
                f"the scheduler at {self._client.scheduler.address} has no workers after {self._patience:g} s: "
                "expected at least one; start some with `dask worker ADDRESS --nthreads 1`."
            ) from None

    def _lost(self, error: object) -> ClusterError:
        self._answers = False
        return ClusterError(
            f"the scheduler is lost ({str(error) or type(error).__name__}): expected it to keep running; restart "
            "it and repeat the call. With checkpoint=FILE the fit resumes."
        )


@dataclass(frozen=True, eq=False)
class Sum:
    """A task in a tree of sums: a partition's task, or the sum of the tasks in `parts`, which it keeps alive."""

    future: Any
    parts: list[Sum]
    partition: Partition | None = None

    def leaves(self) -> Iterator[tuple[Any, Partition]]:
        """Yield each task of a partition below this one, with its partition."""
        if self.partition is not None:
            yield self.future, self.partition
        for part in self.parts:
            yield from part.leaves()
