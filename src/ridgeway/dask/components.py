"""Kernel models on a cluster: components are made from a few rows, then a linear model of them is fitted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse

from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.partition_folds import spread_over
from ridgeway.estimators import AveragedKernelRegressor
from ridgeway.kernel.features import Features, features_of
from ridgeway.rows import Batch, DenseRows, check_batch
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.storage.state import State

COMPONENT_PARTITIONS = 16  # partitions that rows are taken from
MIN_COMPONENT_ROWS = 4096  # rows that scales and gamma are taken from, if there are so many


def require_components(estimator: AveragedKernelRegressor) -> int:
    """Return the number of components; an exact kernel model is refused."""
    if estimator.n_components is None:
        raise ValueError(
            "n_components=None: an exact kernel model needs all rows in one place; set n_components=2000 here."
        )
    return int(estimator.n_components)


def make_components(
    estimator: AveragedKernelRegressor,
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form,
    checkpoint: Checkpoint,
) -> tuple[Features, int]:
    """Return components and the number of columns that they are made of.

    They come from rows of up to 16 partitions, not more than twice the rows that the model may hold.
    """
    n_components = require_components(estimator)

    def made() -> State:
        numbers = spread_over(np.array([part.number for part in partitions], np.int64), COMPONENT_PARTITIONS, None)
        each = -(-max(2 * n_components, MIN_COMPONENT_ROWS) // len(numbers))
        asked = [part for part in partitions if part.number in numbers]
        few: Batch | None = executor.total(few_rows, asked, form, lambda part: (each, part.number), joined_batches)
        if few is None:
            raise ValueError(
                f"none of {len(asked)} partitions has a row with a target and a positive weight: expected rows to make "
                "components of; check which columns are the target and the weight."
            )
        features = estimator._new_features(few)
        return {"features": features.state(), "gamma": estimator.gamma_, "n_columns": few.rows.shape[1]}

    stored = checkpoint.part("components", made)
    estimator.gamma_ = stored.positive("gamma") if "gamma" in stored else None
    estimator.gamma_errors_ = None
    n_columns = stored.integer("n_columns", 1)
    return features_of(stored.part("features"), n_columns), n_columns


def few_rows(batch: Batch | None, size: int, seed: int) -> Batch | None:
    """Return some rows of a partition."""
    if batch is None:
        return None
    return batch.take(np.sort(np.random.default_rng(seed).permutation(len(batch))[:size]))


def joined_batches(*batches: Batch | None) -> Batch | None:
    """Return the rows of several batches as one."""
    some = [batch for batch in batches if batch is not None]
    if len(some) <= 1:
        return some[0] if some else None
    rows = [batch.rows for batch in some]
    if all(isinstance(part, DenseRows) for part in rows):
        X = np.concatenate([part.array for part in rows if isinstance(part, DenseRows)])
    else:
        X = scipy.sparse.vstack([part.matrix() for part in rows if not isinstance(part, DenseRows)], format="csr")
    y, weight = (np.concatenate(part) for part in zip(*((b.y, b.weight) for b in some), strict=True))
    return check_batch(X, y[:, 0] if some[0].single_target else y, weight, target_dtype=np.dtype(np.float64))
