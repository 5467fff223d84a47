"""The exact risk of SGD that knows the covariance: noise of the labels only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ridgeway.averaging import Scheme
from ridgeway.theory.arguments import eigenvalues_of, n_steps_of, step_of, variance_of, vector_beside
from ridgeway.theory.closed_risk import has_closed_form, squared_weights
from ridgeway.theory.excess_risk import ExcessRisk, short_weights
from ridgeway.theory.residual_filter import residual_filter
from ridgeway.theory.risk_kernels import squared_gains

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def additive_noise_risk(
    scheme: Scheme, eigenvalues: ArrayLike, bias: ArrayLike, noise_variance: float, step: float, n_steps: int
) -> ExcessRisk:
    """Return the exact excess risk of averages of w - eta (Sigma w - x y), whose noise does not depend on w.

    ::

        E excess = sum_i s_i (g_{0,i} v_i)^2 + eta^2 tau^2 sum_j sum_i s_i^2 g_{j,i}^2
        g_j = sum_{t>=j} p_t (1 - eta s)^{t-j}

    for noise xi = x y - E[x y] with E[xi xi'] = tau^2 Sigma. There is no multiplicative bias: Sigma is known.

    Parameters
    ----------
    scheme : the average.
    eigenvalues : (d,), the eigenvalues of Sigma.
    bias : (d,), w_0 - w* in the eigenbasis.
    noise_variance : tau^2.
    step : step size eta, at most 2 / s_max.
    n_steps : number of steps, 1 or more.

    Examples
    --------
    >>> from ridgeway.averaging import Geometric
    >>> from ridgeway.theory import additive_noise_risk
    >>> risk = additive_noise_risk(Geometric(0.1), [1.0, 0.1], [1.0, 1.0], noise_variance=1.0, step=0.5, n_steps=100)
    >>> print(f"{risk.variance:.4f} + {risk.deterministic_bias:.4f}")
    0.0266 + 0.0337
    """
    s = eigenvalues_of(eigenvalues)
    v = vector_beside("bias", bias, s)
    tau2, eta, n = variance_of(noise_variance), step_of(step), n_steps_of(n_steps)
    mean = residual_filter(scheme, s, eta, n) * v
    seen = s[s > 0]
    if has_closed_form(scheme):
        gains = squared_weights(scheme, seen, eta, np.zeros(1), n)[0]
    else:
        gains = squared_gains(short_weights(scheme, n, eta), eta * seen)
    variance = eta**2 * tau2 * float((seen * seen * gains).sum())
    return ExcessRisk.of_parts(float((s * mean * mean).sum()), 0.0, variance)
