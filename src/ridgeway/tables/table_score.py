"""The coefficient of determination of a model on a table that holds the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import r2_score

from ridgeway.data import DataError, target_of
from ridgeway.data.schema import no_column

if TYPE_CHECKING:
    from ridgeway.tables.table_model import TableModel


def score_of(model: TableModel, data: Any) -> float:
    """Return R^2 of the predictions in units of the target, the mean over several targets.

    Parameters
    ----------
    model : the model.
    data : a table with the target; rows without it are left out, and its column of weights counts where it is there.
    """
    source = model.open(data)
    if source.schema is not None:
        for name in model.targets:
            if name not in source.schema.names:
                raise no_column(name, source.schema.names, source.name)
    actual, predicted, weights = [], [], []
    for batch in source.batches():
        rows, y, weight = batch, None, None
        if model.encoder is None:
            y = np.asarray(batch[1], np.float64)
        else:
            assert model.target is not None
            named = model.weight if model.weight in batch.schema.names else None
            found = target_of(batch, model.target, named, source.name)
            rows, y, weight = found.table, found.y, found.weight
        if len(y):
            actual.append(y)
            predicted.append(model.predict_batch(rows, source.name))
            weights.append(np.ones(len(y)) if weight is None else weight)
    if sum(map(len, actual)) < 2:
        raise DataError(f"{source.name}: fewer than 2 rows have a target: expected at least 2 for R^2; add rows.")
    return float(r2_score(np.concatenate(actual), np.concatenate(predicted), sample_weight=np.concatenate(weights)))
