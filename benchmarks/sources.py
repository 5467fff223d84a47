"""One million rows from PostgreSQL and from an S3 store, beside the Parquet file that holds them.

``python -m benchmarks.sources`` starts both servers on loopback, fits each source in a process of its own, and prints
seconds, the peak memory of the process, and whether the model is that of the Parquet file to the last bit.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

# By its path: packages of others are called `tests`, too.
_spec = importlib.util.spec_from_file_location("servers", Path(__file__).parents[1] / "tests" / "servers.py")
assert _spec is not None
assert _spec.loader is not None
servers = importlib.util.module_from_spec(_spec)
sys.modules["servers"] = servers
_spec.loader.exec_module(servers)

GROUP_ROWS = 1 << 17  # those of temporary files: the parts that a fit reads in random order are then the same
FIT = """
import hashlib, json, resource, sys, time
from ridgeway.data import external_table
from ridgeway.tables import Request, fit_table

begun = time.perf_counter()
data, table, memory = sys.argv[1], sys.argv[2] or None, int(sys.argv[3]) << 20
model = fit_table(external_table(data, table=table) or data, Request(target="price"), memory=memory)
coefs = hashlib.blake2b(model.model.coef_.tobytes() + model.model.path([0.01, 1.0]).coefs.tobytes()).hexdigest()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps([time.perf_counter() - begun, peak, coefs, model.facts.rows]))
"""


def million(n_rows: int) -> pa.Table:
    rng = np.random.default_rng(0)
    columns = {f"x{place}": rng.standard_normal(n_rows) for place in range(12)}
    shop = rng.choice([f"shop {number}" for number in range(40)], n_rows)
    note = rng.choice([f"a longer text, number {number}, as orders have it" for number in range(5_000)], n_rows)
    price = sum(columns.values()) + (shop == "shop 3") + rng.standard_normal(n_rows)
    return pa.table({**columns, "shop": shop, "note": note, "price": price})


def fitted(data: str, table: str, memory: int) -> tuple[float, int, str, int]:
    """Return seconds, peak memory in MB, a hash of the coefficients, and the rows of a fit in a process of its own."""
    done = subprocess.run([sys.executable, "-c", FIT, data, table, str(memory)], check=True, capture_output=True)
    seconds, peak, coefs, rows = json.loads(done.stdout)
    return seconds, peak, coefs, rows


def main() -> None:
    """Measure the sources, and end with an error if a model differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", type=int, default=64, help="MB of encoded rows; more are streamed")
    options = parser.parse_args()
    table = million(options.rows)
    with tempfile.TemporaryDirectory() as folder, servers.postgresql() as database, servers.object_store() as store:
        path = Path(folder) / "rows.parquet"
        pq.write_table(table, path, row_group_size=GROUP_ROWS)
        database.load("rows", table)
        os.environ.update(
            AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY="tester", AWS_DEFAULT_REGION="us-east-1",
            AWS_ENDPOINT_URL=store,
        )  # fmt: skip
        bucket = pa.fs.S3FileSystem(region="us-east-1", endpoint_override=store)
        with bucket.open_output_stream("shop/rows.parquet") as out:
            out.write(path.read_bytes())
        print(f"{options.rows:,} rows, {table.nbytes >> 20} MB in memory, {path.stat().st_size >> 20} MB as Parquet")
        del table
        expected = fitted(str(path), "", options.memory)
        print(f"{'source':<12}{'seconds':>9}{'peak MB':>9}  model")
        print(f"{'Parquet':<12}{expected[0]:>9.1f}{expected[1]:>9}")
        differing = []
        for name, data, of in (("PostgreSQL", database.address, "rows"), ("S3", "s3://shop/rows.parquet", "")):
            found = fitted(data, of, options.memory)
            same = found[2:] == expected[2:]
            differing += [] if same else [name]
            print(f"{name:<12}{found[0]:>9.1f}{found[1]:>9}  {'the same' if same else 'DIFFERS'}", flush=True)
    if differing:
        sys.exit(f"Other models than from the Parquet file: {', '.join(differing)}.")


if __name__ == "__main__":
    main()
