"""Validated batches of rows, which every run and every exact fit reads."""

from ridgeway.rows.batch import Batch
from ridgeway.rows.check import (
    check_batch,
    check_labels,
    check_rows,
    largest_norm,
    require_finite_entries,
    require_finite_rows,
)
from ridgeway.rows.forms import AnyRows, DenseRows, SparseRows, readonly
from ridgeway.rows.types import FLOAT64, Float, Order, Scalar, numbered

__all__ = [
    "FLOAT64",
    "AnyRows",
    "Batch",
    "DenseRows",
    "Float",
    "Order",
    "Scalar",
    "SparseRows",
    "check_batch",
    "check_labels",
    "check_rows",
    "largest_norm",
    "numbered",
    "readonly",
    "require_finite_entries",
    "require_finite_rows",
]
