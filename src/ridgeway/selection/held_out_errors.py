"""What the errors of all candidates need of held-out rows: moments of groups, badly predicted rows one by one."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.rows import Batch, Float
from ridgeway.selection.capped_errors import Apart, BadlyPredictedRows, Errors
from ridgeway.selection.error_moments import ErrorMoments

NONE_APART = Apart(np.zeros((0, 0, 0)), np.zeros(0), np.zeros((0, 0)))


@dataclass(frozen=True, eq=False)
class Group:
    """A group of held-out rows as moments and badly predicted rows; ``a + b`` is the group of the rows of both.

    Attributes
    ----------
    n_rows : number of rows.
    moments : (targets, r + 2, r + 2), of the rows that are not apart.
    apart : badly predicted rows with their weights, and medians over all rows; a + b has the means of both medians.
    """

    n_rows: int
    moments: NDArray[np.float64]
    apart: Apart

    def __add__(self, other: Group) -> Group:
        n_rows = self.n_rows + other.n_rows
        apart = Apart(
            np.concatenate([self.apart.rows, other.apart.rows]),
            np.concatenate([self.apart.weight, other.apart.weight]),
            (self.n_rows * self.apart.medians + other.n_rows * other.apart.medians) / n_rows,
        )
        return Group(n_rows, self.moments + other.moments, apart)


class HeldOutErrors:
    """Errors of candidates on groups of held-out rows.

    Parameters
    ----------
    directions : (r, targets, d), whose span contains the candidates.
    padded : True if the rows have a constant column.
    references : (targets, k, r + 2), a few candidates whose errors tell which rows are badly predicted.
    allowance : number of rows whose errors may be capped.
    """

    def __init__(self, directions: Float, padded: bool, references: NDArray[np.float64], allowance: int) -> None:
        self._moments = ErrorMoments(directions, padded)
        self._badly_predicted = BadlyPredictedRows(allowance, references) if allowance else None
        self._sizes: list[int] = []

    def holding(self, groups: Sequence[Group]) -> HeldOutErrors:
        """Return errors for the same candidates on these groups."""
        other = copy(self)
        other._moments = self._moments.holding([group.moments for group in groups])
        other._sizes = [group.n_rows for group in groups]
        if self._badly_predicted is not None:
            other._badly_predicted = self._badly_predicted.holding([group.apart for group in groups])
        return other

    @property
    def groups(self) -> list[Group]:
        """The groups of rows so far."""
        apart = [NONE_APART] * len(self._sizes) if self._badly_predicted is None else self._badly_predicted.groups
        return [Group(*parts) for parts in zip(self._sizes, self._moments.moments, apart, strict=True)]

    def add(self, batch: Batch, most_apart: int | None = None) -> None:
        """Add standardized rows as a new group.

        Parameters
        ----------
        batch : the rows.
        most_apart : largest number of badly predicted rows to set apart from them; None sets no limit.
        """
        self.add_row_vectors(self._moments.row_vectors(batch), batch.weight, most_apart)

    def add_row_vectors(self, row_vectors: Float, weight: Float, most_apart: int | None = None) -> None:
        """Add rows by their vectors u, (n, targets, r + 2), as a new group; see `add` and `ErrorMoments`."""
        if (
            self._badly_predicted is not None
            and (apart := self._badly_predicted.set_apart(row_vectors, weight, most_apart)).any()
        ):
            weight = np.where(apart, 0, weight)
        self._moments.add_row_vectors(row_vectors, weight)
        self._sizes.append(len(row_vectors))

    def target_moments(self) -> NDArray[np.float64]:
        """Sums over all rows of weight times [1, y]' [1, y], of standardized targets: (targets, 2, 2)."""
        total: NDArray[np.float64] = np.sum([moments[:, :2, :2] for moments in self._moments.moments], axis=0)
        for apart in [] if self._badly_predicted is None else self._badly_predicted.groups:
            row_vectors = apart.rows[:, :, :2].astype(np.float64)
            total = total + np.einsum("n,nqi,nqj->qij", apart.weight.astype(np.float64), row_vectors, row_vectors)
        return total

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group, (groups,)."""
        ordinary = self._moments.weight
        return ordinary if self._badly_predicted is None else ordinary + self._badly_predicted.weight

    def errors(self, models: NDArray[np.float64]) -> Errors:
        """Errors of models (targets, L, r + 2)."""
        errors = self._moments.errors(models)
        if self._badly_predicted is None:
            return Errors(errors, errors)
        return Errors(*(errors + apart for apart in self._badly_predicted.errors(models)))
