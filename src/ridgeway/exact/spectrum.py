"""Ridge regression in the eigenbasis of the Gram matrix, where changing alpha is a division."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ridgeway.derived import derived_property
from ridgeway.machine.blas import eigh
from ridgeway.path.path_result import PathResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.exact.comoments import CoMoments

# Directions with eigenvalue + alpha up to this share of the largest eigenvalue are left out: there the
# entries of the Gram matrix, rounded to 16 digits, say nothing reliable.
RANK_CUTOFF = 1e-12
# Relative size of the rounding errors in the Gram matrix and its eigenvectors.
ROUNDING = 32 * float(np.finfo(np.float64).eps)


class EigenBasis(NamedTuple):
    """``A = V diag(eigenvalues) V'`` for the scaled second moments A, and the right-hand side in that basis.

    Attributes
    ----------
    eigenvalues : (d,), 0 or more.
    directions : (d, d), column k is D^-1 v_k: eigenvector k in the user's units.
    targets : (n_targets, d), entry k is v_k . D^-1 b.
    """

    eigenvalues: NDArray[np.float64]
    directions: NDArray[np.float64]
    targets: NDArray[np.float64]


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
    def basis(self) -> EigenBasis:
        """The eigendecomposition: time d^3, once."""
        moments = self.moments
        A = moments.xx / moments.weight
        b = moments.xy / moments.weight
        constant = moments.constant
        A[constant] = 0.0
        A[:, constant] = 0.0
        b[constant] = 0.0
        deviation = np.sqrt(np.where(constant, 1.0, A.diagonal()))
        D = deviation if self.scale else np.ones_like(deviation)
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            if not self.fit_intercept:
                A += np.outer(moments.mean_x, moments.mean_x)
                b += np.outer(moments.mean_x, moments.mean_y)
            A /= D
            A /= D[:, None]
            b /= D[:, None]
        if not (np.isfinite(A).all() and np.isfinite(b).all()):
            raise ValueError("products of means and deviations of X and y exceed float64: scale X or y down.")
        eigenvalues, V = eigh(A.T)  # has the layout that may be overwritten
        targets = b.T @ V
        V /= D[:, None]
        eigenvalues = np.maximum(eigenvalues, 0.0)
        # Sparse rows were summed about 0 and centred afterwards: their rounding is that of the larger sums.
        with np.errstate(over="ignore"):
            largest = max(eigenvalues.max(), np.square(moments.shift_x / D).max())
        _drop_rounding(eigenvalues, targets, largest)
        return EigenBasis(eigenvalues, V, targets)

    def path(self, alphas: NDArray[np.float64]) -> PathResult:
        """Solve for every alpha of (L,) by one matrix product."""
        eigenvalues, directions, targets = self.basis
        shrunk = eigenvalues + alphas[:, None]  # (L, d)
        used = shrunk > RANK_CUTOFF * eigenvalues.max()
        solution = np.zeros((len(alphas), *targets.shape))
        intercepts = np.zeros(solution.shape[:-1])
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            np.divide(targets, shrunk[:, None], out=solution, where=used[:, None])
            coefs = (solution.reshape(-1, len(eigenvalues)) @ directions.T).reshape(solution.shape)
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


def _drop_rounding(eigenvalues: NDArray[np.float64], targets: NDArray[np.float64], largest: float) -> None:
    """Set to 0 what rounding left of `targets` (n_targets, d) in the directions beyond the rank.

    b lies in the range of A, so the entry of a null direction is 0. Rounding A, whose sums were as large as
    `largest`, moves it by about eps * largest * |solution|: divided by a small alpha that would be seen.
    """
    beyond = eigenvalues <= RANK_CUTOFF * eigenvalues.max()
    solution = np.divide(targets, eigenvalues, out=np.zeros_like(targets), where=~beyond)
    size = np.maximum(np.abs(solution).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite bound drops what nothing reliable is known of
        rounding = ROUNDING * largest * size * np.linalg.norm(solution / size, axis=1, keepdims=True)
    targets[beyond & (np.abs(targets) <= rounding)] = 0.0


@dataclass(frozen=True, eq=False)
class RidgeAt:
    """One point of a spectrum's path, solved when first needed."""

    spectrum: RidgeSpectrum
    alpha: float

    @derived_property
    def model(self) -> PathResult:
        """The path of this one alpha."""
        return self.spectrum.path(np.array([self.alpha]))
