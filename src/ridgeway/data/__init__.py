"""Rows in batches from files of any size and from memory, and tables as features.

Examples
--------
A file is read in batches; the encoder looks at the first rows, and a thread encodes ahead of the model:

>>> import tempfile, numpy as np, pyarrow as pa, pyarrow.parquet, ridgeway as rw
>>> from ridgeway.data import encoded_batches, open_data
>>> rng = np.random.default_rng(0)
>>> shop, size = rng.choice(["north", "south"], 5000), rng.standard_normal(5000)
>>> table = pa.table({"shop": shop, "size": size, "sales": 2 * size + (shop == "north")})
>>> with tempfile.TemporaryDirectory() as folder:
...     pyarrow.parquet.write_table(table, f"{folder}/sales.parquet")
...     source = open_data(f"{folder}/sales.parquet", batch_rows=1000)
...     encoder = rw.TableEncoder().fit(source, leave_out=["sales"])
...     model = rw.AveragedSGDRegressor()
...     for batch in encoded_batches(source, encoder, "sales"):
...         model = model.partial_fit(batch.X, batch.y)
>>> print(encoder.describe())
2 columns became 4 features:
  column  kind      features  what was done
  shop    category         3  2 levels (south, north)
  size    number           1  as it is
>>> north, south, _, size = model.coef_
>>> print(f"{north - south:.2f} {size:.2f}")
1.00 2.00
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ridgeway.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from ridgeway.data.data_error import DataError
    from ridgeway.data.encoded import EncodedBatch, encoded_batches
    from ridgeway.data.external import ExternalTable, external_table
    from ridgeway.data.opening import ColumnNames, column_names, open_data
    from ridgeway.data.prefetching import prefetch
    from ridgeway.data.schema import Column, Schema
    from ridgeway.data.shuffled import ShuffledSource
    from ridgeway.data.source import Source
    from ridgeway.data.table_encoder import TableEncoder
    from ridgeway.data.target import TargetRows, target_of
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "data_error": ("DataError",),
            "encoded": (
                "EncodedBatch",
                "encoded_batches",
            ),
            "external": (
                "ExternalTable",
                "external_table",
            ),
            "opening": (
                "ColumnNames",
                "column_names",
                "open_data",
            ),
            "prefetching": ("prefetch",),
            "schema": (
                "Column",
                "Schema",
            ),
            "shuffled": ("ShuffledSource",),
            "source": ("Source",),
            "table_encoder": ("TableEncoder",),
            "target": (
                "TargetRows",
                "target_of",
            ),
        },
    )

__all__ = [
    "Column",
    "ColumnNames",
    "DataError",
    "EncodedBatch",
    "ExternalTable",
    "Schema",
    "ShuffledSource",
    "Source",
    "TableEncoder",
    "TargetRows",
    "column_names",
    "encoded_batches",
    "external_table",
    "open_data",
    "prefetch",
    "target_of",
]
