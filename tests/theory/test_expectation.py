"""Expected iterates and averages against the recursion of the means, and the identities between them."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.averaging import Exponential, Geometric, Last, NegativeBinomial, Poisson, Scheme, Staircase, Tail, Uniform
from ridgeway.theory import expected_average, expected_iterate, expected_tikhonov_iterate

S, W, W0 = np.array([1.0, 0.3, 0.0]), np.array([2.0, -1.0, 3.0]), np.array([0.5, 0.5, -0.5])


# Law: means follow w - eta Sigma (w - w*); averages are their weighted sums.
@pytest.mark.parametrize(
    "scheme",
    [Geometric(0.2), Uniform(), Tail(3), Last(), NegativeBinomial(0.2, 3), Poisson(2.0), Exponential(0.7)],
    ids=repr,
)
@pytest.mark.parametrize("step", [0.1, 1.5, 2.6, Staircase((0.1, 1.2, 0.4), (3, 9)), Staircase((2.6, 0.1), (4,))])
def test_follow_the_means(scheme: Scheme, step: float | Staircase) -> None:
    means, steps = [W0], Staircase.of(step)
    for t in range(12):
        means.append(means[-1] - steps.size_after(t) * S * (means[-1] - W))
    np.testing.assert_allclose(expected_iterate(S, W, step, 12, W0), means[-1], rtol=1e-12)
    expected = scheme.weights(12, step) @ np.array(means)
    np.testing.assert_allclose(expected_average(scheme, S, W, step, 12, W0), expected, rtol=1e-10)


# Law: regularised SGD with step gamma = eta / (1 + eta alpha) is plain SGD stopped at the geometric time or at t, for
# every step size and start.
@pytest.mark.parametrize("step", [0.05, 1.0, 2.5])
@pytest.mark.parametrize("n_steps", [1, 2, 25])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 30.0])
def test_stopped_at_a_geometric_time(step: float, n_steps: int, alpha: float) -> None:
    rho = 1 / (1 + step * alpha)
    left = expected_tikhonov_iterate(S, W, alpha, step * rho, n_steps, W0)
    average = expected_average(Geometric(alpha), S, W, step, n_steps, W0)
    right = (1 - rho ** (n_steps + 1)) * average + rho ** (n_steps + 1) * expected_iterate(S, W, step, n_steps, W0)
    if alpha > 0:
        np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-13)
    else:
        np.testing.assert_allclose(left, expected_iterate(S, W, step, n_steps, W0), rtol=1e-12)


# Law: with steps that change too, regularised SGD with gamma_j = eta_j / (1 + eta_j alpha) is plain SGD stopped at the
# geometric time or at t, the weights of which are (1 - rho_{k+1}) rho_1 .. rho_k.
@pytest.mark.parametrize("alpha", [0.4, 30.0])
def test_stopped_at_a_geometric_time_on_stairs(alpha: float) -> None:
    eta, n_steps = np.array([0.1, 0.1, 0.3, 0.8, 0.8, 0.05]), 6
    steps, regularised = Staircase.of_sequence(eta), Staircase.of_sequence(eta / (1 + eta * alpha))
    rho = 1 / (1 + eta * alpha)
    kept = np.cumprod(np.append(1.0, rho))  # rho_1 .. rho_k, k = 0..6
    stops = np.append(kept[:-1] * (1 - rho), kept[-1])
    iterates = np.array([W0, *(expected_iterate(S, W, steps, t, W0) for t in range(1, n_steps + 1))])
    left = expected_tikhonov_iterate(S, W, alpha, regularised, n_steps, W0)
    np.testing.assert_allclose(left, stops @ iterates, rtol=1e-11, atol=1e-13)


# Law: the limit is ridge centred at the start, also where the iterates diverge but rho |1 - eta s_max| < 1.
@pytest.mark.parametrize("step", [0.1, 2.5])
def test_limit_is_ridge(step: float) -> None:
    alpha, s = 0.5, S[:2]
    ridge = (s * W[:2] + alpha * W0[:2]) / (s + alpha)
    for n_steps in (300, 301):
        np.testing.assert_allclose(
            expected_average(Geometric(alpha), s, W[:2], step, n_steps, W0[:2]), ridge, rtol=1e-5
        )


# Law: a penalty may shrink towards another point than the start.
def test_centre() -> None:
    got = expected_tikhonov_iterate([1.0, 0.0], [2.0, 1.0], 1.0, 0.1, 2000, start=[5.0, 5.0], centre=[0.0, 1.0])
    np.testing.assert_allclose(got, [1.0, 1.0], rtol=1e-12)


# Law: so it is with any steps that add up to infinity.
def test_limit_on_stairs() -> None:
    steps = Staircase((1e-3, 1.9, 0.01, 0.5), (1000, 1010, 5000))
    ridge = (S * W + 0.5 * W0) / (S + 0.5)
    np.testing.assert_allclose(expected_average(Geometric(0.5), S, W, steps, 10**12, W0), ridge, rtol=1e-12)


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"diverges: step [*] eigenvalue is up to 3, .* a step of at most 2,"):
        expected_iterate([1.0], [1.0], Staircase((0.1, 3.0), (9,)), 5000)
    with pytest.raises(ValueError, match=r"diverges: step [*] eigenvalue is up to 3, .* a step of at most 2,"):
        expected_iterate([1.0], [1.0], 3.0, 5000)
    with pytest.raises(ValueError, match="optimum has 2 entries but there are 1"):
        expected_iterate([1.0], [1.0, 2.0], 0.1, 5)
    with pytest.raises(ValueError, match="start has 2 entries"):
        expected_average(Uniform(), [1.0], [1.0], 0.1, 5, start=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"alpha=-1\.0 is negative"):
        expected_tikhonov_iterate([1.0], [1.0], -1.0, 0.1, 5)
