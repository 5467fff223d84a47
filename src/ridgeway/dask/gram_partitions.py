"""Gram matrices by partitions: one read of each, added up in a tree of fixed order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.survey import Survey, counts_of, no_rows, state_of_counts
from ridgeway.data import DataError
from ridgeway.estimators import RidgePathCV
from ridgeway.estimators.exact_fit import stream_folds
from ridgeway.estimators.options import check_averaging, generator
from ridgeway.exact.gram_sums import GramSums
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.storage.checkpoint import Checkpoint
from ridgeway.storage.state import State


@dataclass(frozen=True, eq=False)
class PartitionSums:
    """Sums over the rows of some partitions.

    Attributes
    ----------
    sums : of their rows; None if none has a target and a positive weight.
    counts : number of such rows of each partition.
    read : number of rows of each that were read.
    """

    sums: GramSums | None
    counts: dict[int, int]
    read: dict[int, int]


def sum_partitions(
    estimator: RidgePathCV, executor: Executor, partitions: Sequence[Partition], form: Form, checkpoint: Checkpoint
) -> tuple[GramSums, Survey]:
    """Return sums over all rows, and the number of rows of each partition.

    The units are those of the first partition with rows. The fold of a row is a hash of its partition's number and of
    its place there, so folds and sums depend on the partitions, and on nothing else.
    """

    def made() -> State:
        seed = int(generator(estimator.random_state).integers(2**31))
        empty = _units(estimator, executor, partitions, form, seed)
        total: PartitionSums = executor.total(
            partition_sums, partitions, None, lambda part: (form, part.number, part.name), add_sums, common=(empty,)
        )
        assert total.sums is not None
        return {"sums": total.sums.state(), **state_of_counts(total.counts, total.read)}

    stored = checkpoint.part("gram", made)
    return GramSums.from_state(stored.part("sums")), Survey(*counts_of(stored, len(partitions)), {})


def _units(
    estimator: RidgePathCV, executor: Executor, partitions: Sequence[Partition], form: Form, seed: int
) -> GramSums:
    """Return sums of no rows, in the units of the first partition that has some."""
    n_folds = stream_folds(estimator.cv, check_averaging(estimator.averaging, estimator.alpha))
    options = bool(estimator.scale), bool(estimator.fit_intercept), n_folds, seed
    for partition in partitions:
        executor.submit(None, first_units, partition, form, *options)
        for _, found in executor.results():
            if found is not None:
                units: GramSums = found
                return units
    raise no_rows()


def first_units(batch: Batch | None, scale: bool, centre: bool, n_folds: int, seed: int) -> GramSums | None:
    """Return sums of no rows, in the units of a batch."""
    return None if batch is None else GramSums.begin(batch, Standardization.of(batch, scale, centre), n_folds, seed)


def partition_sums(loaded: Any, empty: GramSums, form: Form, number: int, name: str) -> PartitionSums:
    """Return the sums over the loaded rows of a partition."""
    rows = loaded[0] if form.features is None else loaded
    read = {number: int(rows.shape[0])}
    batch = form.batch(loaded, name)
    if batch is None:
        return PartitionSums(None, {number: 0}, read)
    expected = len(empty.standardization.scale)
    if batch.rows.shape[1] != expected:
        raise DataError(
            f"{name} has {batch.rows.shape[1]} columns, and the first partition {expected}: expected the same in every "
            "partition; convert them."
        )
    empty.require_targets(batch)
    return PartitionSums(empty.with_part(batch, number), {number: len(batch)}, read)


def add_sums(*parts: PartitionSums) -> PartitionSums:
    """Join the sums of different partitions."""
    known = [part.sums for part in parts if part.sums is not None]
    counts = {number: count for part in parts for number, count in part.counts.items()}
    read = {number: count for part in parts for number, count in part.read.items()}
    return PartitionSums(GramSums.pooled(known) if known else None, counts, read)
