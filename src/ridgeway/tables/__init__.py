"""Models of whole tables: fit a model and its encoder to files, and predict other files."""

from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.tables.request import Request
from ridgeway.tables.table_fit import fit_table
from ridgeway.tables.table_model import TableModel
from ridgeway.tables.table_prediction import predict_table
from ridgeway.tables.train_test_files import hold_back

__all__ = ["Checkpoint", "Request", "TableModel", "fit_table", "hold_back", "predict_table"]
