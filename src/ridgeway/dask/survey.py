"""Survey: the number of rows, offsets, scales and the step, which are needed before the first step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.partition_folds import PartitionFolds, spread_over
from ridgeway.data import DataError
from ridgeway.rows import Batch, require_finite_rows
from ridgeway.rows.moments import RowMoments
from ridgeway.rows.standardization import Standardization
from ridgeway.sgd.step_size import MAX_NORM_MEDIANS, step_for
from ridgeway.storage.state import State, Stored
from ridgeway.trajectory.trajectory import squared_scale

CLASSES_PER_OCTAVE = 64  # classes of squared norms, from which their median is estimated
STEP_PARTITIONS = 16  # partitions whose norms, or those of a glimpse, set the step if they agree


@dataclass(frozen=True, eq=False)
class Survey:
    """Rows counted, and their moments; ``add`` joins surveys of different partitions.

    Attributes
    ----------
    counts : number of rows of each partition seen.
    read : number of rows of each that were read, also those without a target or with no weight.
    moments : of the rows of each fold (see `PartitionFolds`).
    """

    counts: dict[int, int]
    read: dict[int, int]
    moments: dict[int, RowMoments]

    @property
    def total(self) -> RowMoments:
        """Moments of all rows."""
        first, *others = (self.moments[fold] for fold in sorted(self.moments))
        for other in others:
            first = first + other
        return first


def state_of_counts(counts: dict[int, int], read: dict[int, int]) -> State:
    """Return the counts of all partitions as arrays."""
    if not any(counts.values()):
        raise no_rows()
    return {
        name: np.array([numbers[partition] for partition in sorted(numbers)], np.int64)
        for name, numbers in (("counts", counts), ("read", read))
    }


def no_rows() -> ValueError:
    """Return the error of data without a row to learn from."""
    return ValueError(
        "no partition has a row with a target and a positive weight: expected at least one; check which columns are "
        "the target and the weight."
    )


def counts_of(stored: Stored, n_partitions: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the rows of each partition that were counted and those that were read, from `state_of_counts`."""
    counts, read = (
        dict(enumerate(stored.array(name, (n_partitions,), "int64").tolist())) for name in ("counts", "read")
    )
    return counts, read


def survey_partition(loaded: Any, form: Form, folds: PartitionFolds, number: int, name: str) -> Survey:
    """Survey the loaded rows of a partition."""
    rows = loaded[0] if form.features is None else loaded
    return replace(survey_rows(form.batch(loaded, name), folds, number), read={number: int(rows.shape[0])})


def survey_rows(batch: Batch | None, folds: PartitionFolds, number: int) -> Survey:
    """Survey rows of a partition."""
    if batch is None:
        return Survey({number: 0}, {number: 0}, {})
    fold_ids = folds.fold_ids(number, len(batch))
    kinds = np.unique(fold_ids)
    if len(kinds) == 1:
        return Survey({number: len(batch)}, {number: len(batch)}, {int(kinds[0]): RowMoments.of(batch)})
    return Survey(
        {number: len(batch)},
        {number: len(batch)},
        {int(fold): RowMoments.of(batch.take(np.flatnonzero(fold_ids == fold))) for fold in kinds},
    )


def add_surveys(*surveys: Survey) -> Survey:
    """Join surveys; rows of different forms are an error that names a partition of each."""
    counts: dict[int, int] = {}
    read: dict[int, int] = {}
    moments: dict[int, RowMoments] = {}
    form: tuple[object, ...] | None = None
    for survey in surveys:
        for fold, new in survey.moments.items():
            found = (len(new.mean), len(new.target_mean), new.sparse, new.single_target, new.dtype)
            if form is not None and found != form:
                here, there = (min(p for p, n in c.items() if n) for c in (survey.counts, counts))
                raise DataError(
                    f"partition {here} has {_form(found)}, and partition {there} {_form(form)}: expected the same form "
                    "in every partition; convert them."
                )
            form = found
            moments[fold] = moments[fold] + new if fold in moments else new
        counts.update(survey.counts)
        read.update(survey.read)
    return Survey(counts, read, moments)


def _form(form: tuple[object, ...]) -> str:
    d, targets, sparse, single, dtype = form
    y = "a 1-D y" if single else f"{targets} targets"
    return f"{'sparse' if sparse else 'dense'} rows of {d} columns in {dtype} with {y}"


@dataclass(frozen=True, eq=False)
class Norms:
    """Squared norms q = weight * |x|^2 of standardized rows: their sums, the largest, and how many of each size."""

    n_rows: int
    sum_q: float
    sum_q2: float
    largest: float
    sizes: dict[int, int]  # floor(64 log2 q) -> rows

    @property
    def mean(self) -> float:
        """R^2, the mean of q weighted by q."""
        return squared_scale(self.sum_q, self.sum_q2)

    @property
    def median(self) -> float:
        """Median of the positive ones, to half a percent."""
        if not self.sizes:
            return 0.0
        sizes = sorted(self.sizes)
        below = np.cumsum([self.sizes[size] for size in sizes])
        middle = sizes[int(np.searchsorted(below, (below[-1] + 1) // 2))]
        return float(2.0 ** ((middle + 0.5) / CLASSES_PER_OCTAVE))

    @property
    def step(self) -> float:
        """Final size of the automatic step (see `ridgeway.sgd.step_size.final_step`)."""
        return step_for(self.sum_q / self.n_rows) if self.n_rows else 1.0


def norms_of(batch: Batch | None, standardization: Standardization) -> Norms:
    """Return the norms of a partition's rows once they are standardized."""
    if batch is None:
        return Norms(0, 0.0, 0.0, 0.0, {})
    standard = standardization.batch(batch)
    norms = standard.rows.squared_norms()
    require_finite_rows(standard.rows, norms, standard.numbers)
    q = norms.astype(np.float64) * standard.weight
    sizes, counts = np.unique(np.floor(CLASSES_PER_OCTAVE * np.log2(q[q > 0])).astype(int), return_counts=True)
    found = dict(zip(sizes.tolist(), counts.tolist(), strict=True))
    return Norms(len(q), float(q.sum()), float((q * q).sum()), float(q.max()), found)


def add_norms(*parts: Norms) -> Norms:
    """Join the norms of different rows."""
    sizes: dict[int, int] = {}
    for part in parts:
        for size, count in part.sizes.items():
            sizes[size] = sizes.get(size, 0) + count
    return Norms(
        sum(part.n_rows for part in parts),
        sum(part.sum_q for part in parts),
        sum(part.sum_q2 for part in parts),
        max(part.largest for part in parts),
        sizes,
    )


def norms_of_half(batch: Batch | None, standardization: Standardization, half: int) -> dict[int, Norms]:
    """Return `norms_of` rows that count for one half of a sample."""
    return {half: norms_of(batch, standardization)}


def add_halves(*parts: dict[int, Norms]) -> dict[int, Norms]:
    """Join the norms of each half."""
    halves = sorted({half for part in parts for half in part})
    return {half: add_norms(*(part[half] for part in parts if half in part)) for half in halves}


def norms_for_step(
    executor: Executor,
    partitions: Sequence[Partition],
    form: Form,
    standardization: Standardization,
    every: bool,
    seed: int | None,
) -> Norms:
    """Return the row norms that set the step.

    A sample of partitions is read first. All partitions are read if `every` is set, if the two halves of the sample
    disagree, or if a few large rows make up much of the mean.
    """
    numbers = np.array([partition.number for partition in partitions], np.int64)
    by_number = {partition.number: partition for partition in partitions}
    chosen = [by_number[number].glimpse() for number in spread_over(numbers, STEP_PARTITIONS, seed)]
    fewer = len(chosen) < len(partitions) or any(by_number[part.number] is not part for part in chosen)
    if not every and fewer and len(chosen) > 1:
        half_of = {partition.number: place % 2 for place, partition in enumerate(chosen)}
        halves: dict[int, Norms] = executor.total(
            norms_of_half, chosen, form, lambda part: (standardization, half_of[part.number]), add_halves
        )
        whole = add_norms(*halves.values())
        agree = all(math.isclose(half.step, whole.step, rel_tol=0.1) for half in halves.values())
        if agree and whole.mean < MAX_NORM_MEDIANS / 4 * whole.median:
            return whole
    norms: Norms = executor.total(norms_of, list(partitions), form, lambda _: (standardization,), add_norms)
    return norms


def starts_of(counts: dict[int, int]) -> NDArray[np.int64]:
    """Number of the first row of each partition, and of all rows: (partitions + 1,)."""
    return np.cumsum([0, *(counts[number] for number in sorted(counts))]).astype(np.int64)
