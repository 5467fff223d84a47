"""Sweep: chains that travel over the partitions, several on one reading where that keeps all workers busy.

A chain is serial, so its run goes from partition to partition. Runs of several chains (folds, steps, the final one)
are dealt out to convoys, one per worker that would otherwise be idle: a convoy loads a partition once and all its runs
learn from it. The state of the runs returns to the client after each partition, and is what a lost task starts from
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway.dask.executor import Executor
from ridgeway.dask.partition import Form, Partition
from ridgeway.dask.split import Split
from ridgeway.progress import Progress
from ridgeway.rows import Batch
from ridgeway.rows.feed import PIECE_BYTES, Piece
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.sweep import Chain as Learner
from ridgeway.sgd import SGDRun
from ridgeway.state import State, Stored
from ridgeway.trajectory import Trajectory, join

NO_SEGMENT = np.empty(0, np.intp)


@dataclass
class Convoy:
    """Runs that learn from the same readings of the partitions of a segment.

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
        """Return where the runs stand."""
        runs = [run.state() for run in self.runs]
        return {"segment": self.segment, "members": self.members, "runs": runs, "place": self.place}

    @classmethod
    def from_state(cls, stored: Stored) -> Convoy:
        """Return the convoy of a state."""
        members = [int(member) for member in stored.raw("members")]
        runs = [SGDRun.from_state(run) for run in stored.parts("runs")]
        return cls(stored.integer("segment"), members, runs, stored.integer("place"))


@dataclass(frozen=True, eq=False)
class Chain:
    """The runs of one chain, one per segment, as they stand."""

    runs: list[SGDRun]

    @property
    def begun(self) -> bool:
        """Whether it has learned from any row."""
        return any(run.begun for run in self.runs)

    @property
    def only_run(self) -> SGDRun | None:
        """The run, when it is one."""
        return self.runs[0] if len(self.runs) == 1 else None

    def trajectory(self) -> Trajectory:
        """Return the runs so far, joined."""
        return join([run.trajectory() for run in self.runs if run.begun])


def learn(
    batch: Batch | None,
    runs: list[SGDRun],
    folds: list[int | None],
    split: Split,
    standardization: Standardization,
    pass_number: int,
    number: int,
    ends_pass: bool,
) -> list[SGDRun]:
    """Let runs learn from a partition, each from the rows that are not held out from its fold."""
    runs = [run.copy() for run in runs]  # the task may be repeated
    if batch is not None:
        hands = split.hands(number, len(batch))
        learners = [
            Learner(None if fold is None else hands != fold, NO_SEGMENT, [run])
            for run, fold in zip(runs, folds, strict=True)
        ]
        size = max(1, PIECE_BYTES * len(batch) // batch.rows.nbytes)
        order = split.order(batch.rows, pass_number, number)
        for first in range(0, len(order), size):
            rows = order[first : first + size]
            piece = Piece(standardization.batch(batch, rows), np.arange(len(rows)), rows, in_sequence=True)
            for learner in learners:
                learner.advance(piece)
    if ends_pass:
        for run in runs:
            run.end_pass()
    return runs


class Sweep:
    """Chains over all partitions, pass by pass.

    Parameters
    ----------
    executor : does the tasks.
    partitions : those that have rows.
    form : how they are loaded.
    counts : rows of each, by number.
    split : what is held out from which chain.
    standardization : of the rows.
    convoys : the runs.
    folds : the fold of each chain, None for one that learns from every row.
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
        split: Split,
        standardization: Standardization,
        convoys: list[Convoy],
        folds: Sequence[int | None],
        segments: Sequence[NDArray[np.int64]],
        progress: Progress,
        saved: Callable[[], None],
    ) -> None:
        self._executor, self._form, self._counts = executor, form, counts
        self._partitions = {partition.number: partition for partition in partitions}
        self._split, self._sent = split, split.without_starts()
        self._standardization = standardization
        self.convoys = convoys
        self._folds, self._segments = list(folds), list(segments)
        self._progress, self._saved = progress, saved
        self._n_rows = sum(counts[number] for segment in segments for number in segment.tolist())
        self.rows_done = 0

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""
        return self.rows_done / self._n_rows

    @property
    def chains(self) -> list[Chain]:
        """The chains, as they stand."""
        runs: list[list[SGDRun]] = [[] for _ in self._folds]
        for convoy in sorted(self.convoys, key=lambda convoy: convoy.segment):
            for member, run in zip(convoy.members, convoy.runs, strict=True):
                runs[member].append(run)
        return [Chain(part) for part in runs]

    def advance(self, n_rows: int) -> None:
        """Go through the next n_rows rows: up to the nearest ends of partitions, in every segment."""
        self.rows_done += n_rows
        ends = [self._place_after(segment) for segment in range(len(self._segments))]
        for number, convoy in enumerate(self.convoys):
            self._send(number, convoy, ends)
        for (number, rows), runs in self._executor.results():
            convoy = self.convoys[number]
            convoy.runs = [new.laden(old) for new, old in zip(runs, convoy.runs, strict=True)]
            convoy.place += 1
            self._progress.add(rows * len(convoy.members) // len(self._folds))
            self._saved()
            self._send(number, convoy, ends)

    @property
    def beyond(self) -> bool:
        """Whether some run has learned from rows after those that the chains were last asked to go through."""
        ends = [self._place_after(segment) for segment in range(len(self._segments))]
        return any(convoy.place > ends[convoy.segment] for convoy in self.convoys)

    def _send(self, number: int, convoy: Convoy, ends: Sequence[int]) -> None:
        if convoy.place >= ends[convoy.segment]:
            return
        per_pass = len(self._segments[convoy.segment])
        pass_number, within = divmod(convoy.place, per_pass)
        at = int(self._visited(convoy.segment, pass_number)[within])
        self._executor.submit(
            (number, self._counts[at]),
            learn,
            self._partitions[at],
            self._form,
            [run.unladen() for run in convoy.runs],
            [self._folds[member] for member in convoy.members],
            self._sent,
            self._standardization,
            pass_number,
            at,
            within == per_pass - 1,
        )

    def _visited(self, segment: int, pass_number: int) -> NDArray[np.int64]:
        return self._split.shuffled(self._segments[segment], pass_number, segment)

    def _place_after(self, segment: int) -> int:
        """Return how many partitions of a segment come nearest to its share of the rows done."""
        passes, rest = divmod(self.rows_done, self._n_rows)
        numbers = self._visited(segment, passes)
        ends = np.cumsum([0, *(self._counts[number] for number in numbers.tolist())])
        return int(passes * len(numbers) + np.abs(ends - rest * ends[-1] / self._n_rows).argmin())


def convoys_for(n_chains: int, n_segments: int, n_workers: int, make_run: Callable[[int], SGDRun]) -> Iterator[Convoy]:
    """Deal the runs of every segment out to convoys.

    With loading as dear as learning, c convoys of K runs take max(1 + K/c, (c + K) / workers) per partition: the c of
    least time is taken, the smallest of several.
    """
    workers = max(1.0, n_workers / n_segments)
    costs = [max(1 + -(-n_chains // c), (c + n_chains) / workers) for c in range(1, n_chains + 1)]
    n_convoys = int(np.argmin(costs)) + 1
    for segment in range(n_segments):
        for first in range(n_convoys):
            members = list(range(first, n_chains, n_convoys))
            yield Convoy(segment, members, [make_run(member) for member in members])


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
