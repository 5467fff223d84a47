"""Lazy predictions against those of the model in memory."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from tests.dask.conftest import COLUMNS, ROWS

import ridgeway as rw

Table = tuple[np.ndarray, np.ndarray, np.ndarray]


# Law: predictions of blocks are those of all rows, and nothing is computed before it is asked for.
@pytest.mark.parametrize("n_targets", [1, 2])
def test_predictions_are_those_of_the_model(table: Table, n_targets: int) -> None:
    X, y, _ = table
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=1).fit(X, y if n_targets == 1 else np.column_stack([y, -y]))
    computed: list[int] = []

    def watched(block: np.ndarray) -> np.ndarray:
        computed.append(len(block))
        return block

    blocks = da.from_array(X, chunks=(1000, 2)).rechunk((700, 2)).map_blocks(watched, meta=np.empty((0, 0)))
    lazy, path = rw.dask.predict(model, blocks), rw.dask.predict(model, blocks, [0.1, 1.0])
    assert computed == []
    assert lazy.chunks[0] == (700, 700, 700, 700, 200)
    with np.errstate(all="raise"):
        np.testing.assert_allclose(lazy.compute(scheduler="synchronous"), model.predict(X), rtol=1e-12)
    np.testing.assert_allclose(path.compute(scheduler="synchronous"), model.predict_path(X, [0.1, 1.0]), rtol=1e-12)


def test_frames_sparse_blocks_and_empty_parts(table: Table) -> None:
    X, y, _ = table
    names = [f"x{j}" for j in range(COLUMNS)]
    frame = pd.DataFrame(X, columns=names)
    model = rw.AveragedSGDRegressor(alpha=0.1, passes=1).fit(frame, y)
    parts = dd.from_pandas(frame.assign(other=1.0)[["other", *names[::-1]]], npartitions=3)
    few = parts[parts["other"] > 2]
    np.testing.assert_allclose(rw.dask.predict(model, parts).compute(), model.predict(frame))
    assert rw.dask.predict(model, few).compute().shape == (0,)
    sparse = da.from_array(X, chunks=(1500, COLUMNS)).map_blocks(scipy.sparse.csr_matrix)
    assert rw.dask.predict(model, sparse).compute().shape == (ROWS,)
    with pytest.raises(ValueError, match="X has 2 features"):
        rw.dask.predict(model, da.from_array(X[:, :2]))
    with pytest.raises(TypeError, match=r"data is a ndarray.*model\.predict"):
        rw.dask.predict(model, X)
