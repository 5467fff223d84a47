"""Expected iterates and averages of least-squares SGD."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Last, Scheme, Staircase
from ridgeway.averaging.filter import filter_at
from ridgeway.theory.arguments import eigenvalues_of, n_steps_of, staircase_of, start_beside, vector_beside
from ridgeway.validation.scalars import ridge_strength

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def expected_average(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    optimum: ArrayLike,
    step: float | Staircase,
    n_steps: int,
    start: ArrayLike | None = None,
) -> Array:
    """Return E[average] of the iterates of SGD, in the eigenbasis of Sigma.

    ::

        E[average] = w* + q(Sigma) (w_0 - w*),   q(s) = sum_t p_t (1 - eta_1 s) .. (1 - eta_t s)

    Geometric averages of long runs have the limit (Sigma + alpha)^{-1} (E[xy] + alpha w_0), ridge regression centred at
    the start, wherever |1 - eta s_max| < 1 + eta alpha: also for steps at which the iterates themselves diverge. With
    steps that change, the limit is the same for any steps that add up to infinity. It needs rows drawn independently
    and steps that do not depend on them; with rows drawn from a data set it holds for the data set.

    Parameters
    ----------
    scheme : the average.
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    step : step size eta or staircase of step sizes, of any size as long as the result is finite.
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
    w0, steps, n = start_beside(start, s), staircase_of(step), n_steps_of(n_steps)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        average: Array = w + filter_at(scheme, s, steps, n) * (w0 - w)
    if not np.isfinite(average).all():
        largest = steps.largest_of(n) * float(s.max())
        raise ValueError(
            f"the expected average diverges: step * eigenvalue is up to {largest:g}, beyond 2, and {n} steps overflow; "
            f"take a step of at most {2 / s.max():g}, or a stronger alpha."
        )
    return average


def expected_iterate(
    eigenvalues: ArrayLike, optimum: ArrayLike, step: float | Staircase, n_steps: int, start: ArrayLike | None = None
) -> Array:
    """Return E[w_t] after t = `n_steps` steps of SGD, in the eigenbasis of Sigma.

    ::

        E[w_t] = w* + (1 - eta_1 s) .. (1 - eta_t s) (w_0 - w*)

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    step : step size eta or staircase of step sizes, of any size as long as the result is finite.
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
    step: float | Staircase,
    n_steps: int,
    start: ArrayLike | None = None,
    centre: ArrayLike | None = None,
) -> Array:
    """Return the expected iterate of Tikhonov-regularised SGD after `n_steps` steps, in the eigenbasis of Sigma.

    ::

        E hat-w_t = r + prod_{j<=t} (1 - gamma_j (s + alpha)) (w_0 - r),   r = (s w* + alpha centre) / (s + alpha)

    for steps gamma_j on the ridge objective, whose penalty is alpha |w - centre|^2. With gamma_j = eta_j / (1 + eta_j
    alpha) and the penalty centred at the start it is E[w_t stopped at the geometric time or at t, whichever is first]
    of SGD with steps eta_j. For a constant step that is (1 - rho^{t+1}) E[geometric average of t steps] + rho^{t+1}
    E[w_t] with rho = 1 / (1 + eta alpha).

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    optimum : (d,), w* in the eigenbasis.
    alpha : ridge strength, 0 or more.
    step : step size gamma, or staircase of step sizes.
    n_steps : number of steps, 1 or more.
    start : (d,), w_0 in the eigenbasis; None is 0.
    centre : (d,), the point towards which the penalty shrinks; None is the start.

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
