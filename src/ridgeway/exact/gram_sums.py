"""`GramSums`: the sums that the Gram engine keeps of all rows so far; those of batches and parts of the data add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ridgeway.exact.fold_moments import FoldMoments, FoldSides, ReadOnce, cell_moments
from ridgeway.exact.gram import Units
from ridgeway.exact.row_sample import RowSample
from ridgeway.rows import Batch, numbered
from ridgeway.rows.row_hash import hashed
from ridgeway.rows.same_form import require_same_targets
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.residual_path import SAMPLE_SEED
from ridgeway.storage.state import FLOATS, State, StateError, Stored

MAX_PART_ROWS = 2**40  # of a part of the data whose first row number is not known


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
        if read.partition and len(read.of_folds) == n_folds:
            return replace(empty, parts=tuple(sides.test for sides in read.of_folds), n_rows=len(batch))
        return replace(empty, base=read.total, n_rows=len(batch))

    def with_rows(self, batch: Batch, n_given: int) -> GramSums:
        """Return the sums with more rows; these sums do not change.

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

    def folds(self) -> dict[int, FoldSides]:
        """Return the folds that have rows, by their number, where there are others to learn from."""
        found = {}
        for number, part in enumerate(self.parts):
            others = [other for other in self.known if other is not part]
            if part is not None and others:
                found[number] = FoldSides(FoldMoments.pooled(others), part)
        return found

    def units(self, total: FoldMoments, scale: bool) -> tuple[Standardization, Units]:
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


def _added(old: FoldMoments | None, new: FoldMoments | None) -> FoldMoments | None:
    if old is None or new is None:
        return new if old is None else old
    return FoldMoments.pooled([old, new])
