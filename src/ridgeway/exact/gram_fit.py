"""Fits by the Gram engine: of rows in memory, and of sums over batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ridgeway.exact.capped_rating import capped
from ridgeway.exact.fold_moments import FoldMoments, FoldSides, ReadOnce, read_folds
from ridgeway.exact.gram import GramRating, HeldOutFold, Units, descent_step, descent_steps, solve
from ridgeway.exact.gram_sums import GramSums
from ridgeway.exact.held_out_rows import HeldOutRows
from ridgeway.exact.rated_candidates import best_rated, candidates_of
from ridgeway.exact.second_read import LeaveOneOut, SecondRead
from ridgeway.exact.spectrum_residuals import residuals_of_folds, residuals_one_by_one
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.residual_path import ResidualPart, sample_rows
from ridgeway.trajectory.spectrum import Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.selection.candidate_table import Scored
    from ridgeway.selection.folds import Fold


class GramFit(NamedTuple):
    """A spectrum over all rows, and candidates with their held-out errors.

    Attributes
    ----------
    spectrum : over standardized features, with a 0 for the constant column.
    standardization : whose offsets are the means of all rows.
    scored : the candidates; none where nothing was to be chosen.
    held_rows, held_out : a sample of the rows that were held out, and their residuals at every scheme.
    rating : the errors of any scheme on all held-out rows; None where no fold held rows out.
    """

    spectrum: Spectrum
    standardization: Standardization
    scored: list[Scored]
    held_rows: NDArray[np.intp] = np.zeros(0, np.intp)
    held_out: Sequence[ResidualPart] = ()
    rating: GramRating | None = None

    @property
    def largest_eigenvalue(self) -> float:
        """Of the Gram matrix of all rows, the unit of ridge strengths."""
        (basis,) = self.spectrum.bases
        return float(basis.eigenvalues.max())

    def with_held_out(
        self, scored: list[Scored], rows: Sequence[HeldOutRows], tests: Sequence[NDArray[np.intp]]
    ) -> GramFit:
        """Return the fit with its candidates and a sample of held-out rows.

        Parameters
        ----------
        scored : the candidates.
        rows : the held-out rows of each fold.
        tests : which of them to keep.
        """
        assert self.rating is not None
        held_out = residuals_of_folds(self.rating, rows, tests, self.spectrum.resolution)
        return self._replace(scored=scored, held_rows=np.concatenate(tests), held_out=held_out)


def fit_in_memory(
    batch: Batch, standardization: Standardization, folds: Sequence[Fold], family: str | None
) -> tuple[GramFit, ReadOnce]:
    """Fit rows in memory: one read for the matrices and, with many rows, a second read of the held-out ones.

    Parameters
    ----------
    batch : the rows.
    standardization : of these rows.
    folds : what to choose by.
    family : "auto", "geometric" or "tail", what competes; None where nothing is to be chosen.
    """
    read = read_folds(batch, folds if family else [], standardization)
    units = _unit(standardization)
    fit = _solved(read.total, read.of_folds, standardization, units, batch.single_target, batch.rows.dtype)
    if family is None or fit.rating is None:
        return fit, read
    schemes = candidates_of(family, fit.largest_eigenvalue)
    rating = capped(fit.rating, batch, folds, read.of_folds, standardization, units, schemes)
    scored = best_rated(rating, schemes, standardization.unit)
    tests = sample_rows([fold.test for fold in folds], batch.y.shape[1])
    rows = [
        HeldOutRows(batch, fold.test, sides, standardization, units)
        for fold, sides in zip(folds, read.of_folds, strict=True)
    ]
    return fit.with_held_out(scored, rows, tests), read


def fit_leave_one_out(
    batch: Batch, standardization: Standardization, folds: Sequence[Fold] = ()
) -> tuple[GramFit, ReadOnce]:
    """Fit rows in memory, every row left out once: two reads.

    Parameters
    ----------
    batch : the rows.
    standardization : of these rows.
    folds : of the sums, to which more rows may be added later; this fit does not use them.
    """
    read = read_folds(batch, folds, standardization)
    units = _unit(standardization)
    fit = _solved(read.total, [], standardization, units, batch.single_target, batch.rows.dtype)
    second = SecondRead(batch, standardization, fit.spectrum)
    schemes = candidates_of("geometric", fit.largest_eigenvalue)
    scored = best_rated(LeaveOneOut(second), schemes, standardization.unit)
    (rows,) = sample_rows([np.arange(len(batch))], batch.y.shape[1])
    return fit._replace(scored=scored, held_rows=rows, held_out=[residuals_one_by_one(second, rows)]), read


def fit_sums(sums: GramSums, family: str | None, scale: bool) -> GramFit:
    """Solve for all rows of some sums and rate the candidates: time (folds + 1) d^3, no rows needed.

    Parameters
    ----------
    sums : of all rows.
    family : "auto", "geometric" or "tail", what competes; None where nothing is to be chosen.
    scale : divide columns by their scales.
    """
    total = FoldMoments.pooled(sums.known)
    standardization, units = sums.units(total, scale)
    of_folds = sums.folds() if family else {}
    fit = _solved(total, list(of_folds.values()), standardization, units, sums.single_target, sums.dtype)
    if family is None or fit.rating is None:
        return fit
    scored = best_rated(fit.rating, candidates_of(family, fit.largest_eigenvalue), standardization.unit)
    if sums.sample is None or len(sums.sample.hashes) == 0:
        return fit._replace(scored=scored)
    sample = sums.sample.smallest()
    tests = [np.flatnonzero(sample.folds == number) for number in of_folds]
    rows = [
        HeldOutRows(sample.batch, test, sides, sums.standardization, units)
        for test, sides in zip(tests, of_folds.values(), strict=True)
    ]
    return fit.with_held_out(scored, rows, tests)


def _unit(standardization: Standardization) -> Units:
    """Return units of 1: the moments are in the units of the standardization already."""
    n_columns, n_targets = len(standardization.scale), len(standardization.target_scale)
    return Units(np.ones(n_columns), np.ones(n_targets), standardization.constant != 0)


def _solved(
    total: FoldMoments,
    of_folds: Sequence[FoldSides],
    standardization: Standardization,
    units: Units,
    single_target: bool,
    dtype: Any,
) -> GramFit:
    """Solve for all rows and for those that each fold learns from; nothing is chosen yet.

    Parameters
    ----------
    total, of_folds : moments of all rows, and of both sides of each fold.
    standardization : of the answers.
    units : of the moments.
    single_target, dtype : form of the answers.
    """
    basis = solve(total, units)
    models = [HeldOutFold.of(sides, units) for sides in of_folds]
    step = descent_step([basis, *(model.basis for model in models)])
    gram = GramRating(models, step, descent_steps(total.n_rows))
    if standardization.constant:  # directions have a 0 for the constant column
        padded = np.concatenate([basis.directions, np.zeros((1, basis.directions.shape[1]))])
        basis = replace(basis, directions=padded)
    spectrum = Spectrum([basis], gram.step, gram.n_steps, single_target, dtype)
    return GramFit(spectrum, standardization, [], rating=gram if models else None)
