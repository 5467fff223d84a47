"""Read damaged CSV and Parquet files: each must give a DataError or rows, without a crash, hang or much memory.

Usage, from the project's root::

    python -m scripts.mutate_data [--files 500] [--seed 0] [--forms csv,parquet]

Files are read by a worker process. A worker that dies or hangs is reported with the seed of its file, and replaced.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import traceback
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from tests.data.mutations import mutated

from ridgeway.data import DataError, TableEncoder, open_data

TIME_LIMIT_SECONDS = 20.0  # for one file
FORMS = ("csv", "csv.gz", "parquet", "snappy.parquet", "zstd.parquet")


def original(rows: int = 3000) -> Any:
    """Return a table with columns of all kinds, some values missing."""
    rng = np.random.default_rng(0)
    number = rng.standard_normal(rows)
    words = np.array(["fine", "old", "red", "wine", "glass", "of", "the", "very"])
    return pa.table(
        {
            "number": pa.array(number, mask=rng.random(rows) < 0.05),
            "count": rng.integers(0, 1000, rows),
            "shop": rng.choice(["north", "south", "east", "market square"], rows),
            "user": [f"u{code}" for code in rng.integers(0, 500, rows)],
            "text": [" ".join(rng.choice(words, 5)) for _ in range(rows)],
            "open": rng.random(rows) < 0.5,
            "when": pa.array(rng.integers(1_000_000_000, 1_100_000_000, rows)).cast(pa.timestamp("s")),
            "y": number + rng.standard_normal(rows),
        }
    )


def write(table: Any, folder: Path) -> dict[str, bytes]:
    """Return the bytes of the table in each form."""
    pa.csv.write_csv(table, folder / "table.csv")
    with pa.output_stream(str(folder / "table.csv.gz"), compression="gzip") as file:
        pa.csv.write_csv(table, file)
    pa.parquet.write_table(table, folder / "table.parquet", compression="none", row_group_size=1000)
    pa.parquet.write_table(table, folder / "table.snappy.parquet", row_group_size=1000)
    pa.parquet.write_table(
        table, folder / "table.zstd.parquet", compression="zstd", write_page_checksum=True, use_dictionary=False
    )
    return {form: (folder / f"table.{form}").read_bytes() for form in FORMS}


def outcome(path: Path) -> str:
    """Read a file as a user would, and return the outcome in words."""
    try:
        source = open_data(path)
        batches = list(source.batches())
        encoder = TableEncoder().fit(source)
        for batch in batches:
            X = encoder.transform(batch)
            values = X.data if hasattr(X, "indptr") else X
            if not np.isfinite(values).all():
                return "CRASH: features that are not finite"
    except DataError as error:
        return "CRASH: no file in the message: " + str(error) if path.name not in str(error) else "error"
    except Exception:
        return "CRASH: " + traceback.format_exc()
    return "read"


def work(connection: Connection, folder: str) -> None:
    """Read the files whose names are received; send back the outcome and the peak memory."""
    while True:
        path = connection.recv()
        answer = outcome(Path(folder) / path)
        connection.send((answer, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024))


def main() -> None:
    """Make damaged files and read them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first file")
    parser.add_argument("--forms", type=lambda text: text.split(","), default=list(FORMS))
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    found: Counter[tuple[str, str]] = Counter()
    peak = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        forms = write(original(), folder)
        worker: Any = None
        for seed in range(options.seed, options.seed + options.files):
            form = options.forms[seed % len(options.forms)]
            path = folder / f"{seed}.{form}"
            path.write_bytes(mutated(forms[form], form == "csv", seed))
            if worker is None:
                ours, theirs = context.Pipe()
                worker = context.Process(target=work, args=(theirs, name), daemon=True)
                worker.start()
                theirs.close()
            ours.send(path.name)
            try:
                answer, memory = ours.recv() if ours.poll(TIME_LIMIT_SECONDS) else ("HANG", 0)
            except (EOFError, ConnectionError):
                worker.join()
                answer, memory = f"DIED with {worker.exitcode}", 0
            if answer.startswith(("HANG", "DIED")):
                worker.kill()
                worker = None
            if memory > max(peak, 600):
                print(f"seed {seed} ({form}): memory rose to {memory} MB")
            peak = max(peak, memory)
            found[form, answer.split(":")[0].split(" with")[0]] += 1
            if answer not in ("read", "error"):
                print(f"seed {seed} ({form}): {answer}")
            path.unlink()
        if worker is not None:
            worker.kill()
    for (form, answer), count in sorted(found.items()):
        print(f"{form:15} {answer:6} {count:5}")
    print(f"peak memory {peak} MB")


if __name__ == "__main__":
    main()
