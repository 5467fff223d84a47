"""Checkpoints of the fit of a file: an interrupted fit resumes from them, bit for bit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ridgeway.data import DataError, TableEncoder
from ridgeway.estimators.restored import AnyAveraged, averaged_of
from ridgeway.file_lock import FileLock
from ridgeway.files import remove_partials
from ridgeway.model import ModelFileError, read_state, write_state
from ridgeway.state import State
from ridgeway.tables.request import Request

KIND = "checkpoint"


@dataclass
class Place:
    """The position of a fit between two batches.

    Attributes
    ----------
    passes : number of finished passes.
    batch : number of the next batch of the current pass.
    read : rows read in the current pass.
    rows, left_out : rows used and left out in the first pass.
    buffer_rows : rows of the buffer through which a stream is shuffled; 0 before it begins. Together with the seed it
        determines the order of the rows, also if a resumed fit has other memory.
    """

    passes: int = 0
    batch: int = 0
    read: int = 0
    rows: int = 0
    left_out: int = 0
    buffer_rows: int = 0


@dataclass(frozen=True)
class Resumed:
    """What a checkpoint holds."""

    place: Place
    model: AnyAveraged
    encoder: TableEncoder | None


class Checkpoint:
    """A file to which a fit writes its state every so many rows.

    ``with checkpoint:`` locks the file against other processes; a fit does so itself.

    Parameters
    ----------
    path : the file.
    every : rows between two checkpoints, which are written at the end of a batch.
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 1_000_000) -> None:
        self.path, self.every = Path(path), every
        self._rows = 0  # since the last checkpoint
        self._lock = FileLock(self.path, "checkpoint")

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def begin(self, request: Request, fingerprint: State) -> Resumed | None:
        """Return the state of an interrupted fit of these data; None if there is none."""
        remove_partials(self.path)
        if not self.path.exists():
            return None
        stored = read_state(self.path, KIND)
        try:
            for name, given in (("data", fingerprint), ("options", request.state())):
                if stored.raw(name) != given:
                    raise DataError(
                        f"{self.path}: a checkpoint of a fit with other {name} "
                        f"({_difference(stored.raw(name), given)}): expected one of this fit; delete it to start "
                        "again, or give another file."
                    )
            place = stored.part("place")
            if "batch" in place and "buffer_rows" not in place:
                raise DataError(
                    f"{self.path}: a checkpoint of version 0.1, which read rows in the order of the file: expected one "
                    "of a fit in random order; delete it to start again, or give another file."
                )
            return Resumed(
                Place(**{name: place.integer(name) for name in vars(Place())}),
                averaged_of(stored.part("model")),
                TableEncoder.from_dict(stored.raw("encoder")) if "encoder" in stored else None,
            )
        except DataError:
            raise
        except (ValueError, TypeError, ArithmeticError) as error:
            raise ModelFileError(f"{self.path}: not a checkpoint that ridgeway writes: {error}") from None

    def after(
        self,
        rows: int,
        place: Place,
        model: AnyAveraged,
        encoder: TableEncoder | None,
        request: Request,
        fingerprint: State,
    ) -> None:
        """Count the rows that were read, and write the state if a checkpoint is due."""
        self._rows += rows
        if self._rows < self.every:
            return
        self._rows = 0
        state = {
            "data": fingerprint,
            "options": request.state(),
            "place": vars(place),
            "model": model.state(),
            "encoder": None if encoder is None else encoder.to_dict(),
        }
        write_state(self.path, state, KIND)

    def done(self) -> None:
        """Remove the file, after the fit has ended and its model is saved."""
        remove_partials(self.path)
        self.path.unlink(missing_ok=True)


def _difference(stored: Any, given: Any) -> str:
    """Return the first entry in which two states differ, as text."""
    if isinstance(stored, dict) and isinstance(given, dict):
        for name in given:
            if stored.get(name) != given[name]:
                return f"{name} is {_short(given[name])}, and was {_short(stored.get(name))}"
    return "of another form"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."
