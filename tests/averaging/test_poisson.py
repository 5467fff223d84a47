"""Laws of the Poisson average."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import special
from tests.averaging.reference import places, relative_error, waiting_on_steps

from ridgeway.averaging import Poisson, Staircase
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


def random_steps(seed: int, n: int) -> list[float]:
    """Return different steps of a wide range: growing, falling or in any order."""
    sizes = 10 ** np.random.default_rng(seed).uniform([-1, -4, -2][seed // 3 % 3], 0.3, size=n)
    ordered: list[float] = [sizes, np.sort(sizes), np.sort(sizes)[::-1]][seed % 3].tolist()
    return ordered


# Law: on any steps S has the exact value to 1e-12, and weights to eleven digits of their own, by partial fractions.
@pytest.mark.parametrize("share", [1e-3, 0.1, 0.9, 1.1, 3.0])
@pytest.mark.parametrize("n_steps", [1, 2, 8, 30])
def test_any_steps(share: float, n_steps: int) -> None:
    for seed in range(9):
        sizes = random_steps(seed, n_steps + 3)  # the staircase goes on beyond the run
        time, steps = share * sum(sizes[: n_steps + 1]), Staircase.of_sequence(sizes)
        scheme = Poisson(time / steps.last)
        survival, weights = waiting_on_steps(scheme.mean * steps.last, sizes[: n_steps + 1])
        got = scheme.survival(np.arange(n_steps + 1), n_steps, steps)
        np.testing.assert_allclose(got, np.array(survival, float), rtol=0, atol=1e-12)
        assert relative_error(scheme.weights(n_steps, steps), weights) < 1e-11


def gamma_sum(n: list[float], sizes: list[float], time: float) -> Any:
    """Return P(X <= time) for X = sum_s sizes_s Gamma(n_s) of two stairs, by integrating over the first."""
    (m, n), (e, f) = (mp.mpf(k) for k in n), (mp.mpf(size) for size in sizes)
    t = mp.mpf(time)

    def integrand(x: Any) -> Any:
        density = mp.exp((m - 1) * mp.log(x / e) - x / e - mp.loggamma(m)) / e
        return density * mp.gammainc(n, 0, (t - x) / f, regularized=True)

    centre, spread = m * e, mp.sqrt(m) * e
    places = [centre + k * spread for k in range(-14, 30, 2) if 0 < centre + k * spread < t]
    return mp.quad(integrand, [0, *places, t])


# Law: between the steps of stairs S is the law of a sum of gamma variables.
@pytest.mark.parametrize("mean", [0.5, 20.0, 45.0])
def test_continuation_on_stairs(mean: float) -> None:
    steps, n_steps = Staircase((0.3, 1.0), (30,)), 60
    with mp.workdps(25):
        beyond = gamma_sum([30, 31], [0.3, 1.0], mean)
        for j in (30.25, 41.5, 58.75, 75.5):
            expected = (gamma_sum([30, j - 30], [0.3, 1.0], mean) - beyond) / (1 - beyond)
            got = float(Poisson(mean).continued_survival(j, n_steps, steps))
            assert got == pytest.approx(float(expected), rel=1e-10, abs=1e-12)
    places = np.linspace(0, 30, 91)
    first = (special.gammainc(places, mean / 0.3) - float(beyond)) / (1 - float(beyond))
    np.testing.assert_allclose(Poisson(mean).continued_survival(places, n_steps, steps), first, rtol=1e-10, atol=1e-12)


# Law: long stairs of nearly one size are a constant step, at 1e12 steps to 1e-10.
@pytest.mark.parametrize("mean", [1e3, 1e8, 1e12])
def test_long_stairs(mean: float) -> None:
    n_steps = 10**12
    steps = Staircase((1 + 1e-12, 1.0), (10,))  # shifts the time by 1e-11 of a step
    j = [k for k in (round(mean + z * math.sqrt(mean)) for z in (-8, -3, -1, 0, 1, 3, 8)) if k <= n_steps]
    expected = Poisson(mean).survival(j, n_steps, 1.0)
    np.testing.assert_allclose(Poisson(mean).survival(j, n_steps, steps), expected, rtol=0, atol=1e-10)


# Law: in a long run on growing stairs S is nearly Gaussian, with the mean and variance of the sum of times.
def test_growing_stairs() -> None:
    steps, n_steps, mean = Staircase((0.001, 0.03, 1.0), (10**6, 10**8)), 10**12, 1e10
    j = np.array([10**10 + 10**8, 10**10, 10**8 + 10**9])
    time = steps.elapsed(j)
    variance = 1e-6 * 1e6 + 9e-4 * (1e8 - 1e6) + (j - 1e8)
    got = Poisson(mean).survival(j, n_steps, steps)
    np.testing.assert_allclose(got, special.ndtr((mean - time) / np.sqrt(variance)), atol=1e-5)
    near = np.arange(int(steps.steps_until(mean)) - 2000, int(steps.steps_until(mean)) + 2000)
    weights = Poisson(mean)._weights(near.astype(float), n_steps, steps)
    np.testing.assert_allclose(-np.diff(Poisson(mean).survival(near, n_steps, steps)), weights[:-1], rtol=0, atol=1e-12)


# Law: E prod_{j <= G} (1 - eta_j s) -> exp(-t s), whatever the steps are.
def test_gradient_flow_filter_on_stairs() -> None:
    for seed in range(9):
        sizes = np.append(np.minimum(random_steps(seed, 60), 0.5), np.full(400, 0.1))
        time = float(sizes[:60].sum()) + 5
        weights = Poisson(time / 0.1).weights(len(sizes) - 1, Staircase.of_sequence(sizes))
        for s in (0.01, 0.5):
            products = np.cumprod(np.append(1.0, 1 - sizes[:-1] * s))
            assert weights @ products == pytest.approx(math.exp(-time * s), rel=1e-9)


# Law: G counts the steps that fit into the time; a simulation agrees within five standard deviations.
def test_simulated() -> None:
    steps, rng = Staircase((0.01, 0.02, 0.05), (100, 200)), np.random.default_rng(3)
    sizes = np.repeat([0.01, 0.02, 0.05], 100)
    times = np.cumsum(rng.exponential(size=(20_000, 300)) * sizes, axis=1)
    stops = (times <= 60 * 0.05).sum(axis=1)
    stops, j = stops[stops <= 299], np.arange(300)
    survival = Poisson(60.0).survival(j, 299, steps)
    share = (stops[:, None] >= j).mean(axis=0)
    assert np.all(np.abs(share - survival) <= 5 * np.sqrt(survival * (1 - survival) / len(stops)) + 1e-3)


# Law: a mean beyond the time of a staircase is refused, with the time in steps of its last size.
def test_underflow_on_stairs() -> None:
    message = (
        r"^mean=1000.0 is too large for n_steps=10: .* underflow; take a mean below 6, the time of the run in steps"
    )
    with pytest.raises(ValueError, match=message):
        Poisson(1000).weights(10, Staircase((0.05, 0.1), (8,)))


# Law: also a small part of the first step has the exact value.
@pytest.mark.parametrize("mean", [0.1, 0.5, 3.0, 40.0])
def test_before_the_first_step(mean: float) -> None:
    j = [0.001, 0.01, 0.3, 0.999]
    with mp.workdps(30):
        expected = [mp.gammainc(mp.mpf(k), mp.mpf(mean), regularized=True) for k in j]
        assert relative_error(poisson_lower(np.array(j), mean), expected) < 1e-11


# Law: mean 0 stops at the start.
def test_mean_zero() -> None:
    np.testing.assert_array_equal(Poisson(0).weights(3, 0.1), [1, 0, 0, 0])


# Law: the residual filter of a long run is exp(-mean * step * s), gradient flow.
def test_gradient_flow_filter() -> None:
    weights = Poisson(50.0).weights(400, 0.1)
    for s in (0.01, 1.0, 7.0):
        assert weights @ (1 - 0.1 * s) ** np.arange(401) == pytest.approx(math.exp(-50 * 0.1 * s), rel=1e-10)


# Law: a mean far beyond the run is refused.
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
