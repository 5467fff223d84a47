"""A trial: the errors of the averages of a run on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows import Batch
from ridgeway.rows.centre import Centre
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.capped_errors import Errors, reference_places
from ridgeway.selection.error_moments import models_of
from ridgeway.selection.held_out_errors import Group, HeldOutErrors
from ridgeway.selection.residual_path import ResidualPart, reduced_products
from ridgeway.selection.span import Span, span_of
from ridgeway.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Predictor:
    """One linear model of standardized rows.

    Attributes
    ----------
    slopes : (columns, targets), 0 for the constant column.
    intercept : (targets,).
    """

    slopes: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def residuals(self, batch: Batch) -> NDArray[np.float64]:
        """Return the residuals of the targets, (n, targets)."""
        predicted = batch.rows.times(self.slopes.astype(batch.rows.dtype))
        residuals: NDArray[np.float64] = batch.y - self.intercept - predicted
        return residuals


class Trial:
    """Errors of the averages of one run on held-out rows.

    Parameters
    ----------
    trajectory : of a run over standardized rows.
    standardization : of these rows.
    sparse : whether the rows are sparse.
    centre : means of the rows that the run has learned from.
    groups : yields the held-out rows, standardized, in groups; standard errors come from differences between groups.
    allowance : number of these rows whose errors may be capped.
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
        self._held: HeldOutErrors | None = None
        self._span: Span | None = None
        self._spanned: Sequence[Scheme] = ()

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Read the held-out rows, for these schemes and all schemes between them."""
        held = self.prepared(schemes)
        for group in self._groups():
            held.add(group)

    def prepared(self, schemes: Sequence[Scheme]) -> HeldOutErrors:
        """Return an empty accumulator for the errors of these schemes and of all schemes between them."""
        self._spanned = schemes
        self._span = span_of(self._trajectory, self._standardization, self._sparse, schemes)
        references = self._models(self._span.given[reference_places(len(schemes))])
        padded = self._standardization.constant != 0
        self._held = HeldOutErrors(self._span.directions, padded, references, self._allowance)
        return self._held

    def hold(self, groups: Sequence[Group]) -> None:
        """Use groups of rows that were read elsewhere, for the schemes that were prepared."""
        assert self._held is not None
        self._held = self._held.holding(groups)

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, (groups,)."""
        assert self._held is not None
        return self._held.weight

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Errors in standardized targets, of schemes in the span."""
        assert self._held is not None
        assert self._span is not None
        models = self._models(self._span.given if schemes is self._spanned else self._span.coordinates(schemes))
        return self._held.errors(models)

    def target_moments(self) -> NDArray[np.float64]:
        """Sums over all held-out rows of weight times [1, y]' [1, y], of standardized targets: (targets, 2, 2)."""
        assert self._held is not None
        return self._held.target_moments()

    def predictor(self, scheme: Scheme) -> Predictor:
        """Return the linear model of a scheme in the span, for standardized rows."""
        assert self._span is not None
        coordinates = self._span.coordinates([scheme])
        slopes = np.tensordot(coordinates[0], self._span.directions, axes=1)
        padding = int(self._standardization.constant != 0)
        intercept = self._centre.intercepts(self._span.directions, coordinates)[0]
        return Predictor(np.pad(slopes.T, ((0, padding), (0, 0))), intercept)

    def residual_part(self, batch: Batch, numbers: NDArray[np.int64]) -> ResidualPart | None:
        """Return held-out rows with their residuals at every scheme in the span; None for a replay.

        Parameters
        ----------
        batch : the rows, standardized.
        numbers : of the rows in the data.
        """
        assert self._span is not None
        directions = self._span.directions
        r, n_targets, d = directions.shape
        table = np.zeros((batch.rows.shape[1], n_targets, r), batch.rows.dtype)
        table[:d] = directions.transpose(2, 1, 0)
        products = batch.rows.times(table.reshape(len(table), -1)).reshape(len(batch), n_targets, r)
        centred = np.asarray(products, np.float64) - (directions @ self._centre.x).T
        reduced = reduced_products(centred, self._span.given)
        coordinates = self._span.trajectory(reduced.mixtures)
        y = np.asarray(batch.y - self._centre.y, np.float64)
        return None if coordinates is None else ResidualPart(numbers, y, reduced.products, coordinates)

    def _models(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self._span is not None
        return models_of(coordinates, self._centre.intercepts(self._span.directions, coordinates))
