"""Dropped columns: empty, constant, or of a kind that has no encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ridgeway.data.encoding.encoding import Encoding, Learner, Options, column_of
from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.remedy import kind_remedy
from ridgeway.storage.state import Stored

NOT_SUPPORTED = "are not supported"


@dataclass(frozen=True)
class Dropped(Encoding):
    """A column without features."""

    kind: ClassVar[str] = "dropped"

    @classmethod
    def empty(cls, column: str, rows: int) -> Dropped:
        """Return the encoding of a column without values."""
        return cls(column, f"dropped: all {rows:,} values are missing")

    @classmethod
    def constant(cls, column: str, rows: int, value: str) -> Dropped:
        """Return the encoding of a column with one value."""
        return cls(column, f"dropped: every one of {rows:,} rows is {value}")

    @staticmethod
    def short_reason(note: str) -> str:
        """Return why a column is dropped, in few words, from the note about it.

        Examples
        --------
        >>> Dropped.short_reason(Dropped.constant("year", 400, "2020").note)
        'constant'
        """
        reason = note.removeprefix("dropped: ")
        for beginning, short in (("every one of", "constant"), ("all ", "no values")):
            if reason.startswith(beginning):
                return short
        return reason

    @property
    def names(self) -> list[str]:
        """None."""
        return []

    @property
    def n_features(self) -> int:
        """Number of features."""
        return 0

    def write(self, column: Any, first: int, codes: Codes, values: Values, source_name: str) -> None:
        """Write nothing."""

    @classmethod
    def from_state(cls, stored: Stored) -> Dropped:
        """Return the encoding of a state."""
        return cls(*column_of(stored))


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

    def learn(self, column: Any, source_name: str) -> None:
        """Count the rows."""
        self.rows += len(column)
        self.missing += column.null_count

    @property
    def doubt(self) -> str | None:
        """The warning that a column of an unsupported type is left out."""
        if not self.reason.endswith(NOT_SUPPORTED):
            return None
        return (
            f"column {self.column!r} is left out, because {self.reason}: expected numbers, texts, dates or times; "
            f"convert it, or confirm this with {kind_remedy(self.column, 'drop')}."
        )

    def encoding(self, options: Options) -> Encoding:
        """Return the encoding with the reason."""
        return Dropped(self.column, f"dropped: {self.reason}")
