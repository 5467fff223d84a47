"""Errors by group: the rows of each value of a column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.evaluation.error_sums import ErrorSums, Metrics

Array = NDArray[np.float64]

MAX_ERROR_GROUPS = 1000
MISSING = "(missing)"
MAX_PLAIN_INTEGER = 1e15  # larger floats are written as they are


@dataclass(frozen=True, eq=False, repr=False)
class GroupErrors:
    """The rows of one value.

    Attributes
    ----------
    group : the value as a text.
    metrics : their errors.
    covered : share of rows within their intervals, (targets,); None without intervals.
    value : the value if it is a number, else None.
    """

    group: str
    metrics: Metrics
    covered: Array | None
    value: float | None = None

    def __repr__(self) -> str:
        covered = "" if self.covered is None else f", covered={self.covered}"
        return f"GroupErrors({self.group!r}, {self.metrics}{covered})"

    def values(self) -> dict[str, Any]:
        """Return plain values."""
        covered = None if self.covered is None else self.covered.tolist()
        return {"group": self.group, **self.metrics.values(), "covered": covered}


def largest_groups(groups: Sequence[GroupErrors], most: int) -> list[GroupErrors]:
    """Return the groups with most rows to list: numbers by value, other values those with most rows first.

    Parameters
    ----------
    groups : those with most rows first.
    most : how many to return.
    """
    shown = list(groups[:most])
    if not in_order_of_values(shown):
        return shown
    return sorted(shown, key=lambda group: (group.value is None, group.value or 0.0))


def in_order_of_values(groups: Sequence[GroupErrors]) -> bool:
    """Return whether `largest_groups` sorts these by value: all but the missing value are numbers."""
    return all(group.value is not None or group.group == MISSING for group in groups)


class GroupSums:
    """Sums of errors for each value of a column.

    Parameters
    ----------
    name : of the column, for messages.
    n_targets : number of targets.
    """

    def __init__(self, name: str, n_targets: int) -> None:
        self.name, self._n_targets = name, n_targets
        self._sums: dict[str, ErrorSums] = {}
        self._covered: dict[str, Array] = {}
        self._weight: dict[str, float] = {}
        self._numbers: dict[str, float] = {}
        self._intervals = True

    def add(
        self,
        groups: NDArray[np.object_],
        actual: Array,
        predicted: Array,
        weight: Array,
        covered: NDArray[np.bool_] | None,
    ) -> None:
        """Add the errors of rows to those of their groups.

        Parameters
        ----------
        groups : (n,), the group of each row as text; None where it is missing.
        actual, predicted, weight : as in `ErrorSums`.
        covered : (n, targets), whether the interval held the target; None if there are no intervals.
        """
        named = np.array([_name(group) for group in groups], object)
        self._numbers.update(
            (name, float(group)) for name, group in zip(named, groups, strict=True) if _is_number(group)
        )
        values, codes = np.unique(named, return_inverse=True)
        self._intervals &= covered is not None
        for code, value in enumerate(values.tolist()):
            mine = codes == code
            if value not in self._sums:
                if len(self._sums) >= MAX_ERROR_GROUPS:
                    raise ValueError(
                        f"{self.name!r} has more than {MAX_ERROR_GROUPS:,} values: expected a column with few, such "
                        "as a category; choose another one to group by."
                    )
                self._sums[value] = ErrorSums(self._n_targets)
                self._covered[value], self._weight[value] = np.zeros(self._n_targets), 0.0
            self._sums[value].add(actual[mine], predicted[mine], weight[mine])
            self._weight[value] += float(weight[mine].sum())
            if covered is not None:
                self._covered[value] = self._covered[value] + weight[mine] @ covered[mine]

    def result(self) -> tuple[GroupErrors, ...]:
        """Return the groups with rows of positive weight, those with most rows first."""
        found = [
            GroupErrors(
                value,
                sums.metrics(),
                self._covered[value] / self._weight[value] if self._intervals else None,
                self._numbers.get(value),
            )
            for value, sums in self._sums.items()
            if sums.n_rows
        ]
        return tuple(sorted(found, key=lambda group: (-group.metrics.n_rows, group.group)))


def _is_number(group: Any) -> bool:
    return isinstance(group, Real) and not isinstance(group, bool | np.bool_) and math.isfinite(group)


def _name(group: Any) -> str:
    """Return the name of a group; whole numbers, which may be read as floats, are written without decimals."""
    if group is None or (isinstance(group, Real) and math.isnan(group)):
        return MISSING
    if _is_number(group) and float(group).is_integer() and abs(group) < MAX_PLAIN_INTEGER:
        return str(int(group))
    return str(group)
