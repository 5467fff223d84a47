"""Ridge regression in the eigenbasis of the Gram matrix, where changing alpha is a division."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.derived import derived_property
from ridgeway.exact.normal_equations import eigen_basis, normal_equations
from ridgeway.path.path_result import PathResult
from ridgeway.trajectory.spectrum import RESOLUTION, Basis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.exact.comoments import CoMoments


@dataclass(frozen=True, eq=False)
class RidgeSpectrum:
    """Solve ``(A + alpha) v = D^-1 b``, ``w = D^-1 v`` for any alpha from one eigendecomposition.

    A and b are the weighted second moments ``E[x x']`` and ``E[x y]``, centred when there is an intercept,
    with the columns divided by D on both sides. The decomposition is made when first needed and kept.

    Attributes
    ----------
    moments : the data.
    scale : D holds the standard deviations about the mean; otherwise D = 1.
    fit_intercept : centre, and report mean_y - mean_x . w as the intercept.
    single_target : leave the axis of targets out of the answers.
    """

    moments: CoMoments
    scale: bool
    fit_intercept: bool
    single_target: bool

    @derived_property
    def basis(self) -> Basis:
        """The eigendecomposition, with directions D^-1 v_k in the user's units: time d^3, once."""
        moments = self.moments
        D = np.ones(len(moments.xy))
        if self.scale:
            D = np.sqrt(np.where(moments.constant, 1.0, moments.xx.diagonal() / moments.weight))
        A, b = normal_equations(moments, D, np.ones(moments.xy.shape[1]), self.fit_intercept)
        # Sparse rows were summed about 0 and centred afterwards: their rounding is that of the larger sums.
        with np.errstate(over="ignore"):
            basis = eigen_basis(A, b, float(np.square(moments.shift_x / D).max()))
        return replace(basis, directions=basis.directions / D[:, None])

    def path(self, alphas: NDArray[np.float64]) -> PathResult:
        """Solve for every alpha of (L,) by one matrix product."""
        basis = self.basis
        intercepts = np.zeros((len(alphas), len(basis.targets)))
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            coefs = basis.coefs(basis.ridge_inverses(alphas, RESOLUTION))
            coefs[..., self._without_coefficient] = 0.0
            if self.fit_intercept:
                intercepts = self.moments.mean_y - coefs @ self.moments.mean_x
        if not (np.isfinite(coefs).all() and np.isfinite(intercepts).all()):
            raise ValueError("coefficients or intercepts exceed float64: scale y down or X up.")
        if self.single_target:
            coefs, intercepts = coefs[:, 0], intercepts[:, 0]
        return PathResult(alphas, coefs, intercepts)

    @derived_property
    def _without_coefficient(self) -> NDArray[np.bool_]:
        """Constant columns beside an intercept, (d,)."""
        return self.moments.constant & self.fit_intercept


@dataclass(frozen=True, eq=False)
class RidgeAt:
    """One point of a spectrum's path, solved when first needed."""

    spectrum: RidgeSpectrum
    alpha: float

    @derived_property
    def model(self) -> PathResult:
        """The path of this one alpha."""
        return self.spectrum.path(np.array([self.alpha]))
