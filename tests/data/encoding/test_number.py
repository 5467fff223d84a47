"""Columns that number the rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ridgeway.data import TableEncoder


# Law: a column that is named like a row number and counts the rows gets a warning with the remedy, also with gaps.
@pytest.mark.parametrize("step", [1, 3])
def test_row_numbers(step: int) -> None:
    numbers = np.arange(1, 60, step)
    with pytest.warns(UserWarning, match=r"column 'rownames' seems to number the rows .*--drop rownames"):
        TableEncoder().fit(pa.table({"rownames": numbers, "y": numbers}))
    batches = TableEncoder().partial_fit(pa.table({"id": numbers})).partial_fit(pa.table({"id": numbers + 100}))
    assert len(batches.doubts_) == 1


# Law: other names, orders and values, and a kind that was given, get none; warnings are errors in tests.
def test_other_numbers() -> None:
    numbers = np.arange(60)
    for column in (numbers[::-1], numbers + 0.5, numbers // 2):
        TableEncoder().fit(pa.table({"id": column}))
    TableEncoder().fit(pa.table({"year": numbers}))
    TableEncoder(kinds={"id": "number"}).fit(pa.table({"id": numbers}))
    again = TableEncoder().partial_fit(pa.table({"id": numbers})).partial_fit(pa.table({"id": numbers}))
    assert again.doubts_ == []
