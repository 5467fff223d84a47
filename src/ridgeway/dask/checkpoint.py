"""Checkpoint: what a fit knows so far, in a file, so that it can go on after the scheduler or the client is lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ridgeway.data import DataError
from ridgeway.storage import ModelFileError, read_state, write_state
from ridgeway.storage.atomic_file import remove_partials
from ridgeway.storage.file_lock import FileLock
from ridgeway.storage.state import State, Stored

KIND = "dask checkpoint"
VERSION = 2  # of what is in a checkpoint


class Checkpoint:
    """Parts of a state that are written to a file together; with no path nothing is written.

    ``with checkpoint:`` keeps other processes from the file. `done` removes it, once the model is safe.

    Parameters
    ----------
    path : the file, or None.
    every : seconds between two writings, at least.
    """

    def __init__(self, path: str | os.PathLike[str] | None, every: float = 30.0) -> None:
        self.path, self._every = None if path is None else Path(path), every
        self._parts: State = {}
        self._live: dict[str, Callable[[], Any]] = {}
        self._written = time.monotonic()
        self._found: Stored | None = None
        if self.path is not None and not self.path.parent.is_dir():
            raise FileNotFoundError(f"checkpoint={path}: there is no folder {self.path.parent}: make it first.")
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

    def begin(self, fit: State) -> None:
        """Read what an interrupted fit has left; `fit` is what tells it from others."""
        self._parts = {"version": VERSION, "fit": fit}
        if self.path is None:
            return
        remove_partials(self.path)
        if self.path.exists():
            self._found = read_state(self.path, KIND)
            if "version" not in self._found or self._found.raw("version") != VERSION:
                raise DataError(
                    f"{self.path}: a checkpoint of another version of ridgeway, whose runs take other steps: delete it "
                    "to begin anew, or go on with that version."
                )
            if self._found.raw("fit") != fit:
                raise DataError(
                    f"{self.path}: a checkpoint of another fit (other data, target or parameters): expected one of "
                    "this fit; delete it to begin anew, or name another file."
                )

    def part(self, name: str, make: Callable[[], State]) -> Stored:
        """Return a part of the state: as it was found, or made now and written."""
        if self._found is not None and name in self._found:
            self._parts[name] = self._found.raw(name)
        else:
            self._parts[name] = make()
            self._write()
        try:
            return Stored({name: self._parts[name]}).part(name)
        except ValueError as error:
            raise ModelFileError(f"{self.path}: not a checkpoint that ridgeway writes: {error}") from None

    def follow(self, name: str, state: Callable[[], Any]) -> Any:
        """Write this part whenever the file is written from now on; return what was found of it, or None."""
        self._live[name] = state
        return self._found.raw(name) if self._found is not None and name in self._found else None

    def tick(self) -> None:
        """Write the file if it is time."""
        if self.path is not None and time.monotonic() - self._written >= self._every:
            self._write()

    def done(self) -> None:
        """Remove the file: the fit has ended and its model is safe."""
        if self.path is not None:
            remove_partials(self.path)
            self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        if self.path is not None:
            live = {name: state() for name, state in self._live.items()}
            write_state(self.path, {**self._parts, **live}, KIND)
            self._written = time.monotonic()
