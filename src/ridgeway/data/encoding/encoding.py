"""Encoding: how one column of a table becomes features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.encoding.strings import Words
from ridgeway.messages.number_text import number
from ridgeway.messages.quantity import quantity
from ridgeway.storage.state import State, Stored

# Bounds of what is read from a state.
MAX_LEVELS = 1 << 16
MAX_CHARACTERS = 1 << 12  # of a name or level
MAX_BUCKETS = 1 << 20

NOTE_KEY = "said"  # the name of the note in model files


@dataclass(frozen=True)
class Encoding(ABC):
    """The encoding of a column: a few entries per row, each in one of its features.

    Attributes
    ----------
    column : name of the column.
    note : the encoding, in words.
    """

    kind: ClassVar[str]
    column: str
    note: str

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """Names of the features."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @property
    def n_slots(self) -> int:
        """Largest number of entries of a row, without words."""
        return 0

    @property
    def n_words(self) -> int:
        """Number of features, the last ones, that are buckets of words."""
        return 0

    @property
    def n_entries(self) -> float:
        """Mean number of entries of a row."""
        return float(self.n_slots)

    @abstractmethod
    def write(self, column: Any, first: int, codes: Codes, values: Values, source_name: str) -> None:
        """Write the entries of a column into codes and values (slots, n), its features beginning at `first`.

        Messages call the table `source_name`.
        """

    def words(self, column: Any, dtype: Any) -> Words:
        """Return the words of a column."""
        raise NotImplementedError(f"{type(self).__name__} has no words.")

    def state(self) -> State:
        """Return the fields, as plain values for JSON."""
        values = {NOTE_KEY if field.name == "note" else field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    @abstractmethod
    def from_state(cls, stored: Stored) -> Encoding:
        """Return the encoding of a state."""


def column_of(stored: Stored) -> tuple[str, str]:
    """Return the two fields that every encoding has: the name of its column, and the note about it."""
    return stored.text("column", max_characters=MAX_CHARACTERS), stored.text(NOTE_KEY, max_characters=MAX_CHARACTERS)


@dataclass(frozen=True)
class Options:
    """The options of the encoder.

    Attributes
    ----------
    levels, min_count, buckets : as those of `TableEncoder`.
    min_words, max_words : bounds of the number of features that the words of a text share.
    indicators : whether columns without missing values get an indicator, too.
    """

    levels: int
    min_count: int
    buckets: int
    min_words: int
    max_words: int
    indicators: bool


class Learner(ABC):
    """Learn the encoding of a column from its rows.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        self.rows = self.missing = 0

    @property
    def missing_share(self) -> str:
        """The share of missing values as text, with the number of rows it was computed from (maybe not all)."""
        percent = 100 * self.missing / max(self.rows, 1)
        return f"{number(percent, 3 if percent >= 10 else 2)}% missing (of {quantity(self.rows, 'row')})"

    def copy(self) -> Self:
        """Return an independent copy."""
        return copy(self)

    @abstractmethod
    def learn(self, column: Any, source_name: str) -> None:
        """Learn from more rows."""

    @property
    def needs_double(self) -> bool:
        """Whether float32 loses too many digits."""
        return False

    @property
    def doubt(self) -> str | None:
        """A warning about a choice that the rows do not determine."""
        return None

    @abstractmethod
    def encoding(self, options: Options) -> Encoding:
        """Return the encoding that the rows so far suggest."""
