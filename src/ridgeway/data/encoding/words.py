"""Text: its words, hashed into buckets, as a vector of norm 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ridgeway.data.arrow import pa
from ridgeway.data.encoding.encoding import MAX_BUCKETS, Encoding, column_of
from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.encoding.strings import Words, require_text, spelled, words_of
from ridgeway.storage.state import Stored


@dataclass(frozen=True)
class WordsEncoding(Encoding):
    """Counts of hashed words, divided by the norm of the counts of the row.

    Attributes
    ----------
    buckets : number of features.
    indicator : whether a feature marks missing texts.
    mean_words : mean number of words of a row.
    """

    kind: ClassVar[str] = "text"
    buckets: int
    indicator: bool
    mean_words: float

    @property
    def names(self) -> list[str]:
        """``column (missing)`` and ``column word 0`` ..."""
        own = [f"{self.column} (missing)"] if self.indicator else []
        return own + [f"{self.column} word {bucket}" for bucket in range(self.buckets)]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.buckets + self.indicator

    @property
    def n_slots(self) -> int:
        """That of the indicator."""
        return 1 if self.indicator else 0

    @property
    def n_words(self) -> int:
        """Number of buckets."""
        return self.buckets

    @property
    def n_entries(self) -> float:
        """Mean number of words of a row."""
        return self.mean_words

    def write(self, column: Any, first: int, codes: Codes, values: Values, place: str) -> None:
        """Write the indicator."""
        require_text(column, self.column, place)
        if self.indicator:
            missing = column.is_null().to_numpy(zero_copy_only=False)
            codes[0] = np.where(missing, first, -1)
            values[0] = 1

    def words(self, column: Any, dtype: Any) -> Words:
        """Return the hashed words of each row."""
        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        return words_of(spelled(plain).fill_null(""), self.buckets, dtype)

    @classmethod
    def from_state(cls, stored: Stored) -> WordsEncoding:
        """Return the encoding of a state."""
        return cls(
            *column_of(stored),
            stored.integer("buckets", 1, MAX_BUCKETS),
            stored.flag("indicator"),
            stored.number("mean_words"),
        )
