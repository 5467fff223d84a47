"""Read the model files of commands. A file that is not a model is refused before the estimators are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ridgeway.storage.model_file import ModelFileError, require_header

if TYPE_CHECKING:
    from ridgeway.tables import TableModel


def load_model(path: str) -> Any:
    """Return the model that a file holds."""
    require_header(path)
    from ridgeway.loading import load

    return load(path)


def load_table_model(path: str) -> TableModel:
    """Return a model with its encoder, as `ridgeway fit` writes it."""
    model = load_model(path)
    from ridgeway.tables import TableModel

    if not isinstance(model, TableModel):
        raise ModelFileError(
            f"{path}: a {type(model).__name__} that was saved in Python, without an encoder for tables: expected a "
            "model file of `ridgeway fit`; predict in Python with ridgeway.load(...).predict(X)."
        )
    return model


def parts_of(model: Any) -> tuple[Any, TableModel | None, list[str]]:
    """Return the estimator, the `TableModel` or None, and the names of the features."""
    from ridgeway.tables import TableModel

    if isinstance(model, TableModel):
        return model.model, model, model.feature_names
    names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(model.n_features_in_)])
    return model, None, [str(name) for name in names]
