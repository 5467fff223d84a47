"""A trial: a run, and rows it has not learned from, on which any of its averages can be tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows import Batch, Float
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.outlying import Errors, OutlyingRows
from ridgeway.selection.residuals import Residuals, models_of
from ridgeway.selection.span import Span, span_of
from ridgeway.state import State, Stored
from ridgeway.trajectory import Trajectory

REFERENCES = 8  # candidates, spread over all, that tell which rows are outlying


class Centre:
    """Weighted means of the standardized features and targets that a model was fitted to; the intercept follows.

    Attributes
    ----------
    x : (d,).
    y : (targets,).
    """

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self.x, self.y = x, y

    def state(self) -> State:
        """Return the means."""
        return {"x": self.x, "y": self.y}

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int, n_targets: int) -> Centre:
        """Return the means of a state."""
        return cls(stored.array("x", (n_columns,)), stored.array("y", (n_targets,)))

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
    allowance : how many of these rows may have their errors capped.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        standardization: Standardization,
        sparse: bool,
        centre: Centre,
        groups: Callable[[], Iterable[Batch]],
        allowance: int = 0,
    ) -> None:
        self._trajectory = trajectory
        self._standardization = standardization
        self._sparse = sparse
        self._centre = centre
        self._groups = groups
        self._allowance = allowance
        self._outlying: OutlyingRows | None = None
        self._residuals: Residuals | None = None
        self._span: Span | None = None
        self._spanned: Sequence[Scheme] = ()

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Read the rows along the directions of these schemes' coefficients, and of all that lie between them."""
        self._spanned = schemes
        self._span = span_of(self._trajectory, self._standardization, self._sparse, schemes)
        self._residuals = Residuals(self._span.directions, padded=self._standardization.constant != 0)
        if self._allowance:
            some = np.linspace(0, len(schemes) - 1, REFERENCES).astype(int)
            self._outlying = OutlyingRows(self._allowance, self._models(self._span.given[some]))
        for group in self._groups():
            self._add(group)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, (groups,)."""
        assert self._residuals is not None
        ordinary = self._residuals.weight
        return ordinary if self._outlying is None else ordinary + self._outlying.weight

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Errors in standardized targets, of schemes in the span."""
        assert self._residuals is not None
        assert self._span is not None
        models = self._models(self._span.given if schemes is self._spanned else self._span.coordinates(schemes))
        errors = self._residuals.errors(models)
        if self._outlying is None:
            return Errors(errors, errors)
        return Errors(*(errors + apart for apart in self._outlying.errors(models)))

    def residuals(self, batch: Batch, scheme: Scheme) -> NDArray[np.float64]:
        """Residuals (n, targets) of standardized rows, by a scheme in the span."""
        assert self._residuals is not None
        assert self._span is not None
        models = self._models(self._span.coordinates([scheme]))
        residuals: NDArray[np.float64] = np.einsum("nqs,qs->nq", self._residuals.known(batch), models[:, 0])
        return residuals

    def _models(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._span is not None
        return models_of(coordinates, self._centre.intercepts(self._span.directions, coordinates))

    def _add(self, group: Batch) -> None:
        assert self._residuals is not None
        known, weight = self._residuals.known(group), group.weight
        if self._outlying is not None and (apart := self._outlying.set_apart(known, weight)).any():
            weight = np.where(apart, 0, weight)
        self._residuals.add_known(known, weight)
