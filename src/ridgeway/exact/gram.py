"""The Gram engine: ridge, and every other average, from per-fold Gram matrices and their eigendecompositions.

The rows are read once, in any order. Held-out errors of all candidates follow from the matrices alone: with w the
coefficients learned from the other rows, the held-out rows of weights c have

    sum_i c_i (y_i - x_i . w)^2 = y'Cy - 2 w'X'Cy + w'X'CX w .
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ridgeway.averaging import Scheme
from ridgeway.exact.fold_moments import FoldMoments, FoldSides, means_apart
from ridgeway.exact.normal_equations import eigen_basis, normal_equations
from ridgeway.trajectory.spectrum import RESOLUTION, Basis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DESCENT_STEPS = 1_000_000  # of the gradient descent that other schemes average: as many as SGD makes over few rows


class Units(NamedTuple):
    """Scales by which features and targets are still to be divided, (d,) and (targets,), and the centring.

    centre : about the means of the rows learned from, as an intercept does; otherwise about 0.
    """

    scale: Array
    target_scale: Array
    centre: bool


@dataclass(frozen=True, eq=False)
class HeldOutFold:
    """A model of the rows of all other folds, and what its errors on this fold depend on.

    Attributes
    ----------
    basis : the normal equations of the rows learned from.
    xx, xy, yy : (d, d), (d, targets) and (targets,), sums of products over the held-out rows, about their means.
    apart_x, apart_y : (d,) and (targets,), their means, relative to those that the model is centred at.
    weight : of the held-out rows.
    """

    basis: Basis
    xx: Array
    xy: Array
    yy: Array
    apart_x: Array
    apart_y: Array
    weight: float

    @classmethod
    def of(cls, sides: FoldSides, units: Units) -> HeldOutFold:
        """Solve for the rows learned from: time d^3."""
        test, (scale, target_scale, centre) = sides.test, units
        apart_x, apart_y = means_apart(test.co, sides.train.co, centre)
        return cls(
            solve(sides.train, units),
            test.co.xx / scale / scale[:, None],
            test.co.xy / scale[:, None] / target_scale,
            test.yy / target_scale**2,
            apart_x / scale,
            apart_y / target_scale,
            test.co.weight,
        )

    def errors(self, coefs: Array) -> Array:
        """Return sums of weighted squared errors of models (L, targets, d) of standardized features: (L, targets)."""
        L, n_targets, d = coefs.shape
        flat = coefs.reshape(-1, d)
        squares = np.einsum("ij,ij->i", flat @ self.xx, flat).reshape(L, n_targets)
        products = np.einsum("ltd,dt->lt", coefs, self.xy)
        offsets = self.apart_y - coefs @ self.apart_x
        errors: Array = self.yy - 2 * products + squares + self.weight * offsets**2
        return np.maximum(errors, 0.0)  # what is left of perfect predictions is rounding


def solve(moments: FoldMoments, units: Units) -> Basis:
    """Return the normal equations of some rows in their eigenbasis: time d^3."""
    A, b = normal_equations(moments.co, *units)
    with np.errstate(over="ignore"):  # sparse rows were summed about 0
        largest_sum = float(np.square(moments.co.shift_x / units.scale).max())
    return eigen_basis(A, b, largest_sum)


@dataclass(frozen=True, eq=False)
class GramRating:
    """Rates schemes on all folds.

    Attributes
    ----------
    folds : the models.
    step, n_steps : of the gradient descent that other schemes than ridge are averages of.
    """

    folds: Sequence[HeldOutFold]
    step: float
    n_steps: int

    @property
    def weight(self) -> Array:
        """Weight of the held-out rows of each fold, (folds,)."""
        return np.array([fold.weight for fold in self.folds])

    def coefs(self, schemes: Sequence[Scheme]) -> list[Array]:
        """Return the models of each fold, (L, targets, d) of standardized features."""
        return [
            fold.basis.coefs(fold.basis.inverses(schemes, self.step, self.n_steps, RESOLUTION)) for fold in self.folds
        ]

    def errors(self, schemes: Sequence[Scheme]) -> Array:
        """Return sums of weighted squared errors, a mean over targets: (L, folds)."""
        coefs = self.coefs(schemes)
        return np.stack(
            [fold.errors(models).mean(axis=1) for fold, models in zip(self.folds, coefs, strict=True)], axis=1
        )


def descent_step(bases: Sequence[Basis]) -> float:
    """Return 1 / (largest eigenvalue of all), a step with which gradient descent converges everywhere."""
    largest = max(float(basis.eigenvalues.max(initial=0.0)) for basis in bases)
    return 1.0 / largest if largest > 0 else 1.0


def descent_steps(n_rows: int) -> int:
    """Return the number of steps of gradient descent: DESCENT_STEPS, or `n_rows` if that is more."""
    return max(DESCENT_STEPS, n_rows)
