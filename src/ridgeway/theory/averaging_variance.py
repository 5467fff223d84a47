"""When a positive alpha lowers the variance: the paper's third proposition, corrected, beside the exact variance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Geometric, Staircase
from ridgeway.theory.arguments import (
    batch_size_of,
    constant_step_of,
    eigenvalues_of,
    kurtosis_of,
    n_steps_of,
    variance_of,
)
from ridgeway.theory.closed_risk import Modes
from ridgeway.theory.dimension import effective_dimension
from ridgeway.theory.fourth_moments import require_stable
from ridgeway.theory.risk import risk_in_modes
from ridgeway.validation.scalars import ridge_strengths

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

CONSTANT_ONLY = ("the proposition is about", "excess_risk(...).variance is exact for steps that change")


@dataclass(frozen=True)
class VarianceReduction:
    """Whether a little regularization lowers the variance of the average.

    Attributes
    ----------
    lowers_bound : whether the bound decreases at alpha = 0: trace_inverse > threshold.
    lowers_exact : whether the exact variance decreases at alpha = 0.
    trace_inverse : tr Sigma^{-1} over the directions of positive variance.
    threshold : eta d n / 4.
    alphas : (L,), ridge strengths, the first 0.
    bound : (L,), sigma^2 (gamma alpha / 2 + 1 / n) d2(alpha).
    exact : (L,), the variance of the geometric average.
    """

    lowers_bound: bool
    lowers_exact: bool
    trace_inverse: float
    threshold: float
    alphas: Array = field(repr=False)
    bound: Array = field(repr=False)
    exact: Array = field(repr=False)

    @property
    def largest_rise(self) -> float:
        """The largest exact variance at any of the alphas, divided by that of the uniform average."""
        return float(self.exact.max() / self.exact[0])


def variance_reduction(
    eigenvalues: ArrayLike,
    step: float | Staircase,
    n_steps: int,
    noise_variance: float = 1.0,
    kurtosis: float = 3.0,
    batch_size: int = 1,
    alphas: ArrayLike | None = None,
) -> VarianceReduction:
    """Return whether geometric averaging has a lower variance than uniform averaging, by the bound and exactly.

    ::

        f(alpha) = sigma^2 (gamma alpha / 2 + 1 / n) tr Sigma^2 (Sigma + alpha)^{-2} ,   gamma = eta / (1 + eta alpha)
        f'(0) < 0   exactly if   tr Sigma^{-1} > eta d n / 4

    The paper has the opposite sign and the threshold eta d n / 2. *Some* alpha always lowers the variance: as alpha
    grows, every average tends to the start, which has no variance. So the slope at 0 matters. The exact variance
    decreases there even if the bound increases: the uniform average has the least sum of squared weights, so the first
    derivative of that sum is 0 and the derivative of d2 decides. From about alpha = 1 / (eta n) on, the exact variance
    can be many times that of the uniform average (`largest_rise`).

    Parameters
    ----------
    eigenvalues : (d,), the eigenvalues of Sigma; zeros are left out.
    step : step size eta, constant.
    n_steps : number of steps n, 1 or more.
    noise_variance : sigma^2.
    kurtosis, batch_size : as in `excess_risk`.
    alphas : ridge strengths at which to compare both; None takes 41 from 0.01 / (eta n) to 100 s_max. 0 is added.

    Examples
    --------
    >>> from ridgeway.theory import variance_reduction
    >>> variance_reduction([1.0, 0.001], step=0.1, n_steps=1000)
    VarianceReduction(lowers_bound=True, lowers_exact=True, trace_inverse=1001.0, threshold=50.0)
    >>> variance_reduction([1.0, 0.5], step=0.1, n_steps=1000)
    VarianceReduction(lowers_bound=False, lowers_exact=True, trace_inverse=3.0, threshold=50.0)
    """
    s = eigenvalues_of(eigenvalues)
    s = s[s > 0]
    eta, n, sigma2 = constant_step_of(step, *CONSTANT_ONLY), n_steps_of(n_steps), variance_of(noise_variance)
    kappa, b = kurtosis_of(kurtosis), batch_size_of(batch_size)
    require_stable(s, eta, kappa, b)
    least = 0.01 / (eta * n)
    if alphas is None:
        chosen = np.geomspace(least, max(100 * float(s.max()), 100 * least), 41)
    else:
        chosen = np.array(ridge_strengths(alphas))
    grid = np.append(0.0, chosen[chosen > 0])
    modes, none = Modes(s, eta, kappa, b), np.zeros_like(s)

    def variance(alpha: float) -> float:
        return risk_in_modes(Geometric(alpha), modes, none, 1.0, n).variance

    trace, threshold = float((1 / s).sum()), eta * len(s) * n / 4
    gammas = eta / (1 + eta * grid)
    d2 = np.array([effective_dimension(s, alpha).d2 for alpha in grid])
    return VarianceReduction(
        trace > threshold,
        variance(1e-3 * least) < variance(0.0),
        trace,
        threshold,
        grid,
        sigma2 * (gammas * grid / 2 + 1 / n) * d2,
        sigma2 * np.array([variance(alpha) for alpha in grid]),
    )
