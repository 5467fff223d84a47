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


# Law: different whole numbers get a warning if they are named like an identifier, have 15 digits, or are row numbers in
# another order, however many batches they come in.
@pytest.mark.parametrize(
    ("name", "kind"),
    [("tweet", "long"), ("row", "shuffled"), ("x", "shuffled"), ("customer_id", "gaps"), ("PassengerId", "gaps")],
)
def test_identifiers(name: str, kind: str) -> None:
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(400) + 1
    numbers = {"shuffled": shuffled, "gaps": 7 * shuffled, "long": shuffled * 10**9 + 10**17}[kind]
    with pytest.warns(UserWarning, match=rf"column '{name}' seems to .* the rows \(400 different .*--drop {name}"):
        TableEncoder().fit(pa.table({name: numbers, "y": rng.standard_normal(400)}))
    batches = TableEncoder().partial_fit(pa.table({name: numbers[:200]})).partial_fit(pa.table({name: numbers[200:]}))
    assert len(batches.doubts_) == 1
    repeated = TableEncoder().partial_fit(pa.table({name: numbers})).partial_fit(pa.table({name: numbers[:1]}))
    assert repeated.doubts_ == []
    assert TableEncoder(kinds={name: "number"}).fit(pa.table({name: numbers})).doubts_ == []


# Law: measurements that all differ, times that count up or down, and few rows get none.
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("income", np.random.default_rng(0).permutation(9000)[:400]),
        ("paid", np.arange(400)),
        ("x", np.arange(400)[::-1]),
        ("customer_id", np.arange(60)[::-1]),
        ("customer_id", np.arange(400) // 2),
        ("customer_id", np.arange(400) + 0.5),
    ],
)
def test_no_identifiers(name: str, numbers: np.ndarray) -> None:
    assert TableEncoder().fit(pa.table({name: numbers})).doubts_ == []
