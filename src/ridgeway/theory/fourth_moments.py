"""R^2 and mean-square stability: the largest steps, from the fourth moments of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from ridgeway.averaging import Staircase
from ridgeway.theory.arguments import batch_size_of, eigenvalues_of, kurtosis_of, staircase_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def fourth_moment_r2(eigenvalues: ArrayLike, kurtosis: float = 3.0) -> float:
    """Return the smallest R^2 with E[|x|^2 x x'] <= R^2 Sigma.

    ::

        R^2 = tr Sigma + (kappa - 1) s_max

    for x = Sigma^{1/2} z with independent z_i of mean 0, variance 1 and E z_i^4 = kappa. The bounds hold for steps up
    to 1 / (2 R^2). For other laws R^2 may be larger: see `FiniteLaw.r2`.

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma = E[x x'].
    kurtosis : E z^4: Gaussian 3, uniform 9/5, Rademacher 1.

    Examples
    --------
    >>> from ridgeway.theory import fourth_moment_r2
    >>> fourth_moment_r2([1.0, 0.5, 0.25])
    3.75
    """
    s, kappa = eigenvalues_of(eigenvalues), kurtosis_of(kurtosis)
    return float(s.sum() + (kappa - 1) * s.max())


@dataclass(frozen=True)
class Stability:
    """Whether the second moments of the iterates stay bounded.

    Attributes
    ----------
    stable : True if E|w_t - w*|^2 stays bounded.
    margin : 1 - step / largest_step, positive where stable.
    largest_step : the step at which stability ends.
    """

    stable: bool
    margin: float
    largest_step: float


def stability(eigenvalues: ArrayLike, step: float | Staircase, kurtosis: float = 3.0, batch_size: int = 1) -> Stability:
    """Return whether SGD is stable in mean square.

    ::

        eta s_i k < 2 for all i   and   sum_i eta s_i / (b (2 - eta s_i k)) < 1 ,    k = 1 + (kappa - 2) / b

    for rows x = Sigma^{1/2} z with independent coordinates of kurtosis kappa and mini-batches of b rows. The condition
    is exact for a constant step and allows steps about twice as large as 1 / (2 R^2). For steps that change it is
    sufficient that the largest step meets it. Directions of eigenvalue 0 do not matter.

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma.
    step : step size eta, or staircase of step sizes, of which the largest counts.
    kurtosis : E z^4.
    batch_size : rows per step, b.

    Examples
    --------
    >>> from ridgeway.theory import stability
    >>> stability([1.0, 1.0], step=0.25)
    Stability(stable=True, margin=0.5, largest_step=0.5)
    """
    s, eta = eigenvalues_of(eigenvalues), staircase_of(step).largest
    kappa, b = kurtosis_of(kurtosis), batch_size_of(batch_size)
    largest = largest_stable_step(s, kappa, b)
    margin = 1 - eta / largest
    return Stability(margin > 0, margin, largest)


def largest_stable_step(s: NDArray[np.float64], kurtosis: float, batch_size: int) -> float:
    """Return the step at which mean-square stability ends."""
    unit = s / s.max()
    k = 1 + (kurtosis - 2) / batch_size

    def excess(step: float) -> float:
        return float((step * unit / (batch_size * (2 - step * unit * k))).sum()) - 1

    # Beyond the first bound the largest term alone is 1; where k is 0 the condition is linear in the step.
    upper = 2 * batch_size / (1 + batch_size * k)
    if excess(upper) <= 0:  # a single direction, up to rounding
        return upper / float(s.max())
    return float(brentq(excess, 0.0, upper, xtol=1e-300, rtol=1e-15)) / float(s.max())


def require_stable(s: NDArray[np.float64], step: float, kurtosis: float, batch_size: int) -> None:
    """Raise an error that names the largest stable step if `step` is larger."""
    largest = largest_stable_step(s, kurtosis, batch_size)
    if step >= largest:
        raise ValueError(
            f"step={step:g} is unstable for these eigenvalues: second moments of the iterates grow without bound from "
            f"{largest:g} on; take a smaller step, or a larger batch_size."
        )
