"""Wide tables: thousands of columns, a header of more than 64 KB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ridgeway as rw
from ridgeway.tables import Request, fit_table


# Law: a table with far more columns than rows is fitted from its CSV file, saved, loaded, and predicts that file.
@pytest.mark.parametrize("columns", [6000])
def test_wide_table(columns: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, columns)).round(2)
    y = X[:, 0]
    path = tmp_path / "wide.csv"
    header = ",".join([*(f"expression_{place}" for place in range(columns)), "y"])
    np.savetxt(path, np.column_stack([X, y]), fmt="%.2f", delimiter=",", header=header, comments="")
    model = fit_table(path, Request(target="y", averaging="last", passes=1))
    assert len(model.columns) == columns
    model.save(tmp_path / "wide.safetensors")
    loaded = rw.load(tmp_path / "wide.safetensors")
    np.testing.assert_array_equal(loaded.predict(path), model.predict(path))
