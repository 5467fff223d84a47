"""Compiled recursions of the exact risk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ridgeway.compiled import compiled

Array = NDArray[np.float64]


@compiled
def risk_backwards(weights: Array, s: Array, step: float, excess_kurtosis: float, share: float, u: Array) -> float:
    """Carry the risk of an average back from the last step to the first: O(n d), nothing of length n is made.

        g_j = p_j + a g_{j+1},   z_j = s g_j^2 + u_j,   u_{j-1} = a^2 u_j + share (s <s, z_j> + (kappa - 2) s^2 z_j)

    Then <u_0, v^2> is the risk that the start v brings in through the randomness of the rows, and the sum of share
    <s, z_j> that of label noise of variance 1.

    Parameters
    ----------
    weights : (n + 1,), p_0..p_n.
    s : (d,), eigenvalues.
    step : eta; a = 1 - eta s.
    excess_kurtosis : kappa - 2.
    share : eta^2 / batch size.
    u : (d,), zeros; holds u_0 afterwards.

    Returns
    -------
    The variance per unit of label noise.
    """
    d = len(s)
    # 1 - a, and 1 - a^2: changes are added to what is there, as 1 - eta s itself would be rounded anew at every step.
    fall = step * s
    fall2 = fall * (2.0 - fall)
    g, z = np.zeros(d), np.zeros(d)
    variance = 0.0
    for j in range(len(weights) - 1, 0, -1):
        total = 0.0
        for i in range(d):
            g[i] += weights[j] - fall[i] * g[i]
            z[i] = s[i] * g[i] * g[i] + u[i]
            total += s[i] * z[i]
        variance += total
        for i in range(d):
            u[i] += share * s[i] * (total + excess_kurtosis * s[i] * z[i]) - fall2[i] * u[i]
    return share * variance


@compiled
def squared_gains(weights: Array, fall: Array) -> Array:
    """Sum over the steps j = 1..n the squares of g_j = p_j + (1 - fall) g_{j+1}: (d,)."""
    g, sums = np.zeros(len(fall)), np.zeros(len(fall))
    for j in range(len(weights) - 1, 0, -1):
        for i in range(len(fall)):
            g[i] += weights[j] - fall[i] * g[i]
            sums[i] += g[i] * g[i]
    return sums


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
