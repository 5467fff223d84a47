"""Layout of a sketch: how finely time is cut into blocks, and the resulting error."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

from ridgeway.averaging import Staircase
from ridgeway.storage.state import State, Stored
from ridgeway.trajectory.time_blocks import ONE_STAIR, Block, TimeBlocks
from ridgeway.validation.scalars import counted

DEFAULT_BUDGET_BYTES = 2**30  # bytes of moments
BUDGETED_STEPS = 2**30  # the budget holds up to this number of steps; longer runs need more, octave by octave
EARLY_STEPS = 2**14  # up to here longer chunks with one more moment are cheaper than short chunks
MAX_STORED_COUNT = 2**10  # bound of the counts in a layout that is read from a file
MOMENT_BYTES = 8  # moments are float64 for rows of any type


@dataclass(frozen=True)
class Layout:
    """How finely a sketch cuts time: `blocks_per_octave` equal blocks for each doubling of time, `moments` per block.

    On a block from t to t(1 + 1/q) the decay rho^j = e^(-x j/t) has the Chebyshev coefficients

        2 e^(-x (1 + 1/2q)) I_k(x/2q) ,

    so for every alpha at once, a polynomial of degree m - 1 errs by at most their largest values, summed over k >=
    m. The same sum with chunk_degree + 1 for m and steps_per_chunk for q is the error of the chunks in which moments
    are gathered first; `tolerance` is both together. The first steps, where a block would have no more steps than
    moments, are kept one by one. Up to step 16,384, where chunks of degree 1 would be short and many, longer ones
    of degree 2 replace them, if these err less.

    Parameters
    ----------
    blocks_per_octave : int
        A power of two: 1, 2, 4, 8.
    moments : int
        Numbers kept per coefficient and block.
    steps_per_chunk : int
        A chunk at step t has at most t / steps_per_chunk steps.
    chunk_degree : int
        1 or 2: degree of the polynomials that approximate survival within a chunk. With 1 the steps over dense rows are
        cheaper.

    Examples
    --------
    >>> from ridgeway.trajectory import Layout
    >>> layout = Layout(blocks_per_octave=4, moments=8)
    >>> [layout.block(t).length for t in (0, 64, 100, 10**6)]
    [64, 16, 16, 131072]
    >>> layout.numbers(10**6)   # numbers kept per coefficient after a million steps
    512
    """

    blocks_per_octave: int = 4
    moments: int = 9
    steps_per_chunk: int = 1024
    chunk_degree: int = 2

    def __post_init__(self) -> None:
        for name in ("blocks_per_octave", "moments", "steps_per_chunk", "chunk_degree"):
            object.__setattr__(self, name, counted(name, getattr(self, name)))
        if self.chunk_degree > 2:
            raise ValueError(f"chunk_degree={self.chunk_degree}: expected 1 or 2.")
        if self.blocks_per_octave & (self.blocks_per_octave - 1):
            raise ValueError(
                f"blocks_per_octave={self.blocks_per_octave} is not a power of two: expected 1, 2, 4, 8, ..."
            )

    def state(self) -> State:
        """Return the parameters."""
        return asdict(self)

    @classmethod
    def from_state(cls, stored: Stored) -> Layout:
        """Return the layout of a state."""
        return cls(
            blocks_per_octave=stored.integer("blocks_per_octave", 1, MAX_STORED_COUNT),
            moments=stored.integer("moments", 1, MAX_STORED_COUNT),
            steps_per_chunk=stored.integer("steps_per_chunk", 1),
            chunk_degree=stored.integer("chunk_degree", 1, 2),
        )

    @property
    def head(self) -> int:
        """Number of first steps that are kept one by one."""
        return self.blocks_per_octave << self.moments.bit_length()

    @property
    def tolerance(self) -> float:
        """Largest error of a survival value of the geometric family, whose own largest value is 1."""
        chunks = _truncation(self.steps_per_chunk, self.chunk_degree + 1)
        return _truncation(self.blocks_per_octave, self.moments) + chunks

    def block(self, step: int, steps: Staircase = ONE_STAIR) -> Block:
        """Return the block that step number step + 1 belongs to (the one that follows `step` steps)."""
        return TimeBlocks.of(self, steps).at(step)

    def blocks(self, n_steps: int, steps: Staircase = ONE_STAIR) -> tuple[Block, ...]:
        """Return the blocks of a run of n_steps of these sizes, the last one perhaps not full."""
        return TimeBlocks.of(self, steps).until(n_steps)

    def edges(self, n_steps: int, steps: Staircase = ONE_STAIR) -> NDArray[np.int64]:
        """Steps at which survival may have a kink without loss: block edges, steps that are kept, and the last."""
        return TimeBlocks.of(self, steps).edges(n_steps)

    def chunks_after(self, elapsed: float) -> tuple[int, int]:
        """Return steps_per_chunk and degree of the chunks of a block that begins after `elapsed` steps."""
        return (_early_chunks if elapsed < EARLY_STEPS else _chunks)(self)

    def numbers(self, n_steps: int, steps: Staircase = ONE_STAIR) -> int:
        """Count the numbers kept per coefficient after n_steps."""
        return sum(block.moments for block in self.blocks(n_steps, steps))

    @classmethod
    @lru_cache(maxsize=64)
    def choose(
        cls,
        dtype: np.dtype[np.floating[Any]],
        n_coefs: int,
        memory_budget: int = DEFAULT_BUDGET_BYTES,
        steps: Staircase = ONE_STAIR,
    ) -> Layout:
        """Return the most accurate layout that fits the budget, in bytes, and is useful in this precision.

        Rows in float32 carry seven digits, so their sketch keeps six moments; float64 rows keep nine. Wide models
        get fewer blocks and moments, down to three per octave.
        """
        exact = [cls(4, 9, 1024, 2), cls(4, 8, 512, 2)] if dtype == np.float64 else []
        per_chunk, degree = (64, 2) if dtype == np.float64 else (256, 1)
        sizes = ((4, 6), (2, 6), (2, 5), (1, 5), (1, 4), (1, 3))
        compact = [cls(per_octave, moments, per_chunk, degree) for per_octave, moments in sizes]
        for layout in exact + compact:
            if layout.numbers(BUDGETED_STEPS, steps) * n_coefs * MOMENT_BYTES <= memory_budget:
                return layout
        smallest = compact[-1].numbers(BUDGETED_STEPS, steps) * n_coefs * MOMENT_BYTES
        raise ValueError(
            f"a sketch of {n_coefs} coefficients needs at least {smallest / 2**30:.1f} GiB, more than the budget of "
            f"{memory_budget / 2**30:.1f} GiB: use store='replay', or pass store=Layout(...) to allow more memory."
        )


def require_even_edges(steps: Staircase) -> None:
    """Raise an error if a stair has an odd length, because a sketch takes steps in pairs."""
    odd = [edge for edge in steps.edges if edge % 2]
    if odd:
        raise ValueError(
            f"a stair ends after {odd[0]} steps: a sketch needs stairs that end after an even number of steps; "
            "run with store='replay', which takes any steps."
        )


def _chunks(layout: Layout) -> tuple[int, int]:
    return layout.steps_per_chunk, layout.chunk_degree


def _early_chunks(layout: Layout) -> tuple[int, int]:
    """Return steps_per_chunk and degree of the first blocks: chunks four times as long, if their error is smaller."""
    longer, degree = layout.steps_per_chunk // 4, 2
    less = longer > 0 and _truncation(longer, degree + 1) < _truncation(layout.steps_per_chunk, layout.chunk_degree + 1)
    return (longer, degree) if less else _chunks(layout)


@lru_cache(maxsize=256)
def _truncation(blocks_per_octave: int, moments: int) -> float:
    """Sum over k >= moments of the largest 2 e^(-x (1 + 1/2q)) I_k(x/2q) / (1 - e^-x) over x.

    That is what `moments` coefficients leave out of (rho^j - rho^(T+1)) / (1 - rho^(T+1)) on a block from t <= T.
    """
    k = np.arange(moments, moments + 20)[:, None]
    z = np.linspace(0, 2, 401)[1:] * k / blocks_per_octave  # x/2q; the maximum lies near k/(2q + 1)
    decay = np.exp(-2 * blocks_per_octave * z)
    return float(2 * (ive(k, z) * decay / (1 - decay)).max(axis=1).sum())
