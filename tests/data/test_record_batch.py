"""Tables as one record batch: no row is lost, also where Arrow cannot join the chunks of a text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ridgeway.data import DataError
from ridgeway.data.common_type import joined_record_batches
from ridgeway.data.encoding.strings import as_levels, spelled
from ridgeway.data.record_batch import as_batch, unchunked


def table() -> Any:
    """Return a table of two chunks of each kind of column."""
    names, levels = pa.array(["a", None]), pa.array(["x", "y"]).dictionary_encode()
    columns = {"text": [names, pa.array(["b", "ä"])], "level": [levels, levels], "number": [[1, 2], [3, 4]]}
    return pa.table({name: pa.chunked_array(chunks) for name, chunks in columns.items()})


# Law: one batch holds all rows of a table, in order, whatever its chunks; also those that Arrow left apart.
def test_all_rows() -> None:
    whole = table()
    for batch in (as_batch(whole), unchunked(whole), joined_record_batches(whole.to_batches())):
        assert batch.to_pylist() == whole.to_pylist()
    assert unchunked(whole).schema.field("text").type == pa.large_string()
    assert as_batch(whole).schema == whole.schema
    empty = as_batch(whole.slice(0, 0))
    assert (empty.num_rows, empty.schema) == (0, whole.schema)


# Law: long offsets change no level; different texts of more than 2 GB in one batch are refused with a remedy.
def test_levels_of_long_offsets() -> None:
    for texts in (pa.array(["b", "a", None, "b"]), pa.array(["b", "a", None, "b"], pa.large_string())):
        levels, rows = as_levels(texts)
        assert (levels.to_pylist(), rows.tolist()) == (["b", "a"], [0, 1, -1, 0])
    data = pa.py_buffer(np.zeros(2**31 + 1, np.uint8))
    offsets = pa.py_buffer(np.array([0, 1, 2**31 + 1], np.int64))
    with pytest.raises(DataError, match=r"more than 2 GB of different texts.*expected smaller batches"):
        spelled(pa.LargeStringArray.from_buffers(2, offsets, data))
