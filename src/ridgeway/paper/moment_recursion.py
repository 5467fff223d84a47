"""Moments of averages by recursion over the steps: an oracle for linear methods with any state."""

from __future__ import annotations

import numpy as np

from ridgeway.paper.population import Array


def average_moments(maps: Array, p: Array, start: Array, read: Array, weights: Array) -> tuple[Array, Array]:
    """Return the exact mean and covariance of weighted averages of a random linear method.

    The state z_0 = `start` moves by z_{t+1} = M z_t, where M is maps[i] with probability p_i, independently; the first
    entry of a state is 1, so that constants are part of the map. Averages are sum_t weights[l, t] read z_t.

    Parameters
    ----------
    maps : (k, D, D); or (T, k, D, D), where the maps change from step to step.
    p : (k,), probabilities.
    start : (D,)
    read : (d, D), maps a state to the vector that is averaged.
    weights : (L, T + 1), one row for each average.

    Returns
    -------
    mean, (L, d), and covariance, (L, d, d).
    """
    L, length = weights.shape
    d, D = read.shape
    at = maps if maps.ndim == 4 else np.broadcast_to(maps, (length - 1, *maps.shape))
    pair = np.outer(start, start)  # E[z z']
    state, total = start, np.zeros((L, d))
    beside, square = np.zeros((L, d, D)), np.zeros((L, d, d))  # E[sum z'] and E[sum sum'] of the averages so far
    for t in range(length):
        weight = weights[:, t, None, None]
        cross = weight * (beside @ read.T)
        square = square + cross + cross.transpose(0, 2, 1) + weight**2 * (read @ pair @ read.T)
        beside = beside + weight * (read @ pair)
        total = total + weights[:, t, None] * (read @ state)
        if t + 1 == length:
            break
        mean_map = np.tensordot(p, at[t], 1)
        pair = np.tensordot(p, at[t] @ pair @ at[t].transpose(0, 2, 1), 1)
        beside, state = beside @ mean_map.T, mean_map @ state
    return total, square - total[:, :, None] * total[:, None, :]


def distances(mean: Array, covariance: Array, targets: Array) -> Array:
    """Return sqrt(E|average - target|^2) / |target|, (L,)."""
    square = np.trace(covariance, axis1=1, axis2=2) + ((mean - targets) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(square / (targets**2).sum(axis=1)))
