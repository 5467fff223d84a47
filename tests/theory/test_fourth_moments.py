"""R^2, stability and effective dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.averaging import Staircase
from ridgeway.theory import effective_dimension, fourth_moment_r2, stability


# Law: a step is stable exactly where the matrix that carries the second moments has its eigenvalues within 1.
@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    orders=st.lists(st.floats(-3, 0), min_size=1, max_size=6),
    kurtosis=st.sampled_from([1.0, 1.5, 1.8, 3.0, 30.0]),
    batch_size=st.sampled_from([1, 2, 10]),
    share=st.sampled_from([0.1, 0.99, 1.01, 2.0]),
)
def test_stability_is_the_spectral_radius(orders: list[float], kurtosis: float, batch_size: int, share: float) -> None:
    s = 10 ** np.array(orders)
    step = share * stability(s, 1.0, kurtosis, batch_size).largest_step
    B = np.diag((1 - step * s) ** 2) + step**2 / batch_size * (np.outer(s, s) + (kurtosis - 2) * np.diag(s**2))
    found = stability(s, step, kurtosis, batch_size)
    assert found.stable == (np.abs(np.linalg.eigvalsh(B)).max() < 1) == (share < 1)
    assert found.margin == pytest.approx(1 - share, rel=1e-9)


# Law: the steps that the bounds allow are stable.
@settings(derandomize=True, deadline=None, max_examples=50)
@given(orders=st.lists(st.floats(-3, 0), min_size=1, max_size=6), kurtosis=st.floats(1, 10))
def test_half_inverse_r2_is_stable(orders: list[float], kurtosis: float) -> None:
    s = 10 ** np.array(orders)
    assert stability(s, 0.5 / fourth_moment_r2(s, kurtosis), kurtosis).margin > 0.4


# Law: Gaussian rows have E[|x|^2 x x'] = tr(Sigma) Sigma + 2 Sigma^2.
def test_r2() -> None:
    assert fourth_moment_r2([1.0, 0.5]) == 3.5
    assert fourth_moment_r2([1.0, 0.5], kurtosis=1.0) == 1.5


# Law: effective dimensions go from the rank to 0.
def test_effective_dimension() -> None:
    s = [4.0, 1.0, 0.0]
    assert effective_dimension(s, 0.0).d1 == effective_dimension(s, 0.0).d2 == 2
    at = effective_dimension(s, 1.0)
    assert (at.d1, at.d2) == pytest.approx((0.8 + 0.5, 0.64 + 0.25))
    assert effective_dimension(s, 1e12).d1 == pytest.approx(5e-12)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="eigenvalues has the minimum -1"):
        stability([-1.0], 0.1)
    with pytest.raises(ValueError, match=r"alpha=-0\.1 is negative"):
        effective_dimension([1.0], -0.1)
    with pytest.raises(ValueError, match=r"kurtosis=0\.9 is below 1"):
        fourth_moment_r2([1.0], 0.9)
    with pytest.raises(ValueError, match=r"step=-1\.0 is not positive"):
        stability([1.0], -1.0)


# Law: of a staircase the largest step counts.
def test_stability_of_a_staircase() -> None:
    assert stability([1.0, 1.0], Staircase((0.1, 0.25, 0.2), (3, 9))) == stability([1.0, 1.0], 0.25)
