"""The residual filter against the sum that defines it, at all lengths."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import ridgeway.averaging
from ridgeway.averaging import (
    Exponential,
    Geometric,
    Last,
    NegativeBinomial,
    Poisson,
    Scheme,
    Staircase,
    Tail,
    Uniform,
)
from ridgeway.theory import residual_filter

CLASSES = list(ridgeway.averaging.SCHEMES.values())
EXAMPLES: list[Scheme] = [scheme for cls in CLASSES for scheme in cls.examples()]
MORE: list[Scheme] = [Exponential(0.5), NegativeBinomial(1e-9, 4), Tail(0.01)]
DECREASES = np.array([0.0, 1e-300, 1e-12, 1e-4, 0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 1.9, 2 - 1e-9, 2.0])
LONG = 10**12

every_scheme = pytest.mark.parametrize("scheme", EXAMPLES + MORE, ids=repr)
seeded = settings(derandomize=True, deadline=None, max_examples=50)


@dataclasses.dataclass(frozen=True)
class EveryOther(Scheme):
    """Weights on the even iterates: a scheme the package does not know."""

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(),)

    def _survival(self, j: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        raise NotImplementedError

    def _weights(self, t: NDArray[np.float64], n_steps: int, steps: Staircase) -> NDArray[np.float64]:
        return np.where(t % 2 == 0, 1.0 / (n_steps // 2 + 1), 0.0)


# Law: q is the sum of p_t (1 - eta s)^t; the error is a rounding of the sum of the sizes of the terms.
@every_scheme
@pytest.mark.parametrize("n_steps", [0, 1, 2, 7, 100, 1001])
@pytest.mark.parametrize("step", [1.0, 0.25, 1e-5])
def test_is_the_sum(scheme: Scheme, n_steps: int, step: float) -> None:
    eigenvalues = DECREASES / step
    terms = (1 - step * eigenvalues)[:, None] ** np.arange(n_steps + 1) * scheme.weights(n_steps, step)
    q = residual_filter(scheme, eigenvalues, step, n_steps)
    bound = 1e-12 * np.abs(terms).sum(axis=1) + 1e-300
    assert np.all(np.abs(q - terms.sum(axis=1)) <= bound)


# Law: so is the filter of a scheme without a closed form, over more than one block of weights.
def test_unknown_scheme() -> None:
    for n_steps in (0, 5, 4095, 4096, 10_000):
        powers = (1 - DECREASES)[:, None] ** np.arange(n_steps + 1)
        expected = powers @ EveryOther().weights(n_steps, 1.0)
        np.testing.assert_allclose(residual_filter(EveryOther(), DECREASES, 1.0, n_steps), expected, atol=1e-13)


# Law: q(0) = 1: what no row shows is never learned. And |q| <= 1 while eta s <= 2.
@every_scheme
@seeded
@given(decrease=st.floats(0, 2), log_step=st.floats(-6, 0), n_steps=st.integers(1, 3000))
def test_between_minus_one_and_one(scheme: Scheme, decrease: float, log_step: float, n_steps: int) -> None:
    step = 10**log_step
    q = residual_filter(scheme, [0.0, min(decrease / step, 2 / step * (1 - 1e-15))], step, n_steps)
    assert q[0] == pytest.approx(1, abs=1e-13)
    assert abs(q[1]) <= 1 + 1e-12


# Law: in a long run the geometric average is ridge, alpha / (s + alpha), and order m is its power m.
@seeded
@given(log_alpha=st.floats(-6, 3), log_eigenvalue=st.floats(-6, 0.3), log_step=st.floats(-5, 0))
def test_long_geometric_runs_are_ridge(log_alpha: float, log_eigenvalue: float, log_step: float) -> None:
    alpha, s, step = 10**log_alpha, 10**log_eigenvalue, 10**log_step
    n_steps = int(100 / (step * alpha)) + 100
    expected = alpha / (s + alpha)
    assert residual_filter(Geometric(alpha), s, step, n_steps) == pytest.approx(expected, rel=1e-12)
    for order in (1, 3):
        iterated = residual_filter(NegativeBinomial(alpha, order), s, step, n_steps)
        assert iterated == pytest.approx(expected**order, rel=1e-10)


# Law: a Poisson stopping time in a long run is gradient flow, exp(-mean eta s).
@seeded
@given(mean=st.floats(0, 1e6), decrease=st.floats(0, 1, exclude_max=True))
def test_long_poisson_runs_are_gradient_flow(mean: float, decrease: float) -> None:
    q = residual_filter(Poisson(mean), decrease, 1.0, 10**8)
    assert q == pytest.approx(np.exp(-mean * decrease), rel=1e-9, abs=1e-300)


# Law: alpha = 0 and a tail from 0 are the uniform average, order 1 is geometric, a tail from T and decay 0 the last.
@pytest.mark.parametrize("n_steps", [1, 30, 10**6 + 1, LONG])
def test_schemes_that_coincide(n_steps: int) -> None:
    pairs: list[tuple[Scheme, Scheme]] = [
        (Geometric(0.0), Uniform()),
        (Geometric(1e-40), Uniform()),
        (Tail(0), Uniform()),
        (NegativeBinomial(0.0, 1), Uniform()),
        (NegativeBinomial(1e-5, 1), Geometric(1e-5)),
        (Tail(n_steps), Last()),
        (Exponential(0.0), Last()),
    ]
    for one, other in pairs:
        got, expected = (residual_filter(scheme, DECREASES, 1.0, n_steps) for scheme in (one, other))
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-15, err_msg=f"{one} {other}")


def power_mean(a: Any, first: int, last: int) -> Any:
    return (a**first - a ** (last + 1)) / (1 - a) / (last + 1 - first) if a != 1 else mp.mpf(1)


def reference(scheme: Scheme, decrease: float, n_steps: int) -> Any:
    """The closed forms with digits enough for their cancellation, step 1."""
    a = 1 - mp.mpf(decrease)
    if isinstance(scheme, Last):
        return a**n_steps
    if isinstance(scheme, Tail):
        return power_mean(a, scheme.first(n_steps), n_steps)
    if isinstance(scheme, Geometric) and scheme.alpha > 0:
        rho = 1 / (1 + mp.mpf(scheme.alpha))
        return (1 - rho) / (1 - rho ** (n_steps + 1)) * (1 - (rho * a) ** (n_steps + 1)) / (1 - rho * a)
    if isinstance(scheme, Exponential) and scheme.decay > 0:
        d = mp.mpf(scheme.decay)
        quotient = n_steps * d ** (n_steps - 1) if d == a else (d**n_steps - a**n_steps) / (d - a)
        return d**n_steps + (1 - d) * a * quotient
    return power_mean(a, 0, n_steps)


# Law: 1e12 steps are as accurate as 100, for any eta s.
@pytest.mark.parametrize("n_steps", [10**6 + 1, LONG, LONG + 1])
@pytest.mark.parametrize(
    "scheme",
    [Uniform(), Last(), Tail(0.5), Tail(3), Exponential(0.9), Exponential(1 - 2.0**-40)]
    + [Geometric(alpha) for alpha in (0.0, 1e-15, 1e-12, 1e-6, 1.0, 1e12, 1e308)],
    ids=repr,
)
def test_long_runs(scheme: Scheme, n_steps: int) -> None:
    decreases = np.array([0, 1e-30, 1e-13, 2.0**-40, 1e-12, 1e-9, 1e-3, 0.5, 1, 1.5, 2 - 2.0**-40, 2 - 2.0**-50, 2])
    with mp.workdps(360):
        expected = [float(reference(scheme, float(u), n_steps)) for u in decreases]
    q = residual_filter(scheme, decreases, 1.0, n_steps)
    np.testing.assert_allclose(q, expected, rtol=1e-11, atol=1e-25)


def negative_binomial(scheme: NegativeBinomial, decrease: float, n_steps: int) -> Any:
    """The ratio of two truncated sums of C(t + m - 1, t) z^t, each from its finite closed form."""
    m, n, x = scheme.order, n_steps + 1, mp.mpf(scheme.alpha)

    def truncated(z: Any) -> Any:
        if z == 1:
            return mp.binomial(n - 1 + m, m)
        rest = sum(mp.binomial(n - 1 + k, k) * (1 - z) ** k for k in range(m))
        return (1 - z**n * rest) / (1 - z) ** m

    return truncated((1 - mp.mpf(decrease)) / (1 + x)) / truncated(1 / (1 + x))


# Law: so are negative binomial runs, ...
@pytest.mark.parametrize("order", [1, 2, 3, 7])
@pytest.mark.parametrize("alpha", [0.0, 1e-13, 1e-12, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("n_steps", [LONG, LONG + 1])
def test_long_negative_binomial_sums(order: int, alpha: float, n_steps: int) -> None:
    scheme = NegativeBinomial(alpha, order)
    decreases = np.array([0, 1e-13, 1e-12, 1e-9, 1e-3, 0.5, 1.0, 1.5, 2 - 2.0**-40, 2])
    with mp.workdps(250):
        expected = [float(negative_binomial(scheme, float(u), n_steps)) for u in decreases]
    q = residual_filter(scheme, decreases, 1.0, n_steps)
    np.testing.assert_allclose(q, expected, rtol=1e-9, atol=1e-22)


# Law: ... and Poisson runs, which end long before, for any eta s.
@pytest.mark.parametrize("mean", [1e-3, 1.0, 1e3, 1e6])
def test_long_poisson_sums(mean: float) -> None:
    decreases = np.array([0, 1e-9, 1e-6, 1e-3, 0.5, 1.0, 1.5, 2])
    q = residual_filter(Poisson(mean), decreases, 1.0, LONG)
    with mp.workdps(50):
        expected = [float(mp.exp(-mp.mpf(mean) * mp.mpf(float(u)))) for u in decreases]
    np.testing.assert_allclose(q, expected, rtol=1e-9, atol=1e-300)


# Law: long runs of the other schemes stay filters.
@pytest.mark.parametrize("scheme", NegativeBinomial.examples(), ids=repr)
def test_long_negative_binomial_runs(scheme: Scheme) -> None:
    q = residual_filter(scheme, np.linspace(0, 2, 41), 1.0, LONG)
    assert np.all(np.abs(q) <= 1 + 1e-10)
    assert np.all(np.diff(q[:21]) <= 0)


# Law: the shape of the eigenvalues is kept.
@every_scheme
def test_shapes(scheme: Scheme) -> None:
    grid = np.linspace(0, 0.9, 6).reshape(2, 3)
    q = residual_filter(scheme, grid, 1.0, 50)
    assert q.shape == (2, 3)
    assert residual_filter(scheme, 0.18, 1.0, 50).shape == ()
    assert residual_filter(scheme, [], 1.0, 50).shape == (0,)
    assert residual_filter(scheme, grid[1, 2], 1.0, 50) == pytest.approx(q[1, 2], rel=1e-14)


@pytest.mark.parametrize(
    ("scheme", "eigenvalues", "step", "n_steps", "message"),
    [
        (Uniform(), [1.0], 0.0, 5, "step=0.0 is not positive: the step size must be a finite number above 0"),
        (Uniform(), [-1.0], 0.1, 5, r"eigenvalues range from -1.0 to -1.0: expected finite numbers, 0 or more"),
        (Uniform(), [np.nan], 0.1, 5, "eigenvalues range from nan to nan"),
        (Uniform(), [30.0], 0.1, 5, "step [*] eigenvalue is up to 3: expected at most 2.*a step of at most 0.0666"),
        (Uniform(), [1.0], 0.1, -1, "n_steps=-1 is negative"),
        (EveryOther(), [1.0], 0.1, 10**8, r"n_steps=100000000 is too many to sum EveryOther\(\).*at most 10000000"),
        (Poisson(9e7), [15.0], 0.1, 10**8, "step [*] eigenvalue at most 1"),
        (Poisson(1e5), [0.5], 0.1, 10, "mean=100000.0 is too large for n_steps=10"),
    ],
)
def test_refusals(scheme: Scheme, eigenvalues: list[float], step: float, n_steps: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        residual_filter(scheme, eigenvalues, step, n_steps)
