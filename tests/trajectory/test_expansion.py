"""Survival functions as series: what ridges take a short cut to is what every scheme gets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.averaging import Geometric, Staircase, Uniform
from ridgeway.trajectory import Layout
from ridgeway.trajectory.expansion import expand, expand_ridges, expand_values, places


# Law: the series of ridges are those of their schemes, and so are the errors, from one step to 1e12 of them.
@settings(max_examples=80, deadline=None)
@given(
    strengths=st.lists(st.just(0.0) | st.floats(-14, 14).map(lambda power: 10.0**power), min_size=1, max_size=5),
    n_steps=st.floats(0, 12).map(lambda power: int(10**power)),
    step=st.floats(-6, 1).map(lambda power: 10.0**power),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_ridges(strengths: list[float], n_steps: int, step: float, dtype: type) -> None:
    blocks = Layout.choose(np.dtype(dtype), 100).blocks(n_steps)
    schemes = [Geometric(alpha) for alpha in strengths]
    survival = np.array([scheme._survival(places(blocks), n_steps, Staircase.of(step)) for scheme in schemes])
    expected, expected_errors = expand_values(survival, blocks, n_steps)
    found, errors = expand_ridges(np.array(strengths), blocks, n_steps, Staircase.of(step))
    np.testing.assert_allclose(found, expected, atol=4e-15)
    np.testing.assert_allclose(errors, expected_errors, atol=4e-14)


# Law: the series of a strength has the same bits, whatever other strengths are expanded with it.
def test_mixed_company() -> None:
    blocks = Layout.choose(np.dtype(np.float64), 100).blocks(5000)
    mixed, errors = expand([Geometric(0.1), Uniform(), Geometric(3.0)], blocks, 5000, Staircase((0.01,)))
    alone, own_errors = expand_ridges(np.array([0.1, 3.0]), blocks, 5000, Staircase((0.01,)))
    np.testing.assert_array_equal(mixed[[0, 2]], alone)
    np.testing.assert_array_equal(errors[[0, 2]], own_errors)
