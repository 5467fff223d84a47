"""The space that the coefficients of all candidates lie in: numerically it has few dimensions.

Every candidate is a smooth function of time applied to the same increments, so the coefficients of hundreds of them are
mixtures of some twenty directions. A sketch knows the mixtures from the survival functions alone: a new alpha costs
nothing that grows with the number of columns.
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

NEGLIGIBLE_RATIO = 1e-7  # directions below this share of the largest are left out


class Span(Protocol):
    """Directions, and how schemes are mixed from them: slopes (targets, d) = sum_r coordinates_r directions_r."""

    @property
    def directions(self) -> Float:
        """Slopes of the standardized features, (r, targets, d)."""

    @property
    def given(self) -> NDArray[np.float64]:
        """Coordinates (L, r) of the schemes that the span was made of."""

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
    """Return the space that these schemes, and all that lie between them, have their coefficients in.

    `most` is the largest number of directions to keep; the weakest are left out.
    """
    if isinstance(trajectory, Sketch):
        return SketchSpan(trajectory, standardization, sparse, schemes, most)
    return CoefSpan(trajectory, standardization, sparse, schemes, most)


class SketchSpan:
    """Directions are mixtures of the moments of a sketch."""

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
    """Directions are mixtures of the coefficients themselves, for trajectories that have no moments."""

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
    """Orthonormal rows (r, m) in whose span the rows of the table (L, m) lie; one row of zeros if they are all 0."""
    eigenvalues, vectors = np.linalg.eigh(table @ table.T)  # increasing
    kept = eigenvalues > NEGLIGIBLE_RATIO**2 * eigenvalues[-1]
    if eigenvalues[-1] <= 0 or not kept.any():
        return np.zeros((1, table.shape[1]))
    if most is not None:
        kept[: len(kept) - most] = False
    rows, _ = np.linalg.qr(table.T @ (vectors[:, kept] / np.sqrt(eigenvalues[kept])))
    return np.ascontiguousarray(rows.T)
