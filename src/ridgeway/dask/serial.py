"""Serial: the same work in this process, one task after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.work import Work

MAX_SUMMANDS = 8  # results that are added up at a time


class Serial:
    """Executes tasks one after the other in this process. A cluster of any size gives the same bits.

    Attributes
    ----------
    n_workers : number of tasks that can run at a time.
    ahead : partitions that a sweep should load ahead: more would only take memory.
    """

    n_workers = 1
    ahead = 1

    def __init__(self) -> None:
        self._results: deque[tuple[Any, Any]] = deque()

    def submit(
        self, tag: Any, function: Callable[..., Any], partition: Partition, form: Form | None, *arguments: Any
    ) -> None:
        """Begin a task; `results` gives its result with the tag."""
        self._results.append((tag, self._done(function, partition, form, arguments)))

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield tags and results until no task is left; more tasks may be submitted in between."""
        while self._results:
            yield self._results.popleft()

    def keep(self, function: Callable[..., Any], partition: Partition, form: Form | None, *arguments: Any) -> Partition:
        """Return the result of a task as a partition that later tasks can read; it stays in this process."""
        return Partition(partition.number, partition.name, self._done(function, partition, form, arguments))

    def secure(self, kept: Sequence[Partition]) -> None:
        """Nothing to do: there is no other worker to lose."""

    def release(self, kept: Partition) -> None:
        """Nothing to do: Python frees the result with its last reference."""

    def total(
        self,
        function: Callable[..., Any],
        partitions: Sequence[Partition],
        form: Form | None,
        arguments: Callable[[Partition], tuple[Any, ...]],
        add: Callable[..., Any],
        common: tuple[Any, ...] = (),
    ) -> Any:
        """Return the sum of the results of one task per partition, `MAX_SUMMANDS` at a time, in their order."""
        level = [self._done(function, partition, form, (*common, *arguments(partition))) for partition in partitions]
        while len(level) > 1:
            level = [add(*level[first : first + MAX_SUMMANDS]) for first in range(0, len(level), MAX_SUMMANDS)]
        return level[0]

    def close(self) -> None:
        """Nothing to release."""
        self._results.clear()

    @staticmethod
    def _done(function: Callable[..., Any], partition: Partition, form: Form | None, arguments: tuple[Any, ...]) -> Any:
        source = partition.source
        if hasattr(source, "__dask_graph__"):
            source = source.compute(scheduler="synchronous")
        return Work(function, arguments, partition, form).do(source)
