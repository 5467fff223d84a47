"""Chunks of steps: what is gathered of them, folded, are the moments of their increments."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from ridgeway.rows import Float
from ridgeway.trajectory.fold import SETTLED, Memory, Place, fold_chunk, second_at, settle, steps_between

pytestmark = pytest.mark.kernel
LENGTH, MOMENTS, COLUMNS = 256, 5, 3


def gather(chunk: int, degree: int, steps: int, start: float, dtype: type) -> tuple[Memory, NDArray[np.float64]]:
    """Take random steps from the start of the third chunk of a block, and fold them; the increments are told, too."""
    rng = np.random.default_rng(chunk)
    w: Float = np.full(COLUMNS, start, dtype)
    memory = Memory(np.zeros((MOMENTS, COLUMNS)), w.copy(), np.zeros((3, COLUMNS), dtype))
    increments, offset = [], 2 * chunk
    for _ in range(steps):
        increment: Float = rng.standard_normal(COLUMNS).astype(dtype)
        w += increment
        memory.local[0] += w
        if degree == 2:
            memory.local[2] += dtype(second_at(offset, chunk)) * increment
        increments.append(increment)
        offset += 1
        if offset % steps_between(chunk) == 0:
            settle(memory, steps_between(chunk))
    fold_chunk(memory, Place(offset, LENGTH, chunk, degree), w)
    np.testing.assert_array_equal(memory.anchor, w)
    assert not memory.local.any()
    return memory, np.array(increments, np.float64)


def on_chunk(chunk: int, steps: int, degree: int) -> NDArray[np.float64]:
    """T_0 .. T_{m-1} of the block at the steps of its third chunk, as polynomials of this degree there: (m, steps)."""
    nodes = np.cos(np.pi * (np.arange(3) + 0.5) / 3)
    place = 2 * (2 * chunk + (chunk - 1 + nodes * chunk) / 2) / (LENGTH - 1) - 1
    series = np.linalg.solve(chebyshev.chebvander(nodes, 2), chebyshev.chebvander(place, MOMENTS - 1))[: degree + 1]
    v = (2 * np.arange(steps) + 1) / chunk - 1
    return (chebyshev.chebvander(v, degree) @ series).T


# Law: a chunk, full or not, adds its increments, weighted by the polynomials that stand for T_k on it.
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize(("chunk", "steps"), [(2, 1), (2, 2), (8, 5), (8, 8), (64, 31), (64, 32), (64, 33), (64, 64)])
def test_chunk(degree: int, chunk: int, steps: int) -> None:
    memory, increments = gather(chunk, degree, steps, 1.0, np.float64)
    np.testing.assert_allclose(memory.moments, on_chunk(chunk, steps, degree) @ increments, atol=1e-12)


# Law: the moments are those of the increments, however large w is beside them.
def test_large_start() -> None:
    memory, _ = gather(64, 1, 64, 1.0, np.float32)
    far, increments = gather(64, 1, 64, 4096.0, np.float32)
    rounding = 4096 * float(np.finfo(np.float32).eps) * SETTLED
    np.testing.assert_allclose(far.moments, memory.moments, atol=rounding)
    assert np.abs(increments.sum(axis=0)).max() > 100 * rounding
