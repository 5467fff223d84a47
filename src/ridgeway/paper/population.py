"""Laws of (x, y) with finite support, under which every expectation is a finite sum: the oracle of the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Population:
    """The law that draws (x_i, y_i) with probability p_i.

    Parameters
    ----------
    x : (k, d) array
    y : (k,) array
    p : (k,) array, probabilities of sum 1.

    Examples
    --------
    >>> import numpy as np
    >>> law = Population(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([3.0, 2.0]), np.array([0.5, 0.5]))
    >>> law.optimum
    array([3., 1.])
    """

    x: Array
    y: Array
    p: Array

    @cached_property
    def covariance(self) -> Array:
        """Sigma = E[x x']."""
        return self.mean_outer(np.ones(len(self.p)))

    @cached_property
    def moment(self) -> Array:
        """E[x y]."""
        return np.asarray(self.x.T @ (self.p * self.y))

    @cached_property
    def optimum(self) -> Array:
        """The minimiser w* = Sigma^+ E[x y] of least norm."""
        return np.asarray(np.linalg.pinv(self.covariance, hermitian=True) @ self.moment)

    @cached_property
    def residual(self) -> Array:
        """The residual y - <w*, x> at each point."""
        return np.asarray(self.y - self.x @ self.optimum)

    @cached_property
    def r2(self) -> float:
        """The smallest R^2 with E|x|^2 x x' <= R^2 Sigma."""
        return self._largest_against_covariance(self.mean_outer((self.x**2).sum(axis=1)))

    @cached_property
    def noise(self) -> float:
        """The smallest sigma^2 with E eps^2 x x' <= sigma^2 Sigma."""
        return self._largest_against_covariance(self.mean_outer(self.residual**2))

    @property
    def d(self) -> int:
        """The number of columns."""
        return int(self.x.shape[1])

    @cached_property
    def largest(self) -> float:
        """The largest |x|^2."""
        return float((self.x**2).sum(axis=1).max())

    def mean_outer(self, factor: Array) -> Array:
        """Return E[factor x x'] for a factor given at each point."""
        return np.asarray((self.x.T * (self.p * factor)) @ self.x)

    def risk(self, w: Array) -> float:
        """Return E(y - <w, x>)^2."""
        return float(self.p @ (self.y - self.x @ w) ** 2)

    def excess(self, w: Array) -> float:
        """Return |Sigma^{1/2} (w - w*)|^2."""
        return float((w - self.optimum) @ self.covariance @ (w - self.optimum))

    def sandwich(self, A: Array) -> Array:
        """Return E[<x, A x> x x'], the paper's S A."""
        return self.mean_outer(np.einsum("ki,ij,kj->k", self.x, A, self.x))

    def step_map(self, A: Array, step: float) -> Array:
        """Return E[(I - step x x') A (I - step x x')] for symmetric A."""
        SA = self.covariance @ A
        return np.asarray(A - step * (SA + SA.T) + step**2 * self.sandwich(A))

    def sequences(self, length: int) -> Iterator[tuple[float, Array, Array]]:
        """Yield every sequence of `length` draws: its probability, its rows and its labels."""
        for draw in product(range(len(self.p)), repeat=length):
            rows = list(draw)
            yield float(np.prod(self.p[rows])), self.x[rows], self.y[rows]

    def expectation(self, length: int, of: Callable[..., Array], *arguments: float) -> Array:
        """Return the expectation of `of(rows, labels, *arguments)` over all sequences of draws."""
        return np.asarray(sum(p * of(X, y, *arguments) for p, X, y in self.sequences(length)))

    def _largest_against_covariance(self, matrix: Array) -> float:
        """Return the least c with matrix <= c Sigma, on the range of Sigma."""
        values, vectors = np.linalg.eigh(self.covariance)
        basis = vectors[:, values > 1e-12 * values[-1]]
        return float(eigh(basis.T @ matrix @ basis, basis.T @ self.covariance @ basis, eigvals_only=True)[-1])


def random_population(rng: np.random.Generator, d: int, points: int, noise: float = 1.0) -> Population:
    """Return a law on random points of unequal sizes and probabilities, with labels that no linear model fits."""
    x = rng.standard_normal((points, d)) * np.exp(rng.normal(0, 0.5, d)) * np.exp(rng.normal(0, 0.3, (points, 1)))
    y = x @ rng.standard_normal(d) + noise * rng.standard_normal(points)
    return Population(x, y, rng.dirichlet(np.full(points, 3.0)))


def round_population(rng: np.random.Generator, d: int, directions: int) -> Population:
    """Return a law with |x| = 1 and residuals of +-1, independent of x: the worst case for the noise."""
    x = rng.standard_normal((directions, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x = np.repeat(x, 2, axis=0)
    y = x @ rng.standard_normal(d) + np.tile([1.0, -1.0], directions)
    return Population(x, y, np.repeat(rng.dirichlet(np.full(directions, 3.0)), 2) / 2)


def product_population(eigenvalues: Array, nodes: Array, weights: Array, optimum: Array, noise: float) -> Population:
    """Return x = Sigma^{1/2} z with independent z_i on `nodes` with `weights`, and independent noise of +- `noise`."""
    z = np.array(list(product(nodes, repeat=len(eigenvalues))))
    p = np.array([np.prod(w) for w in product(weights, repeat=len(eigenvalues))])
    x = np.repeat(z * np.sqrt(eigenvalues), 2, axis=0)
    y = x @ optimum + noise * np.tile([1.0, -1.0], len(z))
    return Population(x, y, np.repeat(p, 2) / 2)


def second_moments(law: Population, v: Array, step: float, n_steps: int, noisy: bool = True) -> Array:
    """Return E[(w_t - w*)(w_t - w*)'] for t = 0..n_steps, (n_steps + 1, d, d), from w_0 - w* = v.

    The residual may depend on x: only E[eps x] = 0 is used. With noisy=False the residuals are 0, as in the
    "noiseless" process of the proof.
    """
    d, residual = len(v), law.residual * noisy
    pairs = np.einsum("ki,kj->kij", law.x, law.x).reshape(-1, d * d)  # x x' of each point, as a row
    sides = np.kron(law.covariance, np.eye(d)) + np.kron(np.eye(d), law.covariance)
    step_matrix = np.eye(d * d) - step * sides + step**2 * pairs.T @ (law.p[:, None] * pairs)
    noise = step**2 * pairs.T @ (law.p * residual**2)
    cross = -2 * step**2 * pairs.T @ ((law.p * residual)[:, None] * law.x)
    contraction = np.eye(d) - step * law.covariance
    mean, moments = v, np.empty((n_steps + 1, d * d))
    moments[0] = np.outer(v, v).ravel()
    for t in range(n_steps):
        moments[t + 1] = step_matrix @ moments[t] + noise + cross @ mean
        mean = contraction @ mean
    return moments.reshape(-1, d, d)


def average_excess(law: Population, moments: Array, weights: Array, step: float) -> float:
    """Return E|Sigma^{1/2} sum_t p_t (w_t - w*)|^2 from the second moments of the iterates.

    For k > t, E[w_k - w* | w_t] = (I - step Sigma)^{k-t} (w_t - w*).
    """
    contraction = np.eye(len(law.covariance)) - step * law.covariance
    later = np.zeros_like(contraction)  # sum over k > t of p_k A^{k-t}
    total = 0.0
    for weight, moment in zip(weights[::-1], moments[::-1], strict=True):
        total += weight * float(np.sum(law.covariance @ (2 * later + weight * np.eye(len(later))) * moment))
        later = contraction @ (later + weight * np.eye(len(later)))
    return total
