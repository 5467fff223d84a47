"""StringLearner: whether strings are categories, text or identifiers, and which levels are frequent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from ridgeway.data.encoding.category import IDENTIFIER_NOTE, SHARED_NOTE, CategoryEncoding
from ridgeway.data.encoding.date_order import DateOrder
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.encoding.encoding import Encoding, Learner, Options
from ridgeway.data.encoding.marked_number_learner import MarkedNumberLearner
from ridgeway.data.encoding.strings import as_levels, require_text, words_in
from ridgeway.data.encoding.word_counts import WordCounts
from ridgeway.data.encoding.words import WordsEncoding
from ridgeway.data.encoding.written_numbers import WrittenNumbers
from ridgeway.data.encoding.written_quantities import WrittenQuantities
from ridgeway.messages.quantity import quantity

MAX_TRACKED_LEVELS = 200_000  # levels counted at a time
MAX_LEVEL_CHARACTERS = 200  # of a level with its own feature
MAX_EXAMPLES, MAX_EXAMPLE_CHARACTERS = 5, 20  # levels or words that a description names, and characters of one
MIN_TEXT_WORDS, MIN_TEXT_DISTINCT_SHARE = (
    2.5,
    0.3,
)  # words a row, and share of distinct values, from which strings are text
MIN_IDENTIFIER_DISTINCT_SHARE, MIN_IDENTIFIER_VALUES = (
    0.9,
    20,
)  # share of distinct values, of at least so many, from which they are identifiers


class StringLearner(Learner):
    """Count levels and words.

    Parameters
    ----------
    column : name of the column.
    kind : "category" or "text" if given; None to detect it from the values.
    """

    def __init__(self, column: str, kind: str | None) -> None:
        super().__init__(column)
        self.kind = kind
        self._counts: Counter[str] = Counter()
        self._forgotten = 0
        self._words = 0
        self._word_counts = WordCounts()
        self._dates = DateOrder(column) if kind is None else None
        self._numbers = WrittenNumbers(column) if kind is None else None
        self._marked = MarkedNumberLearner(column) if kind is None else None
        self._quantities = WrittenQuantities(column) if kind is None else None

    def copy(self) -> Self:
        """Return an independent copy."""
        other = super().copy()
        other._counts = self._counts.copy()
        other._dates = None if self._dates is None else self._dates.copy()
        other._numbers = copy(self._numbers)
        other._quantities = None if self._quantities is None else self._quantities.copy()
        other._marked = None if self._marked is None else self._marked.copy()
        return other

    def learn(self, column: Any, source_name: str) -> None:
        """Count."""
        require_text(column, self.column, source_name)
        levels, rows = as_levels(column)
        if self._dates is not None:
            self._dates.learn(levels, rows)
        if self._marked is not None:
            self._marked.learn(levels, rows)
        counts = np.bincount(rows[rows >= 0], minlength=len(levels))
        if self._numbers is not None:
            self._numbers.learn(levels, counts)
        if self._quantities is not None:
            self._quantities.learn(levels, counts)
        self.rows += len(rows)
        self.missing += int((rows < 0).sum())
        words = words_in(levels)
        self._words += int(words @ counts)
        if self.kind == "text" or (self.kind is None and words @ counts >= MIN_TEXT_WORDS * counts.sum()):
            self._word_counts = self._word_counts.after(levels, counts)
        for level, count in zip(levels.to_pylist(), counts.tolist(), strict=True):
            if count:
                self._counts[level] += count
        if len(self._counts) > MAX_TRACKED_LEVELS:
            kept = {level: count for level, count in self._counts.items() if count > 1}
            self._forgotten += len(self._counts) - len(kept)
            self._counts = Counter(kept)

    @property
    def needs_double(self) -> bool:
        """Whether float32 loses too many digits of numbers that are written as text."""
        return self._marked is not None and self._marked.needs_double

    @property
    def doubt(self) -> str | None:
        """The warning about dates if no order, or more than one, fits all, or about quantities read as text."""
        if self._marked is not None and self._marked.found:
            return None
        doubts = [part.doubt for part in (self._dates, self._numbers, self._quantities) if part is not None]
        return next((doubt for doubt in doubts if doubt is not None), None)

    def encoding(self, options: Options) -> Encoding:
        """Return the encoding of dates, numbers with a sign, categories, text or identifiers."""
        present = self.rows - self.missing
        if present == 0:
            return Dropped.empty(self.column, self.rows)
        if self._dates is not None and (dates := self._dates.encoding(options, self.rows, self.missing)) is not None:
            return dates
        if (
            self._marked is not None
            and (numbers := self._marked.encoding(options, self.rows, self.missing)) is not None
        ):
            return numbers
        distinct = len(self._counts) + self._forgotten
        indicator = bool(self.missing) or options.indicators
        if distinct == 1 and not indicator:
            level = next(iter(self._counts))
            return Dropped.constant(self.column, self.rows, repr(level[:40]))
        words = self._words / present
        noted = f"; {self.missing_share}: an indicator" if indicator else ""
        if self.kind == "text" or (
            self.kind is None
            and words >= MIN_TEXT_WORDS
            and distinct > max(MIN_TEXT_DISTINCT_SHARE * present, MIN_IDENTIFIER_VALUES)
        ):
            fewest = self._fewest(options)
            such_as = _such_as(self._word_counts.most_frequent(MAX_EXAMPLES + 1, fewest))
            buckets = self._word_counts.buckets_for(options.min_words, options.max_words)
            note = f"text of {words:.3g} words a row{such_as}, hashed into {buckets} buckets{noted}"
            named = self._word_counts.behind_buckets(buckets, fewest)
            return WordsEncoding(self.column, note, buckets, indicator, words, named)
        identifier = (
            self.kind is None
            and distinct >= MIN_IDENTIFIER_VALUES
            and distinct > MIN_IDENTIFIER_DISTINCT_SHARE * present
        )
        frequent = [] if identifier else self._frequent(options)
        others = distinct - len(frequent)
        buckets = min(options.buckets, 1 << max(others - 1, 0).bit_length())
        if identifier:
            note = f"{distinct:,} distinct values in {present:,} rows, {IDENTIFIER_NOTE} hashed into {buckets} buckets"
        elif others:
            note = f"{len(frequent):,} of {distinct:,} levels{_such_as(frequent)}, {SHARED_NOTE} "
            note += quantity(buckets, "bucket")
        else:
            note = f"{quantity(len(frequent), 'level')}{_such_as(frequent)}"
        return CategoryEncoding(self.column, note + noted, tuple(sorted(frequent)), buckets, indicator)

    def _frequent(self, options: Options) -> list[str]:
        fewest = self._fewest(options)
        by_count = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return [level for level, count in by_count if count >= fewest and len(level) <= MAX_LEVEL_CHARACTERS][
            : options.levels
        ]

    def _fewest(self, options: Options) -> int:
        """Return the smallest number of rows of a level, or of a word, that the model names."""
        return min(options.min_count, (self.rows - self.missing) // 100)


def _such_as(values: Sequence[str]) -> str:
    """Return the first of some values, most frequent first, in brackets; nothing if there are none."""
    names = [v if len(v) <= MAX_EXAMPLE_CHARACTERS else f"{v[:MAX_EXAMPLE_CHARACTERS]}…" for v in values[:MAX_EXAMPLES]]
    if not names:
        return ""
    return f" ({'most frequent: ' if len(values) > MAX_EXAMPLES else ''}{', '.join(names)})"
