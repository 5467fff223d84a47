"""`fit_table`: a model from a table in a file of any size."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from ridgeway.data import DataError, EncodedBatch, ShuffledSource, Source, column_names
from ridgeway.data.external import ExternalTable
from ridgeway.data.memory import as_table
from ridgeway.data.opening import located
from ridgeway.data.shuffled import MIN_MIXED_PARTS, shuffled
from ridgeway.estimators import AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.estimators.solver_choice import SolverChoice
from ridgeway.machine.available_memory import default_memory
from ridgeway.messages.progress import Progress, announce
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.storage.state import State
from ridgeway.tables.batch_learner import BatchLearner
from ridgeway.tables.drift import warn_of_drift
from ridgeway.tables.learnable_rows import joined_rows, learnable_rows, nbytes
from ridgeway.tables.learned_encoder import learned_encoder
from ridgeway.tables.request import Request
from ridgeway.tables.resumption import PROGRESS_KEY, FitProgress, resume
from ridgeway.tables.size import guess_rows
from ridgeway.tables.table_model import FitFacts, TableModel
from ridgeway.tables.table_solver_choice import held_bytes, krylov_needs_memory, solved_by, stream_solver

STREAMED_MEMORY_FACTOR = 2  # rows that probably take more than this many times the memory are streamed at once


def fit_table(
    data: Any,
    request: Request,
    *,
    memory: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
) -> TableModel:
    """Fit a model to a table in a file of any size, or in memory.

    Columns are encoded by `TableEncoder`, which learns from a quarter of a million rows of all parts of the table. A
    small table is held in memory, and `RidgePathCV` chooses the solver. A larger one of up to 2,000 features is summed
    up in Gram matrices: one read, whose order does not matter, in memory that does not grow with the rows. One with
    more features is held in memory, up to `memory` bytes, and beyond that learned by SGD as a stream.

    SGD, also where ``request.solver`` or an option of its own asks for it, makes as many passes as it needs over rows
    that fit in memory. Otherwise ``partial_fit`` learns from them batch by batch, in one pass or in ``request.passes``
    passes, and the average is selected by predicting each row before it is learned. Such a stream is read in random
    order, with a new order in each pass (see `ridgeway.data.ShuffledSource`): parts of the files are read in random
    order, and their rows are permuted in a buffer that takes up to half of `memory`. The exception is a compressed
    file, which can only be read from start to end: its rows are permuted within the buffer only, and the fit warns if
    its end differs from its beginning.

    Parameters
    ----------
    data : path of a file, of a folder, or a pattern; a data frame or Arrow table; a database, a remote file or an Arrow
        stream (see `ridgeway.data.open_data` and `ridgeway.data.external_table`).
    request : what to fit.
    memory : largest number of bytes of encoded rows in memory; 0 always streams, None takes a quarter of the available
        memory. The same memory and seed give the same model, bit for bit.
    checkpoint : file for the state of a stream, written every so many rows. A fit that finds it resumes, and gives the
        same model as without interruption, bit for bit. A checkpoint does not change the model: rows that fit in memory
        are still fitted in memory, and such a fit starts again after an interruption. The file is not removed: call
        ``checkpoint.done()`` after the model is saved.
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
    allowed = default_memory() if memory is None else memory
    with nullcontext() if checkpoint is None else checkpoint:
        return _Fit(data, request, allowed, checkpoint, progress).done()


class _Ending(Enum):
    """How a read ended that did not hold all rows in memory."""

    SUMMED_UP = auto()  # Gram matrices have learned from all of them
    TOO_LARGE = auto()  # they take too much memory, and have to be read again as a stream


class _Fit:
    """One fit of a table: it reads batches of rows and either holds them or learns from them."""

    def __init__(self, data: Any, request: Request, memory: int, checkpoint: Checkpoint | None, shown: bool) -> None:
        data = located(data)
        if not isinstance(data, str | os.PathLike | tuple | Source | ExternalTable):
            data = as_table(data, index=True)  # warn once, although the data are opened again
        self._data, self._request, self._allowed = data, request, memory
        self._checkpoint, self._shown = checkpoint, shown
        announce("Reading the names of the columns", shown)
        columns = column_names(data)
        if columns is None and (request.target or request.weight or request.drop or request.only or request.kinds):
            name = data if isinstance(data, str | os.PathLike) else "the matrix"
            raise DataError(f"{name}: the columns have no names: leave out target, weight, drop, only and kinds.")
        self._features = None if columns is None else request.features(columns)
        announce("Reading rows", shown)
        self._source = request.open(data, self._features)
        self._fingerprint: State = self._source.fingerprint()
        self._reached = FitProgress()
        self._first: EncodedBatch | None = None  # batch of a stream
        self._stream: SolverChoice | None = None  # what learns from a stream of a linear model
        resumed = None if checkpoint is None else resume(checkpoint, self._fingerprint, request.state())
        if resumed is None:
            self._learner = BatchLearner(request.estimator(shown))
            self._encoder = (
                None if self._features is None else learned_encoder(self._source, request, self._features, memory)
            )
        else:
            self._reached, self._encoder = resumed.progress, resumed.encoder
            self._learner = BatchLearner(resumed.model)
        self._memory = held_bytes(request, self._n_columns, memory)
        if not self._fits_yet:
            self._choose_stream_solver()
        if checkpoint is not None:
            checkpoint.follow(PROGRESS_KEY, lambda: vars(self._reached))
            checkpoint.follow("model", lambda: self._estimator.state())  # noqa: PLW0108 - the estimator may change
            checkpoint.follow("encoder", lambda: None if self._encoder is None else self._encoder.state())

    def done(self) -> TableModel:
        """Fit the rows in memory, or as a stream if they take too much memory; resume an interrupted stream."""
        with self._progress(1 if self._fits_yet or self._sums_up else self._n_passes) as progress:
            rows = self._read_once(progress) if self._fits_yet or self._sums_up else _Ending.TOO_LARGE
            if rows is _Ending.SUMMED_UP:
                return self._finished(1.0, streamed=True)
            if rows is _Ending.TOO_LARGE:
                return self._streamed(progress)
        announce("Learning and choosing", self._shown)
        self._estimator.fit(rows.X, rows.y, rows.weight)
        return self._finished(float(getattr(self._estimator, "passes_", 1.0)), streamed=False)

    @property
    def _fits_yet(self) -> bool:
        """Whether all rows may fit in memory, as far as is known before reading."""
        return self._memory > 0 and self._reached.buffer_rows == 0 and not self._learner.begun

    @property
    def _sums_up(self) -> bool:
        """Whether a stream is learned from in any order, by Gram matrices."""
        return self._stream is not None and self._stream.solver == "gram"

    def _read_once(self, progress: Progress) -> EncodedBatch | _Ending:
        """Return all rows or, if they take too much memory, how the read ended."""
        held, size, holding = list[EncodedBatch](), 0, self._fits_yet
        with closing(self._rows_of_pass(self._source, progress)) as batches:
            for rows in batches:
                if not holding:
                    self._learn_and_store(rows)
                    continue
                held.append(rows)
                size += nbytes(rows)
                expected = size * (progress.total or 0) / self._reached.read  # an estimate if rows are not counted yet
                if size > self._memory or expected > STREAMED_MEMORY_FACTOR * self._memory:
                    self._choose_stream_solver()
                    if not self._sums_up:
                        self._reached = FitProgress()
                        progress.restart(None if progress.total is None else progress.total * self._n_passes)
                        return _Ending.TOO_LARGE
                    holding = False
                    for part in held:
                        self._learner.learn(part)
                    held.clear()
        self._require_rows()
        if holding:
            return joined_rows([part for part in held if len(part.y)])
        self._learner.finish()
        return _Ending.SUMMED_UP

    def _choose_stream_solver(self) -> None:
        """Choose the solver of a stream: Gram matrices keep the rows read so far, SGD starts again."""
        if self._request.kernel is not None:
            return
        self._stream = stream_solver(self._request, self._n_columns, self._memory)
        self._learner.sums_up = self._sums_up
        if self._stream.solver == "sgd" and isinstance(self._estimator, RidgePathCV):
            self._learner = BatchLearner(replace(self._request, solver="sgd").estimator(self._shown))

    def _streamed(self, progress: Progress) -> TableModel:
        """Learn from the rows as they are read, in random order."""
        self._require_streamable()
        source = self._shuffled()
        while True:
            ends = self._learned_pass(source.of_pass(self._reached.passes), progress)
            self._require_rows()
            self._learner.finish()
            if self._reached.passes == 0 and not self._mixes(source):
                self._warn_of_drift(source, ends)
            self._reached = replace(self._reached, passes=self._reached.passes + 1, batch=0, read=0)
            if self._reached.passes >= self._n_passes:
                return self._finished(float(self._n_passes), streamed=True, shuffled=self._mixes(source))
            self._require_same_data()

    def _shuffled(self) -> ShuffledSource:
        if self._reached.buffer_rows:
            return ShuffledSource(self._source, self._reached.buffer_rows, self._request.seed)
        source = shuffled(self._source, self._allowed, self._request.seed)
        self._reached.buffer_rows = source.buffer_rows
        return source

    def _mixes(self, source: ShuffledSource) -> bool:
        """Whether any two rows can become neighbours."""
        n_rows = self._reached.rows + self._reached.left_out
        return source.n_parts >= MIN_MIXED_PARTS or n_rows <= source.buffer_rows

    def _learned_pass(self, source: ShuffledSource, progress: Progress) -> list[EncodedBatch]:
        """Learn from the rest of a pass, and return its last two batches."""
        last: list[EncodedBatch] = []
        for rows in self._rows_of_pass(source, progress):
            if (self._reached.passes, self._reached.batch) == (0, 1):
                self._first = rows
            self._learn_and_store(rows)
            last = [*last[-1:], rows]
        return last

    def _learn_and_store(self, rows: EncodedBatch) -> None:
        self._learner.learn(rows)
        if self._checkpoint is not None and self._learner.begun:
            self._checkpoint.tick(rows.read)

    def _warn_of_drift(self, source: ShuffledSource, last: list[EncodedBatch]) -> None:
        first = self._first
        if first is None:  # the fit was resumed
            with closing(learnable_rows(source, self._encoder, self._request, 0)) as batches:
                first = next(batches)
        names = [] if self._encoder is None else [str(name) for name in self._encoder.get_feature_names_out()]
        warn_of_drift(first, joined_rows(last), names or [f"column {i}" for i in range(first.X.shape[1])], source.name)

    @property
    def _n_passes(self) -> int:
        """Passes of a stream."""
        return 1 if isinstance(self._request.passes, str) else self._request.passes

    def _rows_of_pass(self, source: Source, progress: Progress) -> Generator[EncodedBatch, None, None]:
        """Yield the remaining batches of a pass, and count their rows."""
        with closing(learnable_rows(source, self._encoder, self._request, self._reached.batch)) as batches:
            for rows in batches:
                self._reached.batch += 1
                self._reached.read += rows.read
                if self._reached.passes == 0:
                    self._reached.rows += len(rows.y)
                    self._reached.left_out += rows.dropped
                yield rows
                progress.add(rows.read)

    @property
    def _n_columns(self) -> int:
        """Number of features."""
        n_columns: int = self._source.n_columns if self._encoder is None else self._encoder.n_features_out_  # type: ignore[attr-defined]
        return n_columns

    @property
    def _estimator(self) -> AnyAveraged:
        return self._learner.estimator

    def _require_streamable(self) -> None:
        cv = self._request.cv
        if self._request.kernel is not None and self._request.components is None:
            raise DataError(
                "an exact kernel model needs all rows in memory, and these rows exceed the memory limit: set a number "
                "of components (--components 2000), or allow more memory."
            )
        if self._request.kernel is not None and self._request.solver == "krylov":
            raise krylov_needs_memory()
        if cv not in ("auto", "progressive"):
            raise DataError(
                f"cv={cv!r} needs all rows in memory, and these rows exceed the memory limit: expected cv='auto' or "
                "'progressive'; leave cv out, or allow more memory."
            )

    def _require_rows(self) -> None:
        if self._reached.rows == 0:
            what = "a target" if len(self._request.targets) < 2 else "all targets"
            what += "" if self._request.weight is None else " and a weight above 0"
            names = ", ".join(map(repr, self._request.targets))
            raise DataError(
                f"{self._source.name}: none of the {self._reached.left_out:,} rows has {what} (column {names}): "
                "expected at least one; choose another column."
            )

    def _require_same_data(self) -> None:
        now = self._request.open(self._data, self._features).fingerprint()
        if now != self._fingerprint:
            raise DataError(
                f"{self._source.name}: the data changed after pass {self._reached.passes}: expected the same rows in "
                "every pass; start again when no program writes to them."
            )

    def _progress(self, passes: int) -> AbstractContextManager[Progress]:
        rows = guess_rows(self._source)
        total = None if rows is None else rows * passes
        done = self._reached.read + self._reached.passes * (rows or 0)
        return closing(Progress(total, shown=self._shown, label="rows read and encoded", done=done))

    def _finished(self, passes: float, streamed: bool, shuffled: bool = False) -> TableModel:
        request, reached = self._request, self._reached
        self._estimator.set_params(verbose=0)
        self._estimator.n_rows_ = reached.rows
        if not isinstance(self._estimator, RidgePathCV):
            self._estimator.passes_ = passes
        if streamed and isinstance(self._estimator, AveragedSGDRegressor):
            self._estimator._warn_if_short()
        solver = solved_by(self._estimator, request, self._stream)
        facts = FitFacts(
            Path(self._source.name).name, reached.rows, reached.left_out, passes, streamed, False, shuffled, *solver
        )
        return TableModel(
            self._estimator,
            self._encoder,
            request.target,
            request.weight,
            request.log_target,
            facts,
            zero_based=bool(getattr(self._source, "zero_based", False)),
            null_values=request.null_values,
            dropped=request.drop,
        )
