"""`Spectrum`: the result of an exact engine, from which the average for any scheme is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.averaging import Geometric, Last, Scheme, Staircase
from ridgeway.averaging.filter import filter_at
from ridgeway.rows import Float
from ridgeway.storage.state import FLOATS, State, StateError, Stored
from ridgeway.trajectory.trajectory import RunFacts, Trajectory
from ridgeway.validation.scalars import ridge_strengths

Array = NDArray[np.float64]

RESOLUTION = 1e-12  # share of the largest eigenvalue up to which a matrix of float64 sums tells nothing reliable


@dataclass(frozen=True, eq=False)
class Basis:
    """The problem A w = b along eigenvectors of A, or along the Ritz vectors of a Krylov space of A.

    Attributes
    ----------
    eigenvalues : (r,), 0 or more; Ritz values of a Krylov space.
    directions : (d, r), orthonormal columns.
    targets : (targets, r), b along the directions.
    ends : (r,), the part of A v_k outside of the space is ends_k times one unit vector; 0 for eigenvectors.
    """

    eigenvalues: Array
    directions: Float
    targets: Array
    ends: Array

    def ridge_inverses(self, alphas: Array, resolution: float) -> Array:
        """Return 1 / (s + alpha) of ridge strengths (L,) at each eigenvalue, (L, r), by which b is multiplied.

        If s + alpha is at most `resolution` of the largest eigenvalue, it is 0; so alpha = 0 is the least-squares
        solution of least norm.
        """
        shrunk = self.eigenvalues + alphas[:, None]
        resolved = shrunk > resolution * float(self.eigenvalues.max(initial=0.0))
        inverses: Array = np.divide(1.0, shrunk, out=np.zeros_like(shrunk), where=resolved)
        return inverses

    def inverses(self, schemes: Sequence[Scheme], step: float, n_steps: int, resolution: float) -> Array:
        """Return the filtered inverses (1 - q(s)) / s of each scheme, (L, r), by which b is multiplied.

        For a geometric average these are `ridge_inverses`; for others they are 0 if s is at most `resolution` of the
        largest eigenvalue.
        """
        s = self.eigenvalues
        inverses = np.zeros((len(schemes), len(s)))
        strengths = np.array([scheme.alpha if isinstance(scheme, Geometric) else np.nan for scheme in schemes])
        ridge = np.flatnonzero(strengths >= 0)
        inverses[ridge] = self.ridge_inverses(strengths[ridge], resolution)
        steps, learned = Staircase((step,)), s > resolution * float(s.max(initial=0.0))
        for place in np.flatnonzero(np.isnan(strengths)).tolist():
            q = filter_at(schemes[place], s[learned], steps, n_steps)
            inverses[place, learned] = (1.0 - q) / s[learned]
        return inverses

    def coefs(self, inverses: Array) -> Array:
        """Return the coefficients of inverses (L, r): (L, targets, d)."""
        L, n_targets, (d, r) = len(inverses), len(self.targets), self.directions.shape
        mixed = (inverses[:, None, :] * self.targets).reshape(L * n_targets, r)
        coefs: Array = mixed @ self.directions.T
        return coefs.reshape(L, n_targets, d)

    def residuals(self, inverses: Array) -> Array:
        """Return |b - (A + alpha) w| of ridge solutions with inverses (L, r), outside of the space: (L, targets)."""
        residuals: Array = np.abs((inverses * self.ends) @ self.targets.T)
        return residuals

    def state(self) -> State:
        """Return the arrays."""
        return dict(vars(self))

    @classmethod
    def from_state(cls, stored: Stored, n_columns: int, n_targets: int) -> Basis:
        """Return the basis of a state."""
        eigenvalues = stored.array("eigenvalues", (None,))
        if (eigenvalues < 0).any():
            raise StateError("eigenvalues are negative: expected numbers of 0 or more.")
        r = len(eigenvalues)
        return cls(
            eigenvalues,
            stored.array("directions", (n_columns, r), FLOATS),
            stored.array("targets", (n_targets, r)),
            stored.array("ends", (r,)),
        )


class Spectrum(Trajectory):
    """Every average of full-batch gradient descent, from the spectrum of the problem.

    Gradient descent from 0 on the mean of squared errors, w_t = w_{t-1} + step (b - A w_{t-1}), has the averages

        coef = V diag((1 - q(s)) / s) V' b ,    A = V diag(s) V',

    where q is the residual filter of the scheme. The geometric average is that of a run without end, so it is ridge
    exactly: (A + alpha)^-1 b. Every other scheme belongs to `n_steps` steps of size `step`.

    Parameters
    ----------
    bases : one for all targets, or one for each.
    step : step size of the gradient descent, at most 2 / (largest eigenvalue).
    n_steps : its number of steps.
    single_target : True removes the axis of targets from results.
    dtype : precision of the results.
    resolution : eigenvalues up to this share of the largest are treated as rounding errors.
    weakest : smallest ridge strength for which `tolerance` holds.

    Examples
    --------
    >>> import numpy as np, ridgeway as rw
    >>> from ridgeway.trajectory.spectrum import Basis, Spectrum
    >>> A, b = np.diag([1.0, 0.1]), np.array([[1.0, 1.0]])
    >>> basis = Basis(np.diag(A), np.eye(2), b, np.zeros(2))
    >>> spectrum = Spectrum([basis], step=1.0, n_steps=100, single_target=True)
    >>> spectrum.coef(rw.Geometric(0.1))
    array([0.90909091, 5.        ])
    >>> spectrum.coef(rw.Last()).round(4)
    array([1.    , 9.9997])
    """

    def __init__(
        self,
        bases: Sequence[Basis],
        step: float,
        n_steps: int,
        single_target: bool,
        dtype: Any = np.float64,
        resolution: float = RESOLUTION,
        weakest: float = 0.0,
    ) -> None:
        self._bases = tuple(bases)
        self._single_target = single_target
        self._dtype: np.dtype[np.floating[Any]] = np.dtype(dtype)
        self._resolution, self._weakest = float(resolution), float(weakest)
        largest = max(float(basis.eigenvalues.max(initial=0.0)) for basis in bases)
        trace = max(float(basis.eigenvalues.sum()) for basis in bases)
        # A step over all rows sees their mean squared norm, and has to respect the largest eigenvalue.
        facts = RunFacts(Staircase((step,)), n_steps, n_steps, 0, n_steps * trace, n_steps * trace * largest)
        super().__init__(facts)

    def __repr__(self) -> str:
        rank = max(len(basis.eigenvalues) for basis in self._bases)
        return f"Spectrum({rank} directions of {self.shape[-1]}, n_steps={self.n_steps}, step={self.step:.6g})"

    @property
    def bases(self) -> tuple[Basis, ...]:
        """The problem in its eigen-directions: one basis for all targets, or one for each."""
        return self._bases

    @property
    def complete(self) -> bool:
        """Whether the directions are exact eigenvectors, so that A maps their span to itself."""
        return not any(basis.ends.any() for basis in self._bases)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a coefficient: (d,), or (targets, d) when y was 2-D."""
        d = self._bases[0].directions.shape[0]
        return (d,) if self._single_target else (sum(len(basis.targets) for basis in self._bases), d)

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Precision of the results."""
        return self._dtype

    @property
    def resolution(self) -> float:
        """Share of the largest eigenvalue up to which eigenvalues are treated as rounding errors."""
        return self._resolution

    @property
    def weakest(self) -> float:
        """Smallest ridge strength for which `tolerance` holds."""
        return self._weakest

    @property
    def tolerance(self) -> float:
        """Largest residual |b - (A + alpha) w| / |b| of ridge coefficients w for alpha >= `weakest`.

        So w is the exact solution for a b that differs by this share. With eigenvectors only rounding errors remain;
        in a Krylov space the residual shrinks with every product. `error_bounds` bounds the error of w.
        """
        return max(self._resolution, float(self.relative_residuals([self._weakest])[0]))

    @property
    def nbytes(self) -> int:
        """Memory of the directions and all that belongs to them."""
        return sum(array.nbytes for basis in self._bases for array in vars(basis).values())

    def error_bounds(self, alphas: ArrayLike) -> Array:
        """Return bounds on |coef - exact coef| of ridge solutions, apart from rounding: (L, targets).

        The residual of a solution w within a Krylov space is r = b - (A + alpha) w, and |error| <= |r| / alpha, as
        the eigenvalues of A + alpha are alpha or more. It is 0 for eigenvectors.

        Parameters
        ----------
        alphas : (L,), each above 0.
        """
        strengths = np.array(ridge_strengths(alphas))
        if not (strengths > 0).all():
            raise ValueError(f"alphas={alphas!r}: expected numbers above 0; no bound holds for least squares.")
        schemes = [Geometric(float(alpha)) for alpha in strengths]
        residuals = [basis.residuals(self._inverses(basis, schemes)) for basis in self._bases]
        bounds: Array = np.concatenate(residuals, axis=1) / strengths[:, None]
        return bounds

    def relative_residuals(self, alphas: ArrayLike) -> Array:
        """Return |b - (A + alpha) w| / |b| of ridge coefficients, the largest of all targets: (L,).

        Parameters
        ----------
        alphas : (L,), each 0 or more.
        """
        schemes = [Geometric(alpha) for alpha in ridge_strengths(alphas)]
        largest = np.zeros(len(schemes))
        for basis in self._bases:
            sizes = np.linalg.norm(basis.targets, axis=1)
            residuals = basis.residuals(self._inverses(basis, schemes))  # (L, targets)
            shares = np.divide(residuals, sizes, out=np.zeros_like(residuals), where=sizes > 0)
            largest = np.maximum(largest, shares.max(axis=1))
        return largest

    def degrees_of_freedom(self, schemes: Sequence[Scheme]) -> Array:
        """Return the effective degrees of freedom of each scheme, tr H = sum_k (1 - q(s_k)), without intercept: (L,).

        Parameters
        ----------
        schemes : the averages.
        """
        if not self.complete:
            raise ValueError(
                f"degrees of freedom need all eigenvalues, and this spectrum has {len(self._bases[0].eigenvalues)} "
                "directions of a Krylov space: fit with solver='gram'."
            )
        basis = self._bases[0]
        shares: Array = self._inverses(basis, list(schemes)) @ basis.eigenvalues
        return shares

    def iterate(self, k: int) -> Float:
        """Return w_k of the gradient descent: (d,), or (targets, d) when y was 2-D."""
        self._require_iterate(k)
        parts = [basis.coefs(basis.inverses([Last()], self.step, int(k), self._resolution)) for basis in self._bases]
        answer: Float = self._finished(np.concatenate(parts, axis=1), np.zeros(()), self._single_target)[0]
        return answer

    def state(self) -> State:
        """Return the directions and all parameters."""
        return {
            "kind": "spectrum",
            "step": self.step,
            "n_steps": self.n_steps,
            "single_target": self._single_target,
            "dtype": str(self._dtype),
            "resolution": self._resolution,
            "weakest": self._weakest,
            "shape": list(self.shape),
            "bases": [basis.state() for basis in self._bases],
        }

    @classmethod
    def from_state(cls, stored: Stored) -> Spectrum:
        """Return the spectrum of a state."""
        single_target, shape = stored.flag("single_target"), stored.raw("shape")
        n_axes = 1 if single_target else 2
        if not isinstance(shape, list) or len(shape) != n_axes or not all(type(n) is int and n > 0 for n in shape):
            raise StateError(f"the shape {shape!r}: expected {n_axes} numbers above 0.")
        parts = stored.parts("bases")
        n_targets = 1 if single_target else shape[0]
        if len(parts) not in (1, n_targets):
            raise StateError(f"{len(parts)} bases of {n_targets} targets: expected one, or one for each.")
        own = n_targets if len(parts) == 1 else 1
        bases = [Basis.from_state(part, shape[-1], own) for part in parts]
        step = stored.positive("step")
        if step * max(float(basis.eigenvalues.max(initial=0.0)) for basis in bases) > 2 * (1 + 1e-9):
            raise StateError(f"a step of {step:g} is beyond 2 / (largest eigenvalue).")
        return cls(
            bases,
            step,
            stored.integer("n_steps"),
            single_target,
            stored.text("dtype", FLOATS),
            stored.positive("resolution"),
            stored.number("weakest", 0.0),
        )

    def _inverses(self, basis: Basis, schemes: Sequence[Scheme]) -> Array:
        return basis.inverses(schemes, self.step, self.n_steps, self._resolution)

    def _solved(self, schemes: Sequence[Scheme]) -> Array:
        """Return coefficients in float64, (L, targets, d)."""
        return np.concatenate([basis.coefs(self._inverses(basis, schemes)) for basis in self._bases], axis=1)

    def _averages(self, schemes: Sequence[Scheme]) -> Float:
        with np.errstate(over="ignore", invalid="ignore"):  # checked when finished
            solved = self._solved(schemes)
        return self._finished(solved, np.zeros(()), self._single_target)
