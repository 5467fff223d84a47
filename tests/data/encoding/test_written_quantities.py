"""Quantities that are read as text."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ridgeway.data import TableEncoder

UNITS = [f"{k} days" for k in range(60)]
MONTHS = [f"{2000 + k // 12}-{1 + k % 12:02}" for k in range(60)]
AMOUNTS = [f"${k}" for k in range(60)] + ["free"]


# Law: numbers with units, months, and amounts beside a text get a warning, however many batches they come in.
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (UNITS, "'0 days', '1 days' look like numbers with a unit"),
        ([f"{k}k" for k in range(30)] + [f"{k}.5M" for k in range(30)], "look like numbers with a unit"),
        (MONTHS, "'2000-01', '2000-02' look like months"),
        (AMOUNTS, "look like amounts or percentages"),
    ],
)
def test_warns(texts: list[str], message: str) -> None:
    with pytest.warns(UserWarning, match=rf"column 'x': values such as .*{message[-20:]}.*--kind x=category"):
        TableEncoder().fit(pa.table({"x": texts}))
    encoder = TableEncoder().partial_fit(pa.table({"x": texts[:30]})).partial_fit(pa.table({"x": texts[30:]}))
    assert len(encoder.doubts_) == 1
    assert message in encoder.doubts_[0]
    assert TableEncoder(kinds={"x": "category"}).fit(pa.table({"x": texts})).doubts_ == []


# Law: codes, seats, seasons, few values, and quantities among many texts get none; warnings are errors in tests.
@pytest.mark.parametrize(
    "texts",
    [
        [f"{k}{'ABCDEF'[k % 6]}" for k in range(90)],
        ["1st", "2nd", "3rd"] * 30,
        [f"{2000 + k}-{1 + k % 99:02}" for k in range(40)],
        UNITS + ["forever", "never"] * 30,
        ["5 days", "6 days"] * 30,
        [f"item {k}" for k in range(60)],
    ],
)
def test_is_silent(texts: list[str]) -> None:
    assert TableEncoder(min_count=1).fit(pa.table({"x": texts})).doubts_ == []
