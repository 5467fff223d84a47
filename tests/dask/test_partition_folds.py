"""What is held out, and in which order rows come: functions of seed and numbers alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.dask.partition_folds import PartitionFolds, spread_over
from ridgeway.dask.partition_sweep import run_groups_for, segments_of
from ridgeway.rows.forms import DenseRows
from ridgeway.selection.folds import hold_out, k_folds
from ridgeway.sgd import SGDRun

sizes = st.lists(st.integers(1, 40), min_size=1, max_size=6)


def starts(counts: list[int]) -> np.ndarray:
    return np.cumsum([0, *counts]).astype(np.int64)


# Law: without a shuffle, the folds over partitions are the contiguous folds of all rows together.
@settings(deadline=None, max_examples=50)
@given(sizes, st.integers(2, 6))
def test_contiguous_folds_are_those_of_all_rows(counts: list[int], k: int) -> None:
    n = sum(counts)
    k = min(k, n)
    folds = PartitionFolds(None, k, starts(counts)) if k > 1 else None
    if folds is None:
        return
    fold_ids = np.concatenate([folds.fold_ids(p, size) for p, size in enumerate(counts)])
    for fold, expected in enumerate(k_folds(n, k, None)):
        assert np.flatnonzero(fold_ids == fold).tolist() == expected.test.tolist()


# Law: without a shuffle, the last rows are held out, as from all rows together.
@settings(deadline=None, max_examples=50)
@given(sizes, st.integers(1, 30))
def test_hold_out_of_the_last_rows(counts: list[int], most: int) -> None:
    n = sum(counts)
    folds = PartitionFolds(None, 1, starts(counts), 0.1, most)
    held = np.concatenate([folds.fold_ids(p, size) == 0 for p, size in enumerate(counts)])
    assert np.flatnonzero(held).tolist() == hold_out(n, False, np.random.default_rng(0), 0.1, most).test.tolist()
    for p, size in enumerate(counts):
        assert folds.holds_out(p) == bool((folds.fold_ids(p, size) == 0).any())


# Law: at random, every fold gets as many rows of a partition as any other, to one; other partitions get other rows.
@settings(deadline=None, max_examples=50)
@given(st.integers(1, 200), st.integers(2, 6), st.integers(0, 2**40))
def test_random_folds_are_even_and_differ(n: int, k: int, seed: int) -> None:
    folds = PartitionFolds(seed, k, np.empty(0, np.int64))
    fold_ids = folds.fold_ids(3, n)
    counts = np.bincount(fold_ids, minlength=k)
    assert counts.max() - counts.min() <= 1
    assert (folds.fold_ids(3, n) == fold_ids).all()
    if n >= 50:
        assert (folds.fold_ids(4, n) != fold_ids).any()


# Law: the rows of a pass are all rows of the partition, in an order of this pass and partition.
def test_order_is_a_permutation_of_its_own() -> None:
    rows = DenseRows(np.zeros((100, 3)))
    folds = PartitionFolds(5, 0, np.empty(0, np.int64))
    orders = [tuple(folds.order(rows, pass_number, p).tolist()) for pass_number in (0, 1) for p in (0, 1)]
    assert len(set(orders)) == 4
    assert all(sorted(order) == list(range(100)) for order in orders)
    assert PartitionFolds(None, 0, np.empty(0, np.int64)).order(rows, 1, 1).tolist() == list(range(100))


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 100), st.integers(1, 20), st.none() | st.integers(0, 100))
def test_spread_takes_one_of_each_neighbourhood(n: int, chosen: int, seed: int | None) -> None:
    taken = spread_over(np.arange(n), chosen, seed)
    assert len(set(taken)) == min(n, chosen)
    assert taken == sorted(taken)


# Law: segments are contiguous, cover all partitions that have rows, and none is empty.
@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.integers(1, 8))
def test_segments_partition_the_partitions(counts: list[int], n: int) -> None:
    filled = [p for p, size in enumerate(counts) if size]
    numbered = dict(enumerate(counts))
    if n > len(filled):
        with pytest.raises(ValueError, match="partitions have rows"):
            segments_of(numbered, n)
        return
    parts = segments_of(numbered, n)
    assert len(parts) == n
    assert np.concatenate(parts).tolist() == filled
    assert all(len(part) for part in parts)


# Law: every chain has a run in every segment.
@settings(deadline=None, max_examples=50)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(1, 16))
def test_run_groups_hold_every_run_once(n_chains: int, n_segments: int, n_workers: int) -> None:
    groups = list(run_groups_for(n_chains, n_segments, n_workers, lambda _: SGDRun(0.1)))
    members = sorted((group.segment, member) for group in groups for member in group.members)
    assert members == [(segment, chain) for segment in range(n_segments) for chain in range(n_chains)]


# Law: chains travel together as long as they keep up with the loading.
def test_more_workers_more_run_groups() -> None:
    groups = list(run_groups_for(6, 1, 2, lambda _: SGDRun(0.1)))
    assert [len(group.members) for group in groups] == [3, 3]
    groups = list(run_groups_for(6, 1, 16, lambda _: SGDRun(0.1)))
    assert max(len(group.members) for group in groups) == 1
