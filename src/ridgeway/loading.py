"""`load`: a fitted model from its file."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from ridgeway.estimators.restored import AVERAGED
from ridgeway.exact import ExactRidgePath
from ridgeway.storage import ModelFileError, read_state
from ridgeway.storage.class_registry import ClassRegistry
from ridgeway.storage.state import Stored

ESTIMATORS: ClassRegistry[Any] = ClassRegistry("estimator", (*AVERAGED.values(), ExactRidgePath))
TABLE_MODEL = "TableModel"


def load(path: str | os.PathLike[str]) -> Any:
    """Return the fitted model that `save` wrote to a file.

    Its predictions are those of the saved model, bit for bit. Every other alpha and scheme is available by `at`, `path`
    and `predict_path`, and `partial_fit` continues as the saved model would have. A file that is damaged, hostile, or
    of a newer version raises `ModelFileError`; nothing in a file is executed. A file that the command line wrote also
    holds the encoder of its table: its `TableModel` predicts raw tables.

    Parameters
    ----------
    path : a file that `save` wrote.

    Examples
    --------
    >>> import tempfile, numpy as np, ridgeway as rw
    >>> from pathlib import Path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 3))
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, X @ [1.0, 2.0, 3.0])
    >>> file = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> model.save(file)
    >>> loaded = rw.load(file)
    >>> bool((loaded.predict(X) == model.predict(X)).all()), loaded.at(0.1).alpha_
    (True, 0.1)
    """
    stored = read_state(path)
    try:
        return estimator_of(stored)
    except (ValueError, TypeError, ArithmeticError) as error:
        said = str(error).rstrip(".")
        raise ModelFileError(
            f"{path}: not a model that ridgeway saves: {said}; use an intact copy, or fit again."
        ) from None


def estimator_of(stored: Stored) -> Any:
    """Return the fitted model of a state."""
    kind = stored.text("estimator", (*ESTIMATORS, TABLE_MODEL))
    if kind == TABLE_MODEL:  # tables need pyarrow, which the base install leaves out
        return import_module("ridgeway.tables").TableModel.from_state(stored)
    return ESTIMATORS.from_state(stored)
