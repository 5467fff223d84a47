"""Chains: several runs on different rows, averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.averaging import Last, Scheme, Tail
from ridgeway.rows import Float
from ridgeway.storage.class_registry import ClassRegistry
from ridgeway.storage.state import State, StateError, Stored
from ridgeway.trajectory.sketch import Sketch
from ridgeway.trajectory.spectrum import Spectrum
from ridgeway.trajectory.trajectory import RunFacts, Trajectory


class Chains(Trajectory):
    """The weighted mean of the averages of several independent runs with one step size.

    Each chain applies a scheme with its own number of steps. At large alpha a geometric average depends mainly on its
    first 1/(eta alpha) steps. k chains use k times as many rows at nearly the same expectation, if each chain has more
    than about 4/(eta alpha) steps.

    Parameters
    ----------
    chains : the runs, all with the same step.
    weights : one per chain; by default their numbers of steps. They are divided by their sum.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2001, 3))
    >>> y = X @ [1.0, -2.0, 0.5] + rng.standard_normal(2001)
    >>> t = rw.run_sgd(X, y, chains=4)
    >>> t.weights.round(3), t.n_steps
    (array([0.25, 0.25, 0.25, 0.25]), 2001)
    """

    def __init__(self, chains: Sequence[Trajectory], weights: ArrayLike | None = None) -> None:
        self._chains = tuple(chains)
        self._weights = _shares(self._chains, weights)
        _require_alike(self._chains)
        super().__init__(_pooled(self._chains))

    def __repr__(self) -> str:
        return f"Chains({len(self._chains)} chains, n_steps={self.n_steps}, step={self.step:.6g})"

    @property
    def chains(self) -> tuple[Trajectory, ...]:
        """The single runs."""
        return self._chains

    @property
    def weights(self) -> NDArray[np.float64]:
        """Share of each chain in the mean."""
        return self._weights

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a coefficient: (d,), or (targets, d) when y was 2-D."""
        return self._chains[0].shape

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the averages."""
        return self._chains[0].dtype

    @property
    def tolerance(self) -> float:
        """Largest error of a survival value in any chain."""
        return max(chain.tolerance for chain in self._chains)

    @property
    def nbytes(self) -> int:
        """Memory of all chains."""
        return sum(chain.nbytes for chain in self._chains)

    def state(self) -> State:
        """Return the states of the chains and their shares."""
        return {"kind": "chains", "chains": [chain.state() for chain in self._chains], "weights": self._weights}

    @classmethod
    def from_state(cls, stored: Stored) -> Chains:
        """Return the chains of a state; all are sketches."""
        chains = cls([Sketch.from_state(chain) for chain in stored.parts("chains")])
        shares = stored.array("weights", (len(chains.chains),))
        if (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
            raise StateError("the shares of the chains are negative, or do not add up to 1.")
        chains._weights = shares  # not divided by their sum again, because rounding would change the last bits
        return chains

    def nearest(self, scheme: Scheme) -> Scheme:
        """Return the scheme that the longest chain uses instead of `scheme`."""
        return max(self._chains, key=lambda chain: chain.length).nearest(scheme)

    def iterate(self, k: int) -> Float:
        """Raise an error: several chains have no common iterate."""
        raise ValueError(f"iterate({k}) of several chains does not exist: use one of them, t.chains[0].iterate({k}).")

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        total: Any = 0.0
        for share, chain in zip(self._weights, self._chains, strict=True):
            answer = chain.nearest_average([self._for_chain(scheme) for scheme in schemes])
            total = total + share * answer.astype(np.float64)
        mean: Float = total.astype(answer.dtype)
        return mean

    def _for_chain(self, scheme: Scheme) -> Scheme:
        """Return the scheme for a chain of any length: a tail from a step of the longest chain starts at a share."""
        if isinstance(scheme, Tail) and isinstance(scheme.start, int):
            share = float(self.steps.elapsed(scheme.start)) / self.elapsed
            return Last() if scheme.start == self.length else Tail(share)
        return scheme


LINEAR_TRAJECTORIES: dict[str, type[Trajectory]] = {"sketch": Sketch, "chains": Chains, "spectrum": Spectrum}


def trajectory_of(stored: Stored) -> Trajectory:
    """Return the trajectory of a state."""
    return ClassRegistry("kind", LINEAR_TRAJECTORIES).from_state(stored)


def join(runs: Sequence[Trajectory]) -> Trajectory:
    """Return the only run, the merged sketches, or `Chains` of other runs."""
    if len(runs) == 1:
        return runs[0]
    return merge(runs) if all(isinstance(run, Sketch) for run in runs) else Chains(runs)


def merge(sketches: Sequence[Trajectory], weights: ArrayLike | None = None) -> Sketch | Chains:
    """Merge the sketches of independent runs with one layout and one step into their weighted mean.

    Sketches of equal length are averaged moment by moment into a single sketch of the same `length`; its `n_steps` is
    the sum of theirs. Sketches of different lengths have different survival functions and are returned as `Chains`.

    Parameters
    ----------
    sketches : sketches of one layout, step, shape and precision.
    weights : one per sketch; by default their numbers of steps. They are divided by their sum.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> from ridgeway.trajectory import merge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 3))
    >>> y = X @ [1.0, -2.0, 0.5] + rng.standard_normal(2000)
    >>> halves = [rw.run_sgd(X[rows], y[rows], step=0.1, store="sketch") for rows in np.split(np.arange(2000), 2)]
    >>> merged = merge(halves)
    >>> mean = (halves[0].coef(rw.Uniform()) + halves[1].coef(rw.Uniform())) / 2
    >>> bool(np.allclose(merged.coef(rw.Uniform()), mean))
    True
    """
    shares = _shares(sketches, weights)
    likes = [sketch for sketch in sketches if isinstance(sketch, Sketch)]
    if len(likes) < len(sketches):
        raise TypeError("merge takes sketches: got other trajectories among them; average those with Chains([...]).")
    first = likes[0]
    for sketch in likes[1:]:
        if sketch.layout != first.layout:
            raise ValueError(
                f"sketches differ in their layout: got {sketch.layout} and {first.layout}; use the same layout."
            )
    chains = Chains(likes, weights)
    if any((sketch.length, sketch.steps) != (first.length, first.steps) for sketch in likes):
        return chains
    return Sketch.mean(likes, shares, _pooled(likes))


def _pooled(chains: Sequence[Trajectory]) -> RunFacts:
    """Combine the facts of several runs; if they differ, those of the longest run are taken."""
    longest = max(chains, key=lambda chain: chain.length)
    return RunFacts(
        sizes=longest.sizes,
        n_steps=sum(chain.n_steps for chain in chains),
        length=longest.length,
        limited=sum(chain.limited for chain in chains),
        sum_q=sum(chain._facts.sum_q for chain in chains),
        sum_q2=sum(chain._facts.sum_q2 for chain in chains),
        split=sum(chain.split for chain in chains),
        mean_weight=longest._facts.mean_weight,
    )


def _require_alike(chains: Sequence[Trajectory]) -> None:
    for chain in chains[1:]:
        for name in ("shape", "dtype"):
            got, expected = getattr(chain, name), getattr(chains[0], name)
            if got != expected:
                raise ValueError(f"chains differ in their {name}: got {got} and {expected}; join only runs that agree.")


def _shares(chains: Sequence[Trajectory], weights: ArrayLike | None) -> NDArray[np.float64]:
    if not chains:
        raise ValueError("no chains: expected at least one run.")
    for chain in chains:
        if not isinstance(chain, Trajectory):
            raise TypeError(f"{chain!r} is not a trajectory: expected what run_sgd or SGDRun.trajectory returns.")
    if any(chain.step != chains[0].step for chain in chains):
        steps = sorted({chain.step for chain in chains})
        raise ValueError(
            f"chains ran with different steps {steps} and cannot be averaged: run all with one, for instance "
            f"step=LimitedStep({chains[0].step!r})."
        )
    shares = np.array([chain.n_steps for chain in chains] if weights is None else weights, dtype=np.float64)
    if shares.shape != (len(chains),) or not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() == 0:
        raise ValueError(f"weights={weights!r}: expected {len(chains)} numbers of 0 or more, not all 0.")
    normalized: NDArray[np.float64] = shares / shares.sum()
    return normalized
