"""A sample of rows: from all over the data, each row at most once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.data.tables import FORMS, ONE_PART, write

from ridgeway.data import line_ranges, open_data
from ridgeway.data.sample import SampleSource


# Law: as many rows as asked for, none twice, from all tenths of the file; a single part yields its first rows.
@pytest.mark.parametrize("form", FORMS)
def test_rows_of_a_sample(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_ranges, "MIN_RANGE_BYTES", 200)
    table = pa.table({"row": np.arange(20_000), "half": np.arange(20_000) / 2})
    source = open_data(write(table, tmp_path / f"t.{form}"), batch_rows=100)

    def rows(seed: int, start: int = 0) -> list[int]:
        sample = SampleSource(source, 2000, seed)
        return [row for batch in sample.batches(start) for row in batch.column("row").to_pylist()]

    found = rows(0)
    if form in ONE_PART:
        assert found[:2000] == list(range(2000))
        return
    assert len(set(found)) == len(found)
    assert 2000 <= len(found) < 2100
    assert set(np.array(found) // 2000) == set(range(10))
    assert found == rows(0) != rows(1)
    assert rows(0, start=3) == found[300:]
