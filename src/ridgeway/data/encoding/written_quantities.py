"""Numbers with units, months, and amounts beside texts: strings that are read as text, but hold quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pc
from ridgeway.data.remedy import kind_remedy

MIN_QUANTITY_SHARE = 0.9  # of the values, from which strings are taken for quantities
MIN_DISTINCT_QUANTITIES = 10  # fewer may be codes
MAX_UNITS = 3  # more may be parts of codes, as in 12A


@dataclass(frozen=True)
class _Form:
    """A way to write quantities: its name, its shape, and what to do."""

    name: str
    shape: str
    remedy: str


FORMS = (
    _Form(
        "numbers with a unit",
        r"^\s*[-+]?\d+(?:[.,]\d+)*\s*(?P<unit>[A-Za-z]{1,8})\.?\s*$",
        "expected plain numbers; write them in one unit, without its name",
    ),
    _Form(
        "months",
        r"^\s*(?P<unit>)\d{4}-(?:0[1-9]|1[0-2])\s*$",
        "expected dates; write the first day of each, such as 2018-03-01",
    ),
    _Form(
        "amounts or percentages",
        r"^\s*(?P<unit>)-?\s*(?:[$€£¥]\s*-?[\d.,]*\d|\d[\d.,]*\s*[$€£¥%])\s*$",
        "expected the same sign in all rows, or plain numbers; correct the other values",
    ),
)


class WrittenQuantities:
    """Count the strings of each form.

    Parameters
    ----------
    column : name of the column.
    """

    def __init__(self, column: str) -> None:
        self.column = column
        self._values = 0
        self._counts = [0] * len(FORMS)
        self._units: list[frozenset[str]] = [frozenset()] * len(FORMS)
        self._examples: list[frozenset[str]] = [frozenset()] * len(FORMS)  # a few distinct values of each

    def copy(self) -> WrittenQuantities:
        """Return an independent copy."""
        other = WrittenQuantities(self.column)
        other._values, other._counts = self._values, list(self._counts)
        other._units, other._examples = list(self._units), list(self._examples)
        return other

    def learn(self, levels: Any, counts: NDArray[np.int64]) -> None:
        """Count more strings: `levels`, each of which comes `counts` times."""
        self._values += int(counts.sum())
        for place, form in enumerate(FORMS):
            if self._counts[place] < (1 - 2 * (1 - MIN_QUANTITY_SHARE)) * (self._values - int(counts.sum())):
                continue  # too few so far
            found = pc.extract_regex(levels, form.shape)
            matching = found.is_valid().to_numpy(zero_copy_only=False) & (counts > 0)
            self._counts[place] += int(counts[matching].sum())
            if matching.any():
                units = pc.struct_field(found, "unit").filter(matching).unique().slice(0, MAX_UNITS + 1)
                self._units[place] |= frozenset(units.to_pylist())
                if len(self._examples[place]) < MIN_DISTINCT_QUANTITIES:
                    shown = levels.filter(matching).slice(0, MIN_DISTINCT_QUANTITIES).to_pylist()
                    self._examples[place] |= frozenset(shown)

    @property
    def doubt(self) -> str | None:
        """The warning that quantities are read as text; None if the strings are no quantities."""
        for place, form in enumerate(FORMS):
            examples = self._examples[place]
            if self._counts[place] < MIN_QUANTITY_SHARE * self._values or len(examples) < MIN_DISTINCT_QUANTITIES:
                continue
            if len(self._units[place]) <= MAX_UNITS:
                shown = ", ".join(map(repr, sorted(examples)[:2]))
                return (
                    f"column {self.column!r}: values such as {shown} look like {form.name}, and are read as text: "
                    f"{form.remedy}, or confirm the text with {kind_remedy(self.column, 'category')}."
                )
        return None
