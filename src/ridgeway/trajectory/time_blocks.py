"""Blocks of a sketch: the steps of a run are cut into blocks whose length grows with the elapsed time."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Staircase

if TYPE_CHECKING:
    from ridgeway.trajectory.layout import Layout

MAX_CHUNK_STEPS = 1024  # steps
BLOCK_START = attrgetter("start")
ONE_STAIR = Staircase((1.0,))  # a constant step: the size does not matter to the blocks


@dataclass(frozen=True)
class Block:
    """Steps start+1 .. start+length of the run, stored as `moments` numbers per coefficient.

    A block with as many moments as steps stores its increments; any other block stores Chebyshev moments, which are
    first accumulated over chunks of `chunk` steps as polynomials of this degree.
    """

    start: int
    length: int
    moments: int
    chunk: int
    degree: int

    @property
    def stop(self) -> int:
        """Number of steps up to and with this block."""
        return self.start + self.length

    @property
    def raw(self) -> bool:
        """True when the increments themselves are kept."""
        return self.moments == self.length

    def steps(self, place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Real-valued step indices at places in [-1, 1]: -1 is the block's first step, 1 its last."""
        return self.start + 1 + (place + 1) / 2 * (self.length - 1)


class TimeBlocks:
    """The blocks of one layout on one staircase of steps.

    A block on a stair of step eta lasts at most 1/q of the time elapsed before it, q blocks per octave, and every edge
    of a stair is the edge of a block: survival has a kink there. Time is counted in steps of the stair, and steps of an
    earlier stair count for no more than one:

        v = sum_{i <= start} min(1, eta_i / eta) .

    This is the least of L(start) / log(1 + eta alpha) over all alpha, where L(j) = sum_{i <= j} log(1 + eta_i alpha) is
    minus the logarithm of the geometric survival; so within a block L changes by at most 1/q of its value, for every
    alpha, and the layout's tolerance holds.
    """

    def __init__(self, layout: Layout, steps: Staircase) -> None:
        self._layout, self._steps = layout, steps
        self._blocks: list[Block] = []

    @staticmethod
    def of(layout: Layout, steps: Staircase) -> TimeBlocks:
        """Return the blocks of a layout on a staircase."""
        return _blocks_of(layout, ONE_STAIR if steps.constant else steps)

    def at(self, step: int) -> Block:
        """Return the block that step number step + 1 belongs to (the one that follows `step` steps)."""
        self._extend(step)
        return self._blocks[bisect_right(self._blocks, step, key=BLOCK_START) - 1]

    def until(self, n_steps: int) -> tuple[Block, ...]:
        """Return the blocks of a run of n_steps, the last one perhaps not full."""
        return self._between(0, n_steps - 1) if n_steps > 0 else ()

    def ahead(self, n_steps: int, more: int) -> tuple[Block, ...]:
        """Return the blocks that contain the next `more` steps after n_steps."""
        return self._between(n_steps, n_steps + more - 1)

    def described(self, n_steps: int, more: int) -> NDArray[np.int64]:
        """Return offset, length, chunk, degree and number of moments of the blocks `ahead`, (n_blocks, 5)."""
        blocks = self.ahead(n_steps, more)
        described = _described(blocks).copy()
        described[0, 0] = n_steps - blocks[0].start
        return described

    def edges(self, n_steps: int) -> NDArray[np.int64]:
        """Steps at which survival may have a kink without loss: block edges, steps that are kept, and the last."""
        return _edges(self.until(n_steps), n_steps)

    def _between(self, first: int, last: int) -> tuple[Block, ...]:
        """Return the blocks from the one after `first` steps to the one after `last` steps."""
        self._extend(last)
        begin = bisect_right(self._blocks, first, key=BLOCK_START) - 1
        end = bisect_right(self._blocks, last, key=BLOCK_START)
        return _slice_of(self, begin, end)

    def _extend(self, step: int) -> None:
        """Add blocks until step number step + 1 has one.

        There is no lock, which Ctrl-C could leave locked: of two threads, the later one stores an equal block.
        """
        blocks = self._blocks
        while not blocks or blocks[-1].stop <= step:
            n = len(blocks)
            blocks[n : n + 1] = [self._block_from(blocks[n - 1].stop if n else 0)]

    def _block_from(self, start: int) -> Block:
        """Return the block that starts after `start` steps."""
        layout, edge = self._layout, self._steps.edge_after(start)
        left = 2**62 if edge is None else edge - start
        elapsed = self._elapsed(start)
        length = _power_of_two(elapsed / layout.blocks_per_octave)
        shortest = layout.head // layout.blocks_per_octave  # more steps than moments
        if length < shortest:
            kept = min(left, 2 * -(-(layout.head - int(elapsed)) // 2))
            return Block(start, kept, kept, 1, layout.chunk_degree)
        if length > left:
            length = _power_of_two(left)
            if length < shortest:
                return Block(start, left, left, 1, layout.chunk_degree)
        per_chunk, degree = layout.chunks_after(elapsed)
        chunk = min(_power_of_two(max(1.0, elapsed // per_chunk)), length, MAX_CHUNK_STEPS)
        return Block(start, length, layout.moments, chunk, degree)

    def _elapsed(self, start: int) -> float:
        """Return v, the time before a block in steps of its stair."""
        if self._steps.constant:
            return float(start)
        size, edges = self._steps.size_after(start), np.minimum((0, *self._steps.edges, 2**62), start)
        return float(np.diff(edges) @ np.minimum(1.0, np.array(self._steps.sizes) / size))


@lru_cache(maxsize=256)
def _blocks_of(layout: Layout, steps: Staircase) -> TimeBlocks:
    return TimeBlocks(layout, steps)


@lru_cache(maxsize=256)
def _slice_of(blocks: TimeBlocks, begin: int, end: int) -> tuple[Block, ...]:
    """Return some of the blocks; the same tuple object each time, because caches use it as their key."""
    return tuple(blocks._blocks[begin:end])


@lru_cache(maxsize=256)
def _described(blocks: tuple[Block, ...]) -> NDArray[np.int64]:
    """Return offset 0, length, chunk, degree and number of moments of blocks: (n_blocks, 5)."""
    return np.array([(0, block.length, block.chunk, block.degree, block.moments) for block in blocks])


@lru_cache(maxsize=64)
def _edges(blocks: tuple[Block, ...], n_steps: int) -> NDArray[np.int64]:
    steps = [0, n_steps]
    for block in blocks:
        steps += range(block.start, min(block.stop, n_steps) + 1) if block.raw else [block.start]
    return np.unique(np.array(steps, dtype=np.int64))


def _power_of_two(number: float) -> int:
    """Return the largest power of two up to a number; 0 below 1."""
    return 1 << (int(number).bit_length() - 1) if number >= 1 else 0
