"""Models of whole tables: files in, a fitted model with its encoder out, predictions for other files."""

from ridgeway.tables.checkpoint import Checkpoint
from ridgeway.tables.fitting import fit_table
from ridgeway.tables.predicting import predict_table
from ridgeway.tables.request import Request
from ridgeway.tables.table_model import TableModel

__all__ = ["Checkpoint", "Request", "TableModel", "fit_table", "predict_table"]
