"""Discounts of methods with momentum: averages of brute-force iterates against closed-form ridge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridgeway.theory import heavy_ball_discount, nesterov_discount

SIGMA = np.array([[2.0, 0.5], [0.5, 0.3]])
MOMENT, START = np.array([1.0, -1.0]), np.array([0.4, -2.0])


# Law: full-batch averages with these discounts are ridge centred at the start, to rounding error.
@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("alpha", [0.02, 0.5, 20.0])
@pytest.mark.parametrize("extrapolated", [False, True])
def test_average_is_ridge(momentum: float, alpha: float, extrapolated: bool) -> None:
    step = 0.3
    zeta = (nesterov_discount if extrapolated else heavy_ball_discount)(alpha, step, momentum)
    before = w = START
    total = np.zeros(2)
    for t in range(int(40 / -np.log(zeta))):
        point = w + momentum * (w - before)
        total = total + (1 - zeta) * zeta**t * (point if extrapolated else w)
        slope = SIGMA @ (point if extrapolated else w) - MOMENT
        before, w = w, point - step * slope
    ridge = np.linalg.solve(SIGMA + alpha * np.eye(2), MOMENT + alpha * START)
    np.testing.assert_allclose(total, ridge, rtol=1e-11)


# Law: the discounts solve their equations, are in (0, 1], and without momentum are 1 / (1 + eta alpha).
@given(st.floats(0, 1e12), st.floats(1e-9, 1e3), st.floats(0, 0.9999))
def test_equations(alpha: float, step: float, momentum: float) -> None:
    product = step * alpha
    heavy, nesterov = heavy_ball_discount(alpha, step, momentum), nesterov_discount(alpha, step, momentum)
    for zeta in (heavy, nesterov):
        assert 0 < zeta <= 1
    assert (1 - heavy) * (1 - momentum * heavy) == pytest.approx(product * heavy, rel=1e-9, abs=1e-15)
    assert (1 + momentum) * nesterov - momentum * nesterov**2 == pytest.approx(1 / (1 + product), rel=1e-12)
    assert heavy_ball_discount(alpha, step, 0.0) == pytest.approx(1 / (1 + product), rel=1e-12)
    assert nesterov_discount(alpha, step, 0.0) == pytest.approx(1 / (1 + product), rel=1e-12)


@pytest.mark.parametrize("discount", [heavy_ball_discount, nesterov_discount])
def test_refusals(discount: object) -> None:
    assert callable(discount)
    with pytest.raises(ValueError, match=r"momentum=1\.0: the momentum must be a number from 0 to below 1"):
        discount(1.0, 0.1, 1.0)
    with pytest.raises(ValueError, match=r"alpha=-1\.0 is negative"):
        discount(-1.0, 0.1, 0.5)
    with pytest.raises(ValueError, match=r"step=0\.0 is not positive"):
        discount(1.0, 0.0, 0.5)
