"""`TableLearner`: learns the encodings of all columns of a table, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from ridgeway.data.encoding.encoding import Encoding, Learner, Options
from ridgeway.data.encoding.learning import learner_of
from ridgeway.data.schema import kind_of, no_column, require_columns, require_distinct

# Features of a text with words="auto": the first number, and up to the second one if it is the only column. Words alone
# are rows of one length, which keep their scales. Beside other columns, words are divided by their largest values. With
# more features the largest values of rare words are then so small that new rows can be far larger.
MIN_WORDS, MAX_WORDS_ALONE = 1024, 16384


class TableLearner:
    """The learners of the columns of the first batch, in its order.

    Parameters
    ----------
    kinds : kinds of columns that the user gave, by name.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds = dict(kinds)
        self._learners: dict[str, Learner] = {}

    def copy(self) -> Self:
        """Return an independent copy."""
        other = type(self)(self._kinds)
        other._learners = {name: learner.copy() for name, learner in self._learners.items()}
        return other

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._learners)

    def learn(self, batch: Any, source_name: str) -> None:
        """Learn from the rows of a batch; a refused one may leave some columns with its rows."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        if not self._learners:
            require_distinct(batch.schema.names, source_name)
            require_columns(self._kinds, columns, f"kinds: {source_name}")
            self._learners = {name: self._new(name, column.type) for name, column in columns.items()}
        for name, learner in self._learners.items():
            if name not in columns:
                raise no_column(name, columns, source_name)
            column = columns[name]
            if learner.rows == learner.missing and kind_of(column.type) != "empty":
                self._learners[name] = self._new(name, column.type, learner.rows)
            self._learners[name].learn(column, source_name)

    def _new(self, name: str, arrow_type: Any, missing: int = 0) -> Learner:
        """Return the learner of a column of which so many values were missing."""
        learner = learner_of(name, arrow_type, self._kinds.get(name))
        learner.rows = learner.missing = missing
        return learner

    @property
    def doubts(self) -> list[str]:
        """Warnings about choices that the rows do not determine."""
        return [learner.doubt for learner in self._learners.values() if learner.doubt is not None]

    @property
    def needs_double(self) -> bool:
        """Whether float32 loses too many digits of some column."""
        return any(learner.needs_double for learner in self._learners.values())

    def encodings(self, options: Options, words_alone: bool) -> list[Encoding]:
        """Return the encodings that the rows so far suggest.

        Parameters
        ----------
        options : of the encoder.
        words_alone : whether a text has more features for its words if it is the only column with features.
        """
        learners = list(self._learners.values())
        found = [learner.encoding(options) for learner in learners]
        if words_alone and [encoding.kind for encoding in found if encoding.n_features] == ["text"]:
            found = [learner.encoding(replace(options, max_words=MAX_WORDS_ALONE)) for learner in learners]
        return found
