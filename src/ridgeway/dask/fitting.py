"""`fit`: an estimator fitted on a dask cluster, to rows that never leave the workers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ridgeway.atomic import shallow_copy
from ridgeway.dask.cluster_client import executor_of
from ridgeway.dask.cluster_engine import PartitionEngine
from ridgeway.dask.cluster_problem import Problem, survey_and_plan
from ridgeway.dask.components import make_components, require_components
from ridgeway.dask.executor import Executor
from ridgeway.dask.gram_partitions import sum_partitions
from ridgeway.dask.opened_data import Opened, opened
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.serial import Serial
from ridgeway.dask.survey import Survey
from ridgeway.data import TableEncoder
from ridgeway.data.target import Targets
from ridgeway.estimators import AveragedKernelRegressor, AveragedSGDRegressor, RidgePathCV
from ridgeway.estimators.component_fit import ComponentModel, unfitted_sgd
from ridgeway.estimators.options import check_cv, check_loss, check_store
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.estimators.sgd_model import SGDModel
from ridgeway.estimators.solver_choice import SolverChoice, choose_stream_solver
from ridgeway.estimators.solver_facts import Ability, check_solver
from ridgeway.machine.blas import one_thread
from ridgeway.messages.progress import Progress
from ridgeway.messages.user_warning import warn_user
from ridgeway.path.parameters import parameters_state
from ridgeway.selection import Outcome, by_folds, by_holdout, run_given
from ridgeway.selection.contest import MIN_FORGETTING_EXPONENT
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.validation.names import is_name
from ridgeway.validation.scalars import counted

PARTITION_BYTES = 2**27  # of numbers of 8 bytes: 64 MB of float32 rows
WORKERS = "workers"
CLUSTER_CHECKPOINT_KIND, CLUSTER_CHECKPOINT_VERSION = "dask checkpoint", 3  # of what a checkpoint holds

FittedT = TypeVar("FittedT", RidgePathCV, AveragedSGDRegressor, AveragedKernelRegressor)


def fit(
    estimator: FittedT,
    data: Any,
    target: Targets | None = None,
    client: Any = None,
    *,
    weight: Any = None,
    encoder: TableEncoder | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    partition_bytes: int = PARTITION_BYTES,
    patience: float = 60.0,
) -> FittedT:
    """Fit an estimator on a dask cluster.

    The rows stay where they are: every task loads its partition, and only states of runs and sums travel. The result is
    a function of the data, their partitions, the parameters and the seed alone, not of the number of workers or of
    those that die. It equals, bit for bit on machines of one CPU type, that of ``client="serial"``, which does the same
    in this process:

    `RidgePathCV` sums up Gram matrices, partition by partition and then in a tree: one read, exact, in any order of the
    rows. With more than 2,000 columns, and for the estimators by SGD,

    1. offsets and scales come from all rows, by moments that add up over partitions; the step from the squared norms of
       all rows, or of some rows of 16 partitions where these agree;
    2. each pass goes through the partitions in random order, and through the rows of each in random order
       (``shuffle=False``: in their own order, so that the fit is that of the rows one after the other);
    3. folds and hold-out are drawn within partitions.

    Parameters
    ----------
    estimator : RidgePathCV, AveragedSGDRegressor, or AveragedKernelRegressor with n_components
        With its parameters. `RidgePathCV` takes ``solver`` "auto", "gram" or "sgd" here, and ``cv`` "auto" or a number
        of folds. For SGD, ``chains=1`` carries one run from partition to partition; ``chains=k`` starts k runs on
        disjoint partitions and averages them, ``chains="workers"`` as many as there are workers. ``cv`` is a number of
        folds, "holdout", or "auto"; ``store`` cannot be "replay". ``n_jobs`` has no meaning here.
    data : path, folder or pattern of Parquet, CSV or Feather files; (X, y) of dask arrays; or a dask data frame
        Workers must see files by the same path. Blocks of X may be CSR matrices.
    target : str
        Column of the target, for files and data frames.
    client : distributed.Client, address, None or "serial"
        None: the active client, or else a cluster on this machine, with a process per core, for this fit only.
    weight : str, or dask array for (X, y)
        Weights of the rows.
    encoder : TableEncoder
        Encodes columns that are not all numbers. If it is not fitted, it learns from the first rows, on a worker.
    checkpoint : path
        File to which the state is written during the fit. If the scheduler or this process is lost, the same call
        resumes from it and returns the same model. It is removed at the end; a second fit with the same file is refused
        while this one runs.
    checkpoint_every : float
        Seconds between two writes.
    partition_bytes : int
        Memory that row groups of a Parquet file, or the components of their rows, may take together in one task.
    patience : float
        Seconds to wait for a scheduler that is silent, or for a worker when there is none.

    Returns
    -------
    The estimator, fitted as ``estimator.fit`` would have left it.

    Examples
    --------
    >>> import dask.array as da, numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((3000, 4))
    >>> y = X @ [1.0, -2.0, 0.0, 0.5] + rng.standard_normal(3000)
    >>> blocks = da.from_array(X, chunks=(1000, 4)), da.from_array(y, chunks=1000)
    >>> model = rw.dask.fit(rw.AveragedSGDRegressor(random_state=0), blocks, client="serial")
    >>> (model.coef_ * 2).round().astype(int)
    array([ 2, -4,  0,  1])
    """
    if not isinstance(estimator, RidgePathCV | AveragedSGDRegressor | AveragedKernelRegressor):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}: expected a RidgePathCV, AveragedSGDRegressor or "
            "AveragedKernelRegressor."
        )
    if not isinstance(estimator, RidgePathCV):
        _require_supported(linear_of(estimator))
    table = opened(data, target, weight, partition_bytes)
    if isinstance(estimator, AveragedKernelRegressor):
        share = table.n_columns / max(table.n_columns, require_components(estimator))
        table = opened(data, target, weight, max(1, int(partition_bytes * share)))
    with Checkpoint(checkpoint, seconds=checkpoint_every) as state:
        executor = _executor(client, patience)
        try:
            fit_opened(estimator, table, executor, encoder, state)
        finally:
            executor.close()
        state.done()
    return estimator


def linear_of(estimator: AnyAveraged) -> AveragedSGDRegressor:
    """Return the estimator that runs SGD: this one, or the linear one that a ridge path or a kernel model fits."""
    if isinstance(estimator, AveragedSGDRegressor):
        return estimator
    if isinstance(estimator, RidgePathCV):
        return estimator._unfitted_sgd()
    require_components(estimator)
    return unfitted_sgd(estimator)


def fit_opened(
    estimator: AnyAveraged,
    table: Opened,
    executor: Executor,
    encoder: TableEncoder | None = None,
    checkpoint: Checkpoint | None = None,
) -> Survey:
    """Fit an estimator to data that were opened, and return the survey of their rows; see `fit`.

    Estimator and encoder change completely or, if anything is raised, not at all: the fit works on copies. The
    checkpoint is not removed: call its `done` after the model is saved.
    """
    fitted, learned = shallow_copy(estimator), None if encoder is None else shallow_copy(encoder)
    survey = _fit_copies(fitted, learned, table, executor, Checkpoint(None) if checkpoint is None else checkpoint)
    if encoder is not None and learned is not None:
        encoder.__dict__ = learned.__dict__
    estimator.__dict__ = fitted.__dict__
    return survey


def _fit_copies(
    estimator: AnyAveraged, encoder: TableEncoder | None, table: Opened, executor: Executor, state: Checkpoint
) -> Survey:
    """Let the encoder learn if it has not yet, and fit the estimator; an error may leave both half-way."""
    if not isinstance(estimator, RidgePathCV):
        _require_supported(linear_of(estimator))
    progress = Progress(None, shown=bool(estimator.verbose))
    try:
        form = table.form
        if encoder is not None:
            form = table.encoded(encoder)
            _learn(encoder, executor, table.partitions, table.form)
        elif table.form.features is not None:
            table.require_numbers()
        state.begin(
            CLUSTER_CHECKPOINT_KIND,
            {"data": table.fingerprint, "parameters": parameters_state(estimator)},
            CLUSTER_CHECKPOINT_VERSION,
        )
        with one_thread():
            if isinstance(estimator, RidgePathCV):
                n_columns = table.n_columns if encoder is None else encoder.n_features_out_
                survey = _fit_ridge_path(estimator, n_columns, executor, table.partitions, form, state, progress)
            else:
                survey = _fit_sgd(estimator, executor, table.partitions, form, state, progress)
        estimator.__dict__.pop("feature_names_in_", None)
        if form.features is not None and form.encoder is None:
            estimator.feature_names_in_ = np.array(form.features, dtype=object)
    finally:
        progress.close()
    return survey


def _fit_ridge_path(
    estimator: RidgePathCV,
    n_columns: int,
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form,
    checkpoint: Checkpoint,
    progress: Progress,
) -> Survey:
    """Sum up Gram matrices and solve, or run SGD if columns are too many."""
    solver = check_solver(estimator.solver, Ability.STREAMS, where="on a cluster")
    choice = choose_stream_solver(solver, n_columns)
    if choice.solver == "sgd":
        linear = linear_of(estimator)
        _require_supported(linear)
        survey = _fit_sgd(linear, executor, partitions, form, checkpoint, progress)
        estimator._set_fit(SGDModel(linear), choice, linear.n_rows_)
        estimator.n_features_in_ = linear.n_features_in_
        return survey
    sums, survey = sum_partitions(estimator, executor, partitions, form, checkpoint)
    estimator.n_features_in_ = len(sums.standardization.scale)
    estimator._set_fit(estimator._unsolved(sums), choice, sums.total_rows)
    estimator._fitted()  # solve here, so that errors and warnings come from the fit
    return survey


def _fit_sgd(
    estimator: AveragedSGDRegressor | AveragedKernelRegressor,
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form,
    checkpoint: Checkpoint,
    progress: Progress,
) -> Survey:
    """Fit by SGD over the partitions, of random features for a kernel model, and store the result in the estimator."""
    linear = linear_of(estimator)
    if isinstance(estimator, AveragedKernelRegressor):
        components, n_columns = make_components(estimator, executor, partitions, form, checkpoint)
        form = replace(form, components=components)
    problem = survey_and_plan(linear, executor, partitions, form, checkpoint, progress)
    outcome = _outcome(problem)
    moments = problem.survey.total
    linear.n_features_in_ = len(moments.mean)
    linear._end_with(
        outcome, problem.plan, problem.standardization, moments.sparse, moments.single_target, moments.n_rows
    )
    if isinstance(estimator, AveragedKernelRegressor):
        estimator.n_features_in_ = n_columns
        choice = SolverChoice("sgd", "components are learned in partitions")
        estimator._set_fit(ComponentModel(linear, components, choice))
    _tell_short_chains(linear)
    return problem.survey


def _executor(client: Any, patience: float) -> Executor:
    if is_name(client, "serial"):
        return Serial()
    return executor_of(client, patience=patience)


def _require_supported(estimator: AveragedSGDRegressor) -> None:
    check_loss(estimator.loss)
    cv = check_cv(estimator.cv)
    if not cv.streams and cv.method != "holdout":
        raise ValueError(f"cv={cv} needs all rows in one place: expected a number of folds, 'holdout' or 'auto' here.")
    if check_store(estimator.store) == "replay":
        raise ValueError("store='replay' would gather all rows: expected 'auto', 'sketch' or a Layout here.")
    if not is_name(estimator.chains, WORKERS):
        counted("chains", estimator.chains, "expected an integer of 1 or more, or 'workers'")
    counted("batch_size", estimator.batch_size)


def _learn(encoder: TableEncoder, executor: Executor, partitions: Sequence[Partition], form: Form) -> None:
    """Let an encoder that has not learned yet learn from the first rows, on a worker."""
    if encoder.__sklearn_is_fitted__():
        return
    for partition in partitions:
        executor.submit(None, learn_encoding, partition, None, encoder, form, partition.name)
        for _, learned in executor.results():
            encoder.__dict__.update(learned.__dict__)
        if encoder.rows_seen_ >= encoder.learn_rows:
            break


def learn_encoding(loaded: Any, encoder: TableEncoder, form: Form, source_name: str) -> TableEncoder:
    """Let an encoder learn from the rows of a partition that it still has room for."""
    table = form.table(loaded, source_name)
    seen = getattr(encoder, "rows_seen_", 0)
    return encoder.partial_fit(table.slice(0, encoder.learn_rows - seen))


def _outcome(problem: Problem) -> Outcome:
    engine, plan, k = PartitionEngine(problem), problem.plan, problem.folds.k
    if plan.family is None:
        return run_given(engine, plan)
    return by_folds(engine, plan, f"{k} folds on a cluster") if k > 1 else by_holdout(engine, plan)


def _tell_short_chains(estimator: AveragedSGDRegressor) -> None:
    """Warn when chains are too short for the average that was chosen."""
    trajectory = estimator.trajectory_
    if trajectory.length == trajectory.n_steps:
        return
    weakest = MIN_FORGETTING_EXPONENT / trajectory.elapsed
    alpha = estimator.alpha_
    if alpha is None or alpha < weakest:
        named = str(estimator.averaging_) if alpha is None else f"alpha={alpha:.3g}"
        warn_user(
            f"{named} is weaker than alpha={weakest:.3g}, below which chains of {trajectory.length:,} steps end "
            "before they have forgotten their start: the average is more biased than that of one chain over all rows; "
            "take fewer chains, or more passes.",
        )
