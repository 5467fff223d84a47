"""Progress of the fit of a file, and how it resumes after an interruption."""

from __future__ import annotations

from dataclasses import dataclass

from ridgeway.data import TableEncoder
from ridgeway.estimators.restored import AnyAveraged, averaged_of
from ridgeway.storage.checkpoint import Checkpoint, CheckpointError
from ridgeway.storage.state import State

TABLE_CHECKPOINT_KIND = "checkpoint"
PROGRESS_KEY = "place"  # in checkpoints


@dataclass
class FitProgress:
    """How far a fit has come between two batches.

    Attributes
    ----------
    passes : passes that are done.
    batch : number of the next batch of the current pass.
    read : rows read in the current pass.
    rows, left_out : rows learned from, and left out, in the first pass.
    buffer_rows : rows of the buffer through which a stream is shuffled; 0 before it begins. With the seed it
        determines the order of the rows, whatever memory a resumed fit has.
    """

    passes: int = 0
    batch: int = 0
    read: int = 0
    rows: int = 0
    left_out: int = 0
    buffer_rows: int = 0


@dataclass(frozen=True)
class Resumed:
    """What an interrupted fit has left."""

    progress: FitProgress
    model: AnyAveraged
    encoder: TableEncoder | None


def resume(checkpoint: Checkpoint, data: State, options: State) -> Resumed | None:
    """Return the state of an interrupted fit of the same data with the same options; None if there is none."""
    stored = checkpoint.begin(TABLE_CHECKPOINT_KIND, {"data": data, "options": options})
    if stored is None:
        return None
    with checkpoint.reading():
        progress = stored.part(PROGRESS_KEY)
        if "batch" in progress and "buffer_rows" not in progress:
            raise CheckpointError(
                f"{checkpoint.path}: a checkpoint of version 0.1, which read rows in the order of the file: expected "
                "one of a fit in random order; delete it to start again, or give another path."
            )
        return Resumed(
            FitProgress(**{name: progress.integer(name) for name in vars(FitProgress())}),
            averaged_of(stored.part("model")),
            TableEncoder.from_state(stored.part("encoder")) if "encoder" in stored else None,
        )
