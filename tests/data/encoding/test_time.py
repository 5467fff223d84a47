"""Dates and times against the calendar of Python."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.data import DataError, TableEncoder

NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def features(encoder: TableEncoder, column: Any) -> list[dict[str, float]]:
    """Features of each row by name."""
    X = encoder.transform(pa.table({"t": column}))
    return [dict(zip(encoder.get_feature_names_out(), row.tolist(), strict=True)) for row in X]


# Law: trend, season, day of the week and clock are those of the calendar.
@settings(deadline=None)
@given(st.lists(st.datetimes(datetime(1890, 1, 1), datetime(2090, 1, 1)), min_size=2, max_size=6, unique=True))
def test_parts(moments: list[datetime]) -> None:
    moments = [moment.replace(microsecond=0) for moment in moments]
    column = pa.array(moments, pa.timestamp("us"))
    encoder = TableEncoder(dtype="float64").fit(pa.table({"t": column}))
    if encoder.describe().table[0].kind == "dropped":
        return
    first = min(moments).year
    for moment, row in zip(moments, features(encoder, column), strict=True):
        years = (moment - datetime(first, 1, 1)) / timedelta(days=365.2425)
        assert math.isclose(row[f"t (years since {first})"], years, abs_tol=1e-9)
        assert [day for day in NAMES if row[f"t={day}"]] == [NAMES[moment.weekday()]]
        turn = (moment - datetime(1970, 1, 1)) / timedelta(days=365.2425)
        assert math.isclose(row["t year sin"], math.sin(2 * math.pi * turn), abs_tol=0.005)
        assert math.isclose(row["t half-year cos"], math.cos(4 * math.pi * turn), abs_tol=0.01)
        if "t day sin" in row:
            angle = 2 * math.pi * (moment.hour * 60 + moment.minute) / 1440
            assert math.isclose(row["t day sin"], math.sin(angle), abs_tol=1e-9)
            assert math.isclose(row["t third of a day cos"], math.cos(3 * angle), abs_tol=1e-9)


# Law: the same moments give the same features in every unit, as dates, as instants of a zone and as strings.
def test_units_and_zones() -> None:
    moments = [datetime(2013, 7, 4, 12, 30), datetime(2014, 1, 1, 0, 0), None]
    plain = pa.array(moments, pa.timestamp("s"))
    encoder = TableEncoder().fit(pa.table({"t": plain}))
    expected = features(encoder, plain)
    assert expected[2]["t (missing)"] == 1
    assert expected[0]["t (missing)"] == 0
    assert expected[2]["t day cos"] == 0
    assert expected[2]["t (years since 2013)"] == pytest.approx((0.505 + 1) / 2, abs=0.01)
    for unit in ("ms", "us", "ns"):
        assert features(encoder, plain.cast(pa.timestamp(unit))) == expected
    assert features(encoder, plain.cast(pa.string())) == expected
    zone = ZoneInfo("America/New_York")
    local = [None if moment is None else moment.replace(tzinfo=zone) for moment in moments]
    assert features(encoder, pa.array(local, pa.timestamp("us", "America/New_York"))) == expected
    zoned = TableEncoder().fit(pa.table({"t": pa.array(local, pa.timestamp("us", "America/New_York"))}))
    instants = [None if moment is None else moment.astimezone(UTC) for moment in local]
    assert features(zoned, pa.array(instants, pa.timestamp("ms", "UTC"))) == expected
    assert features(zoned, pa.array(["2013-07-04T16:30:00Z", "2014-01-01T05:00:00Z", None])) == expected
    assert "clock of America/New_York" in zoned.describe().table[0].done


def test_dates_have_no_clock_and_times_no_date() -> None:
    days = pa.array([date(2013, 1, 1), date(2013, 1, 5)])
    for column in (days, days.cast(pa.date64())):
        encoder = TableEncoder().fit(pa.table({"t": column}))
        assert encoder.n_features_out_ == 12
        assert features(encoder, days) == features(encoder, days.cast(pa.timestamp("ns")))
    clock = pa.array([time(6, 0), time(18, 0), None])
    for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        encoder = TableEncoder().fit(pa.table({"t": clock.cast(kind)}))
        rows = features(encoder, clock)
        np.testing.assert_allclose([row["t day sin"] for row in rows], [1, -1, 0], atol=1e-6)


# Law: what is no time, or none that a calendar knows, is refused by name.
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            pa.array(["soon"]),
            r"shop.csv: column 't' does not hold.*soon.*expected dates.*"
            r"t=day-first \(in Python: kinds={'t': 'day-first'}\)",
        ),
        (pa.array([1.5]), r"shop.csv: column 't' holds decimal numbers: expected dates"),
        (pa.array([time(6, 0)]), "expected dates or times with a date"),
        (pa.array([2**62], pa.timestamp("s")), "before the year 1 or after 9999"),
    ],
)
def test_no_time(column: Any, message: str) -> None:
    encoder = TableEncoder().fit(pa.table({"t": pa.array([0, 10**9], pa.timestamp("s"))}))
    with pytest.raises(DataError, match=message):
        encoder.transform(pa.table({"t": column}), "shop.csv")
