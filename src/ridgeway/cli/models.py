"""Model files as commands read them."""

from __future__ import annotations

from typing import Any

from ridgeway.loading import load
from ridgeway.model import ModelFileError
from ridgeway.tables import TableModel


def load_table_model(path: str) -> TableModel:
    """Return a model with its encoder, as `ridgeway fit` writes it."""
    model = load(path)
    if not isinstance(model, TableModel):
        raise ModelFileError(
            f"{path}: a {type(model).__name__} that was saved in Python, without an encoder of tables: expected a "
            "model file of `ridgeway fit`; predict in Python by ridgeway.load(...).predict(X)."
        )
    return model


def parts_of(model: Any) -> tuple[Any, TableModel | None, list[str]]:
    """Return the estimator, the model of a table if it is one, and the names of the features."""
    if isinstance(model, TableModel):
        return model.model, model, model.feature_names
    names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(model.n_features_in_)])
    return model, None, [str(name) for name in names]
