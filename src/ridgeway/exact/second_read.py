"""Results of a second read of the rows: leverages, and with them leave-one-out errors and robust standard errors.

Row i of weight c_i, with coordinates z_i along the eigenvectors, pulls its own prediction by its leverage

    h_i = (c_i / W) (1 + sum_k z_ik^2 / (s_k + alpha)) ,

where the 1 belongs to the intercept. Without row i its residual would have been e_i / (1 - h_i), exactly, for ridge
with the penalty W alpha held fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ridgeway.averaging import Geometric, Scheme
from ridgeway.rows import FLOAT64, Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.folds import MAX_GROUPS
from ridgeway.selection.residual_path import MIN_ONE_MINUS_LEVERAGE
from ridgeway.trajectory.spectrum import Basis, Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SECOND_READ_BLOCK_ROWS = 4096
MAX_COORDINATE_BYTES = 2**25  # of coordinates that leave-one-out keeps for its next strengths


class RowBlock(NamedTuple):
    """Some rows: coordinates along the directions (n, r), targets (n, targets), shares c_i / W of the weight (n,)."""

    coordinates: Array
    y: Array
    share: Array


@dataclass(frozen=True, eq=False)
class SecondRead:
    """Rows that were learned from, read once more.

    Attributes
    ----------
    batch : the rows.
    standardization : how they were standardized; its offsets are their means where there is an intercept.
    spectrum : what was learned; its directions have a 0 for the constant column.
    """

    batch: Batch
    standardization: Standardization
    spectrum: Spectrum

    @property
    def basis(self) -> Basis:
        """The only basis."""
        (basis,) = self.spectrum.bases
        return basis

    def blocks(self, numbers: NDArray[np.intp]) -> Iterator[RowBlock]:
        """Yield the rows `numbers` in blocks.

        A block has coordinates in the eigenvectors, standardized targets, and weights as shares of the total.
        """
        total = float(np.asarray(self.batch.weight, np.float64).sum())
        for start in range(0, len(numbers), SECOND_READ_BLOCK_ROWS):
            some = numbers[start : start + SECOND_READ_BLOCK_ROWS]
            rows = self.standardization.rows(self.batch.rows, some)
            yield RowBlock(
                np.asarray(rows.times(self.basis.directions), np.float64),
                np.asarray(self.standardization.targets(self.batch.y[some], FLOAT64), np.float64),
                np.asarray(self.batch.weight[some], np.float64) / total,
            )

    def leverages(self, block: RowBlock, inverses: Array) -> Array:
        """Return h of each row for inverses (L, r): (n, L)."""
        pulls = block.coordinates**2 @ inverses.T + (self.standardization.constant != 0)
        return pulls * block.share[:, None]

    def residuals(self, block: RowBlock, inverses: Array) -> Array:
        """Return y minus predictions of inverses (L, r): (n, L, targets)."""
        models = inverses[:, None, :] * self.basis.targets  # (L, targets, r)
        predicted = block.coordinates @ models.reshape(-1, models.shape[-1]).T
        return block.y[:, None, :] - predicted.reshape(len(block.y), *models.shape[:2])


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Rates ridge strengths by leaving every row out once, without a fit for each.

    Attributes
    ----------
    read : the rows.
    """

    read: SecondRead

    @property
    def step(self) -> float:
        """Step size that the schemes belong to."""
        return self.read.spectrum.step

    @cached_property
    def _first_rows(self) -> NDArray[np.intp]:
        """The first row of each group of consecutive rows, (groups,)."""
        n = len(self.read.batch)
        groups = np.array_split(np.arange(n), min(MAX_GROUPS, n))
        return np.array([group[0] for group in groups])

    @cached_property
    def weight(self) -> Array:
        """Weight of each group of rows, (groups,)."""
        weight = np.asarray(self.read.batch.weight, np.float64) / self.read.standardization.weight_scale
        return np.add.reduceat(weight, self._first_rows)

    @cached_property
    def _held_blocks(self) -> list[RowBlock] | None:
        """All rows along the directions, if they are few."""
        n, r = len(self.read.batch), len(self.read.basis.directions)
        return list(self.read.blocks(np.arange(n))) if 8 * n * r <= MAX_COORDINATE_BYTES else None

    def errors(self, schemes: Sequence[Scheme]) -> Array:
        """Return sums of weighted squared leave-one-out residuals, a mean over targets: (L, groups)."""
        if not all(isinstance(scheme, Geometric) for scheme in schemes):
            raise ValueError(
                "cv='loo' compares ridge strengths only, for which leaving a row out has a closed form: set "
                "averaging='geometric', or another cv."
            )
        read, spectrum = self.read, self.read.spectrum
        inverses = read.basis.inverses(schemes, spectrum.step, spectrum.n_steps, spectrum.resolution)
        total = float(self.weight.sum())
        errors = np.zeros((len(schemes), len(self._first_rows)))
        first = 0
        for block in self._held_blocks or read.blocks(np.arange(len(read.batch))):
            left = np.maximum(1 - read.leverages(block, inverses), MIN_ONE_MINUS_LEVERAGE)
            squares = ((read.residuals(block, inverses) / left[:, :, None]) ** 2).mean(axis=2)
            begun, last = np.searchsorted(self._first_rows, (first, first + len(squares) - 1), side="right") - 1
            parts = np.maximum(self._first_rows[begun : last + 1] - first, 0)  # where the groups begin in the block
            errors[:, begun : last + 1] += total * np.add.reduceat(squares * block.share[:, None], parts).T
            first += len(squares)
        return errors


def robust_standard_errors(read: SecondRead, scheme: Scheme) -> Array:
    """Return HC3 standard errors of the coefficients, robust to unequal variances: (targets, d) as in the spectrum.

    Coefficients are linear in y, w = sum_i g_i y_i, so with independent errors of any variances

        Var w_j  ~  sum_i g_ij^2 e_i^2 / (1 - h_i)^2 .

    They measure how far the estimate scatters about its expectation; they do not include the bias from shrinkage
    towards 0.

    Parameters
    ----------
    read : the rows that were learned from.
    scheme : the average.
    """
    spectrum, basis = read.spectrum, read.basis
    inverses = basis.inverses([scheme], spectrum.step, spectrum.n_steps, spectrum.resolution)
    # Directions beyond the rank have a target of exactly 0 (`eigen_basis`), so coefficients do not vary along them.
    # Their inverses of about 1 / alpha would magnify the rounding of rows, above all of float32.
    beyond = basis.eigenvalues <= spectrum.resolution * basis.eigenvalues.max(initial=0.0)
    inverses = np.where(beyond & (basis.targets == 0).all(axis=0), 0.0, inverses)
    shares, directions = inverses[0], np.asarray(basis.directions, np.float64)
    variance = np.zeros((len(basis.targets), len(directions)))
    for block in read.blocks(np.arange(len(read.batch))):
        left = np.maximum(1 - read.leverages(block, inverses), MIN_ONE_MINUS_LEVERAGE)
        residuals = read.residuals(block, inverses)[:, 0] / left  # (n, targets)
        pulls = (block.coordinates * shares) @ directions.T * block.share[:, None]  # g_i, (n, d)
        variance += (residuals**2).T @ pulls**2
    return np.sqrt(variance)
