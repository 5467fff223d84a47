"""A file larger than memory: Gram matrices from one read, beside reading and encoding alone.

python -m benchmarks.large_file FOLDER [--gigabytes 3] [--form parquet]

Writes a table of 100 encoded columns sorted by its target and, for the law that the order does not matter, the same
rows shuffled; prints seconds, the ratio to reading and encoding alone, peak memory, and how far the coefficients at 20
fixed strengths are apart. FOLDER needs twice the size of the file; the files are removed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from ridgeway.data import TableEncoder, open_data
from ridgeway.tables import Request, fit_table, table_fit
from ridgeway.tables.learnable_rows import learnable_rows

N_NUMBERS, LEVELS, CHUNK_ROWS = 60, 20, 250_000
CSV_ROW_BYTES = 560  # of a row of the table as text
ALPHAS = np.logspace(-6, 3, 20)
REQUEST = Request(target="y")


def chunk(seed: int, part: int, n_parts: int, mixed: bool) -> Any:
    """Return rows of the table: part `part` of the targets in rising order, or of all targets if mixed."""
    rng = np.random.default_rng([seed, part])
    quantile = (np.arange(CHUNK_ROWS) * n_parts + part if mixed else part * CHUNK_ROWS + np.arange(CHUNK_ROWS)) + 0.5
    # Row i is a function of its number alone, so both files hold the same rows.
    number = (quantile - 0.5).astype(np.int64)
    y = 10 * np.log(quantile / (CHUNK_ROWS * n_parts - quantile))
    columns: dict[str, Any] = {}
    for k in range(N_NUMBERS):
        noise = ((number * (2 * k + 12345) + k) % 100_003) / 100_003 - 0.5
        columns[f"x{k}"] = np.round((y * (k % 7) / 50 + 8 * noise) * 10.0 ** (k % 5 - 2), 6)
    for k in range(2):
        level = (number * (k + 7) // 3 + (y > 0) * k) % LEVELS
        columns[f"c{k}"] = pa.DictionaryArray.from_arrays(level.astype(np.int32), [f"level {i}" for i in range(LEVELS)])
    columns["y"] = y
    order = rng.permutation(CHUNK_ROWS) if mixed else np.arange(CHUNK_ROWS)
    return pa.table(columns).take(order)


def write(path: Path, n_parts: int, mixed: bool) -> None:
    """Write the table, chunk by chunk."""
    schema = pa.schema([(f.name, f.type) for f in chunk(0, 0, n_parts, mixed).schema])
    plain = pa.schema([(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in schema])
    kind = pyarrow.csv.CSVWriter if path.suffix == ".csv" else pyarrow.parquet.ParquetWriter
    with kind(path, plain) as out:
        for part in range(n_parts):
            out.write_table(chunk(0, part, n_parts, mixed).cast(plain))


def read_and_encode(path: Path, encoder: TableEncoder) -> int:
    """Read and encode all rows, and forget them."""
    return sum(len(rows.y) for rows in learnable_rows(open_data(path), encoder, REQUEST, 0))


def fitted_path(path: Path, encoder: TableEncoder) -> Any:
    """Return coefficients of standardized size at fixed strengths, (20, d)."""
    table_fit.learned_encoder = lambda *given: encoder  # type: ignore[attr-defined]
    model = fit_table(path, REQUEST).model
    averages: Any = model._fitted().averages
    return averages.standardization.scale * model.path(ALPHAS).coefs, model.solver_, model.n_rows_


def alone(task: Callable[..., Any], *given: Any) -> tuple[Any, float, float]:
    """Return the answer of a task in a process of its own, its seconds and its peak memory in GB."""
    receiver, sender = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_measured, args=(sender, task, given))
    process.start()
    answer: tuple[Any, float, float] = receiver.recv()
    process.join()
    return answer


def _measured(sender: Any, task: Callable[..., Any], given: Any) -> None:
    start = time.perf_counter()
    answer = task(*given)
    seconds = time.perf_counter() - start
    sender.send((answer, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20))


def main() -> None:
    """Write the files, measure, and remove them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gigabytes", type=float, default=3.0)
    parser.add_argument("--form", choices=["csv", "parquet"], default="parquet")
    given = parser.parse_args()
    n_parts = max(1, round(given.gigabytes * 1e9 / CSV_ROW_BYTES / CHUNK_ROWS))
    files = [given.folder / f"{name}.{given.form}" for name in ("sorted", "mixed")]
    try:
        for path, mixed in zip(files, (False, True), strict=True):
            write(path, n_parts, mixed)
        encoder = TableEncoder().fit(chunk(0, n_parts // 2, n_parts, True), leave_out=["y"])
        print(
            f"{files[0].stat().st_size / 1e9:.2f} GB, {n_parts * CHUNK_ROWS:,} rows, {encoder.n_features_out_} features"
        )
        rows, reading, memory = alone(read_and_encode, files[0], encoder)
        print(f"read and encode: {reading:.1f} s, {memory:.2f} GB")
        found = []
        for path in files:
            (coefs, solver, n_rows), seconds, memory = alone(fitted_path, path, encoder)
            assert n_rows == rows
            print(f"{path.name}, {solver}: {seconds:.1f} s, {seconds / reading:.2f} of reading, {memory:.2f} GB")
            found.append(coefs)
        apart = np.abs(found[0] - found[1]).max(axis=1) / np.abs(found[0]).max(axis=1)
        print(f"coefficients of the sorted and of the shuffled file are {apart.max():.1e} apart")
    finally:
        for path in files:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
