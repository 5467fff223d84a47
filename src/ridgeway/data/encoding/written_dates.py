"""Dates written as text, such as 16/12/2006 17:24 or 16-Dec-2006: their numbers, and the order of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.encoding.time_units import DAY_SECONDS

CLOCK_SHAPE = (
    r"(?:,?[ T]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?\s*(?P<half>[AaPp][Mm])?)?\s*$"
)
# First, second and third number of a date; two digits of a year only between slashes, as 1.12.06 may be a version.
SHAPE = r"^\s*(?:(?P<a>\d{1,2}|\d{4})(?P<sep>[/.-])(?P<b>\d{1,2})(?P<sep2>[/.-])(?P<c>\d{1,2}|\d{4}))" + CLOCK_SHAPE
# Dates with the English name of the month, in each order; "Mar-2018" is the first of March.
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<month>[A-Za-z]{3,9})", r"(?P<year>\d{4})"
NAMED_SHAPES = (
    ("day-first", rf"^\s*{_DAY}[ ./-]{{0,2}}{_MONTH}[.,]{{0,2}}[ /-]?{_YEAR}{CLOCK_SHAPE}"),
    ("day-first", rf"^\s*{_DAY}[ /-]{_MONTH}[ /-](?P<year>\d{{2}}){CLOCK_SHAPE}"),
    ("month-first", rf"^\s*{_MONTH}[.]?[ ./-]{_DAY}(?:, ?|[ /-]){_YEAR}{CLOCK_SHAPE}"),
    ("year-first", rf"^\s*{_YEAR}[ ./-]?{_MONTH}[.]?[ ./-]?{_DAY}{CLOCK_SHAPE}"),
    ("month-first", rf"^\s*{_MONTH}[.,]{{0,2}}[ /-](?P<day>){_YEAR}\s*$"),
)
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
MONTH_NUMBERS = {spelling: n for n, name in enumerate(MONTHS, 1) for spelling in (name, name[:3])} | {"sept": 9}
NAMED_MONTH = 100  # added to the number of a month that is written by name, which is neither a day nor a year
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
        month = np.where(month > NAMED_MONTH, month - NAMED_MONTH, month)
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
    strings = strings.cast(pa.string())
    found = pc.extract_regex(strings, SHAPE)
    fields = {name: pc.struct_field(found, name) for name in ("a", "sep", "b", "sep2", "c")}
    dates = [fields["a"], fields["b"], fields["c"]]
    numbers = np.array([_whole(part, -1) for part in dates])
    digits = np.array([pc.utf8_length(part).fill_null(0).to_numpy(zero_copy_only=False) for part in dates], np.int64)
    slashes = pc.equal(fields["sep"], "/").fill_null(False).to_numpy(zero_copy_only=False)
    alike = pc.equal(fields["sep"], fields["sep2"]).fill_null(False).to_numpy(zero_copy_only=False)
    short = (digits != 4).all(axis=0)
    numbers[:, ~alike | (short & ~slashes)] = -1
    parts = DateParts(numbers, digits, _seconds(found))
    if (numbers < 0).any():
        for order, shape in NAMED_SHAPES:
            _read_named(strings, order, shape, parts)
    return parts


def _read_named(strings: Any, order: str, shape: str, parts: DateParts) -> None:
    """Fill in the parts of dates of this shape, which name the month."""
    found = pc.extract_regex(strings, shape)
    places = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
    if len(places) == 0:
        return
    found = found.take(pa.array(places))
    names = pc.utf8_lower(pc.struct_field(found, "month")).to_pylist()
    months = np.array([MONTH_NUMBERS.get(name, -1 - NAMED_MONTH) + NAMED_MONTH for name in names])
    years, days = pc.struct_field(found, "year"), _whole(pc.struct_field(found, "day"), 1)
    by_place = dict(
        zip(ORDERS[order], ((_whole(years, -1), pc.utf8_length(years)), (months, 2), (days, 2)), strict=True)
    )
    for place, (values, n_digits) in by_place.items():
        parts.numbers[place, places], parts.digits[place, places] = values, n_digits
    if "hour" in shape:
        parts.seconds[places] = _seconds(found)
    parts.numbers[:, places[months < 0]] = -1


def _seconds(found: Any) -> NDArray[np.int64]:
    """Return seconds since midnight of the groups of `CLOCK_SHAPE`; 0 without a time of day, -1 if it is not valid."""
    clock = {name: pc.struct_field(found, name) for name in ("hour", "minute", "second", "half")}
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
