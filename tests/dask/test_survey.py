"""Sums over partitions against the same over all rows at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import dask
from ridgeway.averaging import Last
from ridgeway.dask.cluster_engine import held_rows
from ridgeway.dask.opened_data import opened_files
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.partition_folds import PartitionFolds
from ridgeway.dask.partition_sweep import learn, prepare
from ridgeway.dask.sampled_predictions import predict_rows
from ridgeway.dask.scoring import tally
from ridgeway.dask.serial import Serial
from ridgeway.dask.survey import STEP_PARTITIONS, add_norms, norms_for_step, norms_of
from ridgeway.rows import FLOAT64, Batch, check_batch
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.standardization import Standardization
from ridgeway.sgd import SGDRun
from ridgeway.sgd.step_size import final_step


def rows(seed: int, n: int, sparse: bool) -> Batch:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) * [1.0, 1e4, 1e-3] + [5.0, 0.0, 1.0]
    y = rng.standard_normal((n, 2)) + 100
    weight = rng.uniform(0.1, 2, n)
    if sparse:
        return check_batch(scipy.sparse.csr_array(X * (X > 0.5)), y, weight, target_dtype=FLOAT64)
    return check_batch(X, y, weight, target_dtype=FLOAT64)


# Law: moments of parts, added in any grouping, give the offsets and scales of all rows.
@settings(deadline=None, max_examples=50)
@given(st.integers(0, 99), st.integers(3, 60), st.integers(1, 2), st.booleans(), st.booleans(), st.booleans())
def test_moments_of_parts_are_those_of_all_rows(
    seed: int, n: int, cut: int, sparse: bool, scale: bool, centre: bool
) -> None:
    batch = rows(seed, n, sparse)
    parts = [RowMoments.of(batch.between(a, b)) for a, b in ((0, cut), (cut, n - 1), (n - 1, n)) if a < b]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    got, expected = Standardization.from_moments(total, scale, centre), Standardization.of(batch, scale, centre)
    for name in ("offset", "scale", "constant", "target_offset", "target_scale", "weight_scale"):
        np.testing.assert_allclose(getattr(got, name), getattr(expected, name), rtol=1e-9, atol=1e-9)


# Law: a column that is constant in all partitions has scale 1 and is centred to 0 exactly.
def test_a_constant_column_stays_constant() -> None:
    X = np.column_stack([np.full(40, 0.1), np.arange(40.0)])
    parts = [RowMoments.of(check_batch(X[a:b], X[a:b, 1])) for a, b in ((0, 7), (7, 40))]
    got = Standardization.from_moments(parts[0] + parts[1], True, True)
    assert got.scale[0] == 1.0
    assert got.offset[0] == pytest.approx(0.1, rel=1e-15)


# Law: the step from norms of parts is the step from all norms.
@settings(deadline=None, max_examples=50)
@given(st.integers(0, 99), st.integers(8, 60), st.booleans())
def test_the_step_is_that_of_all_rows(seed: int, n: int, sparse: bool) -> None:
    batch = rows(seed, n, sparse)
    standardization = Standardization.of(batch, True, True)
    parts = [norms_of(batch.between(a, b), standardization) for a, b in ((0, 5), (5, n))]
    whole = add_norms(*parts, norms_of(None, standardization))
    standard = standardization.batch(batch)
    q = standard.rows.squared_norms() * standard.weight
    assert whole.step == final_step(q)
    assert whole.largest == q.max()
    assert whole.median == pytest.approx(np.sort(q)[(n - 1) // 2], rel=0.02)


# Law: of many partitions the first row groups of some set the step, which is that of all rows; rows with heavy tails,
# where these do not agree, are all looked at.
@pytest.mark.parametrize("heavy", [False, True])
def test_a_glimpse_sets_the_step(heavy: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (40 * 64, 5))
    if heavy:
        X[rng.integers(0, len(X), 20)] *= 1000
    table = pa.table({**{f"x{j}": X[:, j] for j in range(5)}, "y": X[:, 0]})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=32)
    opened = opened_files(tmp_path, "y", None, 64 * 6 * 8)
    assert len(opened.partitions) == 40 > STEP_PARTITIONS
    batch = check_batch(X, X[:, 0], target_dtype=FLOAT64)
    standardization = Standardization.of(batch, True, True)
    norms = norms_for_step(Serial(), opened.partitions, opened.form, standardization, every=False, seed=1)
    looked_at = sum(norms.sizes.values())
    assert looked_at == (len(X) if heavy else STEP_PARTITIONS * 32)
    standard = standardization.batch(batch)
    assert norms.step == final_step(standard.rows.squared_norms() * standard.weight)


class Counted(Serial):
    """Does the work here, and counts the partitions it was asked for."""

    asked = 0

    def total(self, function: Any, partitions: Sequence[Partition], *given: Any) -> Any:
        self.asked += len(partitions)
        return super().total(function, partitions, *given)


# Law: a partition of a dask collection is looked at as a whole.
def test_a_glimpse_of_a_delayed_partition() -> None:
    partition = Partition(0, "block 0", dask.delayed(np.zeros)(3))
    assert partition.glimpse() is partition


# Law: some partitions set the step where they agree; all do where rows of one are far larger, or where all are asked.
@pytest.mark.parametrize(("largest", "every", "asked"), [(1.0, False, 16), (1.0, True, 40), (50.0, False, 56)])
def test_partitions_that_set_the_step(largest: float, every: bool, asked: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 50, 3))
    X[::4] *= largest
    y = rng.standard_normal((40, 50))
    partitions = [Partition(i, f"part {i}", (X[i], y[i], None)) for i in range(40)]
    whole = check_batch(X.reshape(-1, 3), y.reshape(-1), target_dtype=FLOAT64)
    standardization, executor = Standardization.of(whole, False, False), Counted()
    norms = norms_for_step(executor, partitions, Form(), standardization, every, 0)
    assert executor.asked == asked
    exact = final_step(standardization.batch(whole).rows.squared_norms().astype(np.float64))
    assert norms.step == pytest.approx(exact, rel=0.15 if asked == 16 else 0.01)


# Law: rows of zeros have no size, and set no step but 1.
def test_rows_of_zeros() -> None:
    batch = check_batch(np.zeros((5, 2)), np.ones(5), target_dtype=FLOAT64)
    norms = norms_of(batch, Standardization.of(batch, False, False))
    assert (norms.median, norms.mean, norms.largest) == (0.0, 0.0, 0.0)
    assert norms.step == 1.0


# Law: a partition without rows adds nothing to runs, scores and predictions.
def test_nothing_adds_nothing() -> None:
    folds = PartitionFolds(0, 3, np.empty(0, np.int64))
    standardization = Standardization.of(rows(0, 20, False), True, True)
    assert held_rows(None, folds, 0) is None
    assert tally(None, [], folds, standardization, 0, []) == {}
    assert predict_rows(None, [], folds, standardization, 0, 0, 9) == []
    prepared = prepare(None, folds, standardization, 0, 0)
    assert prepared is None
    run = SGDRun(0.1)
    run.update(np.ones((3, 2)), np.ones(3))
    (after,) = learn(prepared, [run], [None], ends_pass=True)
    np.testing.assert_array_equal(after.trajectory().coef(Last()), run.trajectory().coef(Last()))
