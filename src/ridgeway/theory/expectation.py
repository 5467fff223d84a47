"""Expected iterates and averages: where least-squares SGD is on its way, without its noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Last, Scheme
from ridgeway.number import ridge_strength
from ridgeway.theory.arguments import eigenvalues_of, n_steps_of, start_beside, step_of, vector_beside
from ridgeway.theory.residual_filter import filter_at

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def expected_average(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    optimum: ArrayLike,
    step: float,
    n_steps: int,
    start: ArrayLike | None = None,
) -> Array:
    """Return E[average] of the iterates of SGD, in the eigenbasis of Sigma.

    ::

        E[average] = w* + q(Sigma) (w_0 - w*),   q(s) = sum_t p_t (1 - eta s)^t

    Geometric averages of long runs have the limit (Sigma + alpha)^{-1} (E[xy] + alpha w_0), ridge regression centred at
    the start, wherever |1 - eta s_max| < 1 + eta alpha: also for steps at which the iterates themselves diverge. It
    needs rows drawn independently and nothing else; with rows drawn from a data set it holds for the data set.

    Parameters
    ----------
    scheme : the average.
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    step : step size eta, of any size as long as the result is finite.
    n_steps : number of steps, 1 or more.
    start : (d,), w_0 in the eigenbasis; None is 0.

    Examples
    --------
    >>> from ridgeway.averaging import Geometric
    >>> from ridgeway.theory import expected_average
    >>> expected_average(Geometric(0.5), [1.0, 0.5], [3.0, 2.0], step=0.1, n_steps=10**6)  # s / (s + alpha) w*
    array([2., 1.])
    """
    s = eigenvalues_of(eigenvalues)
    w = vector_beside("optimum", optimum, s)
    w0, eta, n = start_beside(start, s), step_of(step), n_steps_of(n_steps)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        average: Array = w + filter_at(scheme, eta * s, eta, n) * (w0 - w)
    if not np.isfinite(average).all():
        raise ValueError(
            f"the expected average diverges: step * eigenvalue is up to {eta * s.max():g}, beyond 2, and {n} steps "
            f"overflow; take a step of at most {2 / s.max():g}, or a stronger alpha."
        )
    return average


def expected_iterate(
    eigenvalues: ArrayLike, optimum: ArrayLike, step: float, n_steps: int, start: ArrayLike | None = None
) -> Array:
    """Return E[w_t] after t = `n_steps` steps of SGD, in the eigenbasis of Sigma: w* + (1 - eta s)^t (w_0 - w*).

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    step : step size eta, of any size as long as the result is finite.
    n_steps : number of steps, 1 or more.
    start : (d,), w_0 in the eigenbasis; None is 0.

    Examples
    --------
    >>> from ridgeway.theory import expected_iterate
    >>> expected_iterate([1.0, 0.5], [3.0, 2.0], step=0.5, n_steps=2)
    array([2.25 , 0.875])
    """
    return expected_average(Last(), eigenvalues, optimum, step, n_steps, start)


def expected_tikhonov_iterate(
    eigenvalues: ArrayLike,
    optimum: ArrayLike,
    alpha: float,
    step: float,
    n_steps: int,
    start: ArrayLike | None = None,
    centre: ArrayLike | None = None,
) -> Array:
    """Return the expected iterate of Tikhonov-regularised SGD after `n_steps` steps, in the eigenbasis of Sigma.

    ::

        E hat-w_t = r + (1 - gamma (s + alpha))^t (w_0 - r),   r = (s w* + alpha centre) / (s + alpha)

    for steps gamma on the ridge objective, whose penalty is alpha |w - centre|^2. With gamma = eta / (1 + eta alpha)
    and the penalty centred at the start it is (1 - rho^{t+1}) E[geometric average of t steps] + rho^{t+1} E[w_t], for
    SGD with step eta and rho = 1 / (1 + eta alpha): SGD stopped at the geometric time or at t, whichever is first.

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    alpha : ridge strength, 0 or more.
    step : step size gamma.
    n_steps : number of steps, 1 or more.
    start : (d,), w_0 in the eigenbasis; None is 0.
    centre : (d,), what the penalty draws to; None is the start.

    Examples
    --------
    >>> from ridgeway.theory import expected_tikhonov_iterate
    >>> expected_tikhonov_iterate([1.0, 0.5], [3.0, 2.0], alpha=0.5, step=0.1, n_steps=10**4)
    array([2., 1.])
    """
    s = eigenvalues_of(eigenvalues)
    w = vector_beside("optimum", optimum, s)
    strength = ridge_strength(alpha)
    w0 = start_beside(start, s)
    anchor = w0 if centre is None else vector_beside("centre", centre, s)
    total = s + strength
    ridge = np.divide(s * w + strength * anchor, total, out=anchor.copy(), where=total > 0)
    return expected_average(Last(), total if total.max() > 0 else s, ridge, step, n_steps, w0)
