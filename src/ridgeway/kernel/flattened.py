"""Preconditioned runs of version 0.1, which models stored by it hold; the Krylov solver has taken their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Geometric, Scheme
from ridgeway.averaging.geometric import geometric_survival
from ridgeway.derived import derived_property
from ridgeway.kernel.coordinates import BLOCK_LAYOUT, MAX_HELD_SURVIVALS, Coordinates
from ridgeway.rows import Float
from ridgeway.storage.state import FLOATS, State, StateError, Stored
from ridgeway.trajectory import Trajectory
from ridgeway.trajectory.expansion import expand_values, places

START_SHRINKAGE = 1e-2  # share of the level by which the start of these runs was shrunk


class Flattened(Trajectory):
    """A run whose steps were shortened along some directions e_i of the function space, each by its factor p_i.

    With gradients g_j the increments are Delta_j = g_j - sum_i (1 - p_i) <e_i, g_j> e_i. Each of these directions has a
    step of its own, eta p_i, and so a discount of its own, 1 / (1 + eta p_i alpha): then its share of a geometric
    average tends to s_i / (s_i + alpha), as in ridge regression, where one discount for all would give
    s_i / (s_i + alpha / p_i). The start is shrunk by that share, for the same reason.

    Parameters
    ----------
    gradients : the run of the coefficients as if no step had been shortened.
    projections : (n_steps, q, targets), <e_i, g_j>.
    start : (q, targets), where the run started.
    factors : (q,), p_i.
    eigenvalues : (q,), s_i.
    directions : (m, q), coefficients of e_i on the rows `centres`.
    centres : (m,), numbers of rows.
    """

    def __init__(
        self,
        gradients: Coordinates,
        projections: Float,
        start: NDArray[np.float64],
        factors: NDArray[np.float64],
        eigenvalues: NDArray[np.float64],
        directions: Float,
        centres: NDArray[np.int64],
    ) -> None:
        super().__init__(gradients._facts)
        self.gradients = gradients
        self.projections = projections
        self.start = start
        self.factors = factors
        self.eigenvalues = eigenvalues
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

    def state(self) -> State:
        """Return gains, projections and directions."""
        return {
            "kind": "flattened",
            "gradients": self.gradients.state(),
            "projections": self.projections,
            "start": self.start,
            "factors": self.factors,
            "eigenvalues": self.eigenvalues,
            "directions": self.directions,
            "centres": self.centres.astype(np.int64),
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Flattened:
        """Return the run of a state."""
        gradients = Coordinates.from_state(stored.part("gradients"))
        factors = stored.array("factors", (None,))
        n_targets = 1 if len(gradients.shape) == 1 else gradients.shape[0]
        projections = stored.array("projections", (gradients.n_steps, len(factors), n_targets), FLOATS)
        start = stored.array("start", (len(factors), n_targets))
        eigenvalues = stored.array("eigenvalues", (len(factors),))
        centres = stored.array("centres", (None,), "int64")
        directions = stored.array("directions", (len(centres), len(factors)), FLOATS)
        if len(centres) and not 0 <= centres.min() <= centres.max() < gradients.shape[-1]:
            raise StateError(f"centres beyond 0..{gradients.shape[-1] - 1}.")
        if not ((factors > 0) & (factors <= 1) & (eigenvalues > 0)).all():
            raise StateError("directions have factors from above 0 to 1, and eigenvalues above 0.")
        if len(np.unique(centres)) != len(centres):
            raise StateError("a centre occurs twice: expected each centre once.")
        return cls(gradients, projections, start, factors, eigenvalues, directions, centres)

    @property
    def level(self) -> float:
        """The lam of p_i = lam / (s_i + lam)."""
        first = int(np.argmin(self.factors))
        return float(self.factors[first] * self.eigenvalues[first] / (1 - self.factors[first]))

    def iterate(self, k: int) -> Float:
        """Return the coefficients after step k."""
        whole = self.gradients.iterate(k)
        gradients = self.projections[:k].sum(axis=0)  # (q, targets)
        return whole + self._on_centres(self.start - (1 - self.factors[:, None]) * gradients).reshape(whole.shape)

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        averages: Float = self.gradients.nearest_average(schemes).copy()
        steps = np.arange(1, self.n_steps + 1)
        common = np.stack([scheme.survival(steps, self.length, self.steps) for scheme in schemes])
        gradients = np.tensordot(common, self.projections, axes=1)  # (L, q, targets)
        own, starts = gradients.copy(), np.repeat(self.start[None], len(schemes), axis=0)
        geometric = [place for place, scheme in enumerate(schemes) if isinstance(scheme, Geometric)]
        if geometric:
            alphas = np.array([scheme.alpha for scheme in schemes if isinstance(scheme, Geometric)])
            own[geometric] = self._discounted(alphas)
            starts[geometric] *= (self.eigenvalues / (self.eigenvalues + alphas[:, None]))[:, :, None]
        changes = starts + own * self.factors[:, None] - gradients
        for place, change in enumerate(changes):
            averages[place] += self._on_centres(change).reshape(averages.shape[1:])
        return averages

    def _discounted(self, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of the projections, each with the survival of its own discount: (L, q, targets).

        The survival functions are expanded on blocks of steps, of which the projections have moments.
        """
        moments = self._moments
        blocks = tuple(replace(block, chunk=1) for block in BLOCK_LAYOUT.blocks(self.n_steps))
        sums = np.empty((len(alphas), *moments.shape[1:]))
        at_once = max(1, MAX_HELD_SURVIVALS // len(alphas) // len(moments))
        for first in range(0, len(self.factors), at_once):
            part = slice(first, first + at_once)
            strengths = np.outer(alphas, self.factors[part])
            survival = geometric_survival(strengths.ravel(), places(blocks), self.length, self.steps)
            series, _ = expand_values(survival, blocks, self.length)
            weights = series.reshape(*strengths.shape, len(moments))
            sums[:, part] = np.einsum("lqm,mqk->lqk", weights, moments[:, part])
        return sums

    @derived_property
    def _moments(self) -> NDArray[np.float64]:
        """Chebyshev moments of the projections on blocks of steps, (moments, q, targets)."""
        parts = []
        for block in BLOCK_LAYOUT.blocks(self.n_steps):
            steps = np.arange(block.start, min(block.stop, self.n_steps))
            projections = self.projections[steps].astype(np.float64)
            if block.raw:
                missing = block.length - len(steps)
                parts.append(np.concatenate([projections, np.zeros((missing, *projections.shape[1:]))]))
            else:
                place = 2 * (steps - block.start) / (block.length - 1) - 1
                basis = np.polynomial.chebyshev.chebvander(place, block.moments - 1)
                parts.append(np.tensordot(basis.T, projections, axes=1))
        return np.concatenate(parts)

    def _on_centres(self, along: NDArray[np.float64]) -> Float:
        """Coefficients (targets, n) of what lies along the directions, (q, targets)."""
        answer = np.zeros((along.shape[1], self.shape[-1]), self.dtype)
        answer[:, self.centres] = (self.directions @ along.astype(self.dtype)).T
        return answer
