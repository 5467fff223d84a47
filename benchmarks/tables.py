"""A large table as CSV and Parquet, written piece by piece: what a file of sales or trips looks like."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

PIECE_ROWS = 200_000  # rows
LEVELS = {"carrier": 16, "origin": 3, "dest": 105}
MANY_LEVELS = {"tail": 4000}


def pieces(levels: Mapping[str, int], seed: int = 0) -> Iterator[Any]:
    """Yield record batches without end: 12 numbers, categories, a boolean and a time, and the target y."""
    rng = np.random.default_rng(seed)
    names = {column: [f"{column[0].upper()}{level:04d}" for level in range(count)] for column, count in levels.items()}
    effects = {column: rng.standard_normal(count) for column, count in levels.items()}
    slopes = rng.standard_normal(8)
    start = 1_356_998_400
    while True:
        numbers = np.round(rng.standard_normal((PIECE_ROWS, 8)) * 50 + 100, 3)
        counts = rng.integers(0, 2400, (PIECE_ROWS, 4))
        codes = {column: (rng.random(PIECE_ROWS) ** 2 * count).astype(np.int32) for column, count in levels.items()}
        y = numbers @ slopes / 50 + counts[:, 0] / 1000 + rng.standard_normal(PIECE_ROWS)
        for column, code in codes.items():
            y += effects[column][code]
        columns: dict[str, Any] = {"y": np.round(y, 3)}
        columns |= {
            f"number{k}": pa.array(numbers[:, k], mask=rng.random(PIECE_ROWS) < 0.01 * (k < 4)) for k in range(8)
        }
        columns |= {f"count{k}": counts[:, k] for k in range(4)}
        columns |= {column: pa.DictionaryArray.from_arrays(codes[column], names[column]) for column in levels}
        columns["late"] = rng.random(PIECE_ROWS) < 0.3
        columns["time"] = pa.array(start + 10 * np.arange(PIECE_ROWS)).cast(pa.timestamp("s"))
        start += 10 * PIECE_ROWS
        yield pa.record_batch(columns)


def write(folder: Path, megabytes: float, levels: Mapping[str, int] = LEVELS) -> dict[str, Path]:
    """Write table.csv of about this size, and the same rows as table.parquet; return the paths by format."""
    paths = {"CSV": folder / "table.csv", "Parquet": folder / "table.parquet"}
    source = pieces(levels)
    piece = next(source)
    with (
        pa.OSFile(str(paths["CSV"]), "wb") as text,
        pa.csv.CSVWriter(text, piece.schema) as rows,
        pa.parquet.ParquetWriter(paths["Parquet"], piece.schema) as groups,
    ):
        while text.tell() < megabytes * 1e6:
            rows.write(piece)
            groups.write(piece)
            piece = next(source)
    return paths


def main() -> None:
    """Write both files into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=3000.0, help="size of the CSV file")
    options = parser.parse_args()
    for name, path in write(options.folder, options.megabytes).items():
        print(f"{name}: {path}, {path.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
