"""Rows in batches from files of any size and from memory, and tables as numbers."""

from ridgeway.data.data_error import DataError
from ridgeway.data.encoded import EncodedBatch, encoded_batches
from ridgeway.data.opening import open_data
from ridgeway.data.prefetch import prefetch
from ridgeway.data.schema import Column, Schema
from ridgeway.data.source import Source
from ridgeway.data.table_encoder import TableEncoder
from ridgeway.data.target import TargetRows, target_of

__all__ = [
    "Column",
    "DataError",
    "EncodedBatch",
    "Schema",
    "Source",
    "TableEncoder",
    "TargetRows",
    "encoded_batches",
    "open_data",
    "prefetch",
    "target_of",
]
