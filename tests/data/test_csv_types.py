"""The types of columns of CSV files."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ridgeway.data.csv_types import given_type
from ridgeway.data.encoding import learner_of
from ridgeway.data.kinds import KINDS


# Law: each kind that a user can give has a type in CSV files and a learner; a column to drop is not read by its kind.
@pytest.mark.parametrize("kind", KINDS)
def test_given_kinds(kind: str) -> None:
    if kind != "drop":
        assert isinstance(given_type(kind, "x"), pa.DataType)
    assert learner_of("a", pa.string(), kind) is not None
