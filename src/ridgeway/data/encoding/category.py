"""Categories: a feature for each frequent level, hashed buckets for the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ridgeway.data.arrow import pa, pc
from ridgeway.data.encoding.encoding import MAX_BUCKETS, MAX_CHARACTERS, MAX_LEVELS, Encoding, column_of
from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.encoding.strings import as_levels, buckets_of, require_text
from ridgeway.storage.state import Stored

# Parts of the notes about levels without a feature of their own.
SHARED_NOTE, IDENTIFIER_NOTE = "the others hashed into", "an identifier?"


@dataclass(frozen=True)
class CategoryEncoding(Encoding):
    """One entry per row: the level's own feature, or the bucket of another level.

    Attributes
    ----------
    levels : those with a feature of their own.
    buckets : number of features that the other levels share.
    indicator : whether a feature says that the value is missing; otherwise a missing value has no entry.
    """

    kind: ClassVar[str] = "category"
    levels: tuple[str, ...]
    buckets: int
    indicator: bool

    @property
    def names(self) -> list[str]:
        """``column=level``, ``column hash 0`` ..., ``column (missing)``."""
        own = [f"{self.column}={level}" for level in self.levels]
        shared = [f"{self.column} hash {bucket}" for bucket in range(self.buckets)]
        return own + shared + ([f"{self.column} (missing)"] if self.indicator else [])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.levels) + self.buckets + self.indicator

    @property
    def n_slots(self) -> int:
        """One."""
        return 1

    @cached_property
    def _known(self) -> Any:
        return pa.array(self.levels, pa.string())

    def write(self, column: Any, first: int, codes: Codes, values: Values, source_name: str) -> None:
        """Write the place of each row's level."""
        require_text(column, self.column, source_name)
        levels, rows = as_levels(column)
        own = pc.index_in(levels, value_set=self._known).fill_null(-1).to_numpy(zero_copy_only=False)
        features = np.empty(len(levels) + 1, dtype=np.int32)
        features[:-1] = np.where(own >= 0, own, len(self.levels) + buckets_of(levels, self.buckets))
        features[:-1] += first
        features[-1] = first + len(self.levels) + self.buckets if self.indicator else -1  # rows hold -1 where missing
        codes[0] = features[rows]
        values[0] = 1

    @property
    def knows_all(self) -> bool:
        """Whether every level that the fit has seen has a feature of its own."""
        return SHARED_NOTE not in self.note and IDENTIFIER_NOTE not in self.note

    def unseen(self, column: Any) -> tuple[int, str]:
        """Return how many rows have levels that the fit has not seen, and one of these; 0 and "" if none are known."""
        if not self.knows_all:
            return 0, ""
        levels, rows = as_levels(column)
        new = pc.index_in(levels, value_set=self._known).is_null().to_numpy(zero_copy_only=False)
        found = rows[(rows >= 0) & new[np.maximum(rows, 0)]] if new.any() else rows[:0]
        return len(found), levels[int(found[0])].as_py() if len(found) else ""

    @classmethod
    def from_state(cls, stored: Stored) -> CategoryEncoding:
        """Return the encoding of a state."""
        return cls(
            *column_of(stored),
            stored.levels("levels", MAX_LEVELS, MAX_CHARACTERS),
            stored.integer("buckets", 1, MAX_BUCKETS),
            stored.flag("indicator"),
        )
