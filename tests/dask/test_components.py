"""Kernel models with components, fitted by partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

import ridgeway as rw
from ridgeway.dask.components import few_rows, joined_batches
from ridgeway.dask.opened_data import opened
from ridgeway.data import DataError
from ridgeway.rows import check_batch

pytestmark = pytest.mark.filterwarnings("ignore:the held-out error was still falling")


def waves(n: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + 0.05 * rng.standard_normal(n)


def blocks(X: Any, y: Any) -> tuple[Any, Any]:
    return da.from_array(X, chunks=(300, X.shape[1])), da.from_array(y, chunks=300)


# Law: a kernel model that was fitted by partitions is an ordinary one, about as good as that of a local fit.
@pytest.mark.parametrize("features", ["fourier", "nystroem"])
def test_components_by_partitions(features: str, tmp_path: Path) -> None:
    X, y = waves()
    given: dict[str, Any] = {"n_components": 80, "features": features, "gamma": 1.0, "passes": 30, "random_state": 0}
    model = rw.dask.fit(rw.AveragedKernelRegressor(**given), blocks(X, y), client="serial")
    local = rw.AveragedKernelRegressor(**given).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.score(X, y) > local.score(X, y) - 0.03
    assert (model.n_features_in_, model.gamma_, model.coef_.shape) == (2, 1.0, (80,))
    lazy = rw.dask.predict(model, da.from_array(X, chunks=(300, 2)))
    np.testing.assert_allclose(lazy.compute(), model.predict(X))
    model.save(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(rw.load(tmp_path / "m.safetensors").predict(X), model.predict(X))


# Law: the number of components, not of columns, decides how many row groups a task takes.
def test_partitions_make_room_for_components(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = waves()
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "y": y}), path, row_group_size=100)
    sizes = []

    def watched(*given: Any) -> Any:
        table = opened(*given)
        sizes.append(len(table.partitions))
        return table

    monkeypatch.setattr("ridgeway.dask.fitting.opened", watched)
    estimator = rw.AveragedKernelRegressor(n_components=40, alpha=0.01, passes=1, random_state=0)
    model = rw.dask.fit(estimator, path, target="y", client="serial", partition_bytes=2**16)
    assert sizes == [1, 15]
    assert list(model.feature_names_in_) == ["a", "b"]


def test_exact_kernels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"n_components=None: .* set n_components=2000"):
        rw.dask.fit(rw.AveragedKernelRegressor(), blocks(*waves()), client="serial")


def test_too_little_memory_names_the_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ridgeway.machine.available_memory.available_memory", lambda: 3e5)
    estimator = rw.AveragedKernelRegressor(n_components=5, alpha=0.1)
    X = np.random.default_rng(0).standard_normal((10_000, 2))
    with pytest.raises(DataError, match=r"block \d of the dask array: 5 components of 10,000 rows need"):
        rw.dask.fit(estimator, (da.from_array(X), da.from_array(X[:, 0])), client="serial")


# Law: rows of several partitions join to one batch, dense or sparse, and empty ones add nothing.
@pytest.mark.parametrize("sparse", [False, True])
def test_few_rows_join(sparse: bool) -> None:
    X = np.arange(1.0, 25.0).reshape(8, 3)
    parts = [
        few_rows(check_batch(scipy.sparse.csr_array(part) if sparse else part, part[:, 0]), 3, seed)
        for seed, part in enumerate((X[:4], X[4:]))
    ]
    whole = joined_batches(parts[0], None, parts[1])
    assert whole is not None
    assert len(whole) == 6
    assert set(whole.y[:, 0]) <= set(X[:, 0])
    assert joined_batches(None, None) is None
    assert few_rows(None, 3, 0) is None
