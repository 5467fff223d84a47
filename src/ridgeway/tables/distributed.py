"""`fit_table_on`: a model from a table in files, fitted on a cluster."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

from ridgeway.dask.executor import Executor
from ridgeway.dask.fitting import PARTITION_BYTES, fit_opened
from ridgeway.dask.opened_data import Opened, opened_files
from ridgeway.data import DataError, column_names
from ridgeway.data.table_encoder import LEVELS
from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.estimators.solver_choice import SolverChoice
from ridgeway.messages.user_warning import warn_user
from ridgeway.rows import Float
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.tables.learnable_rows import logarithm
from ridgeway.tables.request import Request
from ridgeway.tables.table_model import FitFacts, TableModel
from ridgeway.tables.table_solver_choice import solved_by


def fit_table_on(
    executor: Executor,
    data: str | os.PathLike[str],
    request: Request,
    *,
    chains: int | str = 1,
    checkpoint: Checkpoint | None = None,
    progress: bool = False,
) -> TableModel:
    """Fit a model to a table in files on a cluster. The workers also encode the columns.

    Parameters
    ----------
    executor : runs the tasks.
    data : path of a file, of a folder, or a pattern, which all workers can read.
    request : what to fit.
    chains : number of runs of SGD on disjoint partitions; "workers" takes one for each worker. Others than 1 imply SGD.
    checkpoint : file for the state of the fit. It is not removed: call its `done` after the model is saved.
    progress : show a progress bar.

    Examples
    --------
    >>> import tempfile, numpy as np, pyarrow as pa, pyarrow.parquet as pq
    >>> from ridgeway.dask.serial import Serial
    >>> from ridgeway.tables import Request
    >>> x = np.random.default_rng(0).standard_normal(2000)
    >>> file = tempfile.mkdtemp() + "/t.parquet"
    >>> pq.write_table(pa.table({"x": x, "y": 2 * x + 1}), file)
    >>> model = fit_table_on(Serial(), file, Request(target="y"))
    >>> model.predict(pa.table({"x": [3.0]})).round(2)
    array([7.])
    """
    names = column_names(data)
    if names is None:
        raise DataError(
            f"{data}: LIBSVM text cannot be split into partitions: expected Parquet, CSV or Feather files; convert it, "
            "or fit it without a cluster."
        )
    features = request.features(names)
    table, encoder = _opened(data, request, features), request.encoder(features)
    implied = None
    if request.kernel is None and request.linear_solver == "auto" and chains != 1:
        request = replace(request, solver="sgd")  # which chains are made of
        implied = SolverChoice("sgd", f"because chains={chains!r} is an option of SGD")
    estimator = request.estimator(progress)
    if isinstance(estimator, AveragedSGDRegressor):
        estimator.set_params(chains=chains)
    elif chains != 1:
        what = "a kernel model" if request.kernel is not None else f"solver={request.solver!r}"
        raise ValueError(f"chains={chains!r}: expected 1 for {what}; leave chains out.")
    survey = fit_opened(estimator, table, executor, encoder, checkpoint)
    for doubt in encoder.doubts_:  # the workers that learned the encoder did not emit these warnings
        warn_user(doubt)
    rows, read = sum(survey.counts.values()), sum(survey.read.values())
    passes = float(getattr(estimator, "passes_", 1.0))
    solver = solved_by(estimator, request, implied)
    facts = FitFacts(os.fspath(data), rows, read - rows, passes, False, True, False, *solver)
    return TableModel.of(estimator, encoder, request, facts)


def _opened(data: str | os.PathLike[str], request: Request, features: list[str]) -> Opened:
    """Open the columns of a table that a request needs, as partitions."""
    reading: dict[str, Any] = {
        "kinds": request.read_kinds,
        "null_values": request.null_values,
        "needed": request.needed,
    }
    columns = request.columns(features)
    table = opened_files(data, request.target, request.weight, PARTITION_BYTES, columns, **reading)
    if request.log_target:
        table = replace(table, form=replace(table.form, transform=partial(_logarithm, request.targets)))
    if request.levels != LEVELS:  # a checkpoint belongs to one encoding
        table = replace(table, fingerprint={**table.fingerprint, "levels": request.levels})
    return table


def _logarithm(targets: tuple[str, ...], y: Float, source_name: str) -> Float:
    return logarithm(y, targets, source_name)
