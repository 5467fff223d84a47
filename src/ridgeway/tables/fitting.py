"""`fit_table`: a model from a table in a file of any size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from ridgeway.data import DataError, EncodedBatch, TableEncoder, open_data, target_of
from ridgeway.progress import Progress
from ridgeway.state import State
from ridgeway.tables.checkpoint import Checkpoint, Place
from ridgeway.tables.request import Request
from ridgeway.tables.rows import joined, learnable_rows, nbytes
from ridgeway.tables.size import guess_rows
from ridgeway.tables.table_model import FitFacts, TableModel

MEMORY = 2**28  # bytes of encoded rows up to which all are held in memory
# With so many rows, or so many bytes of them, a stream begins: they set scales and step.
FIRST_ROWS, FIRST_BYTES = 2**18, 2**26
FAR_BEYOND = 2  # times the memory: rows that are expected to take so much are not collected first


def fit_table(
    data: Any,
    request: Request,
    *,
    memory: int = MEMORY,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
) -> TableModel:
    """Fit a model to a table in a file of any size, or in memory.

    Columns are encoded by `TableEncoder`. Rows that take up to `memory` bytes once they are encoded are collected, and
    ``AveragedSGDRegressor.fit`` goes through them as often as it needs. More rows, and any fit with a checkpoint, are
    streamed: ``partial_fit`` learns from them batch by batch, in their order, once or as often as ``request.passes``
    says; the average is chosen by predicting rows before they are learned from, and scales and step are those of the
    first quarter of a million rows. Rows in an order that matters (by date, by shop) should be shuffled before they
    are streamed.

    Parameters
    ----------
    data : path of a file, of a folder, or a pattern; or a data frame or Arrow table (see `ridgeway.data.open_data`).
    request : what is to be learned.
    memory : bytes of encoded rows to hold at most; 0 always streams.
    checkpoint : where to write the state every so many rows. A fit that finds one goes on from there, and ends with the
        model that it would have come to without interruption, bit for bit.
    progress : show a bar with rows done, rows per second and time left.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from ridgeway.tables import Request, fit_table
    >>> x = np.random.default_rng(0).standard_normal(2000)
    >>> model = fit_table(pa.table({"x": x, "y": 2 * x + 1}), Request(target="y"))
    >>> model.predict(pa.table({"x": [3.0]})).round(2)
    array([7.])
    """
    fit = _Fit(data, request, checkpoint, progress)
    return fit.streamed() if checkpoint is not None or memory <= 0 else fit.collected(memory)


class _Fit:
    """One fit of a table: the rows are gone through batch by batch, and either collected or learned from."""

    def __init__(self, data: Any, request: Request, checkpoint: Checkpoint | None, shown: bool) -> None:
        self._data, self._request, self._checkpoint, self._shown = data, request, checkpoint, shown
        opened = open_data(data)
        if opened.schema is None and (request.target or request.weight or request.drop or request.only):
            raise DataError(f"{opened.name}: its columns have no names: leave out target, weight, drop and only.")
        self._features = None if opened.schema is None else request.features(opened)
        self._source = opened if self._features is None else request.open(data, self._features)
        self._fingerprint: State = self._source.fingerprint()
        self._place = Place()
        self._held: list[EncodedBatch] = []
        resumed = None if checkpoint is None else checkpoint.begin(request, self._fingerprint)
        if resumed is None:
            self._estimator = request.estimator(shown)
            self._encoder = None if self._features is None else self._learned_encoder()
        else:
            self._place, self._estimator, self._encoder = resumed.place, resumed.model, resumed.encoder

    def collected(self, memory: int) -> TableModel:
        """Hold all rows in memory and fit them, or go over to a stream when they turn out to take too much."""
        with self._progress(1) as progress:
            batches, held, size = self._rows_of_pass(progress), list[EncodedBatch](), 0
            for rows in batches:
                held.append(rows)
                size += nbytes(rows)
                expected = size * (progress.total or 0) / self._place.read  # a guess where rows are not counted yet
                if size > memory or expected > FAR_BEYOND * memory:
                    progress.extend((self._n_passes - 1) * (progress.total or 0))
                    return self._streamed(chain(_taken(held), batches), progress)
        self._require_rows()
        rows = joined([part for part in held if len(part.y)])
        held.clear()
        self._estimator.fit(rows.X, rows.y, rows.weight)
        return self._finished(self._estimator.passes_, streamed=False)

    def streamed(self) -> TableModel:
        """Learn from the rows as they are read."""
        with self._progress(self._n_passes) as progress:
            return self._streamed(self._rows_of_pass(progress), progress)

    def _streamed(self, batches: Iterator[EncodedBatch], progress: Progress) -> TableModel:
        self._require_streamable()
        while True:
            for rows in batches:
                self._learn(rows)
                if self._checkpoint is not None and self._begun:
                    state = (self._estimator, self._encoder, self._request, self._fingerprint)
                    self._checkpoint.after(rows.read, self._place, *state)
            self._require_rows()
            if self._held:  # fewer rows than a stream begins with
                self._learn_held()
            self._place = replace(self._place, passes=self._place.passes + 1, batch=0, read=0)
            if self._place.passes >= self._n_passes:
                return self._finished(float(self._n_passes), streamed=True)
            self._require_same_data()
            batches = self._rows_of_pass(progress)

    @property
    def _n_passes(self) -> int:
        """Passes of a stream."""
        return 1 if isinstance(self._request.passes, str) else self._request.passes

    def _rows_of_pass(self, progress: Progress) -> Iterator[EncodedBatch]:
        """Yield what is left of a pass, counted."""
        with closing(learnable_rows(self._source, self._encoder, self._request, self._place.batch)) as batches:
            for rows in batches:
                self._place.batch += 1
                self._place.read += rows.read
                if self._place.passes == 0:
                    self._place.rows += len(rows.y)
                    self._place.left_out += rows.dropped
                yield rows
                progress.add(rows.read)

    @property
    def _begun(self) -> bool:
        return bool(self._estimator.__sklearn_is_fitted__())

    def _learn(self, rows: EncodedBatch) -> None:
        if len(rows.y) == 0:
            return
        self._held.append(rows)
        n_rows, size = sum(len(part.y) for part in self._held), sum(map(nbytes, self._held))
        if self._begun or n_rows >= FIRST_ROWS or size >= FIRST_BYTES:
            self._learn_held()

    def _learn_held(self) -> None:
        rows = joined(self._held)
        self._held.clear()
        self._estimator.partial_fit(rows.X, rows.y, rows.weight)

    def _learned_encoder(self) -> TableEncoder:
        target, weight = self._request.target, self._request.weight
        assert target is not None
        target_of(next(self._source.batches(ahead=0)), target, weight, self._source.name)  # before anything long
        encoder = TableEncoder().fit(self._source, leave_out=[name for name in (target, weight) if name is not None])
        if encoder.n_features_out_ == 0:
            raise DataError(
                f"{self._source.name}: no column says anything: all {len(self._features or ())} are empty, constant or "
                "of a kind that cannot be learned from; add columns."
            )
        return encoder

    def _require_streamable(self) -> None:
        cv = self._request.cv
        if self._request.kernel is not None and self._request.components is None:
            raise DataError(
                "an exact kernel model needs all rows in memory, and rows that exceed it, or a fit with a checkpoint, "
                "are streamed: set a number of components (--components 2000), or allow more memory."
            )
        if cv not in ("auto", "progressive"):
            raise DataError(
                f"cv={cv!r} needs all rows in memory, and rows that exceed it, or a fit with a checkpoint, are "
                "streamed: expected cv='auto' or 'progressive' there; leave cv out, or allow more memory."
            )

    def _require_rows(self) -> None:
        if self._place.rows == 0:
            what = "target" if self._request.weight is None else "target or a weight above 0"
            raise DataError(
                f"{self._source.name}: none of the {self._place.left_out:,} rows has a {what} "
                f"(column {self._request.target!r}): expected at least one; choose another column."
            )

    def _require_same_data(self) -> None:
        now = self._request.open(self._data, self._features).fingerprint()
        if now != self._fingerprint:
            raise DataError(
                f"{self._source.name}: the data changed after pass {self._place.passes}: expected the same rows in "
                "every pass; begin anew when nothing writes to it."
            )

    def _progress(self, passes: int) -> AbstractContextManager[Progress]:
        rows = guess_rows(self._source)
        total = None if rows is None else rows * passes
        done = self._place.read + self._place.passes * (rows or 0)
        return closing(Progress(total, shown=self._shown, done=done))

    def _finished(self, passes: float, streamed: bool) -> TableModel:
        request, place = self._request, self._place
        self._estimator.set_params(verbose=0)
        self._estimator.n_rows_, self._estimator.passes_ = place.rows, passes
        return TableModel(
            self._estimator,
            self._encoder,
            request.target,
            request.weight,
            request.log_target,
            FitFacts(Path(self._source.name).name, place.rows, place.left_out, passes, streamed),
            zero_based=bool(getattr(self._source, "zero_based", False)),
        )


def _taken(held: list[EncodedBatch]) -> Iterator[EncodedBatch]:
    """Yield batches in turn and hold those that were yielded no longer."""
    held.reverse()
    while held:
        yield held.pop()
