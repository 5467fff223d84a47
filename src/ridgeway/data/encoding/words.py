"""Text: its words, hashed into buckets, as a vector of norm 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ridgeway.data.arrow import pa
from ridgeway.data.encoding.encoding import MAX_BUCKETS, Encoding, column_of
from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.encoding.strings import Words, require_text, spelled, words_of
from ridgeway.data.encoding.word_counts import MAX_NAMING_WORDS, MAX_WORD_CHARACTERS
from ridgeway.storage.state import Stored

MAX_NAME_CHARACTERS = MAX_NAMING_WORDS * (MAX_WORD_CHARACTERS + 1)  # of the words of a bucket


@dataclass(frozen=True)
class WordsEncoding(Encoding):
    """Counts of hashed words, divided by the norm of the counts of the row.

    Attributes
    ----------
    buckets : number of features.
    indicator : whether a feature marks missing texts.
    mean_words : mean number of words of a row.
    frequent : for each bucket its most frequent words, separated by spaces, "" if it has none; empty if no words were
        counted, as in files of version 0.1.
    """

    kind: ClassVar[str] = "text"
    buckets: int
    indicator: bool
    mean_words: float
    frequent: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """``column (missing)``, then ``column: wine, oak (word 0)`` or, without frequent words, ``column word 0``."""
        own = [f"{self.column} (missing)"] if self.indicator else []
        words = self.frequent or ("",) * self.buckets
        return own + [
            f"{self.column}: {', '.join(named.split())} (word {bucket})" if named else f"{self.column} word {bucket}"
            for bucket, named in enumerate(words)
        ]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.buckets + self.indicator

    @property
    def n_slots(self) -> int:
        """Number of slots: one for the indicator, if there is one."""
        return 1 if self.indicator else 0

    @property
    def n_words(self) -> int:
        """Number of buckets."""
        return self.buckets

    @property
    def n_entries(self) -> float:
        """Mean number of words of a row."""
        return self.mean_words

    def write(self, column: Any, first: int, codes: Codes, values: Values, source_name: str) -> None:
        """Write the indicator."""
        require_text(column, self.column, source_name)
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
        """Return the encoding of a state; files of version 0.1 have no `frequent`."""
        buckets = stored.integer("buckets", 1, MAX_BUCKETS)
        frequent = tuple(stored.texts("frequent")) if "frequent" in stored else ()
        stored.require(
            len(frequent) in (0, buckets) and all(len(words) <= MAX_NAME_CHARACTERS for words in frequent),
            "frequent",
            f"{buckets} texts of at most {MAX_NAME_CHARACTERS} characters, or none",
        )
        return cls(*column_of(stored), buckets, stored.flag("indicator"), stored.number("mean_words"), frequent)
