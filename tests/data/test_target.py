"""The target and the weights of a batch."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ridgeway.data import DataError, target_of


# Law: numbers of every type become float64; rows without a target or weight are left out and counted.
@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0, None, 3.0]),
        pa.array([1, None, 3], pa.int8()),
        pa.array([1, None, 3], pa.uint64()),
        pa.array([Decimal("1.00"), None, Decimal("3.00")]),
        pa.array([1.0, float("nan"), 3.0], pa.float32()),
        pa.array([1, None, 3], pa.duration("s")),
        pa.array([np.float16(1), None, np.float16(3)], pa.float16()),
    ],
)
def test_targets(column: Any) -> None:
    rows = target_of(pa.record_batch({"y": column, "x": ["a", "b", "c"], "w": [1.0, 1.0, 2.0]}), "y", "w")
    assert rows.y.tolist() == [1.0, 3.0]
    assert rows.y.dtype == "float64"
    assert rows.weight is not None
    assert rows.weight.tolist() == [1.0, 2.0]
    assert rows.table.to_pydict() == {"x": ["a", "c"]}
    assert rows.dropped == 1


def test_booleans_and_missing_weights() -> None:
    rows = target_of(pa.record_batch({"y": [True, False, True], "w": [None, 0.0, 1.0]}), "y", "w")
    assert rows.y.tolist() == [0.0, 1.0]
    assert rows.dropped == 1
    assert target_of(pa.record_batch({"y": [1.0]}), "y").weight is None
    assert target_of(pa.record_batch({"y": pa.nulls(3), "x": [1, 2, 3]}), "y").dropped == 3


# Law: what cannot be a target or a weight is refused by name.
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["a", "b"], "shop.csv: the target column 'y' is of kind 'text', with values such as 'a'"),
        ([date(2001, 1, 22)], "is of kind 'time', with values such as '2001-01-22': expected numbers"),
        ([1.0, float("inf")], "the target column 'y' holds infinity"),
        ([[1], [2]], "the target column 'y' is of kind 'other'"),
    ],
)
def test_refused_targets(column: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        target_of(pa.record_batch({"y": column}), "y", source_name="shop.csv")


def test_refused_names_and_weights() -> None:
    batch = pa.record_batch({"arr_delay": [1.0], "carrier": ["AA"], "w": [-1.0]})
    with pytest.raises(DataError, match=r"there is no column 'Arr_Delay': did you mean 'arr_delay'\?"):
        target_of(batch, "Arr_Delay")
    with pytest.raises(DataError, match="there is no column 'zzz': its columns are 'arr_delay', 'carrier', 'w'"):
        target_of(batch, "zzz")
    with pytest.raises(DataError, match="the weight column 'w' holds -1: expected 0 or more"):
        target_of(batch, "arr_delay", "w")
    with pytest.raises(DataError, match="the weight column 'carrier' is of kind"):
        target_of(batch, "arr_delay", "carrier")


# Law: of several targets, a row must have all; a batch without rows has none.
def test_several_targets() -> None:
    batch = pa.record_batch({"x": [1, 2, 3], "y": [0.5, None, 1.5], "z": [True, False, None]})
    rows = target_of(batch, ("y", "z"))
    assert rows.y.tolist() == [[0.5, 1.0]]
    assert rows.dropped == 2
    assert rows.table.to_pydict() == {"x": [1]}
    for target in ("y", ("y", "z")):
        assert target_of(batch.slice(0, 0), target).dropped == 0


# Law: text among the numbers of a target is named itself, with the option that reads it as missing.
@pytest.mark.parametrize("coded", [False, True])
def test_names_text_among_numbers(coded: bool) -> None:
    column = pa.array(["25", None, "mean 12", "31"])
    with pytest.raises(DataError, match=r"target column 'y' holds the text 'mean 12' .*--null-values 'mean 12'"):
        target_of(pa.record_batch({"y": column.dictionary_encode() if coded else column}), "y")
