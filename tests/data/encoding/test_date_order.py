"""Dates that are written as text: which order fits, and what becomes of them."""

from __future__ import annotations

import json
import pickle
import warnings
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.data import DataError, TableEncoder
from ridgeway.data.encoding import Options
from ridgeway.data.encoding.date_order import DateOrder
from ridgeway.data.encoding.written_dates import ORDERS, date_parts_of

FORMATS = {"day-first": "%d/%m/%Y", "month-first": "%m/%d/%Y", "year-first": "%Y/%m/%d"}


def fitted(values: Any, **options: Any) -> TableEncoder:
    """Return an encoder of one column, with warnings as errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return TableEncoder(**options).fit(pa.table({"d": pa.array(values)}))


# Law: a text is a date exactly if datetime reads it in that order, and is the same instant.
@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    numbers=st.tuples(st.integers(0, 32), st.integers(0, 32), st.integers(1900, 2100)),
    clock=st.one_of(st.none(), st.tuples(st.integers(0, 25), st.integers(0, 61))),
    order=st.sampled_from(sorted(FORMATS)),
)
def test_parts(numbers: tuple[int, int, int], clock: tuple[int, int] | None, order: str) -> None:
    first, second, year = numbers
    text = f"{year}/{first}/{second}" if order == "year-first" else f"{first}/{second}/{year}"
    text += "" if clock is None else f" {clock[0]}:{clock[1]:02d}"
    (seconds,), (bad,) = date_parts_of(pa.array([text])).in_order(order)
    try:
        expected = datetime.strptime(text, FORMATS[order] + ("" if clock is None else " %H:%M"))
    except ValueError:
        assert bad
    else:
        assert not bad
        assert np.datetime64(int(seconds), "s").astype(datetime) == expected


# Law: what merely resembles a date is none; 12-hour clocks, two digits of a year and other separators are read.
@pytest.mark.parametrize("text", ["1.12.06", "10-2-33", "16/12-2006", "16/12", "a/b/c", "", "1/2/3", "16/12/2006x"])
def test_no_dates(text: str) -> None:
    parts = date_parts_of(pa.array([text, None]))
    assert all(parts.in_order(order)[1].all() for order in ORDERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("16/12/06", "2006-12-16T00:00:00"),
        ("16/12/69", "1969-12-16T00:00:00"),
        ("16.12.2006", "2006-12-16T00:00:00"),
        ("16-12-2006 17:24:05", "2006-12-16T17:24:05"),
        ("16/12/2006 5:24 PM", "2006-12-16T17:24:00"),
        ("16/12/2006 12:24 am", "2006-12-16T00:24:00"),
    ],
)
def test_other_spellings(text: str, expected: str) -> None:
    (seconds,), (bad,) = date_parts_of(pa.array([text])).in_order("day-first")
    assert not bad
    assert str(np.datetime64(int(seconds), "s")) == expected


# Law: dates that name the month are read, and the name tells the order, whatever the day.
@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("01-Jan-2020", "day-first", "2020-01-01T00:00:00"),
        ("3 Sept. 2021", "day-first", "2021-09-03T00:00:00"),
        ("05MAR2018", "day-first", "2018-03-05T00:00:00"),
        ("1st of", None, ""),
        ("2nd May 1999 5:30 pm", "day-first", "1999-05-02T17:30:00"),
        ("31-Dec-99", "day-first", "1999-12-31T00:00:00"),
        ("Jan 01, 2020 12:00 AM", "month-first", "2020-01-01T00:00:00"),
        ("December 5 2020", "month-first", "2020-12-05T00:00:00"),
        ("2020-Feb-29", "year-first", "2020-02-29T00:00:00"),
        ("Mar-2018", "month-first", "2018-03-01T00:00:00"),
        ("March 2018", "month-first", "2018-03-01T00:00:00"),
        ("31-Feb-2020", None, ""),
        ("01-Mai-2020", None, ""),
        ("Mon 01, 2020", None, ""),
        ("May", None, ""),
        ("May 7", None, ""),
        ("Jun-10", None, ""),
    ],
)
def test_named_months(text: str, order: str | None, expected: str) -> None:
    parts = date_parts_of(pa.array([text, "16/12/2006", None]))
    read = {other: parts.in_order(other) for other in ORDERS}
    assert [other for other, (_, bad) in read.items() if not bad[0]] == ([] if order is None else [order])
    assert [other for other, (_, bad) in read.items() if not bad[1]] == ["day-first"]
    if order is not None:
        assert str(np.datetime64(int(read[order][0][0]), "s")) == expected


def test_column_of_named_months() -> None:
    days = np.datetime64("2019-11-20") + np.arange(300)
    encoder = fitted([day.astype(datetime).strftime("%d-%b-%Y") for day in days], indicators="all")
    plain = TableEncoder(indicators="all").fit(pa.table({"d": days}))
    assert encoder.date_orders_ == {"d": "day-first"}
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    new = again.transform(pa.table({"d": ["24-Dec-2020", None]}))
    np.testing.assert_array_equal(new[:1], plain.transform(pa.table({"d": [datetime(2020, 12, 24)]})))


# Law: one day above 12 anywhere among the rows settles the order, in whatever batches they come.
@pytest.mark.parametrize(("last", "order"), [("16/12/2006", "day-first"), ("12/16/2006", "month-first")])
def test_order(last: str, order: str) -> None:
    values = [f"{1 + k % 12:02d}/{1 + k % 5:02d}/2006" for k in range(60)] + [None, last]
    encoder = fitted(values)
    assert encoder.date_orders_ == {"d": order}
    assert f"written {order}" in str(encoder.describe())
    by_parts = TableEncoder()
    for first in range(0, len(values), 7):
        by_parts.partial_fit(pa.table({"d": pa.array(values[first : first + 7], pa.string())}))
    assert by_parts.to_dict() == encoder.to_dict()


# Law: days that are all up to 12 are read month first, and contradictions are text; both are told.
def test_doubts() -> None:
    table = pa.table({"d": ["03/04/2006", "05/06/2006"] * 5})
    with pytest.warns(UserWarning, match=r"column 'd'.*day or the month first.*--kind d=day-first"):
        encoder = TableEncoder().fit(table)
    assert encoder.date_orders_ == {"d": "month-first"}
    with pytest.warns(UserWarning, match=r"column 'd'.*neither day first nor month first fits all"):
        encoder = TableEncoder().fit(pa.table({"d": ["13/04/2006", "05/26/2006"] * 5}))
    assert encoder.date_orders_ == {}
    assert encoder.describe().table[0].kind == "category"
    for order in ("day-first", "month-first"):
        assert fitted(table["d"], kinds={"d": order}).date_orders_ == {"d": order}
    assert fitted(table["d"], kinds={"d": "category"}).date_orders_ == {}


# Law: dates written as text become the features of the same dates as dates, also after a way through JSON.
def test_same_features() -> None:
    days = np.datetime64("2006-12-01") + np.arange(0, 900, 7)
    texts = [day.astype(datetime).strftime("%d/%m/%Y") for day in days]
    encoder = TableEncoder.from_dict(json.loads(json.dumps(fitted(texts).to_dict())))
    expected = fitted(pa.array(days.astype("datetime64[s]"))).transform(pa.table({"d": days.astype("datetime64[s]")}))
    np.testing.assert_array_equal(encoder.transform(pa.table({"d": texts})), expected)
    np.testing.assert_array_equal(encoder.transform(pa.table({"d": pa.array(texts).dictionary_encode()})), expected)
    np.testing.assert_array_equal(encoder.transform(pa.table({"d": days.astype("datetime64[s]")})), expected)
    with pytest.raises(DataError, match=r"shop: column 'd' holds '2006-12-16': expected dates written day-first"):
        encoder.transform(pa.table({"d": ["2006-12-16"]}), "shop")
    with pytest.raises(DataError, match=r"column 'd' holds '12/31/2006': expected dates written day-first.*--kind"):
        encoder.transform(pa.table({"d": ["12/31/2006"]}))


# Law: reading the encoding of dates changes nothing, also where the column has rows that the dates do not know.
def test_reading_changes_nothing() -> None:
    dates = DateOrder("d")
    dates.learn(pa.array(["13/02/2020", "14/03/2020"]), np.array([0, 1, -1]))
    before = pickle.dumps(dates)
    assert dates.encoding(Options(255, 1, 32, 64, 64, False), rows=10, missing=8) is not None
    assert pickle.dumps(dates) == before


# Law: encoders that version 0.1 stored, which have no order, are read; a made-up order is refused.
def test_stored_orders() -> None:
    state = fitted(["16/12/2006", "17/12/2006"]).to_dict()
    del state["columns"][0]["order"]
    assert TableEncoder.from_dict(state).date_orders_ == {}
    state["columns"][0]["order"] = "sideways"
    with pytest.raises(ValueError, match="order"):
        TableEncoder.from_dict(state)
