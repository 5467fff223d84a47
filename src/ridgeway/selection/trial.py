"""A trial: a run, and rows it has not learned from, on which any of its averages can be tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows import Batch, Float
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.residuals import Residuals
from ridgeway.selection.span import Span, span_of
from ridgeway.trajectory import Trajectory


class Centre:
    """Weighted means of the standardized features and targets that a model was fitted to; the intercept follows.

    Attributes
    ----------
    x : (d,).
    y : (targets,).
    """

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self.x, self.y = x, y

    def intercepts(self, directions: Float, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Intercepts (L, targets), ybar - xbar . w, of coordinates (L, r) along directions (r, targets, d)."""
        intercepts: NDArray[np.float64] = self.y - coordinates @ (directions @ self.x)
        return intercepts


class Trial:
    """The averages of one run against rows that it has not seen.

    Parameters
    ----------
    trajectory : of a run over standardized rows.
    standardization : of these rows.
    sparse : whether they are.
    centre : means of the rows that the run has learned from.
    groups : gives the rows it has not, standardized, in groups between which errors are compared.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        standardization: Standardization,
        sparse: bool,
        centre: Centre,
        groups: Callable[[], Iterable[Batch]],
    ) -> None:
        self._trajectory = trajectory
        self._standardization = standardization
        self._sparse = sparse
        self._centre = centre
        self._groups = groups
        self._residuals: Residuals | None = None
        self._span: Span | None = None
        self._spanned: Sequence[Scheme] = ()

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Read the rows along the directions of these schemes' coefficients, and of all that lie between them."""
        self._spanned = schemes
        self._span = span_of(self._trajectory, self._standardization, self._sparse, schemes)
        self._residuals = Residuals(self._span.directions, padded=self._standardization.constant != 0)
        for group in self._groups():
            self._residuals.add(group)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, (groups,)."""
        assert self._residuals is not None
        return self._residuals.weight

    def errors(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Sums of weight times squared error in standardized targets, for schemes in the span: (L, targets, groups)."""
        assert self._residuals is not None
        assert self._span is not None
        coordinates = self._span.given if schemes is self._spanned else self._span.coordinates(schemes)
        return self._residuals.errors(coordinates, self._centre.intercepts(self._span.directions, coordinates))

    def predict(self, batch: Batch, scheme: Scheme) -> NDArray[np.float64]:
        """Standardized predictions (n, targets) of standardized rows, by a scheme in the span."""
        assert self._span is not None
        coordinates = self._span.coordinates([scheme])
        slopes = np.tensordot(coordinates[0], self._span.directions, axes=1)  # (targets, d)
        columns = np.zeros((batch.rows.shape[1], len(slopes)), batch.rows.dtype)  # the constant one predicts nothing
        columns[: slopes.shape[1]] = slopes.T
        intercepts = self._centre.intercepts(self._span.directions, coordinates)
        predicted: NDArray[np.float64] = batch.rows.times(columns) + intercepts
        return predicted
