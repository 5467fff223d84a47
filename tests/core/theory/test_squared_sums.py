from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ridgeway import _core


# Law: doubling gives the sums over m = 1..n.
@given(st.integers(0, 5), st.integers(0, 19), st.integers(1, 40), st.integers(0, 2**32))
def test_squared_sums(n_x: int, n_y: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-0.2, 1, n_x), rng.uniform(-0.2, 1, n_y)
    lengths = np.array([n >> shift for shift in range(n.bit_length())][::-1])
    x_powers, y_powers = x[:, None] ** lengths, y ** lengths[:, None]
    x_powers.flags.writeable = y_powers.flags.writeable = False
    sums, powers = np.empty((n_x, n_y)), np.empty((n_x, n_y))
    _core.squared_sums(x_powers=x_powers, y_powers=y_powers, n=n, sums=sums, powers=powers)
    m = np.arange(1, n + 1)
    fades = x[:, None] ** (n - m)  # (K, n)
    geometric = np.cumsum(y ** (m[:, None] - 1.0), axis=0)  # (n, d)
    np.testing.assert_allclose(sums, fades @ geometric**2, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(powers, fades @ y ** (2.0 * (m[:, None] - 1)), rtol=1e-10, atol=1e-13)
