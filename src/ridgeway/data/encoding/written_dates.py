"""Dates written as text, such as 16/12/2006 17:24: their numbers, and the order of day, month and year."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.encoding.time_units import DAY_SECONDS

# First, second and third number of a date; two digits of a year only between slashes, as 1.12.06 may be a version.
SHAPE = (
    r"^\s*(?:(?P<a>\d{1,2}|\d{4})(?P<sep>[/.-])(?P<b>\d{1,2})(?P<sep2>[/.-])(?P<c>\d{1,2}|\d{4}))"
    r"(?:[ T]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?\s*(?P<half>[AaPp][Mm])?)?\s*$"
)
ORDERS = {  # the places of year, month and day
    "month-first": (2, 0, 1),
    "day-first": (2, 1, 0),
    "year-first": (0, 1, 2),
}
EXAMPLES = {"month-first": "12/31/2006", "day-first": "31/12/2006", "year-first": "2006/12/31"}
CENTURY_FROM = 69  # 69 to 99 are of the 20th century, 0 to 68 of the 21st, as in POSIX


@dataclass(frozen=True, eq=False)
class DateParts:
    """The numbers of dates, before their order is known.

    Attributes
    ----------
    numbers : (3, values), in the order written; -1 if the value is not a date.
    digits : (3, values), number of digits of each.
    seconds : (values,), since midnight; -1 if the time of day is not valid.
    """

    numbers: NDArray[np.int64]
    digits: NDArray[np.int64]
    seconds: NDArray[np.int64]

    def in_order(self, order: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return seconds since 1970, and which values are not dates in this order."""
        places = ORDERS[order]
        year, month, day = (self.numbers[place] for place in places)
        year_digits = self.digits[places[0]]
        bad = (self.numbers < 0).any(axis=0) | (self.seconds < 0) | (month < 1) | (month > 12) | (day < 1)
        bad |= (year_digits != 4) & ((year_digits != 2) | (places[0] == 0))
        bad |= (self.digits[places[1]] > 2) | (self.digits[places[2]] > 2) | (year < 1) & (year_digits == 4)
        year = np.where(year_digits == 2, year + np.where(year < CENTURY_FROM, 2000, 1900), year)
        months = np.where(bad, 0, 12 * (year - 1970) + month - 1).astype("datetime64[M]")
        bad |= day > ((months + 1).astype("datetime64[D]") - months.astype("datetime64[D]")).astype(np.int64)
        days = months.astype("datetime64[D]").astype(np.int64) + np.where(bad, 0, day - 1)
        return np.where(bad, 0, days * DAY_SECONDS + self.seconds), bad


def date_parts_of(strings: Any) -> DateParts:
    """Parse the numbers of dates; missing values are not dates."""
    found = pc.extract_regex(strings.cast(pa.string()), SHAPE)
    fields = {name: pc.struct_field(found, name) for name in ("a", "sep", "b", "sep2", "c")}
    clock = {name: pc.struct_field(found, name) for name in ("hour", "minute", "second", "half")}
    dates = [fields["a"], fields["b"], fields["c"]]
    numbers = np.array([_whole(part, -1) for part in dates])
    digits = np.array([pc.utf8_length(part).fill_null(0).to_numpy(zero_copy_only=False) for part in dates], np.int64)
    slashes = pc.equal(fields["sep"], "/").fill_null(False).to_numpy(zero_copy_only=False)
    alike = pc.equal(fields["sep"], fields["sep2"]).fill_null(False).to_numpy(zero_copy_only=False)
    short = (digits != 4).all(axis=0)
    numbers[:, ~alike | (short & ~slashes)] = -1
    return DateParts(numbers, digits, _seconds(clock))


def _seconds(clock: dict[str, Any]) -> NDArray[np.int64]:
    """Return seconds since midnight; 0 without a time of day, -1 if it is not valid."""
    hour, minute, second = (_whole(clock[name], 0) for name in ("hour", "minute", "second"))
    half = pc.utf8_lower(clock["half"]).fill_null("").to_numpy(zero_copy_only=False)
    halved = half != ""
    hour_of_half = hour % 12 + np.where(half == "pm", 12, 0)
    bad = (minute > 59) | (second > 59) | np.where(halved, (hour < 1) | (hour > 12), hour > 23)
    return np.where(bad, -1, 3600 * np.where(halved, hour_of_half, hour) + 60 * minute + second)


def _whole(strings: Any, default: int) -> NDArray[np.int64]:
    filled = pc.if_else(pc.equal(pc.utf8_length(strings), 0), pa.scalar(None, pa.string()), strings)
    whole: NDArray[np.int64] = filled.cast(pa.int64()).fill_null(default).to_numpy(zero_copy_only=False)
    return whole
