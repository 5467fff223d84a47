"""Normal equations A w = b of weighted least squares, scaled, and their eigendecomposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.machine.blas import eigh
from ridgeway.trajectory.spectrum import RESOLUTION, Basis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ridgeway.exact.comoments import CoMoments

    Array = NDArray[np.float64]

# Relative size of the rounding errors in the Gram matrix and its eigenvectors.
ROUNDING = 32 * float(np.finfo(np.float64).eps)


def normal_equations(moments: CoMoments, scale: Array, target_scale: Array, centre: bool) -> tuple[Array, Array]:
    """Return A = E[x x'] and b = E[x y'] of scaled features and targets, (d, d) and (d, targets).

    Parameters
    ----------
    moments : of the rows.
    scale, target_scale : (d,) and (targets,), what features and targets are divided by.
    centre : take moments about the means, as an intercept does; otherwise about 0.
    """
    A, b, constant = moments.xx / moments.weight, moments.xy / moments.weight, moments.constant
    if constant.any():  # what is left there is rounding
        A[constant], A[:, constant], b[constant] = 0.0, 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore"):  # found below
        if not centre:
            A += np.outer(moments.mean_x, moments.mean_x)
            b += np.outer(moments.mean_x, moments.mean_y)
        A /= scale
        A /= scale[:, None]
        b /= scale[:, None]
        b /= target_scale
        sound = bool(np.isfinite(A).all() and np.isfinite(b).all())
    if not sound:
        raise ValueError("products of means and deviations of X and y exceed float64: scale X or y down.")
    return A, b


def eigen_basis(A: Array, b: Array, largest_sum: float = 0.0, resolution: float = RESOLUTION) -> Basis:
    """Decompose A = V diag(s) V' and write b in that basis: time d^3.

    Parameters
    ----------
    A : (d, d), symmetric, positive semidefinite up to rounding; it is overwritten.
    b : (d, targets).
    largest_sum : size of the sums that A was formed from, where these were larger than its eigenvalues.
    resolution : share of the largest eigenvalue up to which eigenvalues are rounding.
    """
    eigenvalues, V = eigh(A.T)  # has the layout that may be overwritten
    targets: Array = b.T @ V
    eigenvalues = np.maximum(eigenvalues, 0.0)
    _drop_rounding(eigenvalues, targets, max(eigenvalues.max(), largest_sum), resolution)
    return Basis(eigenvalues, V, targets, np.zeros_like(eigenvalues))


def _drop_rounding(eigenvalues: Array, targets: Array, largest: float, resolution: float) -> None:
    """Set to 0 what rounding left of `targets` (n_targets, d) in the directions beyond the rank.

    b lies in the range of A, so the entry of a null direction is 0. Rounding A, whose sums were as large as
    `largest`, moves it by about eps * largest * |solution|: divided by a small alpha that would be seen.
    """
    beyond = eigenvalues <= resolution * eigenvalues.max()
    solution = np.divide(targets, eigenvalues, out=np.zeros_like(targets), where=~beyond)
    size = np.maximum(np.abs(solution).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite bound drops unreliable entries
        rounding = ROUNDING * largest * size * np.linalg.norm(solution / size, axis=1, keepdims=True)
    targets[beyond & (np.abs(targets) <= rounding)] = 0.0
