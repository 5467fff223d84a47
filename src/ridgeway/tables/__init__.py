"""Models of whole tables: fit a model and its encoder to files, and predict other files."""

from ridgeway.tables.checkpoint import Checkpoint
from ridgeway.tables.fitting import fit_table
from ridgeway.tables.predicting import predict_table
from ridgeway.tables.request import Request
from ridgeway.tables.table_model import TableModel

__all__ = ["Checkpoint", "Request", "TableModel", "fit_table", "predict_table"]
