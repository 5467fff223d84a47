"""`TableStream`: SGD over a table that takes more memory than there is, pass by pass in random order."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from ridgeway.data import EncodedBatch, ShuffledSource
from ridgeway.data.shuffled import MIN_MIXED_PARTS, shuffled
from ridgeway.messages.progress import Progress
from ridgeway.tables.drift import warn_of_drift
from ridgeway.tables.learnable_rows import joined_rows, learnable_rows
from ridgeway.tables.table_rows import TableRows


class TableStream:
    """The passes that are left over the rows of a table.

    Parameters
    ----------
    rows : of the table, with what learns from them.
    memory : bytes of which the buffer takes up to half; a resumed fit keeps the size of its buffer.
    """

    def __init__(self, rows: TableRows, memory: int) -> None:
        self._rows = rows
        self._first: EncodedBatch | None = None  # batch of the first pass
        if rows.reached.buffer_rows:
            self._source = ShuffledSource(rows.source, rows.reached.buffer_rows, rows.request.seed)
        else:
            self._source = shuffled(rows.source, memory, rows.request.seed)
            rows.reached.buffer_rows = self._source.buffer_rows

    def learn(self, progress: Progress) -> None:
        """Make all passes that are left."""
        rows = self._rows
        while True:
            last = self._learned_pass(progress)
            rows.require_some()
            rows.learner.finish()
            if rows.reached.passes == 0 and not self.mixes:
                self._warn_of_drift(last)
            rows.reached = replace(rows.reached, passes=rows.reached.passes + 1, batch=0, read=0)
            if rows.reached.passes >= rows.n_passes:
                return
            rows.require_same()

    @property
    def mixes(self) -> bool:
        """Whether any two rows can become neighbours."""
        n_rows = self._rows.reached.rows + self._rows.reached.left_out
        return self._source.n_parts >= MIN_MIXED_PARTS or n_rows <= self._source.buffer_rows

    def _learned_pass(self, progress: Progress) -> list[EncodedBatch]:
        """Learn from the rest of a pass, and return its last two batches."""
        rows, last = self._rows, list[EncodedBatch]()
        for batch in rows.of_pass(self._source.of_pass(rows.reached.passes), progress):
            if (rows.reached.passes, rows.reached.batch) == (0, 1):
                self._first = batch
            rows.learn(batch)
            last = [*last[-1:], batch]
        return last

    def _warn_of_drift(self, last: list[EncodedBatch]) -> None:
        first, encoder = self._first, self._rows.encoder
        if first is None:  # the fit was resumed
            with closing(learnable_rows(self._source, encoder, self._rows.request, 0)) as batches:
                first = next(batches)
        names = [] if encoder is None else [str(name) for name in encoder.get_feature_names_out()]
        warn_of_drift(
            first, joined_rows(last), names or [f"column {i}" for i in range(first.X.shape[1])], self._source.name
        )
