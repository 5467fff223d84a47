"""A table with columns of every kind, and files of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


def shop_table(n: int = 3000, seed: int = 0) -> Any:
    """Sizes, shops, days, a rare missing value, weights, and prices above 0 that depend on them."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(1, 3, n)
    shop = rng.choice(["north", "east", "south"], n)
    day = np.datetime64("2020-01-01") + rng.integers(0, 700, n)
    price = np.exp(size / 2 + 0.4 * (shop == "east") + 0.2 * rng.standard_normal(n))
    return pa.table(
        {
            "size": pa.array(np.where(rng.random(n) < 0.05, np.nan, size), from_pandas=True),
            "shop": shop,
            "day": day,
            "used": rng.random(n) < 0.5,
            "weight": rng.choice([0.0, 1.0, 2.0], n),
            "price": pa.array(np.where(rng.random(n) < 0.02, np.nan, price), from_pandas=True),
        }
    )


def write_csv(table: Any, path: Path) -> Path:
    """Write a table as CSV."""
    pyarrow.csv.write_csv(table, path)
    return path


def write_parquet(table: Any, path: Path) -> Path:
    """Write a table as Parquet."""
    pyarrow.parquet.write_table(table, path)
    return path
