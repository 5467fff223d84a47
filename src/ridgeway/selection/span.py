"""The span of the coefficients of all candidates, which numerically has few dimensions.

Every candidate weights the same increments by a smooth function of time, so the coefficients of hundreds of candidates
are linear combinations of about twenty directions. For a sketch, the combinations follow from the survival functions
alone, so the cost of a new alpha does not depend on the number of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows import Float
from ridgeway.rows.standardization import Standardization
from ridgeway.trajectory import Chains, Sketch, Trajectory
from ridgeway.trajectory.slopes import slopes_of

NEGLIGIBLE_RATIO = 1e-7  # directions whose singular value is below this share of the largest are dropped


class Span(Protocol):
    """Directions, and schemes as combinations of them: slopes (targets, d) = sum_r coordinates_r directions_r."""

    @property
    def directions(self) -> Float:
        """Slopes of the standardized features, (r, targets, d)."""

    @property
    def given(self) -> NDArray[np.float64]:
        """Coordinates (L, r) of the schemes from which the span was made."""

    def coordinates(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Coordinates (L, r) of schemes within the span."""

    def trajectory(self, mixtures: NDArray[np.float64]) -> Trajectory | None:
        """Return a trajectory whose averages are mixtures (q, r) of the coordinates: (q,); None for a replay."""


def span_of(
    trajectory: Trajectory,
    standardization: Standardization,
    sparse: bool,
    schemes: Sequence[Scheme],
    most: int | None = None,
) -> Span:
    """Return the span of the coefficients of these schemes, which also contains those of all schemes between them.

    `most` is the largest number of directions; None sets no limit. Those of the smallest singular values are dropped.
    """
    if isinstance(trajectory, Sketch):
        return SketchSpan(trajectory, standardization, sparse, schemes, most)
    return CoefSpan(trajectory, standardization, sparse, schemes, most)


class SketchSpan:
    """A span whose directions are linear combinations of the moments of a sketch."""

    def __init__(
        self,
        sketch: Sketch,
        standardization: Standardization,
        sparse: bool,
        schemes: Sequence[Scheme],
        most: int | None,
    ) -> None:
        self._sketch = sketch
        expansion = sketch.expansion(schemes)
        self._weights = orthonormal_rows(expansion, most)  # (r, moments)
        self.given: NDArray[np.float64] = expansion @ self._weights.T
        self.directions: Float = standardization.slopes(sketch.mixed(self._weights), sparse)

    def coordinates(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Coordinates (L, r) of schemes within the span."""
        return self._sketch.expansion(schemes) @ self._weights.T

    def trajectory(self, mixtures: NDArray[np.float64]) -> Trajectory:
        """Return a trajectory whose averages are mixtures (q, r) of the coordinates: (q,)."""
        return self._sketch.coordinates(mixtures @ self._weights)


class CoefSpan:
    """A span whose directions are linear combinations of coefficients, for trajectories that are no sketch."""

    def __init__(
        self,
        trajectory: Trajectory,
        standardization: Standardization,
        sparse: bool,
        schemes: Sequence[Scheme],
        most: int | None,
    ) -> None:
        self._given = trajectory, standardization, sparse
        slopes = slopes_of(trajectory, standardization, sparse, schemes)
        rows = orthonormal_rows(slopes.reshape(len(schemes), -1).astype(np.float64), most)
        self._rows = rows
        self.given: NDArray[np.float64] = slopes.reshape(len(schemes), -1) @ rows.T
        self.directions: Float = rows.reshape(-1, *slopes.shape[1:])

    def coordinates(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Coordinates (L, r) of schemes within the span."""
        slopes = slopes_of(*self._given, schemes)
        coordinates: NDArray[np.float64] = slopes.reshape(len(schemes), -1) @ self._rows.T
        return coordinates

    def trajectory(self, mixtures: NDArray[np.float64]) -> Trajectory | None:
        """Return a trajectory whose averages are mixtures (q, r) of the coordinates; None for a replay."""
        trajectory, standardization, sparse = self._given
        rows = mixtures @ self._rows

        def weigh(moments: NDArray[np.float64]) -> NDArray[np.float64]:
            slopes = standardization.slopes(moments, sparse).astype(np.float64)
            coordinates: NDArray[np.float64] = slopes.reshape(len(moments), -1) @ rows.T
            return coordinates

        chains = trajectory.chains if isinstance(trajectory, Chains) else ()
        sketches = [chain for chain in chains if isinstance(chain, Sketch)]
        if not sketches or len(sketches) < len(chains):
            return None
        assert isinstance(trajectory, Chains)
        return Chains([sketch.projected(weigh) for sketch in sketches], trajectory.weights)


def orthonormal_rows(table: NDArray[np.float64], most: int | None) -> NDArray[np.float64]:
    """Orthonormal rows (r, m) that span the rows of the table (L, m); one row of zeros if these are all 0."""
    eigenvalues, vectors = np.linalg.eigh(table @ table.T)  # increasing
    kept = eigenvalues > NEGLIGIBLE_RATIO**2 * eigenvalues[-1]
    if eigenvalues[-1] <= 0 or not kept.any():
        return np.zeros((1, table.shape[1]))
    if most is not None:
        kept[: len(kept) - most] = False
    rows, _ = np.linalg.qr(table.T @ (vectors[:, kept] / np.sqrt(eigenvalues[kept])))
    return np.ascontiguousarray(rows.T)
