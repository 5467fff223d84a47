"""The sweep: several runs over one reading of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ridgeway.progress import Progress
from ridgeway.rows import Order, numbered
from ridgeway.rows.feed import Feed, Piece
from ridgeway.sgd import LimitedStep, SGDRun
from ridgeway.sgd.shuffle import IN_CACHE, shuffled_order
from ridgeway.trajectory import Trajectory, join

Mask: TypeAlias = NDArray[np.bool_] | None  # rows to learn from, (n,); None for all

AT_ONCE = 2**16  # rows of several passes over small data that are handed on together


class Chain:
    """One of the runs of a sweep: over the rows of a mask, in one piece or in segments that start afresh.

    Parameters
    ----------
    train : (n,), True for the rows to learn from; None for all.
    segment : (n,), the number of the segment that each row belongs to; not looked at if there is only one.
    runs : one per segment.
    """

    def __init__(self, train: Mask, segment: NDArray[np.intp], runs: Sequence[SGDRun]) -> None:
        self._train, self._segment, self.runs = train, segment, runs

    def advance(self, piece: Piece) -> None:
        """Take the steps of a piece's rows."""
        places, numbers = piece.places, piece.numbers
        part = slice(numbers.start, numbers.stop) if isinstance(numbers, range) else numbers
        if self._train is not None and not (kept := self._train[part]).all():
            places, part = places[kept], numbered(numbers)[kept]
        if len(self.runs) == 1:
            self._step(self.runs[0], piece, places)
            return
        segment = self._segment[part]
        for s, run in enumerate(self.runs):
            self._step(run, piece, places[segment == s])

    @property
    def only_run(self) -> SGDRun | None:
        """The run, when it is one."""
        return self.runs[0] if len(self.runs) == 1 else None

    @property
    def begun(self) -> bool:
        """Whether it has learned from any row."""
        return any(run.begun for run in self.runs)

    def learn_all(self) -> None:
        """From now on learn from every row."""
        self._train = None

    def end_pass(self) -> None:
        """End a pass over the rows."""
        for run in self.runs:
            run.end_pass()

    def trajectory(self) -> Trajectory:
        """Return the runs so far, joined."""
        return join([run.trajectory() for run in self.runs if run.begun])

    @staticmethod
    def _step(run: SGDRun, piece: Piece, places: NDArray[np.intp]) -> None:
        if len(places) == 0:
            return
        first, last = int(places[0]), int(places[-1])
        if piece.in_sequence and last - first == len(places) - 1:  # neighbours, for such places increase
            run.advance(piece.batch.between(first, last + 1))
        else:
            run.advance(piece.batch, places)


class Sweep:
    """Chains that go through the rows of a feed together, pass by pass.

    Parameters
    ----------
    feed : the rows.
    trains : one mask per chain of each step.
    make_run : makes a fresh run of a step.
    steps : each has its own chains, in this order.
    segments : number of segments of each chain.
    passes_apart : True when a pass has to end before the next one begins (mini-batches).
    shuffle : a fresh random order each pass, or the order of the rows.
    n_jobs : threads; the chains are spread over them, and each thread reads the rows.
    rng : source of the orders.
    progress : the bar.
    """

    def __init__(
        self,
        feed: Feed,
        trains: Sequence[Mask],
        make_run: Callable[[LimitedStep], SGDRun],
        steps: Sequence[LimitedStep],
        segments: int,
        passes_apart: bool,
        shuffle: bool,
        n_jobs: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> None:
        n_rows = len(feed)
        segment = np.arange(n_rows) * segments // n_rows if segments > 1 else np.empty(0, np.intp)
        self.chains = [
            Chain(train, segment, [make_run(step) for _ in range(segments)]) for step in steps for train in trains
        ]
        self.rows_done = 0
        self._feed = feed
        self._passes_apart = passes_apart
        self._shuffle = shuffle
        self._n_jobs = min(n_jobs, len(self.chains))
        self._rng = rng
        self._progress = progress
        self._waiting: Order = range(0)  # what is left of the current pass

    def advance(self, n_rows: int) -> None:
        """Go through the next n_rows rows of the passes."""
        until = self.rows_done + n_rows
        while self.rows_done < until:
            self._go_through(self._next_rows(until - self.rows_done))
            if self._passes_apart and len(self._waiting) == 0:
                self.end_pass()

    @property
    def passes(self) -> float:
        """Passes over the rows so far."""
        return self.rows_done / len(self._feed)

    def end_pass(self) -> None:
        """End the pass of every chain."""
        for chain in self.chains:
            chain.end_pass()

    def go_on_with(self, numbers: NDArray[np.intp]) -> None:
        """Go through these rows once more, or for the first time."""
        self._go_through(self._rng.permutation(numbers) if self._shuffle else numbers)
        self.end_pass()

    def _go_through(self, order: Order) -> None:
        def go(chains: Sequence[Chain], progress: Progress | None) -> None:
            for piece in self._feed.pieces(order, shared=len(chains) > 1):
                for chain in chains:
                    chain.advance(piece)
                if progress is not None:
                    progress.add(len(piece.numbers))

        if self._n_jobs == 1:
            go(self.chains, self._progress)
        else:
            groups = [self.chains[i :: self._n_jobs] for i in range(self._n_jobs)]
            with ThreadPoolExecutor(self._n_jobs) as pool:
                jobs = [pool.submit(go, group, None if i else self._progress) for i, group in enumerate(groups)]
                for job in jobs:
                    job.result()
        self.rows_done += len(order)

    def _next_rows(self, most: int) -> Order:
        """Return the next rows, up to `most`: the rest of a pass, or of several passes over small data."""
        if len(self._waiting) == 0:
            self._waiting = self._next_passes(most)
        rows, self._waiting = self._waiting[:most], self._waiting[most:]
        return rows

    def _next_passes(self, most: int) -> Order:
        rows, n_rows = self._feed.source.rows, len(self._feed)
        passes = 1 if self._passes_apart else max(1, min(AT_ONCE, most) // n_rows)
        if rows.nbytes <= IN_CACHE:  # the order of a pass does not depend on how many are asked for at once
            orders = np.tile(np.arange(n_rows), (passes, 1))
            return (self._rng.permuted(orders, axis=1) if self._shuffle else orders).reshape(-1)
        return shuffled_order(rows, self._rng) if self._shuffle else range(n_rows)
