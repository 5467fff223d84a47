"""Markov reward processes and the linear systems of temporal-difference learning on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ridgeway.paper.population import Array


@dataclass(frozen=True, eq=False)
class RewardProcess:
    """A Markov chain with rewards, and features that represent its value function.

    TD(0) moves w by step (r_s + discount <f_s', w> - <f_s, w>) f_s when the chain goes from s to s'.

    Parameters
    ----------
    transition : (n, n), the probability of going from s to s'.
    rewards : (n,), the reward of a state.
    features : (n, d), the features of a state.
    discount : of the value function, below 1.
    """

    transition: Array
    rewards: Array
    features: Array
    discount: float

    @cached_property
    def stationary(self) -> Array:
        """The stationary distribution, (n,)."""
        n = len(self.rewards)
        system = np.vstack([np.eye(n) - self.transition.T, np.ones(n)])
        return np.asarray(np.linalg.lstsq(system, np.append(np.zeros(n), 1.0), rcond=None)[0])

    @cached_property
    def values(self) -> Array:
        """The value function, (n,)."""
        n = len(self.rewards)
        return np.asarray(np.linalg.solve(np.eye(n) - self.discount * self.transition, self.rewards))

    @cached_property
    def matrices(self) -> Array:
        """The matrix of each transition, f_s (f_s - discount f_s')', (n, n, d, d)."""
        change = self.features[:, None, :] - self.discount * self.features[None, :, :]
        return np.asarray(self.features[:, None, :, None] * change[:, :, None, :])

    @cached_property
    def vectors(self) -> Array:
        """The vector of each transition, r_s f_s, (n, n, d)."""
        vectors = self.rewards[:, None] * self.features
        return np.broadcast_to(vectors[:, None, :], (*self.transition.shape, vectors.shape[1]))

    def drawn(self, visits: Array | None = None) -> tuple[Array, Array, Array]:
        """Return matrices, vectors and probabilities of transitions drawn independently.

        States are drawn by `visits`; None is the stationary distribution.
        """
        chances = (self.stationary if visits is None else visits)[:, None] * self.transition
        d = self.features.shape[1]
        return self.matrices.reshape(-1, d, d), self.vectors.reshape(-1, d), chances.ravel()


def random_process(rng: np.random.Generator, n_states: int, d: int) -> RewardProcess:
    """Return a random chain with random rewards and features, and a discount of 0.9."""
    transition = rng.dirichlet(np.full(n_states, 0.5), size=n_states)
    return RewardProcess(transition, rng.standard_normal(n_states), rng.standard_normal((n_states, d)) / d**0.5, 0.9)


def random_walk(n_states: int, discount: float) -> RewardProcess:
    """Return a random walk on a line with reflecting ends, reward 1 at the right end, and three smooth features."""
    transition = np.zeros((n_states, n_states))
    for s in range(n_states):
        transition[s, max(s - 1, 0)] += 0.5
        transition[s, min(s + 1, n_states - 1)] += 0.5
    place = np.linspace(-1, 1, n_states)
    return RewardProcess(
        transition,
        (place == 1).astype(float),
        np.column_stack([np.ones(n_states), place, place**2]),
        discount,
    )


def two_states() -> tuple[RewardProcess, Array]:
    """Return a process and visits with which TD(0) diverges: states of features 1 and 2, only the first one visited."""
    process = RewardProcess(
        np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.0]), np.array([[1.0], [2.0]]), discount=0.9
    )
    return process, np.array([1.0, 0.0])
