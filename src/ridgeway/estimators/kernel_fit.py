"""The fit of a kernel model with a coefficient per row: kernel matrix, folds, solver and choice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.estimators.kernel_averages import KernelAverages
from ridgeway.estimators.kernel_options import check_cache, kernel_fit_options, kernel_of
from ridgeway.estimators.options import check_jobs, generator
from ridgeway.kernel.blocks import KERNEL_BLOCK_ROWS, Blocks
from ridgeway.kernel.definiteness import require_definite
from ridgeway.kernel.features import Features, GivenFeatures, Scaling, SupportFeatures
from ridgeway.kernel.function import Kernel
from ridgeway.kernel.gamma_choice import best_gamma, finalists, rate_gammas
from ridgeway.kernel.kernel_entries import EntriesOfRows, GivenEntries, KernelEntries
from ridgeway.kernel.krylov_kernel import MIN_PRODUCTS, KernelKrylovFit, fit_by_krylov
from ridgeway.kernel.problem import KernelProblem
from ridgeway.kernel.sgd_engine import KernelEngine, longest_step
from ridgeway.machine.available_memory import MB, require_memory
from ridgeway.machine.blas import blas_threads, threads
from ridgeway.messages.progress import Progress
from ridgeway.rows import Batch, DenseRows, Float, numbered
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.choice import by_folds, run_given
from ridgeway.selection.cross_validation import DEFAULT_FOLDS, NO_FOLDS, NamedFolds
from ridgeway.selection.folds import Fold, alike
from ridgeway.selection.plan import FitOptions, Passes, decide_passes, decide_plan
from ridgeway.selection.run_outcome import Outcome
from ridgeway.sgd import LimitedStep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.averaging import Scheme
    from ridgeway.selection.candidate_table import Selection
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.trajectory import Trajectory

MAX_ROWS_OF_ONE_THREAD = 2000  # threads that wait for each other are slow
KERNEL_PASSES = Passes(planned=32, largest=64, settles=True)  # of kernel SGD, unless they are given
MAX_ASYMMETRY = 1e-3  # of a precomputed kernel, as a share of its largest entry
SGD_NUMBERS_PER_ROW = 24  # numbers that a run of SGD keeps beside the kernel, per row, pass and fold at most


@dataclass(frozen=True, eq=False)
class KernelRequest:
    """Settings of a kernel fit.

    Attributes
    ----------
    solver : "krylov" or "sgd".
    kernel : None for a precomputed matrix.
    auto_gamma : whether to choose gamma.
    scale, fit_intercept : as in `AveragedKernelRegressor`.
    cache_bytes : memory for the kernel matrix.
    n_threads : threads of the products with it.
    options : averages that compete, folds, and how SGD runs.
    rng : source of folds and orders.
    progress : the bar.
    """

    solver: str
    kernel: Kernel | None
    auto_gamma: bool
    scale: bool
    fit_intercept: bool
    cache_bytes: float
    n_threads: int
    options: FitOptions
    rng: np.random.Generator
    progress: Progress

    @classmethod
    def of(cls, estimator: Any, solver: str, batch: Batch) -> KernelRequest:
        """Return the settings that the parameters of an estimator request."""
        kernel = kernel_of(estimator, batch.rows.shape[1])
        return cls(
            solver,
            kernel,
            isinstance(estimator.gamma, str),
            bool(estimator.scale),
            bool(estimator.fit_intercept),
            check_cache(estimator.cache_size),
            blas_threads() if estimator.n_jobs is None else check_jobs(estimator.n_jobs),
            kernel_fit_options(estimator, len(batch)),
            generator(estimator.random_state),
            Progress(0, shown=bool(estimator.verbose)),
        )


@dataclass(frozen=True, eq=False)
class KernelFit:
    """What `fit_kernel` returns.

    Attributes
    ----------
    averages : all averages over all rows.
    scheme : the one that was chosen or given.
    selection : the candidates; None where the scheme was given.
    held_out : predictions of held-out rows; None where there were none.
    passes : over the kernel matrix: passes of SGD, or products of the Krylov engine.
    settled : False where these were not enough.
    gamma : of the kernel, if it has one.
    gammas : held-out errors of the gammas that were tried, the best one first; None when gamma was given.
    """

    averages: KernelAverages
    scheme: Scheme
    selection: Selection | None
    held_out: HeldOut | None
    passes: float
    settled: bool
    gamma: float | None
    gammas: dict[float, float] | None


def fit_kernel(batch: Batch, request: KernelRequest, X: Any, y: Any) -> KernelFit:
    """Fit to all rows of a batch; X and y, as the user gave them, are for splitters."""
    _require_memory(batch, request)
    n_threads = 1 if len(batch) <= MAX_ROWS_OF_ONE_THREAD else request.n_threads
    scale = request.scale and request.kernel is not None
    standardization = Standardization.of(batch, scale, request.fit_intercept)
    scaling = Scaling.of(batch, standardization, scale)
    entries, features = _entries(batch, request.kernel, scaling)
    problem = KernelProblem(entries, batch, standardization, request.cache_bytes, n_threads)
    with threads(n_threads):
        folds, words = _folds(request, problem, X, y)
        outcome: Outcome | KernelKrylovFit
        gammas = None
        if request.auto_gamma and isinstance(entries, EntriesOfRows):
            outcome, gammas = _over_gammas(problem, entries, folds, words, request)
            entries, features = _entries(batch, entries.kernel.with_gamma(next(iter(gammas))), scaling)
        elif request.solver == "krylov":
            outcome = _by_krylov(problem, folds, words, request)
        else:
            outcome = _by_sgd(problem, folds, words, request)
    trajectory: Trajectory
    if isinstance(outcome, KernelKrylovFit):
        trajectory, passes, settled = outcome.spectrum, float(outcome.n_products), outcome.settled
    else:
        trajectory, passes, settled = outcome.trajectory, outcome.passes, not outcome.falling
    offset, target_scale = standardization.target_offset, standardization.target_scale
    return KernelFit(
        KernelAverages(trajectory, features, offset, target_scale, batch.single_target),
        outcome.scheme,
        outcome.selection,
        outcome.held_out,
        passes,
        settled,
        entries.kernel.gamma if isinstance(entries, EntriesOfRows) else None,
        gammas,
    )


def _over_gammas(
    problem: KernelProblem, entries: EntriesOfRows, folds: list[Fold], words: str, request: KernelRequest
) -> tuple[Outcome | KernelKrylovFit, dict[float, float]]:
    """Fit with the gamma of least held-out error; return its outcome and the errors, the best first."""
    require_definite(entries, request.rng.spawn(1)[0])
    rated = rate_gammas(problem, entries, request.rng)
    problems = {
        gamma: replace(problem, entries=EntriesOfRows(entries.kernel.with_gamma(gamma), entries.rows))
        for gamma in finalists(rated, len(problem))
    }
    best = next(iter(rated))
    if request.solver == "sgd":
        return _by_sgd(problems[best], folds, words, request), rated
    if len(problems) == 1 or not folds:
        return _by_krylov(problems[best], folds, words, request), rated
    fits = {gamma: _krylov_fit(of_gamma, folds, words, request) for gamma, of_gamma in problems.items()}
    best, errors = best_gamma(fits)
    return fits[best], errors


def _by_krylov(problem: KernelProblem, folds: list[Fold], words: str, request: KernelRequest) -> KernelKrylovFit:
    require_definite(problem.entries, request.rng.spawn(1)[0])
    return _krylov_fit(problem, folds, words, request)


def _krylov_fit(problem: KernelProblem, folds: list[Fold], words: str, request: KernelRequest) -> KernelKrylovFit:
    options = request.options
    return fit_by_krylov(problem, folds, words, options.asked.family, options.asked.scheme, options.one_standard_error)


def _by_sgd(problem: KernelProblem, folds: list[Fold], words: str, request: KernelRequest) -> Outcome:
    """Run plain kernel SGD with a constant step; the choice is the one of all engines of SGD."""
    rng, options, n_rows = request.rng, request.options, len(problem)
    batch_size = min(options.batch_size, n_rows)
    require_definite(problem.entries, rng.spawn(1)[0])
    step = options.step if isinstance(options.step, LimitedStep) else longest_step(problem, batch_size, rng)
    given = replace(options, step=step, batch_size=batch_size)
    plan = decide_plan(given, n_rows, n_rows, _no_steps, 1, rng, request.progress, KERNEL_PASSES)
    request.progress.extend(plan.passes * n_rows)
    size = max(batch_size, min(KERNEL_BLOCK_ROWS, max(32, n_rows // 16)) // batch_size * batch_size)
    layout = rng.permutation(n_rows) if plan.shuffle else np.arange(n_rows)
    blocks = Blocks(problem.entries, layout, size, problem.cache_bytes, batch_size)
    engine = KernelEngine(problem, blocks, folds, plan, step)
    return run_given(engine, plan) if plan.family is None else by_folds(engine, plan, words)


def _no_steps() -> Any:
    raise AssertionError("the step of kernel SGD is constant, and given")


def _require_memory(batch: Batch, request: KernelRequest) -> None:
    n_rows, itemsize = len(batch), batch.rows.dtype.itemsize
    kept = min(request.cache_bytes, float(itemsize) * n_rows**2)
    working = 3.0 * itemsize * KERNEL_BLOCK_ROWS * n_rows * request.n_threads
    columns = (DEFAULT_FOLDS + 1) * batch.y.shape[1]
    passes = decide_passes(request.options, KERNEL_PASSES).planned
    vectors = (
        8.0 * columns * n_rows * MIN_PRODUCTS
        if request.solver == "krylov"
        else SGD_NUMBERS_PER_ROW * itemsize * n_rows * passes
    )
    require_memory(
        kept + working + vectors,
        f"{n_rows:,} rows in exact mode, with cache_size={request.cache_bytes / MB:g},",
        "take a smaller cache_size, fewer passes, or n_components=2000, which streams the rows",
    )


def _entries(batch: Batch, kernel: Kernel | None, scaling: Scaling) -> tuple[KernelEntries, Features]:
    if kernel is None:
        used = numbered(batch.numbers)
        return GivenEntries(_square(batch, used)), GivenFeatures(used)
    rows = scaling.rows(batch.rows)
    return EntriesOfRows(kernel, rows), SupportFeatures(kernel, scaling, rows)


def _square(batch: Batch, used: NDArray[np.int64]) -> Float:
    """Return the kernel matrix of the rows that are used, after a check of its shape and symmetry."""
    if not isinstance(batch.rows, DenseRows):
        raise TypeError("X is sparse, but kernel='precomputed': expected a dense array; pass X.toarray().")
    matrix = batch.rows.array
    if matrix.shape[1] > len(used):  # rows of weight 0 are left out already
        matrix = matrix[:, used]
    largest, asymmetry = 0.0, 0.0
    for start in range(0, len(matrix), KERNEL_BLOCK_ROWS):  # in strips: the matrix may fill the memory
        strip, mirrored = matrix[start : start + KERNEL_BLOCK_ROWS], matrix[:, start : start + KERNEL_BLOCK_ROWS].T
        largest = max(largest, float(strip.max()), -float(strip.min()))
        asymmetry = max(asymmetry, float(np.abs(strip[:, start:] - mirrored[:, start:]).max()))
    if asymmetry > MAX_ASYMMETRY * largest:
        raise ValueError(
            f"X is not symmetric (entries differ by up to {asymmetry:g}), but kernel='precomputed': expected the "
            "kernel matrix of the rows with themselves."
        )
    return matrix


def _folds(request: KernelRequest, problem: KernelProblem, X: Any, y: Any) -> NamedFolds:
    """Return the folds that cv means; none when nothing is chosen."""
    options, cv = request.options, request.options.cv
    if options.asked.family is None:
        return NO_FOLDS
    if cv.only_by_sgd:
        raise ValueError(
            f"cv={cv} is for rows in a stream: expected 'auto', a number of folds, 'holdout' or a splitter; or set "
            "n_components."
        )
    cv, rng = cv.automatic("folds").with_splits(problem.batch, X, y), request.rng.spawn(1)[0]
    return cv.folds(len(problem), rng, options.shuffle, lambda: alike(problem.entries.diagonal(), problem.y))
