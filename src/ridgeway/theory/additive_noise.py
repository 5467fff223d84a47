"""The exact risk of SGD with a known covariance matrix, whose noise comes from the labels only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway import _core
from ridgeway.averaging import Scheme, Staircase
from ridgeway.theory.arguments import problem_of, staircase_of
from ridgeway.theory.closed_risk import has_closed_form, squared_weights
from ridgeway.theory.risk import ExcessRisk, short_weights
from ridgeway.theory.spectral_filter import residual_filter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def additive_noise_risk(
    scheme: Scheme,
    eigenvalues: ArrayLike,
    bias: ArrayLike,
    noise_variance: float,
    step: float | Staircase,
    n_steps: int,
) -> ExcessRisk:
    """Return the exact excess risk of averages of w - eta (Sigma w - x y), whose noise does not depend on w.

    ::

        E excess = sum_i s_i (g_{0,i} v_i)^2 + tau^2 sum_j eta_j^2 sum_i s_i^2 g_{j,i}^2
        g_T = p_T,   g_j = p_j + (1 - eta_{j+1} s) g_{j+1}

    for noise xi = x y - E[x y] with E[xi xi'] = tau^2 Sigma. There is no multiplicative bias: Sigma is known.
    With a staircase of several stairs it is a recursion of O(n d), for up to 1e7 steps.

    Parameters
    ----------
    scheme : the average.
    eigenvalues : (d,), the eigenvalues of Sigma.
    bias : (d,), w_0 - w* in the eigenbasis.
    noise_variance : tau^2.
    step : step size eta, or staircase of step sizes, at most 2 / s_max.
    n_steps : number of steps, 1 or more.

    Examples
    --------
    >>> from ridgeway.averaging import Geometric
    >>> from ridgeway.theory import additive_noise_risk
    >>> risk = additive_noise_risk(Geometric(0.1), [1.0, 0.1], [1.0, 1.0], noise_variance=1.0, step=0.5, n_steps=100)
    >>> print(f"{risk.variance:.4f} + {risk.deterministic_bias:.4f}")
    0.0266 + 0.0337
    """
    s, v, tau2, n = problem_of(eigenvalues, bias, noise_variance, n_steps)
    steps = staircase_of(step)
    mean = residual_filter(scheme, s, steps, n) * v
    seen = s[s > 0]
    if has_closed_form(scheme, steps):
        gains = steps.last**2 * squared_weights(scheme, seen, steps.last, np.zeros(1), n)[0]
    else:
        weights, gains, g = short_weights(scheme, n, steps), np.zeros_like(seen), np.zeros_like(seen)
        for size, first, last in reversed(steps.parts(0, n)):
            _core.add_squared_gains(
                weights=weights[first + 1 : last + 1], fall=size * seen, share=size**2, g=g, sums=gains
            )
    variance = tau2 * float((seen * seen * gains).sum())
    return ExcessRisk.of_parts(float((s * mean * mean).sum()), 0.0, variance)
