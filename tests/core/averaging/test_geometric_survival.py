from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ridgeway import _core

Array = NDArray[np.float64]


def reference(past: Array, left: Array, total: Array) -> Array:
    end = np.minimum(past, total[:, None])
    values: Array = np.sign(left) * -np.exp(-end) * np.expm1(-np.abs(left)) / -np.expm1(-total[:, None])
    return values


# Law: S = (e^-past - e^-total) / (1 - e^-total), with all its digits also where the two powers are nearly the same.
@given(st.integers(0, 5), st.integers(0, 9), st.floats(-14, 4), st.randoms(use_true_random=False))
@example(0, 3, 0.0, None)
@example(3, 0, 0.0, None)
def test_geometric_survival(n_averages: int, n_places: int, exponent: float, random: Any) -> None:
    rng = np.random.default_rng(0 if random is None else random.randrange(2**32))
    total = 10**exponent * rng.uniform(0.5, 1, n_averages)
    left = total[:, None] * rng.uniform(-0.5, 1, (n_averages, n_places))
    past = total[:, None] - left
    values = np.empty_like(past)
    for array in (past, left, total):
        array.flags.writeable = False
    _core.fill_geometric_survival(past=past, left=left, total=total, flat=0.0, values=values)
    expected = reference(past, left, total)
    # past is known to a rounding error of itself, which the exponential turns into a relative one
    np.testing.assert_allclose(values, expected, rtol=1e-15 * (8 + 2 * 10**exponent), atol=1e-300)


# Law: averages that are flat are left as they were.
def test_flat_averages() -> None:
    past, total = np.array([[0.25, 0.5], [0.25, 0.5]]), np.array([1.0, 0.5])
    values = np.full((2, 2), 7.0)
    _core.fill_geometric_survival(past=past, left=total[:, None] - past, total=total, flat=0.75, values=values)
    assert (values[0] < 1).all()
    assert (values[1] == 7.0).all()
