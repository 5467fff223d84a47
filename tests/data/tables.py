"""Tables with columns of all kinds, and their files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

FORMS = ("csv", "csv.gz", "csv.bz2", "csv.xz", "csv.zst", "csv.zip", "parquet", "feather", "arrows")
ONE_PART = ("csv.gz", "csv.bz2", "csv.xz", "csv.zst", "csv.zip", "arrows")  # can be read from their beginning only


def mixed_table(rows: int = 2500, seed: int = 0) -> Any:
    """Numbers, whole numbers, strings few and many, text, booleans and times; some values missing."""
    rng = np.random.default_rng(seed)
    number = rng.standard_normal(rows)
    words = np.array(["fine", "old", "red", "wine", "glass", "of", "the", "very"])
    return pa.table(
        {
            "number": pa.array(number, mask=rng.random(rows) < 0.05),
            "count": rng.integers(0, 1000, rows),
            "shop": rng.choice(["north", "south", "east", "market square"], rows),
            "user": [f"u{code}" for code in rng.integers(0, 500, rows)],
            "text": [" ".join(rng.choice(words, 5)) + f" {code}" for code in range(rows)],
            "open": rng.random(rows) < 0.5,
            "when": pa.array(rng.integers(1_000_000_000, 1_100_000_000, rows)).cast(pa.timestamp("s")),
            "y": number + rng.standard_normal(rows),
        }
    )


def write(table: Any, path: Path) -> Path:
    """Write a table in the form that the name says."""
    name = path.name
    if name.endswith(".parquet"):
        pa.parquet.write_table(table, path, row_group_size=700, write_page_checksum=True)
    elif name.endswith(".feather"):
        pa.feather.write_feather(table, path, chunksize=300)
    elif name.endswith(".arrows"):
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=300)
    else:
        sink = pa.BufferOutputStream()
        pa.csv.write_csv(table, sink)
        text = sink.getvalue().to_pybytes()
        path.write_bytes(compressed(text, path.suffix))
    return path


def compressed(text: bytes, ending: str) -> bytes:
    """Compress text in the form that the ending of a name says."""
    if ending == ".zip":
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("table.csv", text)
        return archive.getvalue()
    if ending == ".zst":
        return bytes(pa.compress(text, "zstd", asbytes=True))
    compress: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
    }
    return compress[ending](text) if ending in compress else text


def values(batches: Any) -> list[dict[str, list[Any]]]:
    """Plain values of batches, in which a date is a date whatever its unit."""
    return [batch.to_pydict() for batch in batches]
