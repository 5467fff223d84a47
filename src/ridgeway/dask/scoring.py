"""Scoring: the errors of all candidates on held-out rows of all partitions, added up in a tree on the workers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.partition_folds import PartitionFolds
from ridgeway.rows import Batch
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.capped_errors import ROWS_PER_CAPPED_ROW, Errors
from ridgeway.selection.folds import MAX_GROUPS
from ridgeway.selection.held_out_errors import Group, HeldOutErrors
from ridgeway.selection.trial import Trial

SCORED_BLOCK_ROWS = 2**16  # rows that are standardized together
APART_RATIO, MIN_ROWS_APART = (
    8,
    16,
)  # set apart: 8 times a part's share of the rows that may be capped, and 16

Tally = dict[tuple[int, int], Group]  # (fold, group) -> what is kept of its rows


def tally(
    batch: Batch | None,
    held: list[HeldOutErrors],
    folds: PartitionFolds,
    standardization: Standardization,
    number: int,
    groups: list[int],
) -> Tally:
    """Return the sums over held-out rows of a partition from which errors are computed, by group."""
    found: Tally = {}
    if batch is None:
        return found
    fold_ids = folds.fold_ids(number, len(batch))
    for fold, errors in enumerate(held):
        rows = np.flatnonzero(fold_ids == fold)
        for group, part in zip(groups, np.array_split(rows, len(groups)), strict=True):
            for first in range(0, len(part), SCORED_BLOCK_ROWS):
                some = part[first : first + SCORED_BLOCK_ROWS]
                one = errors.holding([])
                one.add(
                    standardization.batch(batch, some), APART_RATIO * len(some) // ROWS_PER_CAPPED_ROW + MIN_ROWS_APART
                )
                found = add_tallies(found, {(fold, group): one.groups[0]})
    return found


def add_tallies(*tallies: Tally) -> Tally:
    """Join tallies of different rows."""
    total: Tally = {}
    for part in tallies:
        for key, group in part.items():
            total[key] = total[key] + group if key in total else group
    return total


class JointTrial:
    """Several trials, one per fold, for which each partition is read once.

    Parameters
    ----------
    trials : one per fold, without rows.
    executor : does the tasks.
    partitions : those with held-out rows.
    form : how they are loaded.
    folds : which rows are held out.
    standardization : of the rows.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        executor: Executor,
        partitions: Sequence[Partition],
        form: Form | None,
        folds: PartitionFolds,
        standardization: Standardization,
    ) -> None:
        self.trials = list(trials)
        self.executor, self.partitions, self.form = executor, list(partitions), form
        self.folds, self.standardization = folds, standardization

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, fold after fold."""
        return np.concatenate([trial.weight for trial in self.trials])

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Predict all held-out rows along the directions of these schemes."""
        held = [trial.prepared(schemes) for trial in self.trials]
        places = {partition.number: place for place, partition in enumerate(self.partitions)}
        sent = self.folds.without_starts()
        total: Tally = self.executor.total(
            tally,
            self.partitions,
            self.form,
            lambda part: (part.number, self._groups(places[part.number])),
            add_tallies,
            common=(held, sent, self.standardization),
        )
        for fold, trial in enumerate(self.trials):
            trial.hold([total[key] for key in sorted(total) if key[0] == fold])

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Errors of schemes in the span on each group of rows, fold after fold."""
        parts = [trial.errors(schemes) for trial in self.trials]
        return Errors(*(np.concatenate(kind, axis=2) for kind in zip(*parts, strict=True)))

    def _groups(self, place: int) -> list[int]:
        """Return the groups of the held-out rows of a partition: one shared with others, or several of its own."""
        per_fold, n = max(1, MAX_GROUPS // len(self.trials)), len(self.partitions)
        if n >= per_fold:
            return [place * per_fold // n]
        own = -(-per_fold // n)
        return list(range(place * own, (place + 1) * own))
