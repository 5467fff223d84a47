"""Small fits of every kind, which make Numba compile all kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse

from ridgeway.estimators import AveragedSGDRegressor
from ridgeway.progress import Progress
from ridgeway.tables import Request, fit_table

ROWS = 600


def warm_up(shown: bool) -> int:
    """Fit small data of every form; return the number of fits."""
    jobs = [*_array_jobs(), *_table_jobs()]
    with closing(Progress(len(jobs), shown, "fits")) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small data settle nothing
        for job in jobs:
            job()
            progress.add(1)
    return len(jobs)


def _array_jobs() -> list[Callable[[], Any]]:
    rng = np.random.default_rng(0)
    jobs: list[Callable[[], Any]] = []
    for dtype in (np.float32, np.float64):
        dense: Any = rng.standard_normal((ROWS, 12)).astype(dtype)
        sparse: Any = scipy.sparse.csr_matrix(dense * (dense > 0.5))
        y = dense[:, 0] + rng.standard_normal(ROWS).astype(dtype)
        for X in (dense, sparse):
            for options in ({}, {"cv": "holdout", "chains": 2}, {"batch_size": 8}, {"store": "replay"}):
                model = AveragedSGDRegressor(passes=2, random_state=0, **options)
                jobs += [partial(model.fit, X, y), partial(model.path, [0.0, 0.1]), partial(model.predict, X)]
            jobs.append(partial(AveragedSGDRegressor().partial_fit, X, y))
    return jobs


def _table_jobs() -> list[Callable[[], Any]]:
    rng = np.random.default_rng(0)
    columns = {
        "number": rng.standard_normal(ROWS),
        "level": rng.choice(["a", "b", "c"], ROWS),
        "words": [f"some words {i} {i % 7}" for i in range(ROWS)],
        "day": np.arange(ROWS).astype("datetime64[D]"),
        "y": rng.standard_normal(ROWS),
    }
    table = pa.table(columns)
    few = table.drop_columns(["words"])
    return [
        partial(fit_table, data, Request(target="y", passes=2), memory=m) for data in (table, few) for m in (0, 2**28)
    ]
