"""Tikhonov-regularised SGD: the iteration over real rows, and its exact risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ridgeway import _core
from ridgeway.averaging import Scheme, Staircase
from ridgeway.averaging.filter import filter_at
from ridgeway.theory.arguments import batch_size_of, kurtosis_of, matrix_of, problem_of, row_of, step_of
from ridgeway.theory.fourth_moments import require_stable
from ridgeway.theory.risk import ExcessRisk, short_weights
from ridgeway.validation.scalars import ridge_strength

if TYPE_CHECKING:
    Array = NDArray[np.float64]


def tikhonov_sgd(
    X: ArrayLike, y: ArrayLike, alpha: float, step: float, w0: ArrayLike | None = None, centre: ArrayLike | None = None
) -> Array:
    """Run SGD on the ridge objective, one step a row, and return every iterate.

    ::

        w_t = w_{t-1} - gamma ((<x_t, w_{t-1}> - y_t) x_t + alpha (w_{t-1} - centre))

    Every alpha needs its own run, and the last iterate does not converge but fluctuates around ridge. It is provided
    for comparison: geometric averages of one plain run give all alphas.

    Parameters
    ----------
    X : (n, d), rows in the order in which they are used.
    y : (n,).
    alpha : ridge strength, 0 or more.
    step : step size gamma.
    w0 : (d,), the start; None is 0.
    centre : (d,), the point towards which the penalty shrinks; None is the start.

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
    labels = np.ascontiguousarray(row_of("y", y, len(rows), "row of X"))
    iterates = np.zeros((len(rows) + 1, rows.shape[1]))
    if w0 is not None:
        iterates[0] = row_of("w0", w0, rows.shape[1], "column of X")
    anchor = iterates[0].copy()
    if centre is not None:
        anchor[:] = row_of("centre", centre, rows.shape[1], "column of X")
    strength, gamma = ridge_strength(alpha), step_of(step)
    _core.regularised_steps(X=rows, y=labels, alpha=strength, step=gamma, centre=anchor, iterates=iterates)
    if not np.isfinite(iterates[-1]).all():
        safe = 1 / (float((rows * rows).sum(axis=1).max()) + strength)
        raise ValueError(f"step={gamma:g} makes the run diverge; a step of {safe:g}, 1 / (max |x|^2 + alpha), is safe.")
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
    s, v, sigma2, n = problem_of(eigenvalues, bias, noise_variance, n_steps)
    gamma, kappa, b = step_of(step), kurtosis_of(kurtosis), batch_size_of(batch_size)
    strength = ridge_strength(alpha)
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
    # The mean of iterate j - 1 is limit + a^{j-1} transient with a = 1 - fall, and multiplies what step j adds by its
    # square: so much is wanted of sum_j gain_j, sum_j gain_j a^{j-1} and u = sum_j gain_j a^{2 (j-1)}.
    g, u, gains, discounted = np.zeros((4, len(s)))
    state = _core.RiskState(g=g, u=u, gains=gains, discounted_gains=discounted)
    variance = _core.risk_backwards(
        weights[1:], s=s, fall=fall, share=gamma * gamma / b, excess_kurtosis=kappa - 2, state=state
    )
    multiplicative = float(
        (limit * limit * gains + 2 * limit * transient * discounted + transient * transient * u).sum()
    )
    return ExcessRisk.of_parts(float((s * mean * mean).sum()), multiplicative, sigma2 * variance)
