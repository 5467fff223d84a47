"""`Sketch`: a run of any length, stored as moments of its increments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.rows import Float
from ridgeway.storage.state import FLOATS, State, Stored
from ridgeway.trajectory.expansion import expand, expand_ridges
from ridgeway.trajectory.layout import Layout, require_even_edges
from ridgeway.trajectory.time_blocks import Block
from ridgeway.trajectory.trajectory import RunFacts, Trajectory

# Accepted error of survival values for any scheme; the layout may be more accurate for the geometric family.
SURVIVAL_TOLERANCE = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-9}
MOMENTS_PER_PRODUCT = 512  # moments per product when a path is formed


class Sketch(Trajectory):
    """A run as Chebyshev moments of its increments over blocks of steps that grow with time.

        M_k = sum_{j in block} T_k(u_j) Delta_j ,    average = w_0 + sum_blocks sum_k c_k M_k ,

    where c_k are the Chebyshev coefficients of the scheme's survival function on the block. The memory grows with the
    logarithm of the number of steps; the rows are no longer needed. It assumes that survival is smooth on the scale of
    a block, as it is for every Geometric, Uniform, Last and for a Tail that starts at a block's edge: a Tail moves to
    the nearest edge with a warning, and a scheme that is not smooth enough is refused. A dense run over float32 rows
    sums in float32: increments below 6e-8 of a coefficient are lost, so very small steps need float64.

    Parameters
    ----------
    facts : how the run went.
    layout : the blocks.
    moments : for each block, an array of shape (moments of the block, targets, d).
    start : w_0, (targets, d).
    single_target : True when y was 1-D.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 3))
    >>> y = X @ [1.0, -2.0, 0.5] + rng.standard_normal(2000)
    >>> t = rw.run_sgd(X, y, step=0.02, store="sketch")
    >>> t.path([0.0, 0.1, 1.0]).round(2)
    array([[ 0.98, -1.93,  0.51],
           [ 0.9 , -1.74,  0.49],
           [ 0.43, -0.82,  0.27]])
    >>> t.nearest(rw.Tail(0.5))
    Tail(start=1024)
    """

    def __init__(
        self,
        facts: RunFacts,
        layout: Layout,
        moments: Sequence[NDArray[np.float64]],
        start: Float,
        single_target: bool,
    ) -> None:
        super().__init__(facts)
        self._layout = layout
        self._moments = tuple(moments)
        self._start = start
        self._single_target = single_target

    def __repr__(self) -> str:
        chains = f" in chains of {self.length}" if self.length < self.n_steps else ""
        return (
            f"Sketch(n_steps={self.n_steps}{chains}, step={self.step:.6g}, shape={self.shape}, dtype={self.dtype}, "
            f"{self.nbytes / 2**20:.3g} MiB, tolerance={self.tolerance:.1g})"
        )

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the rows and of the averages."""
        return self._start.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a coefficient: (d,), or (targets, d) when y was 2-D."""
        return self._start.shape[1:] if self._single_target else self._start.shape

    @property
    def layout(self) -> Layout:
        """The blocks."""
        return self._layout

    @property
    def tolerance(self) -> float:
        """Largest error of a survival value; schemes with a larger error are refused."""
        return max(1.1 * self._layout.tolerance, SURVIVAL_TOLERANCE[self.dtype])

    @property
    def nbytes(self) -> int:
        """Memory of the moments."""
        return sum(block.nbytes for block in self._moments)

    @property
    def _blocks(self) -> tuple[Block, ...]:
        return self._layout.blocks(self.length, self.sizes)

    @property
    def _edges(self) -> NDArray[np.int64]:
        return self._layout.edges(self.length, self.sizes)

    def nearest(self, scheme: Scheme) -> Scheme:
        """Return the scheme that is used instead of `scheme`: itself, or a Tail that starts at a block's edge."""
        return scheme.snapped(self._edges, self.length, self.steps)

    def of_targets(self, first: int, last: int) -> Sketch:
        """Return the sketch of some of the targets of a 2-D y."""
        part = slice(first, last)
        return Sketch(self._facts, self._layout, [m[:, part] for m in self._moments], self._start[part], False)

    def single(self) -> Sketch:
        """Return the sketch of the only target as that of a 1-D y."""
        return Sketch(self._facts, self._layout, self._moments, self._start[:1], True)

    def coordinates(self, weights: NDArray[np.float64]) -> Sketch:
        """Return the sketch whose averages are its expansions times weights (r, moments of all blocks): (r,)."""
        sizes = [len(block) for block in self._moments]
        parts = np.split(np.ascontiguousarray(weights.T)[:, None, :], np.cumsum(sizes)[:-1])
        start = np.zeros((1, len(weights)), self.dtype)
        return Sketch(self._facts, self._layout, [np.ascontiguousarray(part) for part in parts], start, True)

    def projected(self, weigh: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Sketch:
        """Return the sketch of linear functions of its averages: `weigh` maps (m, targets, d) to (m, r)."""
        return self.coordinates(np.concatenate([weigh(block) for block in self._moments]).T)

    def state(self) -> State:
        """Return the moments, and the facts and the layout of the run."""
        return {
            "kind": "sketch",
            "facts": self._facts.state(),
            "layout": self._layout.state(),
            "moments": list(self._moments),
            "start": self._start,
            "single_target": self._single_target,
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Sketch:
        """Return the sketch of a state."""
        facts, layout = RunFacts.from_state(stored.part("facts")), Layout.from_state(stored.part("layout"))
        single_target = stored.flag("single_target")
        start = stored.array("start", (1 if single_target else None, None), FLOATS)
        require_even_edges(facts.sizes)
        blocks = layout.blocks(facts.length, facts.sizes)
        moments = stored.arrays("moments", [(block.moments, *start.shape) for block in blocks])
        return cls(facts, layout, moments, start, single_target)

    def iterate(self, k: int) -> Float:
        """Return the iterate w_k where k is a block's edge: (d,), or (targets, d) when y was 2-D."""
        self._require_iterate(k)
        edges = self._edges
        if k not in edges:
            near = edges[np.argmin(np.abs(edges - k))]
            raise ValueError(
                f"k={k!r}: a sketch has only the iterates at its block edges: expected one of these; the nearest one "
                f"is {near}. Run with store='replay' for any iterate."
            )
        iterate = self._start.astype(np.float64)
        for block, moments in zip(self._layout.blocks(k, self.sizes), self._moments, strict=False):
            iterate += moments[: k - block.start].sum(axis=0) if block.raw else moments[0]
        iterate = iterate.astype(self.dtype)
        return iterate[0] if self._single_target else iterate

    @classmethod
    def mean(cls, sketches: Sequence[Sketch], shares: NDArray[np.float64], facts: RunFacts) -> Sketch:
        """Return the weighted mean of sketches of one layout, length and steps (`merge` checks that they are)."""
        first = sketches[0]

        def mixed(parts: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
            total: NDArray[np.float64] = sum(share * part for share, part in zip(shares, parts, strict=True))
            return total

        moments = [mixed(blocks) for blocks in zip(*(sketch._moments for sketch in sketches), strict=True)]
        start = mixed([sketch._start for sketch in sketches]).astype(first.dtype)
        return cls(facts, first.layout, moments, start, first._single_target)

    def expansion(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Coefficients of the survival functions of the nearest schemes, one per moment: (L, moments of all blocks).

        The average by a scheme is w_0 plus the moments weighted by its row; see `mixed`.
        """
        edges, length, steps = self._edges, self.length, self.steps
        used = [scheme.snapped(edges, length, steps) for scheme in schemes]
        coefficients, errors = expand(used, self._blocks, length, steps)
        self._refuse_rough(errors, used.__getitem__)
        return coefficients

    def mixed(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted sums of the moments: (r, targets, d) for weights (r, moments of all blocks)."""
        answer, before = np.zeros((len(weights), self._start.size)), 0
        for moments in _grouped(self._moments):
            part = weights[:, before : before + len(moments)] @ moments.reshape(len(moments), -1)
            answer = part if before == 0 else np.add(answer, part, out=answer)
            before += len(moments)
        return answer.reshape(len(weights), *self._start.shape)

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        answer = np.zeros((len(schemes), *self._start.shape))
        if self._moments:
            answer = self.mixed(self.expansion(schemes))
        return self._finished(answer, self._start, self._single_target)

    def _ridge_averages(self, strengths: list[float]) -> Float:
        """Return `_averages` of geometric schemes without making them, which would take as long as all products."""
        if not self._moments:
            return super()._ridge_averages(strengths)
        coefficients, errors = expand_ridges(np.array(strengths), self._blocks, self.length, self.steps)
        self._refuse_rough(errors, lambda worst: Geometric(strengths[worst]))
        return self._finished(self.mixed(coefficients), self._start, self._single_target)

    def _refuse_rough(self, errors: NDArray[np.float64], scheme: Callable[[int], Scheme]) -> None:
        worst = int(np.argmax(errors))
        if errors[worst] > self.tolerance:
            raise ValueError(
                f"{scheme(worst)} is not smooth enough for this sketch: its survival values would be off by up to "
                f"{errors[worst]:.1g}, above its tolerance of {self.tolerance:.1g}. "
                "Run with store='replay', which answers every scheme exactly."
            )


def _grouped(blocks: Sequence[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
    """Join the moments of neighbouring blocks for few, large products; those of sparse runs are not copied."""
    waiting: list[NDArray[np.float64]] = []
    n_moments = 0
    for block in blocks:
        waiting.append(block)
        n_moments += len(block)
        if n_moments >= MOMENTS_PER_PRODUCT or not block.flags.c_contiguous:
            yield np.concatenate(waiting) if len(waiting) > 1 else block
            waiting, n_moments = [], 0
    if waiting:
        yield np.concatenate(waiting)
