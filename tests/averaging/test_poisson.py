"""Laws of the Poisson average."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special
from tests.averaging.reference import places, relative_error

from ridgeway.averaging import Poisson
from ridgeway.averaging.incomplete_gamma import poisson_lower, poisson_mass, poisson_upper


def mass(t: int, mean: float) -> Any:
    return mp.exp(t * mp.log(mp.mpf(mean)) - mp.mpf(mean) - mp.loggamma(t + 1))


def tail(j: int, mean: float) -> Any:
    """Return P(G >= j) for j > mean, P(G < j) for j < mean, by a fraction long enough for 40 digits."""
    a, x, length = mp.mpf(j), mp.mpf(mean), 2000
    fraction = mp.mpf(1) * length
    for k in range(length, 0, -1):
        fraction = a + (k - 1) - x + k * x / fraction if a > x else x + 2 * k - 1 - a + k * (a - k) / fraction
    return mass(j, mean) * a / fraction


# Law: survival and weights have the exact value to ten digits, by summing the law in high precision.
@pytest.mark.parametrize("mean", [1e-300, 1e-12, 0.01, 1.0, 17.3, 400.0, 680.0])
@pytest.mark.parametrize("n_steps", [1, 5, 100, 1000])
def test_high_precision(mean: float, n_steps: int) -> None:
    with mp.workdps(60):
        masses = [mass(t, mean) for t in range(n_steps + 1)]
        total, j = mp.fsum(masses), places(n_steps)
        scheme = Poisson(mean)
        assert relative_error(scheme.survival(j, n_steps, 1.0), [mp.fsum(masses[k:]) / total for k in j]) < 1e-11
        assert relative_error(scheme.weights(n_steps, 1.0), [m / total for m in masses]) < 1e-11


# Law: a weight keeps its digits where its mass underflows but its share of a small total does not.
def test_small_total() -> None:
    mean, n_steps = 2000.0, 700
    with mp.workdps(60):
        masses = [mass(t, mean) for t in range(n_steps + 1)]
        total = mp.fsum(masses)
        assert total < 1e-200
        assert relative_error(Poisson(mean).weights(n_steps, 1.0), [m / total for m in masses]) < 1e-10


# Law: mass and both tails have the exact value to ten digits, at every size and distance from the mean.
@pytest.mark.parametrize("mean", [5.5, 30.0, 1000.0, 1e6 + 0.3, 1e9, 1e12])
def test_tails(mean: float) -> None:
    deviations = [-30, -20, -8, -4.1, -3.9, -1, 1, 3.9, 4.1, 8, 20, 35]
    j = [k for k in (round(mean + z * math.sqrt(mean)) for z in deviations) if k >= 1]
    below, above = [k for k in j if k < mean], [k for k in j if k > mean]
    with mp.workdps(50):
        assert relative_error(poisson_mass(np.array(j, float), mean), [mass(k, mean) for k in j]) < 1e-12
        assert relative_error(poisson_upper(np.array(above, float), mean), [tail(k, mean) for k in above]) < 1e-12
        assert relative_error(poisson_lower(np.array(below, float), mean), [tail(k, mean) for k in below]) < 1e-12


# Law: in a long run S is the upper tail, exact to ten digits down to 1e-290.
@pytest.mark.parametrize("mean", [1e3, 1e6, 1e11])
def test_long_run(mean: float) -> None:
    j = [round(mean + z * math.sqrt(mean)) for z in (1, 3, 8, 20, 35)]
    with mp.workdps(50):
        assert relative_error(Poisson(mean).survival(j, 10**12, 1.0), [tail(k, mean) for k in j]) < 1e-11


# Law: the last steps of a long run cut off near its mean do not cancel.
def test_cut_off() -> None:
    mean, n_steps = 1e12, 10**12
    j = [n_steps, n_steps - 1, n_steps - 100]
    with mp.workdps(50):
        lower = tail(n_steps - 2 * 10**6, mean)  # P(G < j) two standard deviations below
        total = poisson_lower(np.array([n_steps + 1.0]), mean)[0]
        sums = [mp.fsum(mass(t, mean) for t in range(k, n_steps + 1)) / mp.mpf(float(total)) for k in j]
        assert relative_error(Poisson(mean).survival(j, n_steps, 1.0), sums) < 1e-12
        early = Poisson(mean).survival([n_steps - 2 * 10**6], n_steps, 1.0)
        assert relative_error(early, [1 - lower / mp.mpf(float(total))]) < 1e-12
    assert total == pytest.approx(0.5, abs=1e-6)


# Law: between and beyond the steps S is the formula in the incomplete gamma function.
@pytest.mark.parametrize("mean", [0.5, 20.0, 70.0])
def test_continuation(mean: float) -> None:
    j = np.linspace(0, 144, 777)
    expected = 1 - special.gammaincc(j, mean) / special.gammaincc(41, mean)
    np.testing.assert_allclose(Poisson(mean).continued_survival(j, 40, 1.0), expected, rtol=1e-11, atol=1e-13)


# Law: mean 0 stops at the start.
def test_mean_zero() -> None:
    np.testing.assert_array_equal(Poisson(0).weights(3, 0.1), [1, 0, 0, 0])


# Law: the residual filter of a long run is exp(-mean * step * s), gradient flow.
def test_gradient_flow_filter() -> None:
    weights = Poisson(50.0).weights(400, 0.1)
    for s in (0.01, 1.0, 7.0):
        assert weights @ (1 - 0.1 * s) ** np.arange(401) == pytest.approx(math.exp(-50 * 0.1 * s), rel=1e-10)


# Law: a mean far beyond the run is refused, not answered with noise.
@pytest.mark.parametrize("n_steps", [0, 10])
def test_underflow(n_steps: int) -> None:
    message = rf"^mean=1000.0 is too large for n_steps={n_steps}: .* underflow; take a mean below n_steps, or Last"
    with pytest.raises(ValueError, match=message):
        Poisson(1000).survival([1], n_steps, 0.1)
    with pytest.raises(ValueError, match=message):
        Poisson(1000).continued_survival([1.5], n_steps, 0.1)


@pytest.mark.parametrize(
    ("mean", "error", "message"),
    [
        (
            -1.0,
            ValueError,
            r"^mean=-1.0 is negative: the mean stopping time must be a finite number, 0 or more",
        ),
        (float("inf"), ValueError, r"^mean=inf is not finite"),
        (float("nan"), ValueError, r"^mean=nan is not finite"),
        ("3", TypeError, r"^mean='3' is a str"),
        (None, TypeError, r"^mean=None is a NoneType"),
        (False, TypeError, r"^mean=False is a bool"),
    ],
)
def test_bad_mean(mean: float, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Poisson(mean)
