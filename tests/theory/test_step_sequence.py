"""Steps that change: weights and expected averages against the recursion of the means and closed-form ridge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridgeway.averaging import Geometric, Uniform
from ridgeway.theory import averaging_weights, expected_average, expected_path

S, W, W0 = np.array([1.0, 0.3, 0.0]), np.array([2.0, -1.0, 3.0]), np.array([0.5, 0.5, -0.5])
positive = st.floats(1e-3, 2.5)
step_lists = st.lists(positive, min_size=1, max_size=12)
strengths = st.sampled_from([0.0, 1e-12, 1e-3, 0.4, 30.0, 1e6, 1e12])


# Law: the weights are (1 - rho_{k+1}) Pi_k over 1 - Pi_{T+1}: the law of the first failure, given one.
@given(step_lists, positive, strengths)
def test_weights(steps: list[float], next_step: float, alpha: float) -> None:
    weights = averaging_weights(alpha, steps, next_step)
    eta = np.array([*steps, next_step])
    assert weights.shape == eta.shape
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    if 1e-3 <= alpha <= 1e6:
        rho = 1 / (1 + eta * alpha)
        by_hand = (1 - rho) * np.append(1.0, np.cumprod(rho)[:-1])
        np.testing.assert_allclose(weights, by_hand / by_hand.sum(), rtol=1e-9)
    elif alpha < 1e-3:
        np.testing.assert_allclose(weights, eta / eta.sum(), rtol=1e-9)
    else:
        assert weights[0] == pytest.approx(1, rel=1e-6)


# Law: expected averages are weighted sums of the means of the iterates, for any steps, also beyond 2 / s_max.
@given(step_lists, positive, strengths)
def test_follow_the_means(steps: list[float], next_step: float, alpha: float) -> None:
    means = [W0]
    for step in steps:
        means.append(means[-1] - step * S * (means[-1] - W))
    expected = averaging_weights(alpha, steps, next_step) @ np.array(means)
    got = expected_path([alpha], S, W, steps, next_step, W0)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * np.abs(means).max())


# Law: with one step throughout it is the geometric average, and the uniform one at alpha = 0.
@pytest.mark.parametrize("alpha", [0.0, 0.02, 3.0])
def test_constant_step(alpha: float) -> None:
    scheme, steps = Geometric(alpha) if alpha else Uniform(), np.full(40, 0.3)
    np.testing.assert_allclose(averaging_weights(alpha, steps), scheme.weights(40, 0.3), rtol=1e-12)
    np.testing.assert_allclose(
        expected_path(alpha, S, W, steps, start=W0)[0], expected_average(scheme, S, W, 0.3, 40, W0), rtol=1e-11
    )


# Law: every alpha of one long run is ridge centred at the start; steps of finite sum never get there.
def test_limit_is_ridge() -> None:
    alphas = np.geomspace(1e-2, 1e6, 30)
    ridge = (S * W + alphas[:, None] * W0) / (S + alphas[:, None])
    path = expected_path(alphas, S, W, np.geomspace(1e-6, 1.0, 60_000), start=W0)
    np.testing.assert_allclose(path, ridge, rtol=1e-9)
    short = expected_path(0.1, S, W, 1 / np.arange(1.0, 10_000) ** 2, start=W0)[0]
    assert np.abs(short - (S * W + 0.1 * W0) / (S + 0.1)).max() > 0.1


# Law: tiny eigenvalues, strengths and steps are accurate to rounding of w*: w_t = t eta s w*, averaged uniformly.
def test_small_numbers() -> None:
    optimum = np.array([1e6, 1.0])
    got = expected_path([0.0, 1e-30], [1e-6, 1.0], optimum, np.full(999, 1e-9))
    expected = np.array([1e-6, 1.0]) * optimum * 1e-9 * 999 / 2
    assert (np.abs(got - expected) <= 1e-12 * optimum).all()


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"steps\[1\] is -0.1: expected step sizes above 0"):
        averaging_weights(1.0, [0.1, -0.1])
    with pytest.raises(ValueError, match=r"steps has shape \(0,\): expected one step size for each step"):
        averaging_weights(1.0, [])
    with pytest.raises(ValueError, match=r"next_step=0.0 is not positive.*None repeats the last step"):
        averaging_weights(1.0, [0.1], next_step=0.0)
    with pytest.raises(ValueError, match=r"alpha=-1\.0 is negative"):
        averaging_weights(-1.0, [0.1])
    with pytest.raises(ValueError, match=r"diverges: step [*] eigenvalue is up to 300, .* steps of at most 2,"):
        expected_path([0.0], [1.0], [1.0], np.full(500, 300.0))
