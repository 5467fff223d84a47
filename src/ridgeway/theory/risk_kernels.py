"""Compiled recursions of the exact risk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled

Array = NDArray[np.float64]


@compiled
def risk_backwards(
    weights: Array, s: Array, step: float, excess_kurtosis: float, share: float, g: Array, u: Array
) -> float:
    """Carry the risk of an average back through the steps of one stair: O(n d), nothing of length n is made.

        g_j = p_j + a_{j+1} g_{j+1},   z_j = s g_j^2 + u_j,
        u_{j-1} = a_j^2 u_j + share_j (s <s, z_j> + (kappa - 2) s^2 z_j),   a_j = 1 - eta_j s

    from the last step of the run to the first. Then <u_0, v^2> is the risk that the start v brings in through the
    randomness of the rows, and the sum of share_j <s, z_j> that of label noise of variance 1.

    Parameters
    ----------
    weights : (n,), p_j of the n iterates that the steps of the stair lead to.
    s : (d,), eigenvalues.
    step : eta on the stair.
    excess_kurtosis : kappa - 2.
    share : eta^2 / batch size.
    g : (d,), a_{j+1} g_{j+1} of the last j of the stair, 0 at the end of the run; holds that of the stair before it.
    u : (d,), u_j of the last j of the stair, 0 at the end of the run; holds u_j of the stair before it.

    Returns
    -------
    The part of the variance, per unit of label noise, that comes from these steps.
    """
    d = len(s)
    # 1 - a, and 1 - a^2: changes are added to what is there, as 1 - eta s itself would be rounded anew at every step.
    fall = step * s
    fall2 = fall * (2.0 - fall)
    z = np.zeros(d)
    variance = 0.0
    for j in range(len(weights) - 1, -1, -1):
        total = 0.0
        for i in range(d):
            g[i] += weights[j]
            z[i] = s[i] * g[i] * g[i] + u[i]
            total += s[i] * z[i]
        variance += total
        for i in range(d):
            g[i] -= fall[i] * g[i]
            u[i] += share * s[i] * (total + excess_kurtosis * s[i] * z[i]) - fall2[i] * u[i]
    return share * variance


@compiled
def add_squared_gains(weights: Array, fall: Array, share: float, g: Array, sums: Array) -> None:
    """Add to sums (d,) share times the squares of g_j over the steps of one stair, with g as in `risk_backwards`."""
    for j in range(len(weights) - 1, -1, -1):
        for i in range(len(fall)):
            g[i] += weights[j]
            sums[i] += share * g[i] * g[i]
            g[i] -= fall[i] * g[i]


@compiled
def squared_sums(x: Array, y: Array, x_powers: Array, y_powers: Array, n: int, sums: Array, powers: Array) -> None:
    """Sum squares of geometric sums by doubling n, without a difference that could cancel.

        sums[k, i] = sum_{m=1..n} x_k^{n-m} h_m^2 ,  h_m = 1 + y_i + ... + y_i^{m-1}
        powers[k, i] = sum_{m=1..n} x_k^{n-m} y_i^{2 (m-1)}

    Parameters
    ----------
    x, y : (K,) and (d,).
    x_powers, y_powers : (levels, K) and (levels, d), the powers of x and y at the leading bits of n: 1, ..., n.
    n : 1 or more.
    sums, powers : (K, d), written.
    """
    levels, d = y_powers.shape
    h, cross = np.empty(d), np.empty(d)
    for k in range(len(x)):
        for i in range(d):
            h[i], cross[i], sums[k, i], powers[k, i] = 1.0, y[i], 1.0, 1.0
        for level in range(1, levels):
            big = x_powers[level - 1, k]
            odd = (n >> (levels - 1 - level)) & 1
            for i in range(d):
                small = y_powers[level - 1, i]
                tail = h[i] * y[i] * y[i] * powers[k, i]
                e = big * sums[k, i] + sums[k, i] + h[i] * (2.0 * cross[i] + tail)
                f = (big + small) * cross[i] + small * tail
                q = (big + small * small) * powers[k, i]
                root = h[i] * (1.0 + small)
                if odd:
                    root = 1.0 + y[i] * root
                    e = x[k] * e + root * root
                    f = x[k] * f + y_powers[level, i] * root
                    q = x[k] * q + small * small * small * small
                h[i], cross[i], sums[k, i], powers[k, i] = root, f, e, q
