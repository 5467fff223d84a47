"""`Checkpoint`: the state of a fit in a file, from which an interrupted fit continues bit for bit."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ridgeway.storage.atomic_file import remove_partials
from ridgeway.storage.file_lock import FileLock
from ridgeway.storage.model_file import ModelFileError, read_state, write_state
from ridgeway.storage.state import State, Stored

MAX_SHOWN_CHARACTERS = 120  # longest value in a message


class CheckpointError(ValueError):
    """The checkpoint belongs to another fit or version; the message says what differs, and what to do."""


class Checkpoint:
    """A file to which a fit writes its state from time to time; with no path nothing is written.

    A fit calls `begin` first, registers the parts of its state by `part` and `follow`, and calls `tick` at every point
    from which it could be resumed. ``with checkpoint:`` locks the file. `done` removes it, once the model is saved.

    Parameters
    ----------
    path : the file, or None.
    every : number of rows between two writes, for a fit that passes numbers of rows to `tick`.
    seconds : least number of seconds between two writes, for other fits.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "checkpoint"
    >>> checkpoint, rows = Checkpoint(file, every=100), 0
    >>> checkpoint.begin("checkpoint", {"data": "a.csv"})
    >>> checkpoint.follow("rows", lambda: rows)
    >>> for rows in (60, 120):
    ...     checkpoint.tick(60)
    >>> Checkpoint(file).begin("checkpoint", {"data": "a.csv"}).integer("rows")
    120
    >>> Checkpoint(file).begin("checkpoint", {"data": "b.csv"})
    Traceback (most recent call last):
    ridgeway.storage.checkpoint.CheckpointError: ...: a checkpoint of another fit, with other data ...
    >>> checkpoint.done()
    """

    def __init__(self, path: str | os.PathLike[str] | None, every: int = 1_000_000, *, seconds: float = 30.0) -> None:
        self.path, self.every, self._seconds = None if path is None else Path(path), every, seconds
        self._kind = ""
        self._parts: State = {}
        self._live: dict[str, Callable[[], Any]] = {}
        self._rows, self._written = 0, time.monotonic()  # since, and at, the last writing
        self._found: Stored | None = None
        if self.path is not None and not self.path.parent.is_dir():
            raise FileNotFoundError(f"checkpoint={path}: there is no folder {self.path.parent}: create it first.")
        self._lock = None if self.path is None else FileLock(self.path, "checkpoint")

    def __enter__(self) -> Self:
        if self._lock is not None:
            self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.release()

    def begin(self, kind: str, fingerprint: State, version: int | None = None) -> Stored | None:
        """Return the state that an interrupted fit wrote, or None if there is none.

        Parameters
        ----------
        kind : what the file is.
        fingerprint : entries, written with the state, that identify this fit; a checkpoint with other ones is refused.
        version : version of the stored state; a checkpoint of another version is refused.
        """
        self._kind = kind
        self._parts = {**({} if version is None else {"version": version}), **fingerprint}
        if self.path is None:
            return None
        remove_partials(self.path)
        if not self.path.exists():
            return None
        found = read_state(self.path, kind)
        if version is not None and ("version" not in found or found.raw("version") != version):
            raise CheckpointError(
                f"{self.path}: a checkpoint of another version of ridgeway, which continues differently: expected "
                "one of this version; delete it to start again, or continue with that version."
            )
        with self.reading():
            for name, given in fingerprint.items():
                if found.raw(name) != given:
                    raise CheckpointError(
                        f"{self.path}: a checkpoint of another fit, with other {name} "
                        f"({_difference(found.raw(name), given)}): expected one of this fit; delete it to start again, "
                        "or give another path."
                    )
        self._found = found
        return found

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn errors in reading the state into errors that name the file."""
        try:
            yield
        except CheckpointError:
            raise
        except (ValueError, TypeError, ArithmeticError) as error:
            said = str(error).rstrip(".")
            raise ModelFileError(
                f"{self.path}: not a checkpoint that ridgeway writes: {said}; use an intact copy, or delete it to "
                "start again."
            ) from None

    def part(self, name: str, make: Callable[[], State]) -> Stored:
        """Return a part of the state: from the checkpoint if it is there, or else made now and written."""
        if self._found is not None and name in self._found:
            self._parts[name] = self._found.raw(name)
        else:
            self._parts[name] = make()
            self.write()
        with self.reading():
            return Stored({name: self._parts[name]}).part(name)

    def follow(self, name: str, state: Callable[[], Any]) -> Any:
        """Include this part in every write from now on; return its state in the checkpoint, or None."""
        self._live[name] = state
        return self._found.raw(name) if self._found is not None and name in self._found else None

    def tick(self, rows: int | None = None) -> None:
        """Write the file if enough rows or seconds have passed since the last write.

        Parameters
        ----------
        rows : number of rows since the last tick; None if seconds decide.
        """
        self._rows += rows or 0
        due = time.monotonic() - self._written >= self._seconds if rows is None else self._rows >= self.every
        if due:
            self.write()

    def write(self) -> None:
        """Write the file now: the fit can be resumed from this point."""
        self._rows, self._written = 0, time.monotonic()
        if self.path is not None:
            live = {name: state() for name, state in self._live.items()}
            write_state(self.path, {**self._parts, **live}, self._kind)
            self._written = time.monotonic()

    def done(self) -> None:
        """Remove the file: the fit has ended and its model is saved."""
        if self.path is not None:
            remove_partials(self.path)
            self.path.unlink(missing_ok=True)


def _difference(stored: Any, given: Any) -> str:
    """Describe the first entry in which two states differ."""
    if isinstance(stored, dict) and isinstance(given, dict):
        for name in given:
            if stored.get(name) != given[name]:
                return f"{name} is {_short(given[name])}, and was {_short(stored.get(name))}"
    return "of another form"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 3] + "..."
