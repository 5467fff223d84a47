"""One small cluster of processes for all tests of a worker, and tables to fit."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

distributed = pytest.importorskip("distributed")

ROWS, COLUMNS = 3000, 4


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the event loops and ports that dask opens
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster, set_as_default=False) as connected,
        ):
            yield connected


@pytest.fixture(scope="session")
def table() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return X, y and weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, COLUMNS)) * [1.0, 10.0, 0.1, 1.0] + [0.0, 3.0, 1.0, -5.0]
    y = X @ [1.0, 0.2, 3.0, -0.5] + rng.standard_normal(ROWS)
    return X, y, rng.integers(0, 3, ROWS).astype(float)


@pytest.fixture(scope="session")
def parquet(table: tuple[NDArray[np.float64], ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of six row groups, the third of them empty of targets."""
    X, y, weight = table
    path = tmp_path_factory.mktemp("dask") / "rows.parquet"
    columns = {**{f"x{j}": X[:, j] for j in range(COLUMNS)}, "y": y, "w": weight}
    pq.write_table(pa.table(columns), path, row_group_size=500)
    return path
