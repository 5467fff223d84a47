"""Dates and times: a trend in years, the season, the day of the week and the time of day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.data_error import DataError
from ridgeway.data.encoding import state as checked
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.encoding.encoding import Encoding, Learner, Options
from ridgeway.data.encoding.kernels import Codes, Values
from ridgeway.data.schema import is_string, kind_of

DAY = 86_400
YEAR = 365.2425  # days
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
THURSDAY = 3  # 1970-01-01
SEASON = ("year", "half-year")
CLOCK = ("day", "half-day", "third of a day")
TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def _waves(points: int, harmonics: int) -> NDArray[np.float64]:
    """Sines and cosines of the first harmonics at equidistant points of a period: (2 * harmonics, points)."""
    angle = 2 * np.pi * np.arange(points) / points
    return np.array([wave(k * angle) for k in range(1, harmonics + 1) for wave in (np.sin, np.cos)])


SEASON_WAVES = _waves(1461, len(SEASON))  # quarters of a day of a year
CLOCK_WAVES = _waves(1440, len(CLOCK))  # minutes of a day


@dataclass(frozen=True)
class TimeEncoding(Encoding):
    """Parts of a point in time that a linear model can use.

    A trend, in years since the beginning of the first year seen; sines and cosines of the time of year; a feature for
    each day of the week; sines and cosines of the time of day. Times with a zone are read off a clock in that zone.

    Attributes
    ----------
    origin : seconds since 1970 of the beginning of the first year; None for times of day without a date.
    mean : trend that stands for a missing value.
    clock : whether the time of day varies.
    zone : time zone; None for times without one.
    indicator : whether a feature says that the value is missing.
    """

    kind: ClassVar[str] = "time"
    origin: int | None
    mean: float
    clock: bool
    zone: str | None
    indicator: bool

    @property
    def names(self) -> list[str]:
        """Trend, season, days of the week, clock, indicator."""
        names: list[str] = []
        if self.origin is not None:
            year = 1970 + round(self.origin / (YEAR * DAY))
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

    def write(self, column: Any, first: int, codes: Codes, values: Values, place: str) -> None:
        """Write all parts; a missing time has the mean trend and nothing else."""
        seconds, missing = seconds_of(column, self.column, self.zone, self.origin is not None, place)
        slot = 0
        if self.origin is not None:
            trend = (seconds - self.origin) / (YEAR * DAY)
            codes[0], values[0] = first, np.where(missing, self.mean, trend)
            days = seconds // DAY
            quarters = ((seconds % round(YEAR * DAY)) * (SEASON_WAVES.shape[1] / (YEAR * DAY))).astype(np.intp)
            for slot, wave in enumerate(SEASON_WAVES, 1):
                codes[slot], values[slot] = first + slot, wave[quarters]
            slot += 1
            codes[slot], values[slot] = first + slot + (days + THURSDAY) % 7, 1
            first += len(WEEKDAYS) - 1
            slot += 1
        if self.clock:
            minutes = (seconds % DAY) // 60
            for wave in CLOCK_WAVES:
                codes[slot], values[slot] = first + slot, wave[minutes]
                slot += 1
        if missing.any():
            codes[1 if self.origin is not None else 0 : slot, missing] = -1
        if self.indicator:
            codes[slot], values[slot] = np.where(missing, first + slot, -1), 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "column": self.column,
            "said": self.said,
            "origin": self.origin,
            "mean": self.mean,
            "clock": self.clock,
            "zone": self.zone,
            "indicator": self.indicator,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> TimeEncoding:
        """Return the encoding of such values, or raise ValueError."""
        return cls(
            checked.text(state, "column"),
            checked.text(state, "said"),
            None if state.get("origin") is None else checked.whole(state, "origin", -(10**13), 10**13),
            checked.number(state, "mean"),
            checked.flag(state, "clock"),
            None if state.get("zone") is None else checked.text(state, "zone", 64),
            checked.flag(state, "indicator"),
        )


class TimeLearner(Learner):
    """Range of a column of times, and whether their time of day varies."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self._dated: bool | None = None
        self._zone: str | None = None
        self._clock = False
        self._least = self._most = 0
        self._sum = 0.0

    def look(self, column: Any, place: str) -> None:
        """Look at the range."""
        if self._dated is None:
            self._dated = not pa.types.is_time(column.type)
            self._zone = getattr(column.type, "tz", None)
        seconds, missing = seconds_of(column, self.column, self._zone, self._dated, place)
        present = seconds[~missing]
        if len(present):
            least, most = int(present.min()), int(present.max())
            if self.missing == self.rows:
                self._least, self._most = least, most
            self._least, self._most = min(self._least, least), max(self._most, most)
            self._clock = self._clock or bool((present % DAY != self._least % DAY).any())
            self._sum += float(present.sum(dtype=np.float64))
        self.rows += len(seconds)
        self.missing += int(missing.sum())

    def encoding(self, options: Options) -> Encoding:
        """Choose the parts."""
        present = self.rows - self.missing
        if present == 0:
            return Dropped.empty(self.column, self.rows)
        indicator = bool(self.missing) or options.indicator(self.column)
        if self._least == self._most and not indicator:
            return Dropped(self.column, f"dropped: every one of {self.rows:,} rows is the same time")
        parts = ["trend in years", "season", "day of the week"] if self._dated else []
        parts += ["time of day"] if self._clock else []
        said = ", ".join(parts) + (f" (clock of {self._zone})" if self._zone else "")
        said += f"; {self.missing:,} missing: an indicator" if indicator else ""
        origin = None
        if self._dated:
            year = np.datetime64(self._least, "s").astype("datetime64[Y]")
            origin = int(year.astype("datetime64[s]").astype(np.int64))
        mean = 0.0 if origin is None else (self._sum / present - origin) / (YEAR * DAY)
        return TimeEncoding(self.column, said, origin, mean, self._clock, self._zone, indicator)


def seconds_of(
    column: Any, name: str, zone: str | None, dated: bool, place: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return seconds since 1970 on the clock of the zone (or since midnight), and which rows are missing."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    missing = column.is_null().to_numpy(zero_copy_only=False)
    kind = column.type
    try:
        if is_string(kind):
            column = column.cast(pa.timestamp("us") if dated else pa.time64("us"))
            kind = column.type
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            column = pc.local_timestamp(column if zone is None else column.cast(pa.timestamp(kind.unit, zone)))
    except pa.ArrowInvalid as error:
        raise DataError(
            f"{place}: column {name!r} is not the time that it was when the model was fitted: {error}: expected dates and times "
            "such as 2013-01-31 or 2013-01-31T12:30:00; correct the value."
        ) from None
    if pa.types.is_null(kind):
        return np.zeros(len(column), dtype=np.int64), missing
    if kind_of(kind) != "time" or pa.types.is_time(kind) == dated:
        expected = "dates or times with a date" if dated else "times of day"
        raise DataError(
            f"{place}: column {name!r} is a {kind_of(kind)} ({kind}): expected {expected}, as when the model was fitted; convert it."
        )
    if pa.types.is_date32(kind):
        return _whole(column.cast(pa.int32())) * DAY, missing
    if pa.types.is_date64(kind):
        return _whole(column.cast(pa.int64())) // 1000, missing
    wide = column.cast(pa.int32()).cast(pa.int64()) if pa.types.is_time32(kind) else column.cast(pa.int64())
    return _whole(wide) // TICKS[kind.unit], missing


def _whole(column: Any) -> NDArray[np.int64]:
    return column.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]
