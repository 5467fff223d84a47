"""Names that are alike, and types in plain words."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from ridgeway.data.schema import no_column, type_name

FLIGHTS = ["year", "month", "day", "dep_time", "dep_delay", "arr_time", "arr_delay", "tailnum", "air_time", "distance"]


# Law: a name that is missing suggests only names that a slip may have made of it.
@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("carrier", None),
        ("price", None),
        ("arrdelay", ["arr_delay"]),
        ("Arr_Delay ", ["arr_delay"]),
        ("distence", ["distance"]),
        ("dya", ["day"]),
        ("x", None),
        ("dep_tiem", ["dep_time"]),
    ],
)
def test_suggestions(name: str, suggested: list[str] | None) -> None:
    said = str(no_column(name, FLIGHTS, "flights.csv"))
    if suggested is None:
        assert "did you mean" not in said
        assert "its columns are 'year'" in said
    else:
        assert f"did you mean {suggested[0]!r}" in said
        assert said.count("'") == 2 + 2 * len(suggested)


# Law: no type is told by the name that Arrow has for it.
@pytest.mark.parametrize(
    ("arrow_type", "name"),
    [
        (pa.int8(), "whole numbers"),
        (pa.float32(), "decimal numbers"),
        (pa.dictionary(pa.int8(), pa.string()), "categories of text"),
        (pa.list_(pa.int64()), "lists of whole numbers"),
        (pa.timestamp("us", "UTC"), "dates and times"),
        (pa.struct({"a": pa.int8()}), "structs"),
        (pa.binary(), "bytes"),
        (pa.string(), "text"),
    ],
    ids=str,
)
def test_type_names(arrow_type: Any, name: str) -> None:
    assert type_name(arrow_type) == name
