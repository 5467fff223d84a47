"""When a little regularization lowers the variance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.averaging import Geometric
from ridgeway.theory import excess_risk, variance_reduction


# Law: the bound falls at alpha = 0 exactly where tr Sigma^{-1} > eta d n / 4.
@settings(derandomize=True, deadline=None, max_examples=80)
@given(orders=st.lists(st.floats(-4, 0), min_size=1, max_size=5), n_steps=st.integers(1, 3000))
def test_slope_of_the_bound(orders: list[float], n_steps: int) -> None:
    s, step = 10 ** np.array(orders), 0.05
    found = variance_reduction(s, step, n_steps, alphas=[1e-7 / step / n_steps])
    near = abs(found.trace_inverse / found.threshold - 1) < 1e-4
    assert near or found.lowers_bound == (found.bound[1] < found.bound[0])
    assert found.bound[0] == pytest.approx(len(s) / n_steps)


# Law: the exact variance is that of excess_risk, falls at 0, and rises far above the uniform one for a long run.
def test_exact_variance() -> None:
    found = variance_reduction([1.0, 0.5, 0.0], 0.1, 20_000, noise_variance=2.0, kurtosis=1.8)
    for alpha, variance in zip(found.alphas, found.exact, strict=True):
        expected = excess_risk(Geometric(alpha), [1.0, 0.5], [0.0, 0.0], 2.0, 0.1, 20_000, 1.8).variance
        assert variance == pytest.approx(expected, rel=1e-12)
    assert found.lowers_exact
    assert not found.lowers_bound
    assert found.largest_rise > 50
    assert found.exact[-1] < found.exact.max() / 10


def test_refusals() -> None:
    with pytest.raises(ValueError, match="unstable"):
        variance_reduction([1.0], 1.0, 10)
    with pytest.raises(ValueError, match="n_steps=0"):
        variance_reduction([1.0], 0.1, 0)
    with pytest.raises(ValueError, match=r"alpha=-1\.0 is negative"):
        variance_reduction([1.0], 0.1, 10, alphas=[-1.0])
