"""Numbers and booleans: the value, or the mean if it is missing, and an indicator of missing values."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ridgeway.data.data_error import DataError
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.encoding.encoding import Encoding, Learner, Options, column_of
from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.encoding.identifiers import DistinctIntegers
from ridgeway.data.encoding.marked_numbers import MARKS, marked_numbers
from ridgeway.data.numbers import as_numbers
from ridgeway.data.remedy import drop_remedy, kind_remedy
from ridgeway.storage.state import State, Stored

MAX_ENCODED_NUMBER = {np.dtype(np.float32): 1e38, np.dtype(np.float64): 1e100}

# Usual names of a column of row numbers, and the number of rows from which such a column is recognized.
ROW_NUMBER_NAMES = frozenset(("rownames", "rowname", "row.names", "row_names", "row", "index", "id", "unnamed: 0"))
MIN_COUNTED_ROWS = 20


@dataclass(frozen=True)
class NumberEncoding(Encoding):
    """A number; missing values are replaced by the mean of the column.

    Attributes
    ----------
    mean : replacement of a missing value.
    indicator : whether a second feature marks missing values.
    mark : the currency or percent sign of numbers that are written as text; "" for other numbers.
    """

    kind: ClassVar[str] = "number"
    mean: float
    indicator: bool
    mark: str = ""

    @property
    def names(self) -> list[str]:
        """The column's name, and that of the indicator."""
        return [self.column, f"{self.column} (missing)"] if self.indicator else [self.column]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return 2 if self.indicator else 1

    @property
    def n_slots(self) -> int:
        """One, or two with the indicator."""
        return 2 if self.indicator else 1

    @property
    def n_entries(self) -> float:
        """One: missing values are few."""
        return 1.0

    def write(self, column: Any, first: int, codes: Codes, values: Values, source_name: str) -> None:
        """Write value and indicator."""
        if self.mark:
            numbers = marked_numbers(column, self.mark, self.column, source_name)
        else:
            numbers = as_numbers(column, self.column, source_name)
        missing = np.isnan(numbers)
        some = bool(missing.any())
        if some:
            numbers = np.where(missing, self.mean, numbers)
        require_finite(numbers, self.column, values.dtype, source_name)
        codes[0] = first
        values[0] = numbers
        if self.indicator:
            codes[1] = np.where(missing, first + 1, -1) if some else -1
            values[1] = 1

    def state(self) -> State:
        """Return the fields, as plain values for JSON; numbers without a sign are stored as before there were signs."""
        values = super().state()
        return values if self.mark else {name: value for name, value in values.items() if name != "mark"}

    @classmethod
    def from_state(cls, stored: Stored) -> NumberEncoding:
        """Return the encoding of a state."""
        return cls(
            *column_of(stored),
            stored.number("mean"),
            stored.flag("indicator"),
            stored.text("mark", MARKS) if "mark" in stored else "",
        )


class BooleanEncoding(NumberEncoding):
    """A truth value as 0 or 1; missing values are replaced by the share of true values."""

    kind: ClassVar[str] = "boolean"


class NumberLearner(Learner):
    """Mean, range and missing values of a column of numbers or booleans.

    Parameters
    ----------
    column : name of the column.
    boolean : whether it holds booleans.
    given : whether the user gave the kind of the column.
    """

    def __init__(self, column: str, boolean: bool = False, given: bool = False) -> None:
        super().__init__(column)
        self.boolean = boolean
        self.mark = ""  # the sign of numbers that are written as text
        self._counts_rows = not given and column.casefold().strip() in ROW_NUMBER_NAMES  # as far as is known
        self._last = -np.inf
        self._identifiers = None if given or boolean else DistinctIntegers(column)
        self._sum = self._squares = self._shift = 0.0
        self._least, self._most = np.inf, -np.inf

    def copy(self) -> Self:
        """Return an independent copy."""
        other = super().copy()
        other._identifiers = copy(self._identifiers)
        return other

    def learn(self, column: Any, source_name: str) -> None:
        """Update the sums."""
        numbers = as_numbers(column, self.column, source_name)
        present = numbers[~np.isnan(numbers)]
        self.rows += len(numbers)
        self.missing += len(numbers) - len(present)
        if len(present):
            require_finite(present, self.column, np.dtype(np.float64), source_name)
            if self.missing == self.rows - len(present):
                self._shift = float(present[0])  # sums of differences keep all digits if the values are far from 0
            difference = present - self._shift
            self._sum += float(difference.sum())
            self._squares += float(difference @ difference)
            if self._identifiers is not None:
                self._identifiers.learn(present, len(numbers))
            if self._counts_rows:
                steps = np.diff(present, prepend=self._last)
                self._counts_rows = bool(
                    (steps > 0).all() and (present == np.trunc(present)).all() and not self.missing
                )
                self._last = float(present[-1])
            self._least, self._most = min(self._least, float(present.min())), max(self._most, float(present.max()))

    @property
    def needs_double(self) -> bool:
        """Whether float32 rounds by more than a thousandth of the column's standard deviation."""
        present = self.rows - self.missing
        largest = max(abs(self._least), abs(self._most))
        if present < 2 or self._least == self._most:
            return False
        variance = max(self._squares - self._sum**2 / present, 0.0) / present
        return bool(largest > 1e30 or largest * 2.0**-24 > 1e-3 * variance**0.5)

    @property
    def doubt(self) -> str | None:
        """The warning that a column looks like the number of its row, or like another identifier."""
        if not self._counts_rows or self.rows < MIN_COUNTED_ROWS:
            return self._identifier_doubt
        return (
            f"column {self.column!r} seems to number the rows ({self._least:g} to {self._most:g}, increasing), and is "
            f"read as a feature: leave it out with {drop_remedy(self.column)}, or confirm it with "
            f"{kind_remedy(self.column, 'number')}."
        )

    @property
    def _identifier_doubt(self) -> str | None:
        found = None if self._identifiers is None or self.missing else self._identifiers.found
        if found is None:
            return None
        return (
            f"column {self.column!r} seems to {found} ({self.rows:,} different whole numbers), and is read as a "
            f"feature: leave it out with {drop_remedy(self.column)}, or confirm it with "
            f"{kind_remedy(self.column, 'number')}."
        )

    def encoding(self, options: Options) -> Encoding:
        """Return the encoding; a constant column is dropped."""
        present = self.rows - self.missing
        if present == 0:
            return Dropped.empty(self.column, self.rows)
        indicator = bool(self.missing) or options.indicators
        if self._least == self._most and not indicator:
            value = bool(self._least) if self.boolean else f"{self._least:g}"
            return Dropped.constant(self.column, self.rows, str(value))
        mean = self._shift + self._sum / present
        note = "as 0 and 1" if self.boolean else f"the number before or after {self.mark}" if self.mark else "as it is"
        if indicator:
            note += f"; {self.missing_share}: the mean {mean:.6g} and an indicator"
        kind = BooleanEncoding if self.boolean else NumberEncoding
        return kind(self.column, note, float(np.clip(mean, self._least, self._most)), indicator, self.mark)


def require_finite(numbers: Any, name: str, dtype: Any, source_name: str) -> None:
    """Raise an error for infinity and for numbers beyond the precision."""
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise DataError(
            f"{source_name}: column {name!r} holds {numbers[row]} (row {row + 1:,} of the batch): expected finite "
            "numbers; replace it, or leave it empty for a missing value."
        )
    most = MAX_ENCODED_NUMBER[np.dtype(dtype)]
    largest = np.abs(numbers).max(initial=0)
    if largest > most:
        remedy = ", or encode with dtype='float64'" if dtype == np.float32 else ""
        raise DataError(
            f"{source_name}: column {name!r} holds {largest:g}: expected numbers up to {most:g}; correct the "
            f"value{remedy}."
        )
