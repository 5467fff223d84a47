"""Laws of the embedded flights data."""

from __future__ import annotations

import importlib.util
import zipfile
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from ridgeway.datasets import Flights, load_flights

CATEGORIES = {"month": 12, "weekday": 7, "sched_hour": 19, "carrier": 16, "origin": 3, "dest": 104}
SCRIPT = Path(__file__).parents[2] / "scripts" / "make_flights.py"
STORED = files("ridgeway.datasets").joinpath("flights.npz")


@pytest.fixture(scope="module")
def flights() -> Flights:
    return load_flights()


def column(flights: Flights, name: str) -> np.ndarray[tuple[int], np.dtype[np.floating]]:
    return flights.X[:, flights.feature_names.index(name)]


# Law: one row a flight, one name a column, all finite, contiguous by rows.
def test_shape(flights: Flights) -> None:
    n_flights, n_features = flights.X.shape
    assert n_flights == 327_346
    assert flights.y.shape == (n_flights,)
    assert len(flights.feature_names) == len(set(flights.feature_names)) == n_features
    assert flights.X.flags.c_contiguous
    assert flights.X.dtype == flights.y.dtype == np.float32
    assert np.isfinite(flights.X).all()
    assert np.isfinite(flights.y).all()


# Law: a flight has exactly one level of each category, and every level has a flight.
@pytest.mark.parametrize(("category", "n_levels"), CATEGORIES.items())
def test_dummies_sum_to_one(flights: Flights, category: str, n_levels: int) -> None:
    of_category = [name.startswith(f"{category}=") for name in flights.feature_names]
    dummies = flights.X[:, of_category]
    assert dummies.shape[1] == n_levels
    assert np.isin(dummies, (0, 1)).all()
    np.testing.assert_array_equal(dummies.sum(axis=1), 1)
    assert dummies.any(axis=0).all()


# Law: the columns are the categories and these numbers, each within what its unit allows, none constant.
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("day_of_month", 1, 31),
        ("sched_minute", 0, 59),
        ("sched_arr", 0, 1439),
        ("distance", 80, 4983),
        ("plane_year", 1956, 2013),
        ("plane_seats", 2, 450),
        ("temp", 10, 101),
        ("dewp", -10, 79),
        ("humid", 12, 100),
        ("wind_speed", 0, 50),
        ("wind_gust", 0, 70),
        ("precip", 0, 1.3),
        ("pressure", 983, 1043),
        ("visib", 0, 10),
    ],
)
def test_numbers_are_in_range(flights: Flights, name: str, low: float, high: float) -> None:
    values = column(flights, name)
    assert low <= values.min() < values.max() <= high


# Law: nothing else is a column; in particular nothing that is known only after departure.
def test_every_column_is_a_category_or_a_number(flights: Flights) -> None:
    numbers = [name for name in flights.feature_names if "=" not in name]
    assert len(numbers) == 14
    assert len(flights.feature_names) == sum(CATEGORIES.values()) + len(numbers)
    assert not {"dep_delay", "dep_time", "arr_time", "air_time"} & set(numbers)


# Law: the delays are the source's: whole minutes, from 86 early to 1272 late, 6.9 on average.
def test_target(flights: Flights) -> None:
    assert flights.y.min() == -86
    assert flights.y.max() == 1272
    assert flights.y.mean(dtype=np.float64) == pytest.approx(6.895377, abs=1e-6)
    np.testing.assert_array_equal(flights.y, np.rint(flights.y))


# Law: rows are ordered by scheduled departure.
def test_time_order(flights: Flights) -> None:
    month = sum(number * column(flights, f"month={number}") for number in range(1, 13))
    hour = sum(number * column(flights, f"sched_hour={number}") for number in range(5, 24))
    day = month * 31 + column(flights, "day_of_month")
    minute = (day.astype(np.int64) * 24 + hour) * 60 + column(flights, "sched_minute")
    assert (np.diff(minute) >= 0).all()


# Law: the calendar agrees with itself: weekdays follow one another and 2013 began on a Tuesday.
def test_weekdays(flights: Flights) -> None:
    weekday = np.array([name.removeprefix("weekday=") for name in flights.feature_names if name.startswith("weekday=")])
    start = flights.feature_names.index("weekday=Mon")
    first_of_day = np.flatnonzero(np.diff(column(flights, "day_of_month"), prepend=0))
    seen = flights.X[first_of_day, start : start + 7].argmax(axis=1)
    assert len(first_of_day) == 365
    assert weekday[seen[0]] == "Tue"
    np.testing.assert_array_equal(np.diff(seen) % 7, 1)


# Law: loading is deterministic, and each call gives arrays of its own.
def test_load_twice(flights: Flights) -> None:
    again = load_flights()
    np.testing.assert_array_equal(again.X, flights.X)
    np.testing.assert_array_equal(again.y, flights.y)
    assert again.feature_names == flights.feature_names
    assert not np.shares_memory(again.X, flights.X)


# Law: float32 is the rounding of float64.
def test_float64(flights: Flights) -> None:
    double = load_flights(dtype=np.float64)
    assert double.X.dtype == double.y.dtype == np.float64
    assert double.X.flags.c_contiguous
    np.testing.assert_array_equal(double.X.astype(np.float32), flights.X)
    np.testing.assert_array_equal(double.y.astype(np.float32), flights.y)


def test_other_dtypes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"dtype=int16 .* expected float32 or float64"):
        load_flights(dtype=np.int16)


# Law: the file is small, holds plain arrays without pickles, and carries no date of its making.
def test_file() -> None:
    with STORED.open("rb") as file:
        assert len(file.read()) <= 4_000_000
    with STORED.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        assert all(stored[name].dtype.kind in "iufU" for name in stored.files)
    with STORED.open("rb") as file, zipfile.ZipFile(file) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


# Law: the script makes the embedded arrays from the source.
@pytest.mark.filterwarnings("ignore")  # the source package's own
def test_script_makes_the_file() -> None:
    spec = importlib.util.spec_from_file_location("make_flights", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = script.make_flights()
    with STORED.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        assert sorted(made) == sorted(stored.files)
        for name, array in made.items():
            assert array.dtype == stored[name].dtype, name
            np.testing.assert_array_equal(array, stored[name], err_msg=name)
