"""Data frames of pandas: names and categories that collide, and types that Arrow does not have."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

from ridgeway.data import DataError, TableEncoder, open_data


# Law: what is wrong with a frame is our error, in the words of the user.
@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "the data frame: two columns are named 'a'"),
        (pd.DataFrame([[1, 2]], columns=pd.Index([1, "1"], dtype=object)), "the data frame: two columns are named '1'"),
        (pd.DataFrame({"a": pd.Categorical([1, "1"])}), "two categories of column 'a' are both written '1'"),
        (pd.DataFrame({"a": [1j]}), "a column of mixed or unsupported types.*column a"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0])}), "unsupported types.*column a"),
    ],
)
def test_refused_frames(frame: Any, message: str) -> None:
    for read in (open_data, TableEncoder().fit):
        with pytest.raises(DataError, match=message):
            read(frame)


# Law: categories of any type are categories by their spelling; no message names an Arrow type.
def test_categories() -> None:
    numbers = pd.Series(range(100)) / 10
    frame = pd.DataFrame(
        {
            "interval": pd.cut(numbers, 4),
            "mixed": pd.Categorical([1, "x", 2.5, None] * 25),
            "month": pd.Categorical(pd.period_range("2020-01", periods=4, freq="M").repeat(25)),
        }
    )
    encoder = TableEncoder().fit(frame)
    assert {row.column: row.kind for row in encoder.describe()} == dict.fromkeys(frame.columns, "category")
    names = encoder.get_feature_names_out()
    assert {"mixed=1", "mixed=x", "mixed=2.5", "month=2020-01"} <= set(names)
    assert encoder.transform(frame).shape == (100, len(names))
    with pytest.warns(UserWarning, match="column 'a' is left out, because lists .*--kind a=drop"):
        said = str(TableEncoder().fit(pd.DataFrame({"a": [[1], [2]], "b": [1.0, 2.0]})).describe())
    assert "lists of whole numbers are not supported" in said
    assert "int64" not in said


# Law: the same rows come from a frame of either library.
def test_frames_of_both_libraries() -> None:
    columns = {"a": [1.0, 2.0], "b": ["x", "y"]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        (batch,) = open_data(frame).batches()
        assert batch.to_pydict() == columns
