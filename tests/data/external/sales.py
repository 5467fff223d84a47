"""A table of all kinds of columns, which databases and files hold alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from ridgeway.tables import Request, TableModel, fit_table


def sales(n_rows: int = 3_000, seed: int = 0) -> Any:
    """Return a table: text, numbers with missing values, times, booleans, and a price."""
    rng = np.random.default_rng(seed)
    size, shop = rng.uniform(1, 3, n_rows).round(6), rng.choice(["east", "west", "north"], n_rows)
    price = 10 * size + 5 * (shop == "east") + rng.standard_normal(n_rows)
    return pa.table(
        {
            "shop": shop,
            "size": pa.array(size, mask=rng.random(n_rows) < 0.05),
            "items": pa.array(rng.integers(0, 9, n_rows), pa.int64()),
            "sold": pa.array(
                np.datetime64("2024-01-01T00:00:00", "us") + rng.integers(0, 4 * 10**7, n_rows).astype("timedelta64[s]")
            ),
            "gift": pa.array(rng.random(n_rows) < 0.3),
            "price": price,
        }
    )


def fitted(data: Any, **options: Any) -> TableModel:
    """Return the model of the price."""
    return fit_table(data, Request(target="price"), **options)


def same_model(one: TableModel, other: TableModel) -> bool:
    """Return whether two models are the same to the last bit, apart from the names of their data."""
    return bool(_plain(one.state()) == _plain(other.state()))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items() if key != "data"}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value
