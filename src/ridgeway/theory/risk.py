"""The exact excess risk of an average of SGD iterates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ridgeway import _core
from ridgeway.averaging import Scheme, Staircase
from ridgeway.averaging.stair_filter import MAX_SUMMED_STEPS
from ridgeway.messages.quantity import quantity
from ridgeway.rows.exponent import SMALLEST_NORMAL
from ridgeway.theory.arguments import batch_size_of, kurtosis_of, problem_of, staircase_of
from ridgeway.theory.closed_risk import Modes, NoiseRisk, has_closed_form
from ridgeway.theory.fourth_moments import require_stable
from ridgeway.theory.spectral_filter import residual_filter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

SUFFICIENT_RELATIVE_ERROR = 1e-11  # relative error of the closed form that is good enough
MAX_RELATIVE_ERROR = 1e-6  # if the recursion is not possible either, a larger error is refused
RECURSION_STEPS_PER_DIRECTION = 100  # the recursion is as fast as the closed form up to this many steps per direction


@dataclass(frozen=True)
class ExcessRisk:
    """E|Sigma^{1/2} (average - w*)|^2 and its parts.

    Attributes
    ----------
    total : the excess risk, the sum of the parts.
    deterministic_bias : the risk of the expected average, which gradient descent over all rows would have.
    multiplicative_bias : the part due to the start and the randomness of the rows, without label noise.
    variance : the part due to label noise.
    interaction : the part due to start and label noise together; 0 unless the noise depends on x (`FiniteLaw`).

    Examples
    --------
    >>> from ridgeway.theory import ExcessRisk
    >>> ExcessRisk.of_parts(0.1, 0.02, 0.3).total
    0.42
    """

    total: float
    deterministic_bias: float
    multiplicative_bias: float
    variance: float
    interaction: float = 0.0

    @classmethod
    def of_parts(
        cls, deterministic_bias: float, multiplicative_bias: float, variance: float, interaction: float = 0.0
    ) -> ExcessRisk:
        """Return the risk with these parts."""
        total = deterministic_bias + multiplicative_bias + variance + interaction
        return cls(total, deterministic_bias, multiplicative_bias, variance, interaction)


def excess_risk(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    bias: ArrayLike,
    noise_variance: float,
    step: float | Staircase,
    n_steps: int,
    kurtosis: float = 3.0,
    batch_size: int = 1,
) -> ExcessRisk:
    """Return the exact excess risk of an average after one pass of SGD over fresh rows.

    ::

        a_j = 1 - eta_j s,   g_T = p_T,  g_j = p_j + a_{j+1} g_{j+1},   m_0 = v^2
        V_j = s <s, m_{j-1}> + (kappa - 2) s^2 m_{j-1} + sigma^2 s,   m_j = a_j^2 m_{j-1} + (eta_j^2 / b) V_j
        E excess = sum_i s_i (g_{0,i} v_i)^2 + sum_j (eta_j^2 / b) sum_i s_i g_{j,i}^2 V_{j,i}

    for weights p_t and mini-batches of b rows. It assumes x = Sigma^{1/2} z with independent z_i of mean 0, variance 1,
    third moment 0 and E z_i^4 = kappa, and noise independent of x. `FiniteLaw` has the risk for any law of finite
    support. The recursion takes time O(n d), for up to 1e7 steps. With a constant step, geometric, uniform and tail
    averages and the last iterate have a closed form of O(d^3 + d^2 log n). It is used if it is faster and its rounding
    error is small, also for runs of 1e12 steps.

    Parameters
    ----------
    scheme : the average.
    eigenvalues : (d,), the eigenvalues s of Sigma = E[x x'].
    bias : (d,), v = w_0 - w* in the eigenbasis.
    noise_variance : sigma^2 of the labels.
    step : step size eta, or staircase of step sizes; each stable in mean square (`stability`).
    n_steps : number of steps, 1 or more.
    kurtosis : E z^4: Gaussian 3, uniform 9/5, Rademacher 1.
    batch_size : rows per step.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.averaging import Geometric, Tail
    >>> from ridgeway.theory import excess_risk, fourth_moment_r2
    >>> s = 1 / np.arange(1, 11)
    >>> step = 0.5 / fourth_moment_r2(s)
    >>> risk = excess_risk(Geometric(0.1), s, np.ones(10), noise_variance=0.25, step=step, n_steps=100)
    >>> print(f"{risk.total:.4f}: {risk.deterministic_bias:.4f}, {risk.multiplicative_bias:.4f}, {risk.variance:.4f}")
    0.4908: 0.4368, 0.0433, 0.0107
    >>> print(f"{excess_risk(Tail(0.5), s, np.ones(10), 0.25, step, n_steps=10**12).total:.3g}")
    6.03e-12

    A growing step lowers the variance at a strong alpha, whose average depends on the first steps:

    >>> from ridgeway.averaging import Staircase
    >>> growing = Staircase((step / 100, step / 10, step), (4000, 8000))
    >>> for steps in (step, growing):
    ...     print(f"{excess_risk(Geometric(1.0), s, np.ones(10), 4.0, steps, n_steps=10_000).variance:.4f}")
    0.1146
    0.0011
    """
    s, v, sigma2, n = problem_of(eigenvalues, bias, noise_variance, n_steps)
    steps, kappa, b = staircase_of(step), kurtosis_of(kurtosis), batch_size_of(batch_size)
    require_stable(s, steps.largest_of(n), kappa, b)
    seen = s > 0
    return risk_in_modes(scheme, Modes(s[seen], steps, kappa, b), v[seen], sigma2, n)


def risk_in_modes(scheme: Scheme, modes: Modes, bias: Array, noise_variance: float, n_steps: int) -> ExcessRisk:
    """Return the excess risk for checked arguments; the same `modes` can be used for many calls."""
    filtered = residual_filter(scheme, modes.s, modes.step, n_steps) * bias
    deterministic = float((modes.s * filtered * filtered).sum())
    noise = _random_part(scheme, modes, bias * bias, n_steps, deterministic)
    # Where rows of equal size make a part 0, rounding may have left it below.
    return ExcessRisk.of_parts(deterministic, max(noise.multiplicative, 0.0), noise_variance * max(noise.variance, 0.0))


def _random_part(scheme: Scheme, modes: Modes, squared_bias: Array, n_steps: int, deterministic: float) -> NoiseRisk:
    """Return the random part of the risk, by the faster method if it is accurate, or else by the other one."""
    if not has_closed_form(scheme, modes.steps) or n_steps <= RECURSION_STEPS_PER_DIRECTION * len(modes.s):
        return by_recursion(scheme, modes, squared_bias, n_steps)
    closed = modes.risk(scheme, squared_bias, n_steps)
    error = max(
        closed.multiplicative_error / max(closed.multiplicative + deterministic, SMALLEST_NORMAL),
        closed.variance_error / max(closed.variance, SMALLEST_NORMAL),
    )
    if error > SUFFICIENT_RELATIVE_ERROR and n_steps <= MAX_SUMMED_STEPS:
        return by_recursion(scheme, modes, squared_bias, n_steps)
    if error > MAX_RELATIVE_ERROR:
        raise ValueError(
            f"the closed form is accurate to only {quantity(round(max(0, -math.log10(error))), 'digit')} here, and "
            f"n_steps={n_steps} exceeds the recursion's limit of {MAX_SUMMED_STEPS}: take at most {MAX_SUMMED_STEPS} "
            "steps, or a smaller step."
        )
    return closed


def by_recursion(scheme: Scheme, modes: Modes, squared_bias: Array, n_steps: int) -> NoiseRisk:
    """Return the random part of the risk by the recursion over all steps."""
    weights, steps = short_weights(scheme, n_steps, modes.steps), modes.steps
    s, extra = np.ascontiguousarray(modes.s), modes.kurtosis - 2
    u, variance = np.zeros_like(s), 0.0
    state = _core.RiskState(g=np.zeros_like(s), u=u)
    for size, first, last in reversed(steps.parts(0, n_steps)):
        share = size**2 / modes.batch_size
        part = weights[first + 1 : last + 1]
        variance += _core.risk_backwards(part, s=s, fall=size * s, share=share, excess_kurtosis=extra, state=state)
    return NoiseRisk(float(u @ squared_bias), variance, 0.0, 0.0)


def short_weights(scheme: Scheme, n_steps: int, step: float | Staircase) -> Array:
    """Return the weights of an average, or raise an error if there are too many to sum one by one."""
    if n_steps > MAX_SUMMED_STEPS:
        raise ValueError(
            f"n_steps={n_steps} is too many for a recursion over {scheme!r}: expected at most {MAX_SUMMED_STEPS}; take "
            "a shorter run, or a constant step and excess_risk of a Geometric, Uniform, Tail or Last average, which "
            "has a closed form."
        )
    return np.ascontiguousarray(scheme.weights(n_steps, step))
