"""Drift of a stream: whether its latest rows alone predict the next ones better than all rows do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.linalg

from ridgeway.exact.fold_moments import FoldMoments
from ridgeway.exact.gram_sums import GramSums
from ridgeway.rows import FLOAT64, Batch

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from ridgeway.rows.standardization import Standardization

    Array = NDArray[np.float64]

MIN_RECENT_ROWS, RECENT_ROWS_PER_COLUMN = 2000, 20  # that the model of recent rows learns from
RECENT_SHARE = 0.125  # of all rows so far, where that is more: the marks are then few
COMPARED_ROWS = 2000
UNTRIMMED_SHARE = 0.99  # of compared rows: a few outliers decide no mean square
MAX_STREAM_ROWS = 2**62  # until something is to be done, where nothing is
NOTABLE_RATIO = 1.25  # of typical errors; squared errors then differ by half
MIN_TYPICAL_ERROR = 0.01  # in standard deviations of y: smaller ones are penalty and rounding
COMPARED_ALPHA = 1e-3  # of both models, in variances of each column


class Rival(NamedTuple):
    """A linear model in the units of the moments: it predicts ``mean_y + (x - mean_x) @ slopes``."""

    slopes: Array  # (d, targets)
    mean_x: Array  # (d,)
    mean_y: Array  # (targets,)

    def errors(self, batch: Batch, standardization: Standardization) -> Array:
        """Return absolute errors of rows, (n, targets), in standard deviations of the targets."""
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow counts as a large error
            inverse = 1 / standardization.scale
            predicted = batch.rows.times(inverse[:, None] * self.slopes)
            predicted = predicted - (standardization.offset * inverse + self.mean_x) @ self.slopes
            return np.asarray(np.abs(standardization.targets(batch.y, FLOAT64) - self.mean_y - predicted))


@dataclass(frozen=True, eq=False)
class DriftWatch:
    """Compares a model of all rows with one of recent rows alone, on the rows that follow.

    Marks lie at fixed numbers of rows, so the way a stream is cut does not matter. At a mark both models are solved: of
    all rows so far, and of those since the mark before. Without drift the first one is better, as it knows more rows.
    Medians of absolute errors, over the same rows, do not depend on outliers, nor on noise that comes and goes. The
    moments of recent rows are a difference of sums that exist anyway, so a mark costs two solutions of d equations.

    Attributes
    ----------
    n_rows : rows of positive weight so far.
    mark : number of rows at which the models are solved next.
    before : moments of all rows at the mark before; None if there were none.
    rivals : the models of all and of recent rows that are compared now; None if there are none.
    begun, recent : number of rows when they were solved, and of those of the second model.
    errors : their absolute errors on rows since, each (2, n, targets).
    found : the warning, once there was drift; nothing is compared after it.
    """

    n_rows: int
    mark: int
    before: FoldMoments | None
    rivals: tuple[Rival, Rival] | None = None
    begun: int = 0
    recent: int = 0
    errors: tuple[Array, ...] = ()
    found: str = ""

    @classmethod
    def begin(cls, sums: GramSums) -> Self:
        """Watch the rows that follow."""
        n_rows = sums.total_rows
        before = FoldMoments.pooled(sums.known) if n_rows else None
        return cls(n_rows, n_rows + _recent_rows(sums, n_rows), before)

    @property
    def room(self) -> int:
        """Number of rows until something is to be done."""
        if self.found:
            return MAX_STREAM_ROWS
        left = self.mark - self.n_rows
        return left if self.rivals is None else min(left, self.begun + COMPARED_ROWS - self.n_rows)

    def learn(self, sums: GramSums, batch: Batch, n_given: int) -> tuple[GramSums, Self]:
        """Return sums and watch with more rows; these are left as they are.

        Parameters
        ----------
        sums : of the rows so far.
        batch, n_given : as in `GramSums.with_rows`.
        """
        watch, first = self, 0
        while first < len(batch):
            part = batch.between(first, min(first + watch.room, len(batch)))
            first += len(part)
            sums = sums.with_rows(part, n_given if first == len(batch) else 0)
            watch = watch._after(sums, part)
        return sums, watch

    def _after(self, sums: GramSums, rows: Batch) -> Self:
        """Return the watch after at most `room` rows, which the sums hold already."""
        if self.found:
            return self
        errors = self.errors
        if self.rivals is not None:
            errors = (*errors, np.stack([rival.errors(rows, sums.standardization) for rival in self.rivals]))
        watch = replace(self, n_rows=self.n_rows + len(rows), errors=errors)
        if watch.rivals is not None and watch.n_rows == watch.begun + COMPARED_ROWS:
            watch = watch._judged()
        return watch._at_mark(sums) if watch.n_rows == watch.mark and not watch.found else watch

    def _judged(self) -> Self:
        """Return the watch after a comparison, with a warning if the model of all rows has lost it clearly."""
        ratio, watch = self._ratio, replace(self, rivals=None, errors=())
        if ratio < NOTABLE_RATIO:
            return watch
        found = (
            f"this stream drifts: on rows {self.begun + 1:,} to {self.n_rows:,} the typical error of a model of all "
            f"rows before is {ratio:.1f} times that of a model of the last {self.recent:,} rows alone. RidgePathCV "
            "weighs all rows alike; AveragedSGDRegressor follows a stream, or fit recent rows anew. If the rows are "
            "merely sorted, and new ones come in any order, this does not matter."
        )
        return replace(watch, before=None, found=found)

    @property
    def _ratio(self) -> float:
        """How many times the typical error of recent rows that of all rows is; of the target where it is largest."""
        errors = np.concatenate(self.errors, axis=1)  # (2, n, targets)
        typical = np.median(errors, axis=1)
        kept = np.sort(errors.max(axis=0), axis=0)[int(UNTRIMMED_SHARE * errors.shape[1])]
        squares = np.square(np.where(errors.max(axis=0) <= kept, errors, 0.0)).sum(axis=1)
        large = typical[0] > MIN_TYPICAL_ERROR
        ratios = np.minimum(typical[0, large] / typical[1, large], np.sqrt(squares[0, large] / squares[1, large]))
        return float(np.max(ratios, initial=0.0))

    def _at_mark(self, sums: GramSums) -> Self:
        total = FoldMoments.pooled(sums.known)
        rivals = None
        if self.before is not None:
            centre = sums.standardization.constant != 0
            every, latest = _solved(total, None, centre), _solved(total, self.before, centre)
            rivals = None if every is None or latest is None else (every, latest)
        recent = _recent_rows(sums, self.n_rows)
        known = self.n_rows - (0 if self.before is None else self.before.n_rows)
        mark = self.n_rows + recent
        return replace(self, mark=mark, before=total, rivals=rivals, begun=self.n_rows, recent=known, errors=())


def _recent_rows(sums: GramSums, n_rows: int) -> int:
    least = max(MIN_RECENT_ROWS, RECENT_ROWS_PER_COLUMN * len(sums.standardization.scale))
    return max(least, int(RECENT_SHARE * n_rows))


def _solved(total: FoldMoments, before: FoldMoments | None, centre: bool) -> Rival | None:
    """Return ridge with a slight penalty, of all rows or of those after others; None where it cannot be solved."""
    co = total.co
    weight, mean_x, mean_y, xx, xy = co.weight, co.mean_x, co.mean_y, co.xx, co.xy
    if before is not None:
        old = before.co
        weight = co.weight - old.weight
        share = old.weight / weight
        mean_x, mean_y = mean_x + share * (mean_x - old.mean_x), mean_y + share * (mean_y - old.mean_y)
        apart_x, apart_y = mean_x - old.mean_x, mean_y - old.mean_y
        shared = old.weight * weight / co.weight
        xx = xx - old.xx - shared * np.outer(apart_x, apart_x)
        xy = xy - old.xy - shared * np.outer(apart_x, apart_y)
    if not centre:
        xx, xy = xx + weight * np.outer(mean_x, mean_x), xy + weight * np.outer(mean_x, mean_y)
        mean_x, mean_y = np.zeros_like(mean_x), np.zeros_like(mean_y)
    squares = xx.diagonal()
    penalty = np.where(squares > 0, COMPARED_ALPHA * squares, 1.0)
    try:
        slopes = scipy.linalg.cho_solve(scipy.linalg.cho_factor(xx + np.diag(penalty), check_finite=False), xy)
    except (np.linalg.LinAlgError, ValueError):  # the difference of the sums is rounding, or too large for float64
        return None
    return Rival(slopes, mean_x, mean_y)
