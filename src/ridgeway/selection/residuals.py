"""Errors of many candidates on the same rows, without a prediction per row and candidate.

The coefficients of all candidates lie near a space of few dimensions: w_l = V a_l with V of shape (d, r). The rows are
predicted once along V, Z = X V, and

    M = sum_i c_i [1, y_i, z_i]' [1, y_i, z_i]

holds everything: the residual of candidate l is v_l . [1, y, z] with v_l = [-b_l, 1, -a_l], so that its weighted squared
error is v_l' M v_l, for these candidates and for any other whose coefficients lie in the space.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, Float

NEGLIGIBLE = 1e-6  # directions of the candidates' coefficients below this share of the largest are left out


class Residuals:
    """Squared errors of linear models on groups of rows, kept as moments of the rows along the models' own directions.

    Parameters
    ----------
    slopes : (L, targets, d), coefficients of the candidates that span the space.
    padded : the rows have one more column, the constant one, which predicts nothing here.
    """

    def __init__(self, slopes: Float, padded: bool) -> None:
        self._bases = [_basis(slopes[:, q]) for q in range(slopes.shape[1])]
        self._padded = padded
        widths = [basis.shape[1] for basis in self._bases]
        self._edges = np.concatenate([[0], np.cumsum(widths)])
        self._groups: list[list[NDArray[np.float64]]] = []

    def emptied(self) -> Residuals:
        """Return one with the same directions and no rows."""
        other = copy.copy(self)
        other._groups = []
        return other

    def add(self, batch: Batch) -> None:
        """Take in rows, as a group of their own."""
        directions = np.concatenate(self._bases, axis=1)
        if self._padded:
            directions = np.vstack([directions, np.zeros(directions.shape[1])])
        Z = batch.rows.times(directions.astype(batch.rows.dtype)).astype(np.float64)
        moments = []
        for q in range(len(self._bases)):
            part = np.column_stack([np.ones(len(batch)), batch.y[:, q], Z[:, self._edges[q] : self._edges[q + 1]]])
            moments.append(part.T @ (part * batch.weight[:, None]))
        self._groups.append(moments)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of the rows of each group, (groups,)."""
        return np.array([moments[0][0, 0] for moments in self._groups])

    def errors(self, slopes: Float, intercepts: Float) -> NDArray[np.float64]:
        """Sums of weight times squared residual: (L, targets, groups).

        Parameters
        ----------
        slopes : (L, targets, d), within the space.
        intercepts : (L, targets).
        """
        answer = np.empty((len(slopes), len(self._bases), len(self._groups)))
        for q, basis in enumerate(self._bases):
            v = self._residual_vectors(slopes[:, q], intercepts[:, q], basis)
            moments = np.stack([group[q] for group in self._groups])
            answer[:, q] = np.maximum(np.einsum("lr,grs,ls->lg", v, moments, v, optimize=True), 0.0)
        return answer

    def covariances(self, slopes: Float) -> NDArray[np.float64]:
        """Sums of weight times y times prediction without intercept, over all rows: (L, targets)."""
        answer = np.empty((len(slopes), len(self._bases)))
        for q, basis in enumerate(self._bases):
            total = np.sum([group[q] for group in self._groups], axis=0)
            answer[:, q] = (slopes[:, q] @ basis) @ total[2:, 1]
        return answer

    @staticmethod
    def _residual_vectors(slopes: Float, intercepts: Float, basis: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([-intercepts, np.ones(len(slopes)), -(slopes @ basis)])


def _basis(slopes: Float) -> NDArray[np.float64]:
    """Orthonormal directions (d, r) that the coefficients (L, d) lie in; at least one."""
    coefs = slopes.astype(np.float64)
    eigenvalues, vectors = np.linalg.eigh(coefs @ coefs.T)
    kept = eigenvalues > NEGLIGIBLE**2 * max(eigenvalues[-1], np.finfo(np.float64).tiny)
    if not kept.any():
        return np.zeros((coefs.shape[1], 1))
    basis, _ = np.linalg.qr((coefs.T @ vectors[:, kept]) / np.sqrt(eigenvalues[kept]))
    directions: NDArray[np.float64] = basis
    return directions
