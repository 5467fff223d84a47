"""Executor: who does the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from ridgeway.dask.partition import Form, Partition


class Executor(Protocol):
    """A cluster, or this process.

    Attributes
    ----------
    ahead : partitions that a worker with chains of its own should have under way.
    """

    ahead: int

    @property
    def n_workers(self) -> int:
        """Number of tasks that can run at a time."""

    def submit(
        self, tag: Any, function: Callable[..., Any], partition: Partition, form: Form | None, *arguments: Any
    ) -> None:
        """Begin a task; `results` gives its result with the tag."""

    def results(self) -> Iterator[tuple[Any, Any]]:
        """Yield tags and results until no task is left; more tasks may be submitted in between."""

    def keep(self, function: Callable[..., Any], partition: Partition, form: Form | None, *arguments: Any) -> Partition:
        """Return the result of a task as a partition that later tasks can read; it stays on its worker."""

    def secure(self, kept: Sequence[Partition]) -> None:
        """Copy what was kept, if it is small, so that none of it is lost with one worker."""

    def release(self, kept: Partition) -> None:
        """Release the kept results."""

    def total(
        self,
        function: Callable[..., Any],
        partitions: Sequence[Partition],
        form: Form | None,
        arguments: Callable[[Partition], tuple[Any, ...]],
        add: Callable[..., Any],
        common: tuple[Any, ...] = (),
    ) -> Any:
        """Return the sum of the results of one task per partition.

        The function is called with the rows, the values common to all tasks, which are sent once, and the arguments.
        """

    def close(self) -> None:
        """Release everything."""
