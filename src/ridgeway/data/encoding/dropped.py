"""Dropped columns: empty, constant, or of a kind that has no encoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ridgeway.data.encoding import state as checked
from ridgeway.data.encoding.encoding import Encoding, Learner, Options
from ridgeway.data.encoding.entries import Codes, Values


@dataclass(frozen=True)
class Dropped(Encoding):
    """A column without features."""

    kind: ClassVar[str] = "dropped"

    @classmethod
    def empty(cls, column: str, rows: int) -> Dropped:
        """Return the encoding of a column without values."""
        return cls(column, f"dropped: all {rows:,} values are missing")

    @property
    def names(self) -> list[str]:
        """None."""
        return []

    @property
    def n_features(self) -> int:
        """Number of features."""
        return 0

    def write(self, column: Any, first: int, codes: Codes, values: Values, place: str) -> None:
        """Write nothing."""

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Dropped:
        """Return the encoding of such values, or raise ValueError."""
        return cls(checked.text(state, "column"), checked.text(state, "said"))


class DroppingLearner(Learner):
    """Learn nothing from a column that is dropped.

    Parameters
    ----------
    column : name of the column.
    reason : why it is dropped.
    """

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(column)
        self.reason = reason

    def learn(self, column: Any, place: str) -> None:
        """Count the rows."""
        self.rows += len(column)
        self.missing += column.null_count

    def encoding(self, options: Options) -> Encoding:
        """Return the encoding with the reason."""
        return Dropped(self.column, f"dropped: {self.reason}")
