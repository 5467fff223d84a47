"""The residual filter of a scheme: how much of each eigen-direction is still missing from the average."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme, Staircase
from ridgeway.averaging.filter import filter_at
from ridgeway.averaging.scheme import checked_n_steps
from ridgeway.theory.arguments import staircase_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def residual_filter(scheme: Scheme, eigenvalues: ArrayLike, step: float | Staircase, n_steps: int) -> Array:
    """Return the share of each eigen-direction of the solution that the expected average has not learned.

    ::

        q(s) = sum_{t=0..T} p_t (1 - eta_1 s) .. (1 - eta_t s),   E[average] - w* = q(Sigma) (w_0 - w*)

    for the weights p_t of the scheme, T = `n_steps`, the steps eta_j and an eigenvalue s of Sigma = E[x x']. The
    learned share 1 - q(s) is s / (s + alpha), ridge regression, for a geometric average of a long run, whatever its
    steps are. It assumes least squares, rows drawn independently and eta_j s at most 2: beyond, the iterates diverge.

    Every scheme of the package has a closed form, also at 1e12 steps. These cases are summed step by step, up to 1e7
    steps: a scheme without a closed form; `Poisson` if eta s > 1 and the run is less than ten times its mean; and, on a
    staircase, `Poisson` and `NegativeBinomial` if eta_j s >= 1 on some stair.

    Parameters
    ----------
    scheme : Scheme
        The average.
    eigenvalues : array_like of float
        Places s on the spectrum, 0 or more, of any shape.
    step : float or Staircase
        Step sizes of the run.
    n_steps : int
        Number of steps of the run, T.

    Returns
    -------
    ndarray of float64
        q at the eigenvalues, in their shape: 1 at s = 0, never beyond [-1, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.averaging import Geometric, Last, Staircase
    >>> from ridgeway.theory import residual_filter
    >>> eigenvalues = np.array([0.0, 0.1, 1.0])
    >>> residual_filter(Geometric(alpha=0.1), eigenvalues, step=0.01, n_steps=10**12)  # alpha / (s + alpha)
    array([1.        , 0.5       , 0.09090909])
    >>> growing = Staircase(sizes=(0.001, 0.01, 0.1), edges=(10**4, 10**5))
    >>> residual_filter(Geometric(alpha=0.1), eigenvalues, growing, n_steps=10**12)
    array([1.        , 0.5       , 0.09090909])
    >>> residual_filter(Last(), eigenvalues, step=0.01, n_steps=100)
    array([1.        , 0.90479215, 0.36603234])
    """
    steps = staircase_of(step)
    places = np.asarray(eigenvalues, dtype=np.float64)
    if places.size and not (np.isfinite(places).all() and places.min() >= 0):
        raise ValueError(
            f"eigenvalues range from {places.min()} to {places.max()}: expected finite numbers, 0 or more; where "
            "rounding made one negative, take numpy.maximum(eigenvalues, 0)."
        )
    n = checked_n_steps(n_steps)
    with np.errstate(over="ignore", under="ignore"):
        decrease = steps.largest_of(n) * places
        if places.size and decrease.max() > 2:
            raise ValueError(
                f"step * eigenvalue is up to {decrease.max():g}: expected at most 2, beyond which iterates diverge; "
                f"take a step of at most {2 / places.max():g}."
            )
        return filter_at(scheme, places.ravel(), steps, n).reshape(places.shape)
