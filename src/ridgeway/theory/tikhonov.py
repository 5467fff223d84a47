"""Tikhonov-regularised SGD: the iteration over real rows, and its exact risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway.averaging import Scheme, Staircase
from ridgeway.compiled import compiled
from ridgeway.number import ridge_strength
from ridgeway.theory.arguments import (
    batch_size_of,
    eigenvalues_of,
    kurtosis_of,
    matrix_of,
    n_steps_of,
    row_of,
    step_of,
    variance_of,
    vector_beside,
)
from ridgeway.theory.excess_risk import ExcessRisk, short_weights
from ridgeway.theory.moments import require_stable
from ridgeway.theory.residual_filter import filter_at

if TYPE_CHECKING:
    Array = NDArray[np.float64]


def tikhonov_sgd(
    X: ArrayLike, y: ArrayLike, alpha: float, step: float, w0: ArrayLike | None = None, centre: ArrayLike | None = None
) -> Array:
    """Run SGD on the ridge objective, one step a row, and return every iterate.

    ::

        w_t = w_{t-1} - gamma ((<x_t, w_{t-1}> - y_t) x_t + alpha (w_{t-1} - centre))

    For every alpha it is a run of its own, and the last iterate does not settle but scatters about ridge. It is here to
    be compared with: geometric averages of one plain run serve all alphas.

    Parameters
    ----------
    X : (n, d), rows in the order in which they are used.
    y : (n,).
    alpha : ridge strength, 0 or more.
    step : step size gamma.
    w0 : (d,), the start; None is 0.
    centre : (d,), what the penalty draws to; None is the start.

    Returns
    -------
    ndarray of float64, shape (n + 1, d)
        The iterates w_0..w_n; ``scheme.weights(n, step) @ iterates`` averages them.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory import tikhonov_sgd
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((20_000, 2))
    >>> iterates = tikhonov_sgd(X, X @ [3.0, 2.0], alpha=0.5, step=0.01)
    >>> iterates[10_000:].mean(axis=0).round(1)  # w* / (1 + alpha)
    array([2. , 1.3])
    """
    rows = np.ascontiguousarray(matrix_of("X", X))
    labels = row_of("y", y, len(rows), "row of X")
    iterates = np.zeros((len(rows) + 1, rows.shape[1]))
    if w0 is not None:
        iterates[0] = row_of("w0", w0, rows.shape[1], "column of X")
    anchor = iterates[0].copy() if centre is None else row_of("centre", centre, rows.shape[1], "column of X")
    strength, gamma = ridge_strength(alpha), step_of(step)
    with np.errstate(over="ignore", invalid="ignore"):
        regularised_steps(rows, labels, strength, gamma, anchor, iterates)
    if not np.isfinite(iterates[-1]).all():
        safe = 1 / (float((rows * rows).sum(axis=1).max()) + strength)
        raise ValueError(f"step={gamma:g} makes the run explode; a step of {safe:g}, 1 / (max |x|^2 + alpha), is safe.")
    return iterates


def tikhonov_sgd_risk(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    bias: ArrayLike,
    noise_variance: float,
    alpha: float,
    step: float,
    n_steps: int,
    kurtosis: float = 3.0,
    batch_size: int = 1,
) -> ExcessRisk:
    """Return the exact excess risk of an average of Tikhonov-regularised SGD, whose penalty is centred at the start.

    The assumptions are those of `excess_risk`, of which this is the counterpart for `tikhonov_sgd`; at alpha = 0 they
    agree. The scheme averages the regularised iterates: the usual choices are `Uniform` and `Last`.

    Parameters
    ----------
    scheme : the average.
    eigenvalues : (d,), the eigenvalues of Sigma.
    bias : (d,), w_0 - w* in the eigenbasis.
    noise_variance : sigma^2 of the labels.
    alpha : ridge strength, 0 or more.
    step : step size gamma, stable in mean square for alpha = 0.
    n_steps : number of steps, from 1 to 1e7.
    kurtosis : E z^4 of the coordinates.
    batch_size : rows per step.

    Examples
    --------
    >>> from ridgeway.averaging import Geometric, Uniform
    >>> from ridgeway.theory import excess_risk, tikhonov_sgd_risk
    >>> problem = dict(eigenvalues=[1.0, 0.1], bias=[1.0, 1.0], noise_variance=4.0, step=0.1, n_steps=5000)
    >>> one, other = tikhonov_sgd_risk(Uniform(), alpha=1.0, **problem), excess_risk(Geometric(1.0), **problem)
    >>> print(f"bias {one.deterministic_bias:.2f} {other.deterministic_bias:.2f}")
    bias 0.33 0.33
    >>> print(f"variance {one.variance:.4f} {other.variance:.4f}")  # geometric averages forget all but the first steps
    variance 0.0002 0.0518
    """
    s = eigenvalues_of(eigenvalues)
    v = vector_beside("bias", bias, s)
    sigma2, gamma, n = variance_of(noise_variance), step_of(step), n_steps_of(n_steps)
    kappa, b, strength = kurtosis_of(kurtosis), batch_size_of(batch_size), ridge_strength(alpha)
    require_stable(s, gamma, kappa, b)
    if gamma * (s.max() + strength) > 2:
        raise ValueError(
            f"step * (s_max + alpha) = {gamma * (s.max() + strength):g}: expected at most 2, beyond which the "
            f"regularised iterates diverge; take a step of at most {2 / (s.max() + strength):g}."
        )
    seen = s > 0
    s, v = s[seen], v[seen]
    fall = gamma * (s + strength)
    limit, transient = strength / (s + strength) * v, s / (s + strength) * v
    mean = limit + filter_at(scheme, s + strength, Staircase((gamma,)), n) * transient
    weights = short_weights(scheme, n, gamma)
    multiplicative, variance = tikhonov_risk_backwards(weights, s, fall, limit, transient, kappa - 2, gamma * gamma / b)
    return ExcessRisk.of_parts(float((s * mean * mean).sum()), multiplicative, sigma2 * variance)


@compiled
def regularised_steps(X: Any, y: Any, alpha: float, step: float, centre: Any, iterates: Any) -> None:
    """Fill `iterates` (n + 1, d) from its first row on, with one step for each row of X (n, d)."""
    for t in range(len(y)):
        residual = y[t]
        for c in range(X.shape[1]):
            residual -= X[t, c] * iterates[t, c]
        for c in range(X.shape[1]):
            w = iterates[t, c]
            iterates[t + 1, c] = w + step * (residual * X[t, c] - alpha * (w - centre[c]))


@compiled
def tikhonov_risk_backwards(
    weights: Any, s: Any, fall: Any, limit: Any, transient: Any, excess_kurtosis: float, share: float
) -> tuple[float, float]:
    """Sum over the steps what their noise does to the risk; the mean path is limit + (1 - fall)^t transient.

    The recursion is that of `risk_backwards` with 1 - fall in place of 1 - eta s.
    """
    d = len(s)
    g, u, z = np.zeros(d), np.zeros(d), np.zeros(d)
    multiplicative = 0.0
    variance = 0.0
    for j in range(len(weights) - 1, 0, -1):
        total = 0.0
        for i in range(d):
            g[i] += weights[j] - fall[i] * g[i]
            z[i] = s[i] * g[i] * g[i] + u[i]
            total += s[i] * z[i]
        variance += total
        for i in range(d):
            gain = share * s[i] * (total + excess_kurtosis * s[i] * z[i])
            mean = limit[i] + transient[i] * (1.0 - fall[i]) ** (j - 1)
            multiplicative += gain * mean * mean
            u[i] += gain - fall[i] * (2.0 - fall[i]) * u[i]
    return multiplicative, share * variance
