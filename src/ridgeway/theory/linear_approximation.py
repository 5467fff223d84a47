"""Linear stochastic approximation, w + eta (b_t - A_t w) with any matrices A_t: geometric averages, their variance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.theory.arguments import n_steps_of, positive, probability_of, row_of, step_of, system_of
from ridgeway.validation.scalars import ridge_strength

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearApproximation:
    """Linear stochastic approximation with finitely many values of (A_t, b_t), drawn independently.

    ::

        w_t = w_{t-1} + eta (b_t - A_t w_{t-1}),   E[A_t] = A,   E[b_t] = b
        average = (1 - rho) sum_{t>=0} rho^t w_t,   rho = 1 / (1 + eta alpha)

    Least-squares SGD has A_t = x x' and b_t = x y; temporal-difference learning has A_t = x (x - discount x')', which
    is not symmetric. Geometric averages regularise all of them: their expectation solves (A + alpha) w = b + alpha w_0.
    Values that depend on each other, as along a Markov chain, add a bias of order eta.

    Parameters
    ----------
    matrices : (k, d, d), the values of A_t.
    vectors : (k, d), the values of b_t that belong to them.
    probability : (k,), 0 or more; they are divided by their sum. None means equal probabilities.

    Attributes
    ----------
    mean_matrix : (d, d), A.
    mean_vector : (d,), b.

    Examples
    --------
    A is negative: the iterates diverge, their average does not.

    >>> from ridgeway.theory import LinearApproximation
    >>> system = LinearApproximation(matrices=[[[-0.8]], [[-0.6]]], vectors=[[1.0], [2.0]])
    >>> round(system.least_alpha(step=0.1), 6)
    0.7
    >>> system.limit(alpha=2.2)  # b / (A + alpha)
    array([1.])
    >>> system.covariance(alpha=2.2, step=0.1).round(4)
    array([[0.0096]])
    """

    matrices: Array
    vectors: Array
    probability: Array

    def __init__(self, matrices: ArrayLike, vectors: ArrayLike, probability: ArrayLike | None = None) -> None:
        A, b = system_of(matrices, vectors)
        p = probability_of(probability, len(A), "matrix")
        for name, array in (("matrices", A), ("vectors", b), ("probability", p)):
            fixed = np.array(array)
            fixed.flags.writeable = False
            object.__setattr__(self, name, fixed)

    @cached_property
    def mean_matrix(self) -> Array:
        """The mean of A_t."""
        return np.asarray(np.tensordot(self.probability, self.matrices, 1))

    @cached_property
    def mean_vector(self) -> Array:
        """The mean of b_t."""
        return np.asarray(self.probability @ self.vectors)

    def least_alpha(self, step: float) -> float:
        """Return the strength above which the expected average converges: (r - 1) / eta, at least 0.

        r is the spectral radius of I - eta A; rho r < 1 is the condition. Where r > 1 the iterates themselves diverge.
        As eta falls, it tends to -min Re lambda(A).
        """
        eta = step_of(step)
        return max(0.0, (_radius(np.eye(len(self.mean_vector)) - eta * self.mean_matrix) - 1) / eta)

    def limit(self, alpha: float, start: ArrayLike | None = None) -> Array:
        """Return the expected average of an endless run, (A + alpha)^{-1} (b + alpha w_0), (d,).

        It does not depend on the step, as long as alpha is above `least_alpha(step)`.
        """
        strength, w0 = ridge_strength(alpha, "0 is the solution of A w = b"), self._start(start)
        shifted = self.mean_matrix + strength * np.eye(len(w0))
        try:
            return np.asarray(np.linalg.solve(shifted, self.mean_vector + strength * w0))
        except np.linalg.LinAlgError as error:
            raise ValueError(f"A + alpha is singular at alpha={strength:g}: take another alpha.") from error

    def expected_average(self, alpha: float, step: float, n_steps: int, start: ArrayLike | None = None) -> Array:
        """Return the expected geometric average of w_0 .. w_T, T = `n_steps`, weights rho^t divided by their sum.

        Matrix powers are computed by squaring in time O(d^3 log T). The iterates may diverge, as long as they are
        finite.
        """
        strength, eta, n, w0 = ridge_strength(alpha), step_of(step), n_steps_of(n_steps), self._start(start)
        size, rho = len(w0) + 1, 1 / (1 + eta * strength)
        one = rho * _step_maps(self.mean_matrix[None], self.mean_vector[None], eta)[0]  # of rho^t (1, w_t)
        summing = np.block([[one, np.zeros((size, size))], [one, np.eye(size)]])
        state = np.append(1.0, w0)
        with np.errstate(over="ignore", invalid="ignore"):
            total = (np.linalg.matrix_power(summing, n) @ np.append(state, state))[size:]
        if not np.isfinite(total).all():
            raise ValueError(
                f"the expected average overflows within {n} steps: the iterates diverge, and alpha={strength:g} is not "
                f"above {self.least_alpha(eta):g}; take a stronger alpha or fewer steps."
            )
        return np.asarray(total[1:] / total[0])

    def covariance(self, alpha: float, step: float, start: ArrayLike | None = None) -> Array:
        """Return the covariance of the average of an endless run, exactly.

        ::

            (1 - rho)^2 (A + alpha)^{-1} [sum_{j>=0} rho^{2j} E C(w_j)] (A + alpha)^{-T},   C(w) = Cov(b_1 - A_1 w)

        If C(w) hardly changes, the term between the inverses is C eta alpha / (2 + eta alpha): the average is as good
        as the solution from 1 + 2 / (eta alpha) independent values of (A_t, b_t). The sum is finite if rho^2 times the
        spectral radius of E[(I - eta A_t) x (I - eta A_t)] (Kronecker product) is below 1; the iterates may diverge.
        The computation solves a linear system of (d + 1)^2 unknowns, which is feasible for d up to about 60.

        Parameters
        ----------
        alpha : ridge strength, above 0.
        step : step size eta.
        start : (d,), w_0; None is 0.
        """
        strength = positive(
            "alpha", alpha, "the ridge strength must be a finite number above 0", "0 needs a finite run"
        )
        eta, w0 = step_of(step), self._start(start)
        d, rho = len(w0), 1 / (1 + eta * strength)
        maps = _step_maps(self.matrices, self.vectors, eta)
        moved = rho**2 * np.einsum("k,kij,klm->iljm", self.probability, maps, maps).reshape((d + 1) ** 2, -1)
        if _radius(moved) >= 1:
            raise ValueError(
                f"alpha={strength:g} is too weak for step={eta:g}: the second moments of the iterates grow faster than "
                "the weights fall; take a stronger alpha or a smaller step."
            )
        state = np.append(1.0, w0)
        # Z = sum_j rho^{2j} E[z_j z_j'] for z = (1, w) solves Z = z_0 z_0' + rho^2 E[M Z M'].
        Z = np.linalg.solve(np.eye((d + 1) ** 2) - moved, np.outer(state, state).ravel()).reshape(d + 1, d + 1)
        updates = np.concatenate([self.vectors[:, :, None], -self.matrices], axis=2)  # of (1, w): b_t - A_t w
        centred = updates - np.tensordot(self.probability, updates, 1)
        noise = np.einsum("k,kij,jl,kml->im", self.probability, centred, Z, centred)
        inverse = np.linalg.inv(self.mean_matrix + strength * np.eye(d))
        return np.asarray((1 - rho) ** 2 * inverse @ noise @ inverse.T)

    def _start(self, start: ArrayLike | None) -> Array:
        d = self.vectors.shape[1]
        return np.zeros(d) if start is None else row_of("start", start, d, "column of the matrices")


def _radius(matrix: Array) -> float:
    """Return the spectral radius."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def _step_maps(matrices: Array, vectors: Array, step: float) -> Array:
    """Return the matrices that take (1, w_{t-1}) to (1, w_t), (k, d + 1, d + 1)."""
    k, d = vectors.shape
    maps = np.zeros((k, d + 1, d + 1))
    maps[:, 0, 0] = 1
    maps[:, 1:, 0] = step * vectors
    maps[:, 1:, 1:] = np.eye(d) - step * matrices
    return maps
