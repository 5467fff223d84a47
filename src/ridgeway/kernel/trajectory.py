"""What a run over kernel functions leaves behind: coefficients of the rows, averaged as any others.

The function after step t is sum_i a_i k(x_i, .), and a step adds `gain_i` to the coefficients of its rows. So in the
coordinates a the run is one over unit vectors, and `Replay` averages it: its `coef` is (n,), one number per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.averaging.scheme import MAX_STEPS
from ridgeway.rows import Float, SparseRows, readonly
from ridgeway.trajectory import Replay, RunFacts, Segment, Trajectory


def unit_rows(n_rows: int, dtype: np.dtype[np.floating[Any]]) -> SparseRows:
    """Return the rows of the identity matrix."""
    return SparseRows(
        readonly(np.ones(n_rows, dtype)),
        readonly(np.arange(n_rows, dtype=np.uint32)),
        readonly(np.arange(n_rows + 1, dtype=np.int64)),
        n_rows,
    )


def coordinates_of(
    facts: RunFacts,
    units: SparseRows,
    passes: Sequence[tuple[NDArray[np.intp], Float]],
    rows_per_step: NDArray[np.int64] | None,
    single_target: bool,
) -> Replay:
    """Return the run of the coefficients.

    Parameters
    ----------
    facts : how the run went.
    units : `unit_rows` of all rows.
    passes : of each pass the rows in the order of the steps, and their gains (rows, targets).
    rows_per_step : (n_steps,), or None when every row made a step.
    single_target : True when y was 1-D.
    """
    gains = np.concatenate([gains for _, gains in passes])
    segments = [Segment(units, order) for order, _ in passes]
    start = np.zeros((gains.shape[1], units.shape[0]), units.dtype)
    return Replay(facts, segments, gains, start, single_target, rows_per_step)


class Flattened(Trajectory):
    """A run whose steps were shortened along some directions e_i of the function space, each by its factor p_i.

    With gradients g_j the increments are Delta_j = g_j - sum_i (1 - p_i) <e_i, g_j> e_i. Each of these directions has a
    step of its own, eta p_i, and so a discount of its own, 1 / (1 + eta p_i alpha): then its share of a geometric
    average tends to s_i / (s_i + alpha), as in ridge regression, where one discount for all would give
    s_i / (s_i + alpha / p_i). Here the last iterate takes over where the run is shorter than the memory of the
    discount, which is so along directions of a very small p_i.

    Parameters
    ----------
    gradients : the run of the coefficients as if no step had been shortened.
    projections : (n_steps, q, targets), <e_i, g_j>.
    factors : (q,), p_i.
    directions : (m, q), coefficients of e_i on the rows `centres`.
    centres : (m,), numbers of rows.
    """

    def __init__(
        self,
        gradients: Replay,
        projections: Float,
        factors: NDArray[np.float64],
        directions: Float,
        centres: NDArray[np.intp],
    ) -> None:
        super().__init__(gradients._facts)
        self.gradients = gradients
        self.projections = projections
        self.factors = factors
        self.directions = directions
        self.centres = centres

    def __repr__(self) -> str:
        return f"Flattened({self.gradients!r}, {len(self.factors)} directions)"

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the coefficients: (n,), or (targets, n) when y was 2-D."""
        return self.gradients.shape

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the kernel matrix."""
        return self.gradients.dtype

    @property
    def tolerance(self) -> float:
        """Largest error of a survival value."""
        return self.gradients.tolerance

    @property
    def nbytes(self) -> int:
        """Memory of gains, projections and directions."""
        return self.gradients.nbytes + self.projections.nbytes + self.directions.nbytes

    def iterate(self, k: int) -> Float:
        """Return the coefficients after step k."""
        whole = self.gradients.iterate(k)
        gradients = self.projections[:k].sum(axis=0)  # (q, targets)
        return whole - self._on_centres((1 - self.factors[:, None]) * gradients).reshape(whole.shape)

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        averages: Float = self.gradients.nearest_average(schemes).copy()
        steps = np.arange(1, self.n_steps + 1)
        common = np.stack([scheme.survival(steps, self.length, self.step) for scheme in schemes])
        gradients = np.tensordot(common, self.projections, axes=1)  # (L, q, targets)
        own = gradients.copy()
        geometric = [place for place, scheme in enumerate(schemes) if isinstance(scheme, Geometric)]
        own[geometric] = self._discounted([schemes[place] for place in geometric])
        changes = own * self.factors[:, None] - gradients
        for average, change in zip(averages, changes, strict=True):
            average += self._on_centres(change).reshape(average.shape)
        return averages

    def _discounted(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Sums of the projections, each discounted at its own rate rho^j: (L, q, targets).

        Conditioned on an end so far away that it does not matter, survival is rho^j for all steps: the stopping time is
        cut off at the last step instead of being conditioned on coming before it.
        """
        rho = np.array(
            [
                [Geometric(scheme.alpha * p).survival(np.ones(1, int), MAX_STEPS, self.step)[0] for p in self.factors]
                for scheme in schemes
                if isinstance(scheme, Geometric)
            ]
        ).reshape(len(schemes), len(self.factors), 1)
        total = np.zeros((*rho.shape[:2], self.projections.shape[2]))
        for projection in self.projections[::-1]:  # Horner's rule
            total += projection
            total *= rho
        return total

    def _on_centres(self, along: NDArray[np.float64]) -> Float:
        """Coefficients (targets, n) of what lies along the directions, (q, targets)."""
        answer = np.zeros((along.shape[1], self.shape[-1]), self.dtype)
        answer[:, self.centres] = (self.directions @ along.astype(self.dtype)).T
        return answer
