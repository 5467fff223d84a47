"""Work: what a task does with a partition, and what a worker must have in common with the client."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from ridgeway.dask.cluster_error import ClusterError
from ridgeway.dask.partition import Form, Loader, Partition
from ridgeway.data import DataError
from ridgeway.machine.blas import one_thread
from ridgeway.sgd import DivergenceError
from ridgeway.version import __version__

SHARED_PACKAGES = ("numpy", "scipy", "pyarrow")  # versions on which the bits of a run may depend


class Work:
    """A function and its arguments, to be applied to the rows of a partition by some worker.

    Not a dataclass, because dask searches dataclasses for futures.

    Parameters
    ----------
    function : called with the rows (None for a partition without any) and the arguments.
    arguments : small, because they are sent with each task; those shared by all tasks, if any, come before them.
    partition : whose rows.
    form : what they are converted to before the function is called; None passes them as they were loaded.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], partition: Partition, form: Form | None
    ) -> None:
        self.function, self.arguments, self.form = function, arguments, form
        self.number, self.name = partition.number, partition.name
        self.versions = versions()

    def __repr__(self) -> str:
        return f"Work({getattr(self.function, '__name__', self.function)}, {self.name})"

    def do(self, source: Any, common: Common | None = None) -> Any:
        """Load the rows and apply the function; every error names the partition."""
        self._require_versions()
        with one_thread(), naming_partition(self.name):
            loaded = source.load() if isinstance(source, Loader) else source
            rows = loaded if self.form is None else self.form.batch(loaded, self.name)
            return self.function(rows, *(common.values if common else ()), *self.arguments)

    def _require_versions(self) -> None:
        mine = versions()
        for name, theirs in self.versions.items():
            if mine[name] != theirs:
                raise ClusterError(
                    f"version mismatch: the worker on {platform.node()} has {name} {mine[name]}, the client {theirs}: "
                    "expected the same on all machines, as results depend on it; install one of them everywhere."
                )


class Common:
    """Arguments shared by many tasks.

    They are sent as the result of one extra task, so each worker fetches them once. Not a dataclass, because dask
    searches dataclasses for futures.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values

    def itself(self) -> Common:
        """Return this object; a worker that has lost it repeats the call."""
        return self


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Versions that client and workers must share."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"python": python, "ridgeway": __version__, **{name: version(name) for name in SHARED_PACKAGES}}


@contextmanager
def naming_partition(name: str) -> Iterator[None]:
    """Turn errors of a partition's rows into errors that name it."""
    try:
        yield
    except (DivergenceError, ClusterError):
        raise
    except (ValueError, TypeError, OverflowError, ArithmeticError, MemoryError, OSError) as error:
        said = str(error) or type(error).__name__
        raise DataError(said if said.startswith(name) else f"{name}: {said}") from None
