"""`fit_table`: a model from a table in a file of any size."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from ridgeway.data import DataError, EncodedBatch, Source, column_names
from ridgeway.data.external import ExternalTable
from ridgeway.data.memory import as_table
from ridgeway.data.opening import located
from ridgeway.data.target import Targets
from ridgeway.estimators import AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.estimators.solver_choice import SolverChoice
from ridgeway.estimators.solver_facts import Ability, can
from ridgeway.machine.available_memory import default_memory
from ridgeway.messages.progress import Progress, announce
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.tables.batch_learner import BatchLearner
from ridgeway.tables.learnable_rows import joined_rows, nbytes
from ridgeway.tables.learned_encoder import learned_encoder
from ridgeway.tables.request import Request, request_of
from ridgeway.tables.resumption import FitProgress, resume
from ridgeway.tables.size import guess_rows
from ridgeway.tables.table_model import FitFacts, TableModel
from ridgeway.tables.table_rows import TableRows
from ridgeway.tables.table_solver_choice import held_bytes, require_streamable, solved_by, stream_solver
from ridgeway.tables.table_stream import TableStream

STREAMED_MEMORY_FACTOR = 2  # rows that probably take more than this many times the memory are streamed at once


def fit_table(
    data: Any,
    request: Request | Targets | None = None,
    *,
    target: Targets | None = None,
    memory: int | None = None,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
) -> TableModel:
    """Fit a model to a table in a file of any size, or in memory.

    Columns are encoded by `TableEncoder`, which learns from a quarter of a million rows of all parts of the table. A
    small table is held in memory, and `RidgePathCV` chooses the solver. A larger one of up to 2,000 features is summed
    up in Gram matrices: one read, whose order does not matter, in memory that does not grow with the rows. One with
    more features is held in memory, up to `memory` bytes, and beyond that learned by SGD as a stream.

    SGD, which ``request.solver`` or an option that only SGD has can also request, makes as many passes as it needs
    over rows that fit in memory. Otherwise ``partial_fit`` learns from them batch by batch, in one pass or in
    ``request.passes`` passes, and the average is selected by predicting each row before it is learned. Such a stream is
    read in random order, with a new order in each pass (see `ridgeway.data.ShuffledSource`): parts of the files are
    read in random order, and their rows are permuted in a buffer that takes up to half of `memory`. The exception is a
    compressed file, which can only be read from start to end: its rows are permuted within the buffer only, and the fit
    warns if its end differs from its beginning.

    Parameters
    ----------
    data : path of a file, of a folder, or a pattern; a data frame or Arrow table; a database, a remote file or an Arrow
        stream (see `ridgeway.data.open_data` and `ridgeway.data.external_table`).
    request : what to fit: a `Request`, or only the name of the column to predict, or the names of several. LIBSVM files
        need none.
    target : the name of the column to predict, or the names of several, instead of a request.
    memory : largest number of bytes of encoded rows in memory; 0 always streams, None takes a quarter of the available
        memory. The same memory and seed give the same model, bit for bit.
    checkpoint : file for the state of a stream, written every so many rows, and when the fit is interrupted (Ctrl-C,
        KeyboardInterrupt) after it has learned from some rows. A fit that finds it resumes, and gives the same model as
        without interruption, bit for bit. A checkpoint does not change the model: rows that fit in memory are still
        fitted in memory, and such a fit starts again after an interruption. The file is not removed: call
        ``checkpoint.done()`` after the model is saved.
    progress : show a bar with rows done, rows per second and time left.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from ridgeway.tables import Request, fit_table
    >>> x = np.random.default_rng(0).standard_normal(2000)
    >>> table = pa.table({"x": x, "y": 2 * x + 1})
    >>> model = fit_table(table, "y")
    >>> model.predict(pa.table({"x": [3.0]})).round(2)
    array([7.])
    >>> fit_table(table, Request(target="y", solver="sgd")).solver_
    'sgd'
    """
    request = request_of(request, target)
    allowed = default_memory() if memory is None else memory
    with nullcontext() if checkpoint is None else checkpoint:
        return _Fit(_opened(data, request, allowed, checkpoint, progress), allowed, progress).done()


class _Ending(Enum):
    """How a read ended that did not hold all rows in memory."""

    SUMMED_UP = auto()  # Gram matrices have learned from all of them
    TOO_LARGE = auto()  # they take too much memory, and have to be read again as a stream


def _opened(data: Any, request: Request, memory: int, checkpoint: Checkpoint | None, shown: bool) -> TableRows:
    """Open a table, with an encoder that has learned and an estimator: new ones, or those of an interrupted fit."""
    data = located(data)
    if not isinstance(data, str | os.PathLike | tuple | Source | ExternalTable):
        data = as_table(data, index=True)  # warn once, although the data are opened again
    announce("Reading the names of the columns", shown)
    columns = column_names(data)
    if columns is None and (request.target or request.weight or request.drop or request.only or request.kinds):
        name = data if isinstance(data, str | os.PathLike) else "the matrix"
        raise DataError(f"{name}: the columns have no names: leave out target, weight, drop, only and kinds.")
    features = None if columns is None else request.features(columns)
    announce("Reading rows", shown)
    source = request.open(data, features)
    fingerprint = source.fingerprint()
    resumed = None if checkpoint is None else resume(checkpoint, fingerprint, request.state())
    if resumed is None:
        reached, learner = FitProgress(), BatchLearner(request.estimator(shown))
        encoder = None if features is None else learned_encoder(source, request, features, memory)
    else:
        reached, learner, encoder = resumed.progress, BatchLearner(resumed.model), resumed.encoder
    return TableRows(data, request, features, source, fingerprint, encoder, learner, reached, checkpoint)


class _Fit:
    """One fit of a table: its rows are held in memory, summed up in Gram matrices, or streamed by SGD."""

    def __init__(self, rows: TableRows, allowed: int, shown: bool) -> None:
        self._rows, self._allowed, self._shown = rows, allowed, shown
        self._memory = held_bytes(rows.request, rows.n_columns, allowed)
        self._stream: SolverChoice | None = None  # what learns from a stream of a linear model
        if not self._fits_yet:
            self._choose_stream_solver()
        rows.follow()

    def done(self) -> TableModel:
        """Fit the rows in memory, or as a stream if they take too much memory; resume an interrupted stream."""
        with self._progress(1 if self._fits_yet or self._sums_up else self._rows.n_passes) as progress:
            with self._rows.stored_if_interrupted():
                held = self._read_once(progress) if self._fits_yet or self._sums_up else _Ending.TOO_LARGE
                if held is _Ending.TOO_LARGE:
                    stream = TableStream(self._rows, self._allowed)
                    stream.learn(progress)
            if held is _Ending.SUMMED_UP:
                return self._finished(1.0, streamed=True)
            if held is _Ending.TOO_LARGE:
                return self._finished(float(self._rows.n_passes), streamed=True, shuffled=stream.mixes)
        announce("Learning and choosing", self._shown)
        self._estimator.fit(held.X, held.y, held.weight)
        return self._finished(float(getattr(self._estimator, "passes_", 1.0)), streamed=False)

    @property
    def _fits_yet(self) -> bool:
        """Whether all rows may fit in memory, as far as is known before reading."""
        return self._memory > 0 and self._rows.reached.buffer_rows == 0 and not self._rows.learner.begun

    @property
    def _sums_up(self) -> bool:
        """Whether a solver that takes rows in any order learns from the stream."""
        return self._stream is not None and can(self._stream.solver, Ability.ANY_ORDER)

    def _read_once(self, progress: Progress) -> EncodedBatch | _Ending:
        """Return all rows, or how the read ended if they take too much memory."""
        rows, held, size, holding = self._rows, list[EncodedBatch](), 0, self._fits_yet
        with closing(rows.of_pass(rows.source, progress)) as batches:
            for batch in batches:
                if not holding:
                    rows.learn(batch)
                    continue
                held.append(batch)
                size += nbytes(batch)
                expected = size * (progress.total or 0) / rows.reached.read  # an estimate if rows are not counted yet
                if size > self._memory or expected > STREAMED_MEMORY_FACTOR * self._memory:
                    self._choose_stream_solver()
                    if not self._sums_up:
                        rows.reached = FitProgress()
                        progress.restart(None if progress.total is None else progress.total * rows.n_passes)
                        return _Ending.TOO_LARGE
                    holding = False
                    rows.learn_held(held)
        rows.require_some()
        if holding:
            return joined_rows([part for part in held if len(part.y)])
        rows.learner.finish()
        return _Ending.SUMMED_UP

    def _choose_stream_solver(self) -> None:
        """Choose the solver of a stream: Gram matrices keep the rows read so far, SGD starts again."""
        rows, request = self._rows, self._rows.request
        if request.kernel is not None:
            require_streamable(request, request.solver)
            return
        self._stream = stream_solver(request, rows.n_columns, self._memory)
        rows.learner.sums_up = self._sums_up
        if self._stream.solver == "sgd" and isinstance(self._estimator, RidgePathCV):
            rows.learner = BatchLearner(replace(request, solver="sgd").estimator(self._shown))

    @property
    def _estimator(self) -> AnyAveraged:
        return self._rows.learner.estimator

    def _progress(self, passes: int) -> AbstractContextManager[Progress]:
        reached, rows = self._rows.reached, guess_rows(self._rows.source)
        total = None if rows is None else rows * passes
        done = reached.read + reached.passes * (rows or 0)
        return closing(Progress(total, shown=self._shown, label="rows read and encoded", done=done))

    def _finished(self, passes: float, streamed: bool, shuffled: bool = False) -> TableModel:
        request, reached, source = self._rows.request, self._rows.reached, self._rows.source
        self._estimator.n_rows_ = reached.rows
        if not isinstance(self._estimator, RidgePathCV):
            self._estimator.passes_ = passes
        if streamed and isinstance(self._estimator, AveragedSGDRegressor):
            self._estimator._warn_if_short()
        solver = solved_by(self._estimator, request, self._stream)
        facts = FitFacts(
            Path(source.name).name, reached.rows, reached.left_out, passes, streamed, False, shuffled, *solver
        )
        zero_based = bool(getattr(source, "zero_based", False))
        return TableModel.of(self._estimator, self._rows.encoder, request, facts, zero_based)
