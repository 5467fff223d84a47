"""Damaged files: an error that names the file, or what an independent reader finds in it."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.mutations import mutated
from tests.data.tables import mixed_table, write

from ridgeway.data import DataError, TableEncoder, open_data
from ridgeway.data.csv_types import NULL_SPELLINGS

FILES = 60


def read(path: Path) -> dict[str, list[Any]] | None:
    """Return the columns of a file, or None when it is refused; what is read can be encoded."""
    try:
        source = open_data(path, batch_rows=1000)
        batches = list(source.batches())
        encoder = TableEncoder().fit(source)
        encoded = [encoder.transform(batch, source.name) for batch in batches]
    except DataError as error:
        if path.name not in str(error):
            raise
        return None
    assert all(np.isfinite(X.data if hasattr(X, "indptr") else X).all() for X in encoded)
    names = batches[0].schema.names
    return {name: [value for batch in batches for value in batch.column(name).to_pylist()] for name in names}


# Law: a damaged CSV file is refused, or read as the csv module of Python reads it; damaged dates are told.
@pytest.mark.filterwarnings("ignore:column 'when'.* look like dates:UserWarning")
def test_csv(tmp_path: Path) -> None:
    whole = write(mixed_table(400), tmp_path / "whole.csv").read_bytes()
    outcomes = []
    for seed in range(FILES):
        path = tmp_path / f"{seed}.csv"
        path.write_bytes(mutated(whole, True, seed))
        found = read(path)
        outcomes.append(found is None)
        if found is None:
            continue
        text = path.read_bytes().decode()
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
        assert list(found) == header
        for place, name in enumerate(header):
            fields = [row[place] for row in rows]
            assert len(fields) == len(found[name]), name
            for field, value in zip(fields, found[name], strict=True):
                if value is None:
                    assert field.strip() in NULL_SPELLINGS
                elif isinstance(value, int | float) and not isinstance(value, bool):
                    assert math.isclose(float(field), value, rel_tol=1e-15)
                elif isinstance(value, str):
                    assert field == value
    assert 10 < sum(outcomes) < FILES - 10


# Law: a damaged Parquet file with checksums is refused, or has the values of the original.
def test_parquet(tmp_path: Path) -> None:
    table = mixed_table(400)
    original = {name: table.column(name).to_pylist() for name in table.column_names}
    whole = write(table, tmp_path / "whole.parquet").read_bytes()
    outcomes = []
    for seed in range(FILES):
        path = tmp_path / f"{seed}.parquet"
        path.write_bytes(mutated(whole, False, seed))
        found = read(path)
        outcomes.append(found is None)
        if found is not None:
            assert list(found.values()) == list(original.values())  # a name may have changed: it has no checksum
    assert sum(outcomes) > FILES // 2


@pytest.mark.parametrize("form", ["feather", "arrows", "csv.gz"])
def test_other_forms(form: str, tmp_path: Path) -> None:
    whole = write(mixed_table(400), tmp_path / f"whole.{form}").read_bytes()
    outcomes = []
    for seed in range(FILES):
        path = tmp_path / f"{seed}.{form}"
        path.write_bytes(mutated(whole, False, seed))
        outcomes.append(read(path) is None)
    assert sum(outcomes) > FILES // 3
