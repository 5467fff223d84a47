"""The sweep: several runs share each reading of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ridgeway.messages.progress import Progress
from ridgeway.rows import Order, numbered
from ridgeway.rows.feed import Feed, Piece
from ridgeway.sgd import GrowingStep, LimitedStep, SGDRun, schedule_of
from ridgeway.sgd.shuffle import CACHE_BYTES, shuffled_order
from ridgeway.sgd.splitting import Splitting
from ridgeway.trajectory import Layout, Trajectory, join

Mask: TypeAlias = NDArray[np.bool_] | None  # rows to learn from, (n,); None for all

STEPS_AT_ONCE = 2**16  # rows of several passes over small data that are read together


class Chain:
    """One of the runs of a sweep, over the rows of a mask; it may consist of one run for each segment of the rows.

    Parameters
    ----------
    train : (n,), True for the rows to learn from; None for all.
    segment : (n,), the number of the segment that each row belongs to; not used if there is only one.
    runs : one per segment.
    splitting : how many steps each row takes.
    """

    def __init__(
        self,
        train: Mask,
        segment: NDArray[np.intp],
        runs: Sequence[SGDRun],
        splitting: Splitting,
    ) -> None:
        self._train, self._segment, self.runs, self._splitting = train, segment, runs, splitting

    def advance(self, piece: Piece) -> None:
        """Take the steps of a piece's rows."""
        places, numbers = piece.places, piece.numbers
        part = slice(numbers.start, numbers.stop) if isinstance(numbers, range) else numbers
        if self._train is not None and not (kept := self._train[part]).all():
            places, part = places[kept], numbered(numbers)[kept]
        if len(self.runs) == 1:
            self._step(self.runs[0], piece, places, self._splitting.split_counts(part))
            return
        segment, listed = self._segment[part], numbered(numbers) if isinstance(part, slice) else part
        for s, run in enumerate(self.runs):
            own = segment == s
            self._step(run, piece, places[own], self._splitting.split_counts(listed[own]))

    @property
    def only_run(self) -> SGDRun | None:
        """The run; None if there are several."""
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
    def _step(run: SGDRun, piece: Piece, places: NDArray[np.intp], split: NDArray[np.int64] | None) -> None:
        if len(places) == 0:
            return
        first, last = int(places[0]), int(places[-1])
        if piece.in_sequence and last - first == len(places) - 1:  # neighbours, because such places increase
            run.advance(piece.batch.between(first, last + 1), split_counts=split)
        else:
            run.advance(piece.batch, places, split_counts=split)


class Sweep:
    """Chains of one step that read the rows of a feed together, pass by pass.

    Where the step grows, rows too large for it are split, so a pass has more steps than rows. Lengths are still counted
    in rows, so that sweeps of several steps stay at the same row.

    Parameters
    ----------
    feed : the rows.
    trains : one mask per chain.
    step : of all chains; a growing one becomes a staircase for the planned length of each run.
    passes : the number of passes planned.
    store, batch_size : of the runs.
    segments : number of segments of each chain.
    shuffle : a fresh random order each pass, or the order of the rows.
    n_jobs : threads; the chains are spread over them, and each thread reads the rows.
    rng : source of the orders.
    progress : the bar.
    """

    def __init__(
        self,
        feed: Feed,
        trains: Sequence[Mask],
        step: LimitedStep | GrowingStep,
        passes: int,
        store: str | Layout,
        batch_size: int,
        segments: int,
        shuffle: bool,
        n_jobs: int,
        rng: np.random.Generator,
        progress: Progress,
    ) -> None:
        n_rows = len(feed)
        segment = np.arange(n_rows) * segments // n_rows if segments > 1 else np.zeros(n_rows, np.intp)
        if isinstance(step, GrowingStep):
            self._splitting = Splitting.of(feed.weighted_norms(), step.size, batch_size)
        else:
            self._splitting = Splitting.whole(n_rows)
        self.chains: list[Chain] = []
        for train in trains:
            lengths = self._steps_per_pass(train, segment, segments)
            runs = [
                SGDRun(schedule_of(step, passes * -(-length // batch_size), batch_size) or "auto", store, batch_size)
                for length in lengths
            ]
            self.chains.append(Chain(train, segment, runs, self._splitting))
        self.rows_done = 0
        self._steps_done = 0
        self._feed = feed if self._splitting.none else feed.reweighted(self._splitting.step_weights)
        self._steps_in_pass = self._splitting.steps_per_pass
        self._passes_apart = batch_size > 1  # a pass has to end before the next one begins
        self._shuffle = shuffle
        self._n_jobs = min(n_jobs, len(self.chains))
        self._rng = rng
        self._progress = progress
        self._waiting: Order = range(0)  # what is left of the current pass

    def _steps_per_pass(self, train: Mask, segment: NDArray[np.intp], segments: int) -> list[int]:
        """Return the steps that the runs of a chain take in a pass."""
        if segments == 1:
            return [self._splitting.steps_of(train)]
        counts = self._splitting.counts_by_row
        if train is not None:
            segment, counts = segment[train], counts[train]
        return [int(count) for count in np.bincount(segment, counts, minlength=segments)]

    def advance(self, n_rows: int) -> None:
        """Go through the next n_rows rows of the passes."""
        self.rows_done += n_rows
        until = self.rows_done * self._steps_in_pass // len(self._feed)
        while self._steps_done < until:
            order = self._next_rows(until - self._steps_done)
            self._go_through(order)
            self._steps_done += len(order)
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
        """Take the steps of these rows after the last pass; they may have been left out so far."""
        order: Order = self._rng.permutation(numbers) if self._shuffle else numbers
        self._go_through(self._splitting.order(order, self._rng))
        self.end_pass()

    def _go_through(self, order: Order) -> None:
        def go(chains: Sequence[Chain], progress: Progress | None) -> None:
            for piece in self._feed.pieces(order, shared=len(chains) > 1):
                for chain in chains:
                    chain.advance(piece)
                if progress is not None:
                    progress.add(round(len(piece.numbers) * len(self._feed) / self._steps_in_pass))

        if self._n_jobs == 1:
            go(self.chains, self._progress)
        else:
            groups = [self.chains[i :: self._n_jobs] for i in range(self._n_jobs)]
            with ThreadPoolExecutor(self._n_jobs) as pool:
                jobs = [pool.submit(go, group, None if i else self._progress) for i, group in enumerate(groups)]
                for job in jobs:
                    job.result()

    def _next_rows(self, most: int) -> Order:
        """Return the next rows, up to `most`: the rest of a pass, or of several passes over small data."""
        if len(self._waiting) == 0:
            self._waiting = self._next_passes(most)
        rows, self._waiting = self._waiting[:most], self._waiting[most:]
        return rows

    def _next_passes(self, most: int) -> Order:
        """Return the order of the next pass; if the data are small, of several passes, up to `most` steps."""
        rows, n_rows = self._feed.source.rows, len(self._feed)
        passes = 1 if self._passes_apart else max(1, min(STEPS_AT_ONCE, most) // self._steps_in_pass)
        if rows.nbytes <= CACHE_BYTES and self._shuffle:  # a pass does not depend on how many are requested at once
            return self._splitting.uniform_orders(passes, self._rng)
        if rows.nbytes <= CACHE_BYTES and self._splitting.none:
            return np.tile(np.arange(n_rows), passes)
        return self._splitting.order(shuffled_order(rows, self._rng) if self._shuffle else range(n_rows), self._rng)
