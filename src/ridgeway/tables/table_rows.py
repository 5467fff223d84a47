"""`TableRows`: the rows of an opened table, what learns from them, and how far it has come, for a checkpoint."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ridgeway.data import DataError, EncodedBatch, Source, TableEncoder
from ridgeway.messages.progress import Progress
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.storage.state import State
from ridgeway.tables.batch_learner import BatchLearner
from ridgeway.tables.learnable_rows import learnable_rows
from ridgeway.tables.request import Request
from ridgeway.tables.resumption import PROGRESS_KEY, FitProgress


@dataclass(eq=False)
class TableRows:
    """The rows of a table, what encodes them and what learns from them.

    Attributes
    ----------
    data : what was opened, to check later whether it has changed.
    request : what to fit.
    features : columns to learn from; None for sparse rows.
    source : the rows in the order of the table.
    fingerprint : of the source when it was opened.
    encoder : encodes columns as features; None for sparse rows.
    learner : learns from batches; a fit may replace it before it begins a stream.
    reached : how far the fit has come; replaced where it starts again.
    checkpoint : where that is stored; None for nowhere.
    """

    data: Any
    request: Request
    features: list[str] | None
    source: Source
    fingerprint: State
    encoder: TableEncoder | None
    learner: BatchLearner
    reached: FitProgress
    checkpoint: Checkpoint | None
    _learned: tuple[FitProgress, object] | None = field(init=False)  # how far the learner has come, and its attributes

    def __post_init__(self) -> None:
        """Note what an interrupted fit had learned."""
        self._note_learned()

    def follow(self) -> None:
        """Include progress, model and encoder in every checkpoint from now on."""
        if self.checkpoint is not None:
            self.checkpoint.follow(PROGRESS_KEY, lambda: vars(self.reached))
            self.checkpoint.follow("model", lambda: self.learner.estimator.state())  # noqa: PLW0108 - the learner may change
            self.checkpoint.follow("encoder", lambda: None if self.encoder is None else self.encoder.state())

    @property
    def n_columns(self) -> int:
        """Number of features."""
        n_columns: int = self.source.n_columns if self.encoder is None else self.encoder.n_features_out_  # type: ignore[attr-defined]
        return n_columns

    @property
    def n_passes(self) -> int:
        """Passes of a stream."""
        return 1 if isinstance(self.request.passes, str) else self.request.passes

    def of_pass(self, source: Source, progress: Progress) -> Generator[EncodedBatch, None, None]:
        """Yield the remaining batches of a pass over a source, and count their rows."""
        reached = self.reached
        with closing(learnable_rows(source, self.encoder, self.request, reached.batch)) as batches:
            for rows in batches:
                reached.batch += 1
                reached.read += rows.read
                if reached.passes == 0:
                    reached.rows += len(rows.y)
                    reached.left_out += rows.dropped
                yield rows
                progress.add(rows.read)

    def learn(self, rows: EncodedBatch) -> None:
        """Learn from a batch, and write a checkpoint where it is due."""
        self.learner.learn(rows)
        self._note_learned()
        if self.checkpoint is not None and self.learner.begun:
            self.checkpoint.tick(rows.read)

    def learn_held(self, held: list[EncodedBatch]) -> None:
        """Learn from all batches that were held in memory, and forget them."""
        self._learned = None
        for rows in held:
            self.learner.learn(rows)
        self._note_learned()
        held.clear()

    @contextmanager
    def stored_if_interrupted(self) -> Iterator[None]:
        """Write a checkpoint if the block is interrupted, and something was learned that can be resumed."""
        try:
            yield
        except KeyboardInterrupt:
            if self.checkpoint is not None and self.learner.begun and self._learned is not None:
                reached, attributes = self._learned
                if vars(self.learner.estimator) is attributes:  # the last batch that was read is not learned
                    self.reached = reached
                self.checkpoint.write()
            raise

    def _note_learned(self) -> None:
        """Note that the learner has come as far as the rows were read.

        Whatever an estimator learns replaces its attributes as a whole (see `atomic`), so their identity tells whether
        it has learned more since.
        """
        self._learned = replace(self.reached), vars(self.learner.estimator)

    def require_some(self) -> None:
        """Refuse a table none of whose rows has a target, after they were read."""
        if self.reached.rows == 0:
            what = "a target" if len(self.request.targets) < 2 else "all targets"
            what += "" if self.request.weight is None else " and a weight above 0"
            names = ", ".join(map(repr, self.request.targets))
            raise DataError(
                f"{self.source.name}: none of the {self.reached.left_out:,} rows has {what} (column {names}): "
                "expected at least one; choose another column."
            )

    def require_same(self) -> None:
        """Refuse a table that has changed since it was opened."""
        now = self.request.open(self.data, self.features).fingerprint()
        if now != self.fingerprint:
            raise DataError(
                f"{self.source.name}: the data changed after pass {self.reached.passes}: expected the same rows in "
                "every pass; start again when no program writes to them."
            )
