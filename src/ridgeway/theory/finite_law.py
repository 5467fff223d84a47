"""Laws of finite support, such as data sets: the exact risk without assumptions on moments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme, Staircase
from ridgeway.averaging.filter import filter_at
from ridgeway.theory.arguments import batch_size_of, matrix_of, n_steps_of, probability_of, row_of, staircase_of
from ridgeway.theory.risk import ExcessRisk, short_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

RANK_CUTOFF = 1e-12  # eigenvalues up to this share of the largest are 0: no row shows these directions


@dataclass(frozen=True, eq=False)
class FiniteLaw:
    """A law of (x, y) with finitely many values, under which every moment of SGD can be computed exactly.

    Rows are drawn independently. `of_rows` is the law of rows drawn with replacement from a data set. The noise
    y - <x, w*> may depend on x in any way. w* is the best linear predictor, the one of least norm if there are several.

    Parameters
    ----------
    x : (k, d), the values of x.
    y : (k,), the values of y that belong to them.
    probability : (k,), 0 or more; they are divided by their sum. None means equal probabilities.

    Attributes
    ----------
    covariance : (d, d), Sigma = E[x x'].
    eigenvalues : (r,), its positive eigenvalues, decreasing.
    basis : (d, r), its eigenvectors.
    optimum : (d,), w*.
    noise : (k,), y - <x, w*>.
    noise_variance : its second moment.
    r2 : the smallest R^2 with E[|x|^2 x x'] <= R^2 Sigma.
    residual_bound : the smallest sigma^2 with E[noise^2 x x'] <= sigma^2 Sigma.

    Examples
    --------
    >>> from ridgeway.averaging import Geometric
    >>> from ridgeway.theory import FiniteLaw
    >>> law = FiniteLaw(x=[[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]], y=[1.0, 3.0, 2.0], probability=[0.5, 0.25, 0.25])
    >>> law.optimum.round(3)
    array([1.286, 1.143])
    >>> risk = law.excess_risk(Geometric(0.1), step=0.1, n_steps=1000)
    >>> print(f"{risk.total:.4f} of which {risk.deterministic_bias:.4f} is bias")
    0.0244 of which 0.0219 is bias
    """

    x: Array
    y: Array
    probability: Array

    def __init__(self, x: ArrayLike, y: ArrayLike, probability: ArrayLike | None = None) -> None:
        values = matrix_of("x", x)
        labels = row_of("y", y, len(values), "row of x")
        chances = probability_of(probability, len(values), "row of x")
        for name, array in (("x", values), ("y", labels), ("probability", chances)):
            fixed = np.array(array)
            fixed.flags.writeable = False
            object.__setattr__(self, name, fixed)
        if self.eigenvalues.size == 0:
            raise ValueError("x is 0 with probability 1: expected at least one value from which to learn.")

    @classmethod
    def of_rows(cls, X: ArrayLike, y: ArrayLike) -> FiniteLaw:
        """Return the law that draws each row of a data set with equal probability, with replacement.

        Parameters
        ----------
        X : (n, d).
        y : (n,).
        """
        return cls(X, y)

    @cached_property
    def covariance(self) -> Array:
        """Sigma = E[x x']."""
        return (self.x.T * self.probability) @ self.x

    @cached_property
    def _spectrum(self) -> tuple[Array, Array]:
        values, vectors = np.linalg.eigh(self.covariance)
        seen = values > RANK_CUTOFF * max(float(values[-1]), 0.0)
        return values[seen][::-1], vectors[:, seen][:, ::-1]

    @property
    def eigenvalues(self) -> Array:
        """The positive eigenvalues of Sigma, decreasing."""
        return self._spectrum[0]

    @property
    def basis(self) -> Array:
        """The eigenvectors of Sigma that belong to `eigenvalues`, in columns."""
        return self._spectrum[1]

    @cached_property
    def optimum(self) -> Array:
        """The best linear predictor of least norm, w* = Sigma^+ E[x y]."""
        eigenvalues, basis = self._spectrum
        moment = self.x.T @ (self.probability * self.y)
        optimum: Array = basis @ ((basis.T @ moment) / eigenvalues)
        return optimum

    @cached_property
    def noise(self) -> Array:
        """The residual y - <x, w*> of each value."""
        return self.y - self.x @ self.optimum

    @property
    def noise_variance(self) -> float:
        """E (y - <x, w*>)^2."""
        return float(self.probability @ self.noise**2)

    @cached_property
    def r2(self) -> float:
        """The smallest R^2 with E[|x|^2 x x'] <= R^2 Sigma."""
        return self._largest_ratio((self.x * self.x).sum(axis=1))

    @cached_property
    def residual_bound(self) -> float:
        """The smallest sigma^2 with E[noise^2 x x'] <= sigma^2 Sigma."""
        return self._largest_ratio(self.noise**2)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw rows: X (size, d) and y (size,)."""
        drawn = rng.choice(len(self.y), size=size, p=self.probability)
        return self.x[drawn], self.y[drawn]

    def expected_average(
        self, scheme: Scheme, step: float | Staircase, n_steps: int, w0: ArrayLike | None = None
    ) -> Array:
        """Return E[average], (d,), for SGD from w0 (None is 0)."""
        start = self._start(w0)
        s, basis = self._spectrum
        steps, n = staircase_of(step), n_steps_of(n_steps)
        self._require_convergence(steps.largest_of(n))
        bias = basis.T @ (start - self.optimum)
        average: Array = start + basis @ ((filter_at(scheme, s, steps, n) - 1) * bias)
        return average

    def excess_risk(
        self, scheme: Scheme, step: float | Staircase, n_steps: int, w0: ArrayLike | None = None, batch_size: int = 1
    ) -> ExcessRisk:
        """Return the exact excess risk of an average of SGD over rows drawn from the law.

        The expectation of |Sigma^{1/2} (sum_{t>=j} p_t (w_t - w*))|^2, given w_j, is a quadratic function of w_j. Its
        matrix, vector and constant are carried from the last step back to the first: time n (k r^2 + r^3) for k values
        and rank r, whatever the scheme.

        Parameters
        ----------
        scheme : the average.
        step : step size eta, or staircase of step sizes.
        n_steps : number of steps, 1 or more.
        w0 : (d,), the start; None is 0.
        batch_size : rows per step, drawn with replacement.

        Returns
        -------
        ExcessRisk
            Under this law: with `of_rows` the excess over the least mean squared error on these rows.
        """
        steps, n, b = staircase_of(step), n_steps_of(n_steps), batch_size_of(batch_size)
        self._require_convergence(steps.largest_of(n))
        s, basis = self._spectrum
        rows, noise = self.x @ basis, self.noise
        v = basis.T @ (self._start(w0) - self.optimum)
        weights = short_weights(scheme, n, steps)
        g = np.full_like(s, weights[n])  # E[sum_{t>=j} p_t (w_t - w*) | w_j] = g (w_j - w*)
        P, q, r = np.diag(s * weights[n] ** 2), np.zeros_like(s), 0.0
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for size, first, last in reversed(steps.parts(0, n)):
                a, share = 1 - size * s, size**2 / b
                both = np.multiply.outer(a, a) - share * np.multiply.outer(s, s)
                for j in range(last, first, -1):
                    # Back through the step to w_j: E[(I - eta H) P (I - eta H)], H the mean of b squares x x'.
                    spread = self.probability * np.einsum("ki,ki->k", rows @ P, rows)
                    r += share * float(spread @ noise**2)
                    q = a * q - share * (rows.T @ (spread * noise))
                    P = both * P + share * (rows.T * spread) @ rows
                    P[np.diag_indices_from(P)] += s * weights[j - 1] * (weights[j - 1] + 2 * a * g)
                    g = weights[j - 1] + a * g
        deterministic = float((s * (g * v) ** 2).sum())
        multiplicative = float(v @ P @ v) - deterministic
        interaction = 2 * float(q @ v)
        if not np.isfinite([multiplicative, interaction, r]).all():
            raise ValueError(
                f"step={steps.largest_of(n):g} is unstable under this law: the risk overflows within {n} steps; a step "
                f"of 1 / max |x|^2 = {1 / float((self.x * self.x).sum(axis=1).max()):g} is safe."
            )
        return ExcessRisk.of_parts(deterministic, max(multiplicative, 0.0), r, interaction)

    def _start(self, w0: ArrayLike | None) -> Array:
        return np.zeros(self.x.shape[1]) if w0 is None else row_of("w0", w0, self.x.shape[1], "column of x")

    def _require_convergence(self, step: float) -> None:
        largest = 2 / float(self.eigenvalues[0])
        if step > largest:
            raise ValueError(
                f"step={step:g}: expected at most 2 / s_max = {largest:g}, beyond which the iterates diverge."
            )

    def _largest_ratio(self, weight: Array) -> float:
        """Return the largest eigenvalue of Sigma^{-1/2} E[weight x x'] Sigma^{-1/2} on the range of Sigma."""
        eigenvalues, basis = self._spectrum
        rows = self.x @ basis / np.sqrt(eigenvalues)
        return float(np.linalg.eigvalsh((rows.T * (self.probability * weight)) @ rows)[-1])
