"""Models of whole tables: files in, a fitted model with its encoder out, predictions for other files."""

from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.tables.request import Request
from ridgeway.tables.table_fit import fit_table
from ridgeway.tables.table_model import TableModel
from ridgeway.tables.table_prediction import predict_table

__all__ = ["Checkpoint", "Request", "TableModel", "fit_table", "predict_table"]
