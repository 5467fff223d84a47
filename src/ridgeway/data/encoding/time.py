"""Dates and times: a trend in years, the season, the day of the week and the time of day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.encoding.encoding import Encoding, Learner, Options, column_of
from ridgeway.data.encoding.entries import Codes, Values
from ridgeway.data.encoding.seconds import seconds_of
from ridgeway.data.encoding.time_units import DAY_SECONDS, YEAR_SECONDS
from ridgeway.data.encoding.written_dates import ORDERS
from ridgeway.storage.state import Stored

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SEASON = ("year", "half-year")
CLOCK = ("day", "half-day", "third of a day")
THURSDAY = 3  # 1970-01-01, when Monday is 0


def _waves(points: int, harmonics: int) -> NDArray[np.float64]:
    """Sines and cosines of the first harmonics at equidistant points of a period: (2 * harmonics, points)."""
    angle = 2 * np.pi * np.arange(points) / points
    return np.array([wave(k * angle) for k in range(1, harmonics + 1) for wave in (np.sin, np.cos)])


SEASON_WAVES = _waves(1461, len(SEASON))  # about quarters of a day of a year
CLOCK_WAVES = _waves(1440, len(CLOCK))  # minutes of a day

MAX_ZONE_CHARACTERS = 64


@dataclass(frozen=True)
class TimeEncoding(Encoding):
    """Parts of a point in time that a linear model can use.

    A trend, in years since the beginning of the first year; sines and cosines of the time of year; a feature for each
    day of the week; sines and cosines of the time of day. Times with a zone are local times of that zone.

    Attributes
    ----------
    origin : seconds since 1970 of the beginning of the first year; None for times of day without a date.
    mean : trend of a missing value.
    clock : whether the time of day varies.
    zone : time zone; None for times without one.
    indicator : whether a feature marks missing values.
    order : of day, month and year in dates that are written as text, see `written_dates`; None for 2013-01-31.
    """

    kind: ClassVar[str] = "time"
    origin: int | None
    mean: float
    clock: bool
    zone: str | None
    indicator: bool
    order: str | None = None

    @property
    def names(self) -> list[str]:
        """Trend, season, days of the week, clock, indicator."""
        names: list[str] = []
        if self.origin is not None:
            year = 1970 + round(self.origin / YEAR_SECONDS)
            names.append(f"{self.column} (years since {year})")
            names += [f"{self.column} {period} {wave}" for period in SEASON for wave in ("sin", "cos")]
            names += [f"{self.column}={day}" for day in WEEKDAYS]
        if self.clock:
            names += [f"{self.column} {period} {wave}" for period in CLOCK for wave in ("sin", "cos")]
        return names + ([f"{self.column} (missing)"] if self.indicator else [])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names)

    @property
    def n_slots(self) -> int:
        """Trend, season, one day of the week, clock, indicator."""
        dated = 0 if self.origin is None else 2 + len(SEASON_WAVES)
        return dated + (len(CLOCK_WAVES) if self.clock else 0) + self.indicator

    def write(self, column: Any, first: int, codes: Codes, values: Values, source_name: str) -> None:
        """Write all parts; a missing time has only the mean trend."""
        seconds, missing = seconds_of(column, self.column, self.zone, self.origin is not None, source_name, self.order)
        slot = 0
        if self.origin is not None:
            slot = 2 + len(SEASON_WAVES)
            _write_date(seconds, self.origin, first, codes[:slot], values[:slot])
            first += 1 + len(SEASON_WAVES) + len(WEEKDAYS)
        if self.clock:
            end = slot + len(CLOCK_WAVES)
            _write_waves(seconds, DAY_SECONDS, CLOCK_WAVES, first, codes[slot:end], values[slot:end])
            slot = end
            first += len(CLOCK_WAVES)
        if missing.any():
            codes[1 if self.origin is not None else 0 : slot, missing] = -1
            if self.origin is not None:
                values[0, missing] = self.mean
        if self.indicator:
            codes[slot], values[slot] = np.where(missing, first, -1), 1

    @classmethod
    def from_state(cls, stored: Stored) -> TimeEncoding:
        """Return the encoding of a state."""
        return cls(
            *column_of(stored),
            stored.integer("origin", -(10**13), 10**13) if "origin" in stored else None,
            stored.number("mean"),
            stored.flag("clock"),
            stored.text("zone", max_characters=MAX_ZONE_CHARACTERS) if "zone" in stored else None,
            stored.flag("indicator"),
            stored.text("order", ORDERS) if "order" in stored else None,
        )


def _write_date(seconds: NDArray[np.int64], origin: int, first: int, codes: Codes, values: Values) -> None:
    """Write trend, season and day of the week of each time.

    Parameters
    ----------
    seconds : (n,), since 1970.
    origin : where the trend is 0.
    first : feature of the trend; those of the season follow, and then seven days of the week.
    codes, values : (season + 2, n), filled in.
    """
    codes[0], values[0] = first, (seconds - origin) / YEAR_SECONDS
    _write_waves(seconds, YEAR_SECONDS, SEASON_WAVES, first + 1, codes[1:-1], values[1:-1])
    codes[-1], values[-1] = first + len(codes) - 1 + _remainder(seconds // DAY_SECONDS + THURSDAY, len(WEEKDAYS)), 1


def _write_waves(
    seconds: NDArray[np.int64], period: int, waves: NDArray[np.float64], first: int, codes: Codes, values: Values
) -> None:
    """Write waves (w, points) of a period at each time into codes and values (w, n), features from `first` on."""
    n_waves, points = waves.shape
    codes[:] = np.arange(first, first + n_waves)[:, None]
    point = _remainder(seconds, period) * points // period
    np.take(waves.astype(values.dtype), point, axis=1, out=values, mode="clip")  # a mode without a copy of `values`


def _remainder(numbers: NDArray[np.int64], period: int) -> NDArray[np.int64]:
    """Return numbers modulo a period, three times as fast as NumPy's remainder."""
    return numbers - numbers // period * period


class TimeLearner(Learner):
    """Learn the range of a column of times, and whether the time of day varies.

    Parameters
    ----------
    column : name of the column.
    order : of day, month and year in dates that are written as text; None for 2013-01-31.
    """

    def __init__(self, column: str, order: str | None = None) -> None:
        super().__init__(column)
        self._order = order
        self._dated: bool | None = None
        self._zone: str | None = None
        self._clock = False
        self._least = self._most = 0
        self._sum = 0.0

    def learn(self, column: Any, source_name: str) -> None:
        """Learn from more rows."""
        if self._dated is None:
            self._dated = not pa.types.is_time(column.type)
            self._zone = getattr(column.type, "tz", None)
        self.add(*seconds_of(column, self.column, self._zone, self._dated, source_name, self._order))

    def add(self, seconds: NDArray[np.int64], missing: NDArray[np.bool_]) -> None:
        """Learn from more times, (rows,), of which some are missing."""
        self._dated = self._dated is not False
        present = seconds[~missing]
        if len(present):
            least, most = int(present.min()), int(present.max())
            if self.missing == self.rows:
                self._least, self._most = least, most
            self._least, self._most = min(self._least, least), max(self._most, most)
            self._clock = self._clock or bool((present % DAY_SECONDS != self._least % DAY_SECONDS).any())
            self._sum += float(present.sum(dtype=np.float64))
        self.rows += len(seconds)
        self.missing += int(missing.sum())

    def encoding(self, options: Options) -> Encoding:
        """Return the encoding."""
        present = self.rows - self.missing
        if present == 0:
            return Dropped.empty(self.column, self.rows)
        indicator = bool(self.missing) or options.indicators
        if self._least == self._most and not indicator:
            return Dropped.constant(self.column, self.rows, "the same time")
        parts = ["trend in years", "season", "day of the week"] if self._dated else []
        parts += ["time of day"] if self._clock else []
        note = ", ".join(parts) + (f" (clock of {self._zone})" if self._zone else "")
        note += f"; written {self._order}" if self._order else ""
        note += f"; {self.missing_share}: an indicator" if indicator else ""
        origin = None
        if self._dated:
            year = np.datetime64(self._least, "s").astype("datetime64[Y]")
            origin = int(year.astype("datetime64[s]").astype(np.int64))
        mean = 0.0 if origin is None else (self._sum / present - origin) / YEAR_SECONDS
        return TimeEncoding(self.column, note, origin, mean, self._clock, self._zone, indicator, self._order)
