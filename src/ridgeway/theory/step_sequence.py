"""Arbitrary sequences of steps: the weights with which the average is ridge for every alpha, and its expectation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Geometric, Staircase
from ridgeway.averaging.stair_filter import geometric_filters
from ridgeway.theory.arguments import eigenvalues_of, start_beside, steps_of, vector_beside
from ridgeway.validation.scalars import ridge_strengths

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def averaging_weights(alpha: float, steps: ArrayLike, next_step: float | None = None) -> Array:
    """Return the weights of w_0 .. w_T with which the average of SGD with these steps is ridge in expectation.

    ::

        p_k = (1 - rho_{k+1}) Pi_k / (1 - Pi_{T+1}),   rho_j = 1 / (1 + eta_j alpha),   Pi_k = rho_1 ... rho_k

    The iterates do not depend on alpha, so one run gives the averages of every alpha. Iterate k lasts for the time
    eta_{k+1}; at alpha = 0 the weights are proportional to these times. With a constant step they are the weights of
    `Geometric(alpha)`. The steps must be fixed before the run: with steps that depend on the rows, the average is not
    ridge.

    Parameters
    ----------
    alpha : ridge strength, 0 or more.
    steps : (T,), the steps eta_1 .. eta_T of the run.
    next_step : eta_{T+1}, the step that would come next, which is the time that w_T lasts; None repeats the last one.

    Returns
    -------
    (T + 1,) array, of sum 1.

    Examples
    --------
    >>> from ridgeway.theory import averaging_weights
    >>> averaging_weights(0.0, [0.1, 0.2], next_step=0.7)
    array([0.1, 0.2, 0.7])
    >>> averaging_weights(10.0, [0.1, 0.1], next_step=0.1)  # geometric: rho = 1/2
    array([0.57142857, 0.28571429, 0.14285714])
    """
    eta = steps_of(steps, next_step)
    return Geometric(alpha).weights(len(eta) - 1, Staircase.of_sequence(eta))


def expected_path(
    alphas: ArrayLike,
    eigenvalues: ArrayLike,
    optimum: ArrayLike,
    steps: ArrayLike,
    next_step: float | None = None,
    start: ArrayLike | None = None,
) -> Array:
    """Return E[average] at every alpha for SGD with any steps, in the eigenbasis of Sigma.

    ::

        E[average] = w* + q(Sigma) (w_0 - w*),   q(s) = alpha / (s + alpha) * (1 - P(s)) / (1 - P(0)),
        P(s) = prod_{j=1..T+1} (1 - eta_j s) / (1 + eta_j alpha)

    If the sum of the steps tends to infinity and no step exceeds 2/s, P tends to 0 and the average to ridge centred at
    the start, (Sigma + alpha)^{-1} (E[xy] + alpha w_0). If every eta_j s is at most 2, the coefficients are within
    2 P(0) / (1 - P(0)) of it, relative to the distance of ridge from w*. If the sum of the steps is finite, ridge is
    not reached. This assumes rows drawn independently and steps that do not depend on them.

    Parameters
    ----------
    alphas : (L,), ridge strengths, 0 or more.
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    steps : (T,), the steps eta_1 .. eta_T of the run, of any size as long as the result is finite.
    next_step : eta_{T+1}, the step that would come next; None repeats the last one.
    start : (d,), w_0 in the eigenbasis; None is 0.

    Returns
    -------
    (L, d) array.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.theory import expected_path
    >>> growing = np.geomspace(1e-3, 1.0, 2000)
    >>> expected_path([0.5, 5.0], [1.0, 0.5], [3.0, 2.0], growing)  # s / (s + alpha) w*
    array([[2.        , 1.        ],
           [0.5       , 0.18181818]])
    """
    s = eigenvalues_of(eigenvalues)
    w, w0 = vector_beside("optimum", optimum, s), start_beside(start, s)
    strengths, eta = np.array(ridge_strengths(alphas)), steps_of(steps, next_step)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        path: Array = w + geometric_filters(strengths, s, Staircase.of_sequence(eta), len(eta) - 1) * (w0 - w)
    if not np.isfinite(path).all():
        raise ValueError(
            f"the expected average diverges: step * eigenvalue is up to {eta.max() * s.max():g}, beyond 2, and "
            f"{len(eta) - 1} steps overflow; take steps of at most {2 / s.max():g}, or stronger alphas."
        )
    return path
