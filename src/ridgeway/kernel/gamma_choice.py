"""The choice of gamma: multiples of the median heuristic compete on held-out rows.

All of them are tried on a sample of the rows. With more rows than that, the best two compete over all rows, by the same
folds that choose the average.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.kernel.kernel_entries import EntriesOfRows
from ridgeway.kernel.krylov_kernel import fit_by_krylov
from ridgeway.selection.cross_validation import DEFAULT_FOLDS
from ridgeway.selection.folds import k_folds

if TYPE_CHECKING:
    from ridgeway.kernel.function import Kernel
    from ridgeway.kernel.krylov_kernel import KernelKrylovFit
    from ridgeway.kernel.problem import KernelProblem
    from ridgeway.rows import AnyRows

GAMMA_MULTIPLES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
MEDIAN_ROWS = 500  # rows whose distances have the median
GAMMA_SAMPLE_ROWS = 2000  # rows that all gammas are tried on
N_FINALISTS = 2


def median_gamma(kernel: Kernel, rows: AnyRows, rng: np.random.Generator) -> float:
    """Return 1 / the median distance between rows; 1 where most rows are alike."""
    few = rows.take(rng.permutation(rows.shape[0])[:MEDIAN_ROWS])
    distances = kernel.distances(few, few)
    middle = float(np.median(distances[np.triu_indices(len(distances), 1)])) if len(distances) > 1 else 0.0
    return 1 / middle if middle > 0 else 1.0


def rate_gammas(problem: KernelProblem, entries: EntriesOfRows, rng: np.random.Generator) -> dict[float, float]:
    """Return multiples of the median heuristic with their held-out errors on a sample of the rows, the best first.

    Parameters
    ----------
    problem : what is to be learned.
    entries : of its kernel matrix, by an rbf or laplacian kernel.
    rng : draws the sample and its folds.
    """
    sample = np.sort(rng.permutation(len(problem))[:GAMMA_SAMPLE_ROWS])
    rows, heuristic = entries.rows.take(sample), median_gamma(entries.kernel, entries.rows, rng)
    few = replace(problem, batch=problem.batch.take(sample))
    folds = k_folds(len(sample), min(DEFAULT_FOLDS, len(sample)), rng)
    errors = {}
    for multiple in GAMMA_MULTIPLES:
        gamma = heuristic * multiple
        at_gamma = replace(few, entries=EntriesOfRows(entries.kernel.with_gamma(gamma), rows))
        fit = fit_by_krylov(at_gamma, folds, "folds", "geometric", None)
        errors[gamma] = _least(fit)
    return _best_first(errors)


def finalists(errors: dict[float, float], n_rows: int) -> list[float]:
    """Return the gammas that compete over all rows: the best alone if the sample held all rows."""
    return list(errors)[: 1 if n_rows <= GAMMA_SAMPLE_ROWS else N_FINALISTS]


def best_gamma(fits: dict[float, KernelKrylovFit]) -> tuple[float, dict[float, float]]:
    """Return the gamma whose fit has the least held-out error, and the errors of all, the best first."""
    errors = _best_first({gamma: _least(fit) for gamma, fit in fits.items()})
    return next(iter(errors)), errors


def _least(fit: KernelKrylovFit) -> float:
    assert fit.selection is not None
    return min(row.error for row in fit.selection)


def _best_first(errors: dict[float, float]) -> dict[float, float]:
    return {gamma: errors[gamma] for gamma in sorted(errors, key=lambda gamma: errors[gamma])}
