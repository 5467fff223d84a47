"""Kernel models by the Krylov engine: the whole path of kernel ridge from a few products with the kernel matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ridgeway.exact.krylov import MAX_PRODUCTS, KrylovSettings, fit_krylov
from ridgeway.exact.krylov_fit import fold_columns
from ridgeway.exact.krylov_products import KernelProducts
from ridgeway.exact.rated_candidates import selection_of
from ridgeway.kernel.kernel_matrix import KernelMatrix
from ridgeway.machine.available_memory import available_memory

if TYPE_CHECKING:
    from ridgeway.averaging import Scheme
    from ridgeway.kernel.problem import KernelProblem
    from ridgeway.selection.candidate_table import Selection
    from ridgeway.selection.folds import Fold
    from ridgeway.selection.held_out import HeldOut
    from ridgeway.trajectory import Spectrum

CHEAP_ENTRIES = (
    1e8  # of the kernel matrix that are read in any case: few rows are solved for the weakest strengths, too
)
VECTORS_MEMORY_SHARE = 0.5  # of what is available that the vectors of the recurrences may take
MIN_PRODUCTS = 16  # whatever memory there is


class KernelKrylovFit(NamedTuple):
    """What the Krylov engine leaves of a kernel problem.

    Attributes
    ----------
    spectrum : coefficients of the rows for every strength and scheme.
    scheme : the one that was chosen or given.
    selection : the candidates; None where the scheme was given.
    n_products : products with the kernel matrix.
    settled : False where these were not enough.
    held_out : predictions of held-out rows; None where there were none.
    """

    spectrum: Spectrum
    scheme: Scheme
    selection: Selection | None
    n_products: int
    settled: bool
    held_out: HeldOut | None


def fit_by_krylov(
    problem: KernelProblem,
    folds: list[Fold],
    words: str,
    family: str | None,
    scheme: Scheme | None,
    one_standard_error: bool = False,
) -> KernelKrylovFit:
    """Solve for every strength, and choose one by folds that share every product.

    Parameters
    ----------
    problem : what is to be learned.
    folds : what to choose by.
    words : name of the folds, for the table of candidates.
    family : "auto", "geometric" or "tail", what competes; None where `scheme` is given.
    scheme : the average, where it is given.
    one_standard_error : choose the strongest regularization within a standard error of the best.
    """
    used = folds if family else []
    columns, weights = fold_columns(problem.weight, problem.y, used, problem.centred)
    n_columns = columns.n_folds * problem.y.shape[1]
    most = products_that_fit(len(problem), n_columns, problem.cache_bytes)
    settings = KrylovSettings(
        family,
        scheme,
        problem.batch.single_target,
        problem.entries.dtype,
        problem.standardization.unit,
        min_products=min(most, int(CHEAP_ENTRIES / len(problem) ** 2)),
        max_products=most,
    )
    matrix = KernelMatrix(problem.entries, problem.cache_bytes, problem.n_threads)
    fit = fit_krylov(KernelProducts(matrix, columns), weights, settings)
    if scheme is not None:
        return KernelKrylovFit(fit.spectrum, scheme, None, fit.n_products, fit.settled, None)
    method = f"{words}, {fit.n_products} products with the kernel matrix"
    selection = selection_of(fit.scored, method, problem.standardization.unit, one_standard_error)
    chosen = selection.chosen.scheme
    held_out = problem.held_out(chosen, folds, fit.rating.left(chosen), fit.held_out)
    return KernelKrylovFit(fit.spectrum, chosen, selection, fit.n_products, fit.settled, held_out)


def products_that_fit(n_rows: int, n_columns: int, cache_bytes: float) -> int:
    """Return how many products fit in memory; each stores a vector for every fold and target."""
    there = available_memory()
    if there is None:
        return MAX_PRODUCTS
    left = max(0.0, VECTORS_MEMORY_SHARE * (there - min(cache_bytes, 8.0 * n_rows**2)))
    return max(MIN_PRODUCTS, min(MAX_PRODUCTS, int(left / (8.0 * n_rows * n_columns))))
