"""The exact fit of a kernel model: rows into blocks of the kernel matrix, folds, the run and its choice."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.estimators.kernel_averages import KernelAverages
from ridgeway.kernel.blocks import BLOCK, Blocks, GivenGram, Gram, RowsGram
from ridgeway.kernel.choice import KernelOutcome, by_folds, run_only
from ridgeway.kernel.features import Features, GivenFeatures, Scaling, SupportFeatures
from ridgeway.kernel.function import Kernel
from ridgeway.kernel.problem import KernelPlan, Problem
from ridgeway.kernel.race import race
from ridgeway.kernel.span import COPIES
from ridgeway.machine.available_memory import MB, require_memory
from ridgeway.machine.blas import threads
from ridgeway.rows import FLOAT64, Batch, DenseRows, Float, numbered
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.folds import Fold, alike, hold_out, k_folds, split_by
from ridgeway.selection.held_out import HeldOut, sample_held_out
from ridgeway.selection.plan import DEFAULT_FOLDS

SMALL = 2000  # rows up to which BLAS keeps to one thread: threads that wait for each other are slow
PER_ROW = 24  # numbers that a run keeps beside the kernel, per row, pass and fold at most


@dataclass(frozen=True, eq=False)
class ExactFit:
    """What `fit_exact` returns.

    Attributes
    ----------
    averages : all averages of the run over all rows.
    outcome : the run and its choice.
    gamma : of the kernel, if it has one.
    gammas : held-out errors of the gammas that were tried, the best one first; None when gamma was given.
    held_out : a sample of rows with predictions of runs without them.
    """

    averages: KernelAverages
    outcome: KernelOutcome
    gamma: float | None
    gammas: dict[float, float] | None
    held_out: HeldOut | None


@dataclass(frozen=True, eq=False)
class ExactRequest:
    """What is asked for.

    Attributes
    ----------
    kernel : None for a precomputed matrix.
    auto_gamma : whether to choose gamma.
    scale, fit_intercept, cv : as in `AveragedKernelRegressor`; cv as `check_cv` returns it.
    cache_bytes : memory for the kernel matrix.
    n_jobs : threads of BLAS; None leaves it as it is.
    plan : how to run.
    """

    kernel: Kernel | None
    auto_gamma: bool
    scale: bool
    fit_intercept: bool
    cv: Any
    cache_bytes: float
    n_jobs: int | None
    plan: KernelPlan


def fit_exact(batch: Batch, request: ExactRequest, X: Any, y: Any) -> ExactFit:
    """Fit to all rows of a batch; X and y, as the user gave them, are for splitters."""
    plan, n_rows = request.plan, len(batch)
    size = max(plan.batch_size, min(BLOCK, max(32, n_rows // 16)) // plan.batch_size * plan.batch_size)
    itemsize = batch.rows.dtype.itemsize
    needed: float = 3 * itemsize * size * n_rows + PER_ROW * itemsize * n_rows * plan.passes
    needed += min(request.cache_bytes, 8.0 * COPIES * n_rows**2)
    require_memory(
        needed,
        f"{n_rows:,} rows in exact mode, with cache_size={request.cache_bytes / MB:g},",
        "take a smaller cache_size, fewer passes, or n_components=2000, which streams the rows",
    )
    standardization = Standardization.of(batch, request.scale and request.kernel is not None, request.fit_intercept)
    scaling = Scaling.of(batch, standardization, request.scale and request.kernel is not None)
    layout = plan.rng.permutation(n_rows) if plan.shuffle else np.arange(n_rows)
    targets = np.asarray(standardization.targets(batch.y, FLOAT64), FLOAT64)
    weight = batch.weight.astype(np.float64) / standardization.weight_scale
    unit = float(standardization.target_scale[0] ** 2) if targets.shape[1] == 1 else 1.0

    def problem(gram: Gram, cache_bytes: float) -> Problem:
        blocks = Blocks(gram, layout, size, cache_bytes, plan.batch_size)
        return Problem(blocks, targets, weight, batch.single_target, request.fit_intercept, unit)

    with _threads(request.n_jobs, n_rows):
        gram, features = _gram(batch, request.kernel, scaling)
        folds, method = _folds(request, batch, gram, targets, X, y)
        gammas = None
        if request.auto_gamma and isinstance(gram, RowsGram):
            rough = folds or k_folds(n_rows, DEFAULT_FOLDS, plan.rng)
            wide = replace(plan, family=plan.family or "auto")
            gammas = race(gram.kernel, gram.rows, problem(gram, 0), rough, wide, request.cache_bytes)
            gram, features = _gram(batch, gram.kernel.with_gamma(next(iter(gammas))), scaling)
        task = problem(gram, request.cache_bytes)
        outcome = run_only(task, plan) if plan.family is None else by_folds(task, folds, plan, method)
    averages = KernelAverages(
        outcome.trajectory,
        features,
        standardization.target_offset,
        standardization.target_scale,
        batch.single_target,
    )
    predictions = None
    if outcome.residuals is not None:
        rows, residuals = outcome.residuals
        predictions = sample_held_out(outcome.scheme, batch, rows, residuals * standardization.target_scale)
    gamma = gram.kernel.gamma if isinstance(gram, RowsGram) else None
    return ExactFit(averages, outcome, gamma, gammas, predictions)


def _gram(batch: Batch, kernel: Kernel | None, scaling: Scaling) -> tuple[Gram, Features]:
    if kernel is None:
        used = numbered(batch.numbers)
        return GivenGram(_square(batch, used)), GivenFeatures(used)
    rows = scaling.rows(batch.rows)
    return RowsGram(kernel, rows), SupportFeatures(kernel, scaling, rows)


def _square(batch: Batch, used: NDArray[np.int64]) -> Float:
    """Return the kernel matrix of the rows that are used, after a look at its shape and symmetry."""
    if not isinstance(batch.rows, DenseRows):
        raise TypeError("X is sparse, but kernel='precomputed': expected a dense array; pass X.toarray().")
    matrix = batch.rows.array[:, used]
    largest = float(np.abs(matrix).max())
    asymmetry = float(np.abs(matrix - matrix.T).max())
    if asymmetry > 1e-3 * largest:
        raise ValueError(
            f"X is not symmetric (entries differ by up to {asymmetry:g}), but kernel='precomputed': expected the "
            "kernel matrix of the rows with themselves."
        )
    return matrix


def _folds(
    request: ExactRequest, batch: Batch, gram: Gram, targets: NDArray[np.float64], X: Any, y: Any
) -> tuple[list[Fold], str]:
    """Return the folds that cv means, none when nothing is chosen, and their name."""
    plan, cv = request.plan, request.cv
    if plan.family is None:
        return [], ""
    if isinstance(cv, str) and cv == "auto":
        cv = DEFAULT_FOLDS
    if isinstance(cv, str) and cv == "holdout":
        fold = hold_out(len(batch), plan.shuffle, plan.rng)
        return [fold], f"hold-out of {len(fold.test):,} rows"
    if isinstance(cv, str):
        raise ValueError(
            f"cv={cv!r} is for rows in a stream: expected 'auto', a number of folds, 'holdout' or a splitter; or set "
            "n_components."
        )
    if isinstance(cv, int):
        ranking = alike(gram.diagonal(), targets)
        folds = k_folds(len(batch), cv, plan.rng.spawn(1)[0] if plan.shuffle else None, ranking)
        return folds, f"{len(folds)} folds over shared kernel blocks"
    folds = split_by(cv, X, y, numbered(batch.numbers), int(np.shape(y)[0]))
    return folds, f"{len(folds)} given splits"


def _threads(n_jobs: int | None, n_rows: int) -> AbstractContextManager[Any]:
    if n_rows <= SMALL:
        return threads(1)
    return nullcontext() if n_jobs is None else threads(n_jobs)
