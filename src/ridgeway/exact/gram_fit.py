"""Fits by the Gram engine: of rows in memory, and of batches whose sums add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ridgeway.exact.capped_rating import capped
from ridgeway.exact.fold_moments import FoldMoments, ReadOnce, SplitMoments, cell_moments, read_splits
from ridgeway.exact.gram import GramRating, HeldOutFold, Units, descent_step, descent_steps, solve
from ridgeway.exact.held_out_rows import HeldOutRows
from ridgeway.exact.held_out_spectrum import held_out_of_folds, held_out_one_by_one
from ridgeway.exact.rated_candidates import best_rated, candidates_of
from ridgeway.exact.row_sample import RowSample
from ridgeway.exact.second_read import LeaveOneOut, SecondRead
from ridgeway.rows import Batch, numbered
from ridgeway.rows.row_hash import hashed
from ridgeway.rows.same_form import require_same_targets
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.held_out_path import SAMPLE_SEED, HeldOutPart, sample_rows
from ridgeway.storage.state import FLOATS, State, StateError, Stored
from ridgeway.trajectory.spectrum import Basis, Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.selection.folds import Fold
    from ridgeway.selection.table import Scored

MAX_PART_ROWS = 2**40  # of a part of the data whose first row number is not known


class GramFit(NamedTuple):
    """A spectrum over all rows, and candidates with their held-out errors.

    Attributes
    ----------
    spectrum : over standardized features, with a 0 for the constant column.
    standardization : whose offsets are the means of all rows.
    scored : the candidates; none where nothing was to be chosen.
    held_rows, held_out : a sample of the rows that were held out, and their residuals at every scheme.
    rating : the errors of any scheme on all held-out rows; None where nothing was to be chosen.
    """

    spectrum: Spectrum
    standardization: Standardization
    scored: list[Scored]
    held_rows: NDArray[np.intp] = np.zeros(0, np.intp)
    held_out: Sequence[HeldOutPart] = ()
    rating: GramRating | None = None


def fit_in_memory(
    batch: Batch, standardization: Standardization, folds: Sequence[Fold], family: str | None
) -> tuple[GramFit, ReadOnce]:
    """Fit rows in memory: one read for the matrices and, with many rows, a second look at the held-out ones.

    Parameters
    ----------
    batch : the rows.
    standardization : of these rows.
    folds : what to choose by.
    family : "auto", "geometric" or "tail", what competes; None where nothing is to be chosen.
    """
    read = read_splits(batch, folds if family else [], standardization)
    units = _unit(standardization)
    basis = solve(read.total, units)
    models = [HeldOutFold.of(split, units) for split in read.splits]
    gram = GramRating(models, *_descent(basis, models, len(batch)))
    spectrum = _spectrum(basis, gram, standardization, batch.single_target, batch.rows.dtype)
    if family is None:
        return GramFit(spectrum, standardization, []), read
    schemes = candidates_of(family, float(basis.eigenvalues.max()))
    rating = capped(gram, batch, folds, read.splits, standardization, units, schemes)
    scored = best_rated(rating, schemes, standardization.unit)
    tests = sample_rows([fold.test for fold in folds], batch.y.shape[1])
    rows = [
        HeldOutRows(batch, fold.test, split, standardization, units)
        for fold, split in zip(folds, read.splits, strict=True)
    ]
    parts = held_out_of_folds(gram, rows, tests, spectrum.resolution)
    return GramFit(spectrum, standardization, scored, np.concatenate(tests), parts, gram), read


def fit_leave_one_out(
    batch: Batch, standardization: Standardization, folds: Sequence[Fold] = ()
) -> tuple[GramFit, ReadOnce]:
    """Fit rows in memory, every row left out once: two reads.

    Parameters
    ----------
    batch : the rows.
    standardization : of these rows.
    folds : by which more rows may be chosen from later; they do not matter now.
    """
    read = read_splits(batch, folds, standardization)
    units = _unit(standardization)
    basis = solve(read.total, units)
    gram = GramRating([], *_descent(basis, [], len(batch)))
    fit = GramFit(_spectrum(basis, gram, standardization, batch.single_target, batch.rows.dtype), standardization, [])
    second = SecondRead(batch, standardization, fit.spectrum)
    schemes = candidates_of("geometric", float(basis.eigenvalues.max()))
    scored = best_rated(LeaveOneOut(second), schemes, standardization.unit)
    (rows,) = sample_rows([np.arange(len(batch))], batch.y.shape[1])
    return fit._replace(scored=scored, held_rows=rows, held_out=[held_out_one_by_one(second, rows)]), read


@dataclass(frozen=True, eq=False)
class GramSums:
    """Sums over all rows so far, fold by fold; more rows add to them, in any order and batches of any sizes.

    The fold of a row is a hash of its number, so it does not depend on how the rows are cut into batches.

    Attributes
    ----------
    standardization : the units of the moments, from the first rows.
    parts : moments of each fold; None as long as a fold has no row.
    base : moments of rows that are always learned from and never held out.
    n_rows : rows so far, with those of weight 0.
    seed : of the folds.
    single_target : True when y was 1-D.
    dtype : precision of the answers.
    sample : random rows, for the residuals of single rows; None in sums of a fit, and of earlier files.
    """

    standardization: Standardization
    parts: tuple[FoldMoments | None, ...]
    base: FoldMoments | None
    n_rows: int
    seed: int
    single_target: bool
    dtype: str
    sample: RowSample | None = None

    @classmethod
    def begin(cls, batch: Batch, standardization: Standardization, n_folds: int, seed: int) -> GramSums:
        """Return the sums of no rows yet, in the units of a first batch."""
        dtype = str(batch.rows.dtype)
        return cls(standardization, (None,) * n_folds, None, 0, seed, batch.single_target, dtype)

    @classmethod
    def after(cls, read: ReadOnce, batch: Batch, standardization: Standardization, n_folds: int, seed: int) -> GramSums:
        """Return the sums that a fit leaves: fold by fold where its folds partition the rows, otherwise as one."""
        empty = cls.begin(batch, standardization, n_folds, seed)
        if read.partition and len(read.splits) == n_folds:
            return replace(empty, parts=tuple(split.test for split in read.splits), n_rows=len(batch))
        return replace(empty, base=read.total, n_rows=len(batch))

    def with_rows(self, batch: Batch, n_given: int) -> GramSums:
        """Return the sums with more rows; these are left as they are.

        Parameters
        ----------
        batch : the rows of positive weight, possibly none.
        n_given : number of rows that were given, with those of weight 0.
        """
        if len(batch) == 0:
            return replace(self, n_rows=self.n_rows + n_given)
        numbers = numbered(batch.numbers).astype(np.uint64) + np.uint64(self.n_rows)
        cells = hashed(numbers + np.uint64(self.seed + 1)) % np.uint64(len(self.parts))
        folds = cells.astype(np.intp)
        more = cell_moments(batch, folds, len(self.parts), self.standardization)
        parts = tuple(_added(old, new) for old, new in zip(self.parts, more, strict=True))
        sample = self.sample or RowSample.empty(batch.rows.shape[1], batch.y.shape[1])
        hashes = (hashed(numbers + np.uint64(self.seed + SAMPLE_SEED + 1)) >> np.uint64(1)).astype(np.int64)
        sample = sample.with_rows(batch, hashes, numbers, folds)
        return replace(self, parts=parts, n_rows=self.n_rows + n_given, sample=sample)

    def with_part(self, batch: Batch, number: int) -> GramSums:
        """Return the sums with the rows of one part of the data; folds depend on its number and on the row's in it."""
        return replace(replace(self, n_rows=number * MAX_PART_ROWS).with_rows(batch, len(batch)), n_rows=len(batch))

    @classmethod
    def pooled(cls, sums: Sequence[GramSums]) -> GramSums:
        """Return the sums of several parts of the data together, added up fold by fold in their order."""
        parts = []
        for fold in zip(*(one.parts for one in sums), strict=True):
            known = [part for part in fold if part is not None]
            parts.append(FoldMoments.pooled(known) if known else None)
        samples = [one.sample for one in sums if one.sample is not None]
        sample = RowSample.pooled(samples) if samples else None
        return replace(sums[0], parts=tuple(parts), n_rows=sum(one.n_rows for one in sums), sample=sample)

    @property
    def known(self) -> list[FoldMoments]:
        """Moments of all rows so far, in parts."""
        return [part for part in (*self.parts, self.base) if part is not None]

    @property
    def total_rows(self) -> int:
        """Rows of positive weight so far."""
        return sum(part.n_rows for part in self.known)

    @property
    def sparse(self) -> bool:
        """Whether all rows so far were sparse."""
        return all(part.sparse for part in self.known)

    def require_targets(self, batch: Batch) -> None:
        """Refuse a batch with other targets than those before."""
        n_targets = len(self.standardization.target_scale)
        require_same_targets(batch.y.shape[1], batch.single_target, n_targets, self.single_target)

    def fit(self, family: str | None, scale: bool) -> GramFit:
        """Solve for all rows so far and rate the candidates: time (folds + 1) d^3, no rows needed.

        Parameters
        ----------
        family : "auto", "geometric" or "tail", what competes; None where nothing is to be chosen.
        scale : divide columns by their scales.
        """
        known = self.known
        total = FoldMoments.pooled(known)
        standardization, units = self._units(total, scale)
        basis = solve(total, units)
        splits, numbers = [], []
        for number, part in enumerate(self.parts if family else ()):
            others = [other for other in known if other is not part]
            if part is not None and others:
                splits.append(SplitMoments(FoldMoments.pooled(others), part))
                numbers.append(number)
        models = [HeldOutFold.of(split, units) for split in splits]
        gram = GramRating(models, *_descent(basis, models, total.n_rows))
        spectrum = _spectrum(basis, gram, standardization, self.single_target, self.dtype)
        if family is None or not models:
            return GramFit(spectrum, standardization, [])
        schemes = candidates_of(family, float(basis.eigenvalues.max()))
        fit = GramFit(spectrum, standardization, best_rated(gram, schemes, standardization.unit), rating=gram)
        if self.sample is None or len(self.sample.hashes) == 0:
            return fit
        sample = self.sample.smallest()
        tests = [np.flatnonzero(sample.folds == number) for number in numbers]
        rows = [
            HeldOutRows(sample.batch, test, split, self.standardization, units)
            for test, split in zip(tests, splits, strict=True)
        ]
        held_out = held_out_of_folds(gram, rows, tests, spectrum.resolution)
        return fit._replace(held_rows=np.concatenate(tests), held_out=held_out)

    def _units(self, total: FoldMoments, scale: bool) -> tuple[Standardization, Units]:
        """Return the standardization by all rows, and its scales in the units of the moments."""
        first, centre = self.standardization, self.standardization.constant != 0
        scale = scale and not total.lengths.equal
        now = Standardization.from_moments(total.row_moments(self.single_target), scale, centre)
        whole = Standardization(
            first.offset + first.scale * now.offset,
            first.scale * now.scale,
            now.constant,
            first.target_offset + first.target_scale * now.target_offset,
            first.target_scale * now.target_scale,
            first.weight_scale * now.weight_scale,
        )
        if not scale:
            now = replace(now, scale=1 / first.scale)  # back to the user's units
            whole = replace(whole, scale=np.ones_like(first.scale))
        return whole, Units(now.scale, now.target_scale, centre)

    def state(self) -> State:
        """Return the sums."""
        return {
            "standardization": self.standardization.state(),
            "parts": [None if part is None else part.state() for part in self.parts],
            "base": None if self.base is None else self.base.state(),
            "n_rows": self.n_rows,
            "seed": self.seed,
            "single_target": self.single_target,
            "dtype": self.dtype,
            "sample": None if self.sample is None else self.sample.state(),
        }

    @classmethod
    def from_state(cls, stored: Stored) -> GramSums:
        """Return the sums of a state."""
        standardization = Standardization.from_state(stored.part("standardization"))
        listed = stored.raw("parts")
        if not isinstance(listed, list) or not listed:
            raise StateError("there are no folds: expected a list of moments.")
        parts = tuple(None if part is None else FoldMoments.from_state(Stored(part, "parts")) for part in listed)
        base = stored.optional("base")
        sums = cls(
            standardization,
            parts,
            None if base is None else FoldMoments.from_state(base),
            stored.integer("n_rows", 1),
            stored.integer("seed", 0, 2**63),
            stored.flag("single_target"),
            stored.text("dtype", FLOATS),
        )
        shape = len(standardization.scale), len(standardization.target_scale)
        if (
            not sums.known
            or any(part.co.xy.shape != shape for part in sums.known)
            or (sums.single_target and shape[1] != 1)
        ):
            raise StateError(f"the moments are not those of {shape[0]} features and {shape[1]} targets.")
        sample = stored.optional("sample")
        return sums if sample is None else replace(sums, sample=RowSample.from_state(sample, *shape, len(parts)))


def _unit(standardization: Standardization) -> Units:
    """Moments are in the units of the standardization already."""
    n_columns, n_targets = len(standardization.scale), len(standardization.target_scale)
    return Units(np.ones(n_columns), np.ones(n_targets), standardization.constant != 0)


def _descent(basis: Basis, models: Sequence[HeldOutFold], n_rows: int) -> tuple[float, int]:
    return descent_step([basis, *(model.basis for model in models)]), descent_steps(n_rows)


def _spectrum(
    basis: Basis, gram: GramRating, standardization: Standardization, single_target: bool, dtype: Any
) -> Spectrum:
    """Return the spectrum of all rows, whose directions have a 0 for the constant column."""
    if standardization.constant:
        padded = np.concatenate([basis.directions, np.zeros((1, basis.directions.shape[1]))])
        basis = replace(basis, directions=padded)
    return Spectrum([basis], gram.step, gram.n_steps, single_target, dtype)


def _added(old: FoldMoments | None, new: FoldMoments | None) -> FoldMoments | None:
    if old is None or new is None:
        return new if old is None else old
    return FoldMoments.pooled([old, new])
