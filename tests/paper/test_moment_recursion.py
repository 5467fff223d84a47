"""The oracle of linear methods against every sequence of draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ridgeway.paper.moment_recursion import average_moments, distances


# Law: means and covariances by the recursion are those over every sequence, also where the maps change with the step.
@pytest.mark.parametrize("changing", [False, True])
def test_every_sequence(changing: bool) -> None:
    rng = np.random.default_rng(0)
    maps = (
        rng.standard_normal((4, 2, 3, 3)) if changing else np.broadcast_to(rng.standard_normal((2, 3, 3)), (4, 2, 3, 3))
    )
    p, start, read, weights = (
        np.array([0.3, 0.7]),
        rng.standard_normal(3),
        rng.standard_normal((2, 3)),
        rng.random((2, 5)),
    )
    chances, averages = [], []
    for draw in product(range(2), repeat=4):
        state, total = start, weights[:, :1] * (read @ start)
        for t, i in enumerate(draw):
            state = maps[t, i] @ state
            total = total + weights[:, t + 1, None] * (read @ state)
        chances.append(np.prod(p[list(draw)]))
        averages.append(total)
    chance, average = np.array(chances), np.array(averages)
    mean, covariance = average_moments(maps if changing else maps[0], p, start, read, weights)
    np.testing.assert_allclose(mean, np.tensordot(chance, average, 1), rtol=1e-12)
    off = average - mean
    np.testing.assert_allclose(covariance, np.einsum("n,nli,nlj->lij", chance, off, off), rtol=1e-10, atol=1e-12)
    targets = np.array([[1.0, 2.0], [3.0, 4.0]])
    square = np.tensordot(chance, ((average - targets) ** 2).sum(axis=2), 1)
    np.testing.assert_allclose(distances(mean, covariance, targets), np.sqrt(square / [5.0, 25.0]), rtol=1e-10)
