"""A sweep: runs over the same kernel blocks, one per fold and one over all rows, pass by pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ridgeway import _core
from ridgeway.averaging import Staircase
from ridgeway.kernel.blocks import Blocks
from ridgeway.kernel.coordinates import Coordinates
from ridgeway.kernel.definiteness import NotPositiveDefiniteError
from ridgeway.messages.progress import Progress
from ridgeway.rows import Float
from ridgeway.sgd import DivergenceError, LimitedStep
from ridgeway.sgd.guard import SAFE_RATIO
from ridgeway.trajectory import RunFacts, Trajectory

EXPLODED_RESIDUAL = 1e3  # a run with a residual of more than this many times the targets has exploded


@dataclass(frozen=True, eq=False)
class Pass:
    """One pass.

    Attributes
    ----------
    order : (n,), places in the layout, in the order of the steps.
    gains : (n, runs, targets), in that order.
    blocks : the blocks in their order.
    """

    order: NDArray[np.intp]
    gains: Float
    blocks: NDArray[np.intp]


class KernelSweep:
    """Runs that read each kernel block together.

    Parameters
    ----------
    blocks : the kernel matrix.
    targets : (n, runs, targets), what each run is to learn, rows in the order of the layout.
    weight : (n,), likewise.
    trains : one mask of rows per run, likewise.
    step : the step, limited where weight * k(x, x) is too large for it.
    batch_size : rows per step; the blocks hold a whole number of them.
    shuffle : fresh random order of blocks, and of rows within them, each pass.
    rng : source of these orders.
    progress : the bar.
    """

    def __init__(
        self,
        blocks: Blocks,
        targets: Float,
        weight: Float,
        trains: Sequence[NDArray[np.bool_]],
        step: LimitedStep,
        batch_size: int,
        shuffle: bool,
        rng: np.random.Generator,
        progress: Progress,
    ) -> None:
        self.rows_done = 0
        self.step = step
        self._blocks = blocks
        self._targets = targets
        self._batch_size = batch_size
        self._shuffle, self._rng, self._progress = shuffle, rng, progress
        dtype = blocks.entries.dtype
        n_rows, n_runs, n_targets = targets.shape
        self._train = np.stack(trains, axis=1)  # (n, runs)
        self._q = weight * blocks.entries.diagonal()[blocks.layout]
        limited = step.size * self._q > step.limit
        rate = np.where(limited, step.limit * weight / np.where(limited, self._q, 1.0), step.size * weight)
        self._limited = limited
        with np.errstate(over="ignore"):
            self._rates: Float = (rate[:, None] * self._train).astype(dtype)
        if not np.isfinite(self._rates).all():
            raise ValueError(
                f"step={step.size:g} times a weight exceeds {dtype}: pass a smaller step, or X as float64."
            )
        self._coefs = np.zeros((n_rows, n_runs * n_targets), dtype)
        self._size = np.sqrt(np.maximum((targets**2).mean(axis=(0, 2)), np.finfo(np.float64).tiny))  # of each run
        self._passes: list[Pass] = []

    @property
    def passes(self) -> int:
        """Passes made."""
        return len(self._passes)

    def advance(self, n_rows: int) -> None:
        """Go through so many rows, in whole passes."""
        until = self.rows_done + n_rows
        while self.rows_done < until:
            self._go_through()

    def _go_through(self) -> None:
        n_rows, n_runs, n_targets = self._targets.shape
        which = np.arange(len(self._blocks))
        if self._shuffle:
            which = self._rng.permutation(which)
        done = Pass(np.empty(n_rows, np.intp), np.empty((n_rows, n_runs, n_targets), self._coefs.dtype), which)
        self._passes.append(done)
        first = 0
        for k in which.tolist():
            place, block = self._blocks.place(k), self._blocks.block(k)
            size = len(block)
            order = self._rng.permutation(size) if self._shuffle else np.arange(size)
            gains = self._learn(place, block, order)
            done.order[first : first + size] = place.start + order
            done.gains[first : first + size] = gains[order]
            first += size
            self._progress.add(size)
        self.rows_done += n_rows

    def _learn(self, place: slice, block: Float, order: NDArray[np.intp]) -> Float:
        """Step through the rows of a block; return their gains, (b, runs, targets)."""
        shape = (len(block), *self._targets.shape[1:])
        predicted = block @ self._coefs
        residuals = self._targets[place] - predicted.reshape(shape)
        gains = np.zeros(shape, self._coefs.dtype)
        begins = np.arange(shape[0]) // self._batch_size * self._batch_size
        rates = self._rates[place]
        if self._batch_size > 1:
            counts = np.add.reduceat(self._train[place][order], np.unique(begins), axis=0)  # (steps, runs)
            shares = 1 / np.maximum(counts, 1)[begins // self._batch_size]
            rates = rates.copy()
            rates[order] *= shares.astype(rates.dtype)
        # One pass of SGD for least squares solves a triangular system; this is the triangle of one block.
        steps = _core.BlockSteps(np.ascontiguousarray(block), place.start, order, begins, rates)
        _core.substitute(steps, residuals, gains)
        self._watch(residuals)
        self._coefs[place] += gains.reshape(shape[0], -1)
        return gains

    def _watch(self, residuals: Float) -> None:
        """Raise an error when residuals have grown beyond everything that the targets explain."""
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = np.sqrt((residuals.astype(np.float64) ** 2).mean(axis=(0, 2)))
        if (sizes <= EXPLODED_RESIDUAL * self._size).all():
            return
        largest, n_steps = float(self._q.max()), self.rows_done // self._batch_size
        if self._batch_size == 1 and min(self.step.size * largest, self.step.limit) <= SAFE_RATIO:
            raise NotPositiveDefiniteError(
                f"the run diverged after {n_steps} steps of size {self.step.size:.6g}, which are safe for every kernel "
                "that is"
            )
        raise DivergenceError(self.step.size, 1 / largest, n_steps)

    def trajectory(self, run: int, single_target: bool) -> Trajectory:
        """Return the trajectory of a run, coefficients in the order of the rows of the Gram matrix."""
        train, layout = self._train[:, run], self._blocks.layout
        passes, counts = [], []
        for done in self._passes:
            learned = train[done.order]
            passes.append((layout[done.order[learned]], done.gains[learned, run]))
            if self._batch_size > 1:
                counts.append(self._rows_per_step(done, learned))
        rows_per_step = np.concatenate(counts) if counts else None
        n_steps = sum(len(order) for order, _ in passes) if rows_per_step is None else len(rows_per_step)
        q = self._q[train]
        with np.errstate(over="ignore"):
            squares = float((q * q).sum())
        if not np.isfinite(squares):
            raise ValueError(
                f"the squares of weight * k(x, x) exceed float64 (largest {q.max():g}): scale the columns down, or the "
                "kernel."
            )
        times = self.passes
        facts = RunFacts(
            Staircase((self.step.size,)),
            n_steps,
            n_steps,
            times * int(self._limited[train].sum()),
            times * float(q.sum()),
            times * squares,
        )
        orders = [order for order, _ in passes]
        gains = np.concatenate([gains for _, gains in passes])
        return Coordinates(facts, orders, gains, len(layout), single_target, rows_per_step)

    def _rows_per_step(self, done: Pass, learned: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many rows each step of a pass has, steps without rows left out."""
        sizes = [self._blocks.place(k).stop - self._blocks.place(k).start for k in done.blocks.tolist()]
        begins = np.concatenate(
            [before + np.arange(0, size, self._batch_size) for before, size in _with_offsets(sizes)]
        )
        counts = np.add.reduceat(learned.astype(np.int64), begins)
        return counts[counts > 0]


def _with_offsets(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of the sum of the sizes before, and the size."""
    return list(zip(np.cumsum([0, *sizes[:-1]]).tolist(), sizes, strict=True))
