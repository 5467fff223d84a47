"""`predict`: predictions for a dask collection, lazy and partition by partition."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ridgeway.dask.library import dask, dask_array
from ridgeway.data import TableEncoder
from ridgeway.estimators.restored import AnyAveraged
from ridgeway.path.path_result import PathResult
from ridgeway.rows import Float, check_rows


def predict(
    model: AnyAveraged, data: Any, alphas: ArrayLike | None = None, *, encoder: TableEncoder | None = None
) -> Any:
    """Predict a dask array or data frame; the result is lazy, as all dask collections are.

    Parameters
    ----------
    model : fitted.
    data : dask array of shape (rows, features), or dask data frame with the columns of the fit; others are ignored.
    alphas : (L,), to predict with every one of them, as `predict_path` does; None for the selected average.
    encoder : the one that the fit was given, if any.

    Returns
    -------
    dask array with the blocks of the data, (rows,), (rows, targets) or, with alphas, (rows, L) or (rows, L, targets).

    Examples
    --------
    >>> import dask.array as da, numpy as np, ridgeway as rw
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> model = rw.AveragedSGDRegressor(random_state=0).fit(X, X[:, 0])
    >>> lazy = rw.dask.predict(model, da.from_array(X, chunks=(2, 2)))
    >>> lazy.numblocks, bool(np.allclose(lazy.compute(), model.predict(X)))
    ((3,), True)
    """
    path = model._fitted().model if alphas is None else model.path(alphas)
    tail = path.coefs.shape[1:-1] if alphas is None else path.coefs.shape[:-1]
    names = None
    if hasattr(data, "dtypes"):
        names = list(getattr(model, "feature_names_in_", [])) if encoder is None else None
        parts, sizes = list(data.to_delayed()), [np.nan] * data.npartitions
    elif hasattr(data, "chunks"):
        whole = data.rechunk({1: -1}) if len(data.chunks[1]) > 1 else data
        if whole.shape[1] != model.n_features_in_:
            raise ValueError(
                f"X has {whole.shape[1]} features, but {type(model).__name__} is expecting {model.n_features_in_}: "
                "pass the columns of fit, in the same order."
            )
        parts, sizes = list(whole.to_delayed().reshape(-1)), list(whole.chunks[0])
    else:
        raise TypeError(
            f"data is a {type(data).__name__}: expected a dask array or data frame; use model.predict for data in "
            "memory."
        )
    linear = dask.delayed(_Linear(path, alphas is None, names, encoder), pure=True)
    blocks = [
        dask_array.from_delayed(dask.delayed(_predicted)(linear, part), (size, *tail), dtype=path.coefs.dtype)
        for part, size in zip(parts, sizes, strict=True)
    ]
    return dask_array.concatenate(blocks, allow_unknown_chunksizes=True)


class _Linear:
    """The part of a model that predictions need; it is small, because every worker receives it."""

    def __init__(self, path: PathResult, one: bool, names: list[str] | None, encoder: TableEncoder | None) -> None:
        self.path, self.one, self.names, self.encoder = path, one, names, encoder

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return (self.path.coefs, self.path.intercepts, self.one, self.names, self.encoder is None)


def _predicted(linear: _Linear, X: Any) -> Float:
    if X.shape[0] == 0:
        shape = linear.path.coefs.shape
        return np.zeros((0, *(shape[1:-1] if linear.one else shape[:-1])), linear.path.coefs.dtype)
    if linear.encoder is not None:
        X = linear.encoder.transform(X)
    elif linear.names:
        X = X[linear.names]
    answer = linear.path.predict_rows(check_rows(X))
    return answer[:, 0] if linear.one else answer
