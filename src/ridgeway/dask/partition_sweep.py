"""Sweep: chains that go from partition to partition, while other workers load the next partitions.

A chain is serial: its run learns from one partition after the other. Loading a partition takes several times as long as
learning from it, and needs no state. So tasks load and standardize partitions ahead of time, on all workers, and their
rows stay there until all chains have learned from them. The chains (of the folds, and the final one) form one run group
that reads each partition together, or several groups where one would be slower than the loading. The states of the
runs return to the client after each partition; a lost task starts again from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import BYTES_PER_NUMBER, Form, Partition
from ridgeway.dask.partition_folds import PartitionFolds
from ridgeway.messages.progress import Progress
from ridgeway.rows import Batch, numbered
from ridgeway.rows.feed import PIECE_BYTES, Piece
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.sweep import Chain
from ridgeway.sgd import SGDRun
from ridgeway.sgd.splitting import MAX_STEPS_OF_ROW, Splitting
from ridgeway.storage.state import State, Stored

NO_SEGMENT = np.empty(0, np.intp)
LOADING_COST = 12.0  # loading and standardizing a partition, in units of what one run takes to learn from it
IN_TIME_SHARE = 0.6  # share of the time between two partitions that a group may take for one
ROOM_BYTES = 2**29  # bytes of a worker for partitions that are under way, if they are more than one


@dataclass
class RunGroup:
    """Runs that read the partitions of a segment together.

    Attributes
    ----------
    segment : number of the segment.
    members : chains that the runs belong to.
    runs : one per member.
    place : partitions gone through, of all passes.
    """

    segment: int
    members: list[int]
    runs: list[SGDRun]
    place: int = 0

    def state(self) -> State:
        """Return the states of the runs and their common position."""
        runs = [run.state() for run in self.runs]
        return {"segment": self.segment, "members": self.members, "runs": runs, "place": self.place}

    @classmethod
    def from_state(cls, stored: Stored) -> RunGroup:
        """Return the run group of a state."""
        members = [int(member) for member in stored.raw("members")]
        runs = [SGDRun.from_state(run) for run in stored.parts("runs")]
        return cls(stored.integer("segment"), members, runs, stored.integer("place"))


class Prepared(NamedTuple):
    """The rows of a partition in the order of a pass: standardized, outlying ones split into several.

    Attributes
    ----------
    batch : the rows.
    fold_ids : (n,), the fold that each row is held out from.
    splitting : how many steps each row takes.
    """

    batch: Batch
    fold_ids: NDArray[np.int64]
    splitting: Splitting


def prepare(
    batch: Batch | None,
    folds: PartitionFolds,
    standardization: Standardization,
    pass_number: int,
    number: int,
    step: float | None = None,
    batch_size: int = 1,
) -> Prepared | None:
    """Standardize and order the rows of a partition; rows too large for a growing step are split."""
    if batch is None:
        return None
    order, fold_ids = folds.order(batch.rows, pass_number, number), folds.fold_ids(number, len(batch))
    standard = standardization.batch(batch, order)
    splitting = Splitting.whole(len(batch))
    if step is not None:
        q = standard.rows.squared_norms().astype(np.float64) * standard.weight
        splitting = Splitting.of(q, step, batch_size, MAX_STEPS_OF_ROW)
    if splitting.none:
        return Prepared(standard, fold_ids[order], splitting)
    steps = numbered(splitting.order(range(len(batch)), folds.scatter(pass_number, number)))
    expanded = replace(standard, weight=splitting.step_weights(standard.weight)).take(steps)
    return Prepared(expanded, fold_ids[order[steps]], splitting.of_steps(steps))


def learn(
    prepared: Prepared | None, runs: list[SGDRun], fold_of_run: list[int | None], ends_pass: bool
) -> list[SGDRun]:
    """Let runs learn from a partition, each from the rows that are not held out from its fold."""
    runs = [run.copy() for run in runs]  # the task may be repeated
    if prepared is not None:
        batch, fold_ids, splitting = prepared
        chains = [
            Chain(None if fold is None else fold_ids != fold, NO_SEGMENT, [run], splitting)
            for run, fold in zip(runs, fold_of_run, strict=True)
        ]
        size = max(1, PIECE_BYTES * len(batch) // batch.rows.nbytes)
        for first in range(0, len(batch), size):
            last = min(first + size, len(batch))
            rows = np.arange(first, last)
            piece = Piece(batch.between(first, last), rows - first, rows, in_sequence=True)
            for chain in chains:
                chain.advance(piece)
    if ends_pass:
        for run in runs:
            run.end_pass()
    return runs


class PartitionSweep:
    """Chains over all partitions, pass by pass.

    Parameters
    ----------
    executor : does the tasks.
    partitions : those that have rows.
    form : how they are loaded.
    counts : rows of each, by number.
    folds : the fold of each row.
    standardization : of the rows.
    step : the largest step of runs that split rows; None for others.
    batch_size : rows per step.
    groups : the run groups.
    fold_of_chain : the fold that each chain does not learn from, None for one that learns from every row.
    segments : for each segment of the chains, the numbers of its partitions.
    progress : the bar.
    saved : called after each result.
    """

    def __init__(
        self,
        executor: Executor,
        partitions: Sequence[Partition],
        form: Form | None,
        counts: dict[int, int],
        folds: PartitionFolds,
        standardization: Standardization,
        step: float | None,
        batch_size: int,
        groups: list[RunGroup],
        fold_of_chain: Sequence[int | None],
        segments: Sequence[NDArray[np.int64]],
        progress: Progress,
        saved: Callable[[], None],
    ) -> None:
        self._executor, self._form, self._counts = executor, form, counts
        self._partitions = {partition.number: partition for partition in partitions}
        self._folds, self._sent = folds, folds.without_starts()
        self._standardization, self._step, self._batch_size = standardization, step, batch_size
        self.groups = groups
        self._fold_of_chain, self._segments = list(fold_of_chain), list(segments)
        self._progress, self._saved = progress, saved
        self._n_rows = sum(counts[number] for segment in segments for number in segment.tolist())
        room = ROOM_BYTES // (BYTES_PER_NUMBER * standardization.n_columns * max([1, *counts.values()]))
        self._ahead = under_way(executor.n_workers, len(self._segments), max(1, min(executor.ahead, room)))
        self._loaded: dict[tuple[int, int], Partition] = {}  # by segment and place
        self.rows_done = 0

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""
        return self.rows_done / self._n_rows

    @property
    def chains(self) -> list[Chain]:
        """The chains as they are now, one run per segment."""
        runs: list[list[SGDRun]] = [[] for _ in self._fold_of_chain]
        for group in sorted(self.groups, key=lambda group: group.segment):
            for member, run in zip(group.members, group.runs, strict=True):
                runs[member].append(run)
        return [Chain(None, NO_SEGMENT, part, Splitting.whole(0)) for part in runs]

    def advance(self, n_rows: int) -> None:
        """Read the next n_rows rows, up to the nearest ends of partitions, in every segment."""
        self.rows_done += n_rows
        ends = self._ends()
        for number in range(len(self.groups)):
            self._send(number, ends)
        for (number, rows), runs in self._executor.results():
            group = self.groups[number]
            group.runs = [new.with_finished_blocks(old) for new, old in zip(runs, group.runs, strict=True)]
            group.place += 1
            self._progress.add(rows * len(group.members) // len(self._fold_of_chain))
            self._saved()
            self._send(number, ends)

    @property
    def beyond(self) -> bool:
        """Whether some run is beyond the end that was last set for its chain."""
        ends = self._ends()
        return any(group.place > ends[group.segment] for group in self.groups)

    def _send(self, number: int, ends: Sequence[int]) -> None:
        """Send a run group to its next partition, and load the partitions that come after it."""
        group = self.groups[number]
        segment, place = group.segment, group.place
        places = [other.place for other in self.groups if other.segment == segment]
        for next_place in range(min(places), min(min(places) + self._ahead, ends[segment])):
            if (segment, next_place) not in self._loaded:
                self._loaded[segment, next_place] = self._load(segment, next_place)
        for old in [key for key in self._loaded if key[0] == segment and key[1] < min(places)]:
            self._executor.release(self._loaded.pop(old))
        if place >= ends[segment]:
            return
        if (segment, place) not in self._loaded:
            self._loaded[segment, place] = self._load(segment, place)
        _, within = divmod(place, len(self._segments[segment]))
        source = self._loaded[segment, place]
        self._executor.submit(
            (number, self._counts[source.number]),
            learn,
            source,
            None,
            [run.without_finished_blocks() for run in group.runs],
            [self._fold_of_chain[member] for member in group.members],
            within == len(self._segments[segment]) - 1,
        )

    def _load(self, segment: int, place: int) -> Partition:
        pass_number, within = divmod(place, len(self._segments[segment]))
        at = int(self._visited(segment, pass_number)[within])
        given = (self._sent, self._standardization, pass_number, at, self._step, self._batch_size)
        return self._executor.keep(prepare, self._partitions[at], self._form, *given)

    def _ends(self) -> list[int]:
        return [self._place_after(segment) for segment in range(len(self._segments))]

    def _visited(self, segment: int, pass_number: int) -> NDArray[np.int64]:
        return self._folds.shuffled(self._segments[segment], pass_number, segment)

    def _place_after(self, segment: int) -> int:
        """Return after how many of its partitions a segment is nearest to the share of the rows that are done."""
        passes, rest = divmod(self.rows_done, self._n_rows)
        numbers = self._visited(segment, passes)
        ends = np.cumsum([0, *(self._counts[number] for number in numbers.tolist())])
        return int(passes * len(numbers) + np.abs(ends - rest * ends[-1] / self._n_rows).argmin())


def run_groups_for(
    n_chains: int, n_segments: int, n_workers: int, make_run: Callable[[int], SGDRun]
) -> Iterator[RunGroup]:
    """Assign the runs of every segment to run groups, as few as keep up with the loading.

    The unit of time is what one run needs for one partition. Loading a partition takes LOADING_COST, all workers
    together deliver one every (LOADING_COST + chains) / workers, and a group of m runs needs m. The group should need
    clearly less than that: a group that is late has to wait until its worker has loaded another partition.
    """
    workers = max(1.0, n_workers / n_segments)
    pace = (LOADING_COST + n_chains) / workers
    n_groups = next(c for c in range(1, n_chains + 1) if c == n_chains or -(-n_chains // c) <= IN_TIME_SHARE * pace)
    for segment in range(n_segments):
        for first in range(n_groups):
            members = list(range(first, n_chains, n_groups))
            yield RunGroup(segment, members, [make_run(member) for member in members])


def under_way(n_workers: int, n_segments: int, ahead: int) -> int:
    """Return how many partitions of a segment are loaded or being loaded at a time, from its slowest chain on.

    A worker with chains of its own has `ahead` of them. Workers that share a chain have one each: with more, the chain
    would have to wait for a worker that loads another partition.
    """
    return n_workers // n_segments if n_segments < n_workers else max(1, ahead * n_workers // n_segments)


def segments_of(counts: dict[int, int], n_segments: int) -> list[NDArray[np.int64]]:
    """Cut the partitions that have rows into contiguous segments of nearly as many rows, each of one at least."""
    numbers = np.array([number for number in sorted(counts) if counts[number]], np.int64)
    if n_segments > len(numbers):
        raise ValueError(
            f"chains={n_segments} but only {len(numbers)} partitions have rows: each chain needs at least one; take "
            "fewer chains or smaller partitions."
        )
    ends = np.cumsum([counts[number] for number in numbers.tolist()])
    cuts = [0]
    for segment in range(1, n_segments):
        nearest = int(np.abs(ends - segment * ends[-1] / n_segments).argmin()) + 1
        cuts.append(min(max(nearest, cuts[-1] + 1), len(numbers) - (n_segments - segment)))
    return list(np.split(numbers, cuts[1:]))
